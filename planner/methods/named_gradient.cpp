// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/planner/methods/named_gradient.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <stdexcept>

#include "fivebar_control/planner/methods/hamiltonian_absolute.hpp"

namespace fivebar_control
{

const std::vector<std::string> & gradient_method_names()
{
  static const std::vector<std::string> names{"discrete-adjoint",  "hamiltonian-absolute",
                                              "hamiltonian-joint", "direct",
                                              "complex-step",      "finite-difference"};
  return names;
}

GradientResult named_gradient(
  const std::string & method, const TrackingProblem & problem, const RobotModel & robot,
  const Curve & curve, Trajectory & trajectory)
{
  if (method == "hamiltonian-absolute")
  {
    return hamiltonian_absolute_gradient(problem, robot, curve, trajectory);
  }
  const std::optional<GradientMethod> known = gradient_method(method);
  if (!known)
  {
    throw InputError(fmt::format(
      "method: expected one of {}, got '{}'", fmt::join(gradient_method_names(), ", "), method));
  }
  return compute_gradient(
    *known, problem, robot.physics(), robot.parameters().assembly_mode, curve, trajectory);
}

}  // namespace fivebar_control
