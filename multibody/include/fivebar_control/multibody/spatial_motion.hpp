// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/multibody/mechanism.hpp"

namespace fivebar_control::multibody
{

/// Where a point of a spatial mechanism is [m], in the ground's axes.
Direction place_in_space(
  const Mechanism & mechanism, const Anchor & anchor, const VectorD & q, const VectorD & theta);

/// Constraints of a spatial mechanism, with those that only repeat others.
int constraint_count(const Mechanism & mechanism);

/// How a body of a spatial mechanism moves, in the ground's axes.
struct BodyMotion
{
  Direction centre{}, velocity{};  ///< of its centre of mass
  Direction turning{};             ///< angular velocity
  Orientation axes{};              ///< of its frame
  Orientation inertia{};           ///< about its centre of mass
};
BodyMotion body_motion(const Mechanism & mechanism, int body, const Point<double> & at);

}  // namespace fivebar_control::multibody
