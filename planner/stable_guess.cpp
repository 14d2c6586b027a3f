// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/planner/stable_guess.hpp"

#include <algorithm>

#include "fivebar_control/model/runge_kutta.hpp"

namespace fivebar_control
{
namespace
{

// Of the closed loop, in rad/s: slow against the nodes (5 ms), fast against falling links.
constexpr double bandwidth = 30.0;

/// Computed torque: volts that bring the model from `state` back to the wanted motion.
Eigen::Vector2d volts_towards(
  const DynamicsConstants<double> & model, const Motion2 & wanted, const Eigen::Vector4d & state)
{
  const Eigen::Vector2d acceleration = wanted.acceleration +
                                       2.0 * bandwidth * (wanted.velocity - state.tail<2>()) +
                                       bandwidth * bandwidth * (wanted.position - state.head<2>());
  return inverse_dynamics<double>(model, state, acceleration);
}

}  // namespace

void fill_stable_guess(
  const RobotModel & robot, const PlanRequest & request, const TrackingProblem & problem,
  Trajectory & trajectory)
{
  const DynamicsConstants<double> & model = robot.constants();
  const double most = problem.bounds.voltage;
  const double reach = 0.99 * problem.bounds.voltage_rate * problem.step;
  Eigen::Vector4d state = problem.start;
  Eigen::Vector2d near = problem.start.head<2>();
  Eigen::Vector2d before = Eigen::Vector2d::Zero();
  for (std::size_t i = 0; i < problem.nodes(); ++i)
  {
    const double t = std::min(static_cast<double>(i) * problem.step, request.curve->duration());
    const auto wanted =
      robot.kinematics().inverse_motion(request.curve->at(t), robot.working_mode(), near);
    // Volts of a node act before it as well: they are chosen for where the old ones would lead.
    const Eigen::Vector4d expected =
      i == 0 ? state : runge_kutta_step<double>(model, state, before, before, problem.step);
    if (!wanted || !expected.allFinite())
    {
      return;  // the solver reduces what it was given
    }
    near = wanted->position;
    Eigen::Vector2d volts = volts_towards(model, *wanted, expected).cwiseMax(-most).cwiseMin(most);
    if (i > 0)
    {
      volts = volts.cwiseMax(before - Eigen::Vector2d::Constant(reach))
                .cwiseMin(before + Eigen::Vector2d::Constant(reach));
      state = runge_kutta_step<double>(model, state, before, volts, problem.step);
    }
    trajectory.input[0][i] = volts[0];
    trajectory.input[1][i] = volts[1];
    before = volts;
  }
}

}  // namespace fivebar_control
