// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/planner/methods/hamiltonian_absolute.hpp"

#include <algorithm>
#include <stdexcept>

#include "fivebar_control/planner/rollout.hpp"

namespace fivebar_control::cli
{
namespace
{

multibody::RobotNumbers robot_numbers(const RobotModel & robot, const Eigen::Vector4d & start)
{
  const Physics<double> & physics = robot.physics();
  multibody::RobotNumbers numbers;
  numbers.pivot_1 = {physics.pivot_1[0], physics.pivot_1[1]};
  numbers.pivot_4 = {physics.pivot_4[0], physics.pivot_4[1]};
  for (std::size_t i = 0; i < 4; ++i)
  {
    const Link<double> & link = physics.links[i];
    numbers.links[i] = {link.length, link.mass, link.center[0], link.center[1], link.inertia};
  }
  for (std::size_t i = 0; i < 2; ++i)
  {
    const Motor<double> & motor = physics.motors[i];
    numbers.motors[i] = {motor.rotor_inertia, motor.back_emf_constant, motor.torque_constant,
                         motor.resistance,    motor.damping,           motor.gear_ratio};
    const Friction<double> & friction = physics.friction[i];
    numbers.friction[i] = {friction.viscous, friction.coulomb, friction.coulomb_velocity};
  }
  numbers.gravity = {physics.gravity[0], physics.gravity[1]};
  numbers.start_angle = {start[0], start[1]};
  numbers.start_rate = {start[2], start[3]};
  numbers.side = robot.parameters().assembly_mode == AssemblyMode::left ? 1.0 : -1.0;
  return numbers;
}

}  // namespace

multibody::RobotTracking robot_tracking(
  const TrackingProblem & problem, const RobotModel & robot, const Curve & curve,
  const Trajectory & trajectory)
{
  multibody::RobotTracking tracking;
  tracking.robot = robot_numbers(robot, problem.start);
  tracking.step = problem.step;
  tracking.alpha = problem.weights.alpha;
  tracking.beta = problem.weights.beta;
  for (std::size_t i = 0; i < problem.nodes(); ++i)
  {
    tracking.voltages.push_back({trajectory.u(i)[0], trajectory.u(i)[1]});
  }
  tracking.reference = [&curve](double t) -> multibody::ReferencePoint {
    const Motion2 motion = curve.at(std::clamp(t, 0.0, curve.duration()));
    return {
      {motion.position[0], motion.position[1]},
      {motion.velocity[0], motion.velocity[1]},
      {motion.acceleration[0], motion.acceleration[1]}};
  };
  return tracking;
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
  const multibody::RobotGradient found =
    multibody::robot_hamiltonian_gradient(robot_tracking(problem, robot, curve, trajectory));
  GradientResult result;
  result.cost = found.cost + trajectory.cost.soft + trajectory.cost.rate;
  for (const auto & [du1, du4] : found.gradient)
  {
    result.gradient.emplace_back(du1, du4);
  }
  add_input_cost_gradient(problem, trajectory, result.gradient);
  return result;
}

}  // namespace fivebar_control::cli
