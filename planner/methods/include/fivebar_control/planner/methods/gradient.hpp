// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fivebar_control/planner/curve.hpp"
#include "fivebar_control/planner/tracking_problem.hpp"

namespace fivebar_control
{

/// Ways to compute dJ/du at the nodes. All but the Hamiltonian ones differentiate the discretised
/// problem and agree to round-off (finite differences: to their own accuracy).
enum class GradientMethod
{
  discrete_adjoint,   ///< of the Runge-Kutta map; what the solver uses
  hamiltonian_joint,  ///< continuous adjoint in joint space (Maciąg, eqs. 4.29, 4.37, 4.38)
  direct,             ///< sensitivities of the state, forward in time
  complex_step,
  finite_difference,  ///< central
};

/// "discrete-adjoint", "hamiltonian-joint", "direct", "complex-step", "finite-difference".
std::optional<GradientMethod> gradient_method(const std::string & name);
std::string to_string(GradientMethod method);

struct GradientResult
{
  double cost = 0.0;
  std::vector<Eigen::Vector2d> gradient;  ///< dJ/du at each node, m²/V
};

/// Adds the derivatives of the soft limit and of the rate term, which act on the inputs alone.
void add_input_cost_gradient(
  const TrackingProblem & problem, const Trajectory & trajectory,
  std::vector<Eigen::Vector2d> & gradient);

/// dJ/du at the voltages that stand in trajectory.input. `physics` and `mode` belong to the
/// problem's dynamics; `curve` gives the reference's acceleration to the continuous adjoint. Throws
/// LeavesWorkspace if the voltages lead out of the workspace.
GradientResult compute_gradient(
  GradientMethod method, const TrackingProblem & problem, const Physics<double> & physics,
  AssemblyMode mode, const Curve & curve, Trajectory & trajectory);

}  // namespace fivebar_control
