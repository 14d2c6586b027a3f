// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/controller/output_guard.hpp"

#include <algorithm>
#include <cmath>

namespace fivebar_control
{

OutputGuard::OutputGuard(const RobotModel & robot, const GuardSettings & settings)
: limit_(robot.limits().voltage), heat_(Eigen::Vector2d::Zero())
{
  set(settings);
  for (int i = 0; i < 2; ++i)
  {
    const Motor<double> & motor = robot.physics().motors[static_cast<std::size_t>(i)];
    back_emf_[i] = motor.gear_ratio * motor.back_emf_constant;
    conductance_[i] = 1.0 / motor.resistance;
  }
  reset();
}

void OutputGuard::set(const GuardSettings & settings)
{
  settings_ = settings;
  shares_ = {};
  swing_ = std::min(settings.chatter_voltage, limit_);
}

void OutputGuard::reset()
{
  saturated_.setZero();
  reversals_.setZero();
  extreme_.setZero();
  rising_ = {true, true};
}

OutputGuard::Shares OutputGuard::shares_of(double elapsed) const
{
  return {
    elapsed, std::min(1.0, elapsed / settings_.chatter_window),
    std::min(1.0, elapsed / settings_.heating_time)};
}

bool OutputGuard::turns(int motor, double volts)
{
  bool & rising = rising_[static_cast<std::size_t>(motor)];
  double & extreme = extreme_[motor];
  const bool turned = rising ? volts < extreme - swing_ : volts > extreme + swing_;
  rising = rising != turned;
  extreme = turned ? volts : (rising ? std::max(extreme, volts) : std::min(extreme, volts));
  return turned;
}

Finding OutputGuard::check(
  const Eigen::Vector2d & wanted, const Eigen::Vector2d & volts, const Eigen::Vector2d & speed,
  double elapsed)
{
  if (elapsed != shares_.elapsed)
  {
    shares_ = shares_of(elapsed);
  }
  const double forgotten = shares_.forgotten;
  const double warmed = shares_.warmed;
  const double most_reversals = settings_.chatter_rate * settings_.chatter_window;
  for (int i = 0; i < 2; ++i)
  {
    saturated_[i] = std::abs(wanted[i]) > limit_ ? saturated_[i] + elapsed : 0.0;
    if (saturated_[i] > settings_.saturation_window && settings_.is_on(Reason::saturation))
    {
      return {Reason::saturation, i, saturated_[i], settings_.saturation_window};
    }
    reversals_[i] += (turns(i, volts[i]) ? 1.0 : 0.0) - forgotten * reversals_[i];
    if (reversals_[i] > most_reversals && settings_.is_on(Reason::chatter))
    {
      return {Reason::chatter, i, reversals_[i] / settings_.chatter_window, settings_.chatter_rate};
    }
    const double current = conductance_[i] * (volts[i] - back_emf_[i] * speed[i]);
    heat_[i] += warmed * (current * current - heat_[i]);
    if (
      heat_[i] > settings_.motor_current * settings_.motor_current &&
      settings_.is_on(Reason::motor_overload))
    {
      return {Reason::motor_overload, i, std::sqrt(heat_[i]), settings_.motor_current};
    }
  }
  return {};
}

void OutputGuard::cool(double elapsed)
{
  heat_ *= 1.0 - std::min(1.0, elapsed / settings_.heating_time);
}

}  // namespace fivebar_control
