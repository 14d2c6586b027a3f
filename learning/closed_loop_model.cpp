// SPDX-License-Identifier: Apache-2.0
#include "closed_loop_model.hpp"

#include <cmath>
#include <numbers>

#include "fivebar_control/model/held_step.hpp"
#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{
namespace
{

/// What the velocity estimator makes of a reading: z(k) = own * z(k - 1) + reading * angle(k), for
/// each joint; the first of z is the speed (docs/control.md, "Velocity").
struct Estimator
{
  Eigen::Matrix2d own;
  Eigen::Vector2d reading;
};

Estimator estimator_of(const RunDescription & run, double period)
{
  const double pole = std::exp(-2.0 * std::numbers::pi * run.velocity_cutoff * period);
  Estimator e;
  if (run.velocity_method == "filtered_difference")
  {
    const double c = 1.0 - pole;
    e.own << pole, -c / period, 0.0, 0.0;
    e.reading << c / period, 1.0;
    return e;
  }
  if (run.velocity_method == "tracking_observer")
  {
    const double position = 1.0 - pole * pole;
    const double speed = (1.0 - pole) * (1.0 - pole) / period;
    e.own << 1.0 - speed * period, -speed, (1.0 - position) * period, 1.0 - position;
    e.reading << speed, position;
    return e;
  }
  throw InputError(
    {run.hardware},
    "learning knows runs with velocity.method filtered_difference or "
    "tracking_observer, not '" +
      run.velocity_method + "'");
}

}  // namespace

std::vector<LoopStep> closed_loop(
  const RobotModel & robot, const PlayablePlan & plan, const RunDescription & run)
{
  const double period = 1.0 / run.rate;
  const Estimator estimator = estimator_of(run, period);
  const Geometry<double> & geometry = robot.constants().geometry;
  const auto cycles = static_cast<std::size_t>(std::floor(plan.duration() * run.rate + 1e-6)) + 1;
  std::vector<LoopStep> steps;
  steps.reserve(cycles);
  std::size_t interval = 0;
  for (std::size_t i = 0; i < cycles; ++i)
  {
    const Reference reference = plan.at(static_cast<double>(i) * period, interval);
    Eigen::Vector4d x;
    x << reference.phi, reference.speed;
    const HeldStep step = held_step(robot.constants(), x, reference.feedforward, period);
    // States: x (4), then speed and memory of joint 1, speed and memory of joint 4, last change.
    Eigen::Matrix<double, 4, loop_states> after = Eigen::Matrix<double, 4, loop_states>::Zero();
    Eigen::Matrix<double, 2, loop_states> volts = Eigen::Matrix<double, 2, loop_states>::Zero();
    for (int j = 0; j < 2; ++j)
    {
      after.block<2, 2>(2 * j, 4 + 2 * j) = estimator.own;
      after.block<2, 1>(2 * j, j) = estimator.reading;
      volts.row(j) = -run.kd * after.row(2 * j);
      volts(j, j) -= run.kp;
    }
    LoopStep loop;
    loop.by_state.setZero();
    loop.by_state.topLeftCorner<4, 4>() = step.by_state;
    loop.by_state.topRows<4>() += step.by_volts * volts;
    loop.by_state.middleRows<4>(4) = after;
    loop.by_change.setZero();
    loop.by_change.topRows<4>() = step.by_volts;
    loop.by_change.bottomRows<2>().setIdentity();
    const Pose<double> pose = pose_at<double>(geometry, reference.phi[0], reference.phi[1]);
    loop.jacobian =
      end_effector_jacobian<double>(geometry, pose, passive_velocity_map<double>(geometry, pose));
    steps.push_back(loop);
  }
  return steps;
}

}  // namespace fivebar_control
