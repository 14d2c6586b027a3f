// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/controller/loop_gains.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "fivebar_control/model/held_step.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{
namespace
{

using Matrix6 = Eigen::Matrix<double, 6, 6>;

struct PlanCycle
{
  HeldStep step;
  Eigen::Matrix4d weight;  ///< m² per state²: the squared error of P
  Eigen::Vector2d feedforward;
};

std::vector<PlanCycle> cycles_of(const RobotModel & robot, const PlayablePlan & plan, double period)
{
  const Geometry<double> & geometry = robot.constants().geometry;
  const auto count = static_cast<std::size_t>(std::floor(plan.duration() / period + 1e-6)) + 1;
  std::vector<PlanCycle> cycles(count);
  std::size_t interval = 0;
  for (std::size_t k = 0; k < count; ++k)
  {
    const Reference r = plan.at(static_cast<double>(k) * period, interval);
    Eigen::Vector4d x;
    x << r.phi, r.speed;
    cycles[k].feedforward = r.feedforward;
    cycles[k].step = held_step(robot.constants(), x, r.feedforward, period);
    const Pose<double> pose = pose_at<double>(geometry, r.phi[0], r.phi[1]);
    const Eigen::Matrix2d jacobian =
      end_effector_jacobian<double>(geometry, pose, passive_velocity_map<double>(geometry, pose));
    cycles[k].weight.setZero();
    cycles[k].weight.topLeftCorner<2, 2>() = jacobian.transpose() * jacobian;
  }
  return cycles;
}

/// Backwards: K = (R + BᵀPB)⁻¹ BᵀPA.
void fill_feedback(const std::vector<PlanCycle> & cycles, double volts_weight, LoopGains & gains)
{
  gains.feedback.resize(cycles.size());
  Eigen::Matrix4d value = cycles.back().weight;
  for (std::size_t k = cycles.size(); k-- > 0;)
  {
    const HeldStep & s = cycles[k].step;
    if (!gains.horizon.empty())
    {
      gains.horizon[k] = {
        s.by_state, s.by_volts, cycles[k].weight.topLeftCorner<2, 2>(), value,
        cycles[k].feedforward};
    }
    const Eigen::Matrix<double, 4, 2> weighted = value * s.by_volts;
    Eigen::Matrix2d by_volts = s.by_volts.transpose() * weighted;
    by_volts.diagonal().array() += volts_weight;
    gains.feedback[k] = by_volts.inverse() * weighted.transpose() * s.by_state;
    const Eigen::Matrix4d closed = s.by_state - s.by_volts * gains.feedback[k];
    const Eigen::Matrix4d now = cycles[k].weight + s.by_state.transpose() * value * closed;
    value = 0.5 * (now + now.transpose());
  }
}

/// Forwards: process noise on the disturbance alone.
void fill_observer(
  const std::vector<PlanCycle> & cycles, const LoopGainSettings & settings, LoopGains & gains)
{
  gains.observer.resize(cycles.size());
  const double reading = settings.reading_noise * settings.reading_noise;
  const double wander = settings.disturbance_rate * settings.disturbance_rate;
  constexpr double speed_at_rest = 1e-8;      // (rad/s)²
  constexpr double disturbance_first = 0.04;  // V²
  Eigen::Matrix<double, 6, 1> first;
  first << reading, reading, speed_at_rest, speed_at_rest, disturbance_first, disturbance_first;
  Matrix6 covariance = first.asDiagonal();
  for (std::size_t k = 0; k < cycles.size(); ++k)
  {
    if (k > 0)
    {
      const HeldStep & s = cycles[k - 1].step;
      Matrix6 step = Matrix6::Identity();
      step.topLeftCorner<4, 4>() = s.by_state;
      step.topRightCorner<4, 2>() = s.by_volts;
      covariance = (step * covariance * step.transpose()).eval();
      covariance.diagonal().tail<2>().array() += wander;
    }
    Eigen::Matrix2d innovation = covariance.topLeftCorner<2, 2>();
    innovation.diagonal().array() += reading;
    gains.observer[k] = covariance.leftCols<2>() * innovation.inverse();
    const Matrix6 after = covariance - gains.observer[k] * covariance.topRows<2>();
    covariance = 0.5 * (after + after.transpose());
  }
}

}  // namespace

std::size_t LoopGains::cycle(double plan_time) const
{
  const double k = std::round(plan_time / period);
  return k <= 0.0 ? 0 : std::min(static_cast<std::size_t>(k), feedback.size() - 1);
}

LoopGains make_loop_gains(
  const RobotModel & robot, const PlayablePlan & plan, double period,
  const LoopGainSettings & settings, bool with_horizon)
{
  const std::vector<PlanCycle> cycles = cycles_of(robot, plan, period);
  LoopGains gains;
  gains.horizon.resize(with_horizon ? cycles.size() : 0);
  gains.period = period;
  fill_feedback(cycles, settings.volts_weight, gains);
  fill_observer(cycles, settings, gains);
  return gains;
}

std::optional<LoopGains> loop_gains_for(
  const RobotModel & robot, const ControllerSettings & settings, const PlayablePlan & plan,
  double period)
{
  if (!settings.needs_gains())
  {
    return std::nullopt;
  }
  return make_loop_gains(
    robot, plan, period, settings.loop, settings.gains.method == FeedbackMethod::mpc);
}

void require_plan_can_be_played(
  const Plan & plan, const RobotModel & robot, const ControllerSettings & settings,
  const std::string & name)
{
  require_plan_fits(plan, robot, name);
  if (
    settings.velocity.method == VelocityMethod::kalman && !plan.lessons.empty() &&
    !plan.samples.has_learned())
  {
    throw InputError(
      {name},
      "this plan has learned from runs, but its file does not say which volts (columns learned1, "
      "learned4), and velocity.method is kalman: the observer would make up once more for what "
      "the feedforward already does; expected a plan that this version has learned, or "
      "filtered_difference or tracking_observer");
  }
}

}  // namespace fivebar_control
