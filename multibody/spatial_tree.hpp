// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/multibody/mechanism.hpp"

namespace fivebar_control::multibody
{

/// Rotation by a rotation vector [rad].
Orientation orientation(const Direction & turn);
/// Completes a joint's description from the start positions: its zero, and a side of its axis.
void settle_joint(const SpatialParts & parts, SpatialJoint & joint);
/// Chooses what the coordinates are, names them and appends their start values. Loops are opened at
/// the joints with the most coordinates (López Varela, section 2.4), and at those that are named.
void lay_out(Mechanism & mechanism, std::vector<double> & start);

}  // namespace fivebar_control::multibody
