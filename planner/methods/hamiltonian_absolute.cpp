// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/planner/methods/hamiltonian_absolute.hpp"

#include <algorithm>

#include "fivebar_control/multibody/tracking_cost.hpp"
#include "fivebar_control/planner/methods/robot_mechanism.hpp"
#include "fivebar_control/planner/rollout.hpp"

namespace fivebar_control
{

multibody::MechanismFile tracking_mechanism(
  const TrackingProblem & problem, const RobotModel & robot, const Curve & curve,
  const Trajectory & trajectory)
{
  MechanismMotion motion;
  motion.start = problem.start;
  motion.duration = problem.step * static_cast<double>(problem.intervals);
  motion.step = motion.node_step = problem.step;
  multibody::MechanismFile file =
    multibody::read_mechanism(YamlMap::parse(mechanism_of(robot, motion), "robot"));
  multibody::Tracking tracking;
  tracking.point = file.anchors.at("link_2.tip");
  tracking.alpha = problem.weights.alpha;
  tracking.beta = problem.weights.beta;
  tracking.reference = [&curve](double t) -> multibody::ReferencePoint {
    const Motion2 at = curve.at(std::clamp(t, 0.0, curve.duration()));
    return {
      {at.position[0], at.position[1]},
      {at.velocity[0], at.velocity[1]},
      {at.acceleration[0], at.acceleration[1]}};
  };
  file.problem.costs = {multibody::make_tracking_cost(file.mechanism, tracking)};
  const auto nodes = static_cast<Eigen::Index>(problem.nodes());
  for (Eigen::Index i = 0; i < nodes; ++i)
  {
    const Eigen::Vector2d u = trajectory.u(static_cast<std::size_t>(i));
    file.problem.rho(i) = u[0];
    file.problem.rho(nodes + i) = u[1];
  }
  return file;
}

GradientResult hamiltonian_absolute_gradient(
  const TrackingProblem & problem, const RobotModel & robot, const Curve & curve,
  Trajectory & trajectory)
{
  StageDirections directions;
  directions.resize(problem.nodes());
  if (!roll_out(problem, trajectory, directions))
  {
    throw LeavesWorkspace("the voltages lead out of the workspace or too near a singularity");
  }
  const multibody::MechanismFile file = tracking_mechanism(problem, robot, curve, trajectory);
  const multibody::Gradient found =
    multibody::hamiltonian_adjoint(
      file.problem, file.settings, file.problem.rho, multibody::AdjointSpace::absolute)
      .gradient;
  GradientResult result;
  result.cost = found.costs(0) + trajectory.cost.soft + trajectory.cost.rate;
  const auto nodes = static_cast<Eigen::Index>(problem.nodes());
  for (Eigen::Index i = 0; i < nodes; ++i)
  {
    result.gradient.emplace_back(found.gradient(0, i), found.gradient(0, nodes + i));
  }
  add_input_cost_gradient(problem, trajectory, result.gradient);
  return result;
}

}  // namespace fivebar_control
