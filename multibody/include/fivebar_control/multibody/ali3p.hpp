// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/multibody/sensitivity.hpp"

namespace fivebar_control::multibody
{

/// Index-3 augmented Lagrangian with velocity and acceleration projections and the trapezoidal
/// member of Newmark's family (002, section 3; docs/sensitivity.md has the corrected equations).
/// Costs are integrated with the trapezoidal rule on the same grid.
template <class S>
Vector<S> ali3p_costs(const Problem & problem, const Settings & settings, const Vector<S> & rho);

/// Direct differentiation of the discrete equations (002: 5.37-5.50).
Gradient ali3p_direct(const Problem & problem, const Settings & settings, const VectorD & rho);

/// Discrete adjoint of the same equations (002: 5.113-5.128, corrected).
Gradient ali3p_adjoint(const Problem & problem, const Settings & settings, const VectorD & rho);

}  // namespace fivebar_control::multibody
