// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fivebar_control/multibody/mechanism_file.hpp"
#include "fivebar_control/multibody/sensitivity.hpp"

namespace fivebar_control::multibody
{

/// A motion as CSV: t; q, v and a of all coordinates (NAME, NAME_rate, NAME_acceleration); the
/// multipliers of joints and rods (lambda_0, ...) in the order of the mechanism; the inputs; and
/// the residuals |Phi| and |Phi'|. A joint that is not there in a mode has the multiplier 0. With a
/// method that knows them (hadca, hamiltonian-absolute, hamiltonian-joint): xi and eta of the first
/// cost, xi_NAME and eta_NAME.
std::string series_of(
  const MechanismFile & file, const VectorD & rho, std::optional<Method> method = std::nullopt);

}  // namespace fivebar_control::multibody
