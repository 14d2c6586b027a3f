// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fivebar_control/multibody/mechanism_file.hpp"

namespace fivebar_control::multibody
{

/// A motion as CSV: t; q, v and a of all coordinates (NAME, NAME_rate, NAME_acceleration); the
/// multipliers of joints and rods (lambda_0, ...) in the order of the mechanism; the inputs; and
/// the residuals |Phi| and |Phi'|. Modes with other numbers of multipliers leave cells empty.
std::string series_of(const MechanismFile & file, const VectorD & rho);

}  // namespace fivebar_control::multibody
