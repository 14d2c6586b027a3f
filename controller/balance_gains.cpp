// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/controller/balance_gains.hpp"

#include <Eigen/LU>
#include <cmath>

#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{
namespace
{

using Matrix8 = Eigen::Matrix<double, 8, 8>;
using Matrix10 = Eigen::Matrix<double, 10, 10>;

struct Cycle
{
  PendulumHeldStep step;
  Matrix8 weight;  ///< m² per state²: the squared errors of P and of the pendulum's tip
};

Matrix8 weight_at(const PendulumConstants<double> & constants, const PendulumState<double> & x)
{
  Matrix8 weight = Matrix8::Zero();
  for (const double above : {0.0, constants.body.length})
  {
    PendulumConstants<double> k = constants;
    k.body.center = above;
    const auto jacobian = pendulum_jacobian<double>(k, pendulum_pose<double>(k, x)).centre;
    weight.topLeftCorner<4, 4>() += jacobian.transpose() * jacobian;
  }
  return weight;
}

Cycle cycle_at(
  const PendulumConstants<double> & constants, const PendulumState<double> & x,
  const Eigen::Vector2d & volts, double period)
{
  return {held_step(constants, x, volts, period), weight_at(constants, x)};
}

/// K = (R + BᵀPB)⁻¹ BᵀPA, and P one cycle earlier.
BalanceFeedback feedback_step(const Cycle & cycle, double volts_weight, Matrix8 & value)
{
  const PendulumHeldStep & s = cycle.step;
  const Eigen::Matrix<double, 8, 2> weighted = value * s.by_volts;
  Eigen::Matrix2d by_volts = s.by_volts.transpose() * weighted;
  by_volts.diagonal().array() += volts_weight;
  const BalanceFeedback gain = by_volts.inverse() * weighted.transpose() * s.by_state;
  const Matrix8 now =
    cycle.weight + s.by_state.transpose() * value * (s.by_state - s.by_volts * gain);
  value = 0.5 * (now + now.transpose());
  return gain;
}

Matrix10 observed_step(const PendulumHeldStep & s)
{
  Matrix10 step = Matrix10::Identity();
  step.topLeftCorner<8, 8>() = s.by_state;
  step.topRightCorner<8, 2>() = s.by_volts;
  return step;
}

/// The covariance one cycle on.
void predict(
  const PendulumHeldStep & s, const BalanceGainSettings & settings, Matrix10 & covariance)
{
  const Matrix10 step = observed_step(s);
  covariance = (step * covariance * step.transpose()).eval();
  covariance.diagonal().segment<2>(6).array() += settings.speed_noise * settings.speed_noise;
  covariance.diagonal().tail<2>().array() += settings.disturbance_rate * settings.disturbance_rate;
}

BalanceObserverGain correct(const BalanceGainSettings & settings, Matrix10 & covariance)
{
  Eigen::Matrix4d innovation = covariance.topLeftCorner<4, 4>();
  innovation.diagonal().array() += settings.reading_noise * settings.reading_noise;
  const BalanceObserverGain gain = covariance.leftCols<4>() * innovation.inverse();
  const Matrix10 after = covariance - gain * covariance.topRows<4>();
  covariance = 0.5 * (after + after.transpose());
  return gain;
}

Matrix10 covariance_at_rest(const BalanceGainSettings & settings)
{
  const double reading = settings.reading_noise * settings.reading_noise;
  constexpr double speed_at_rest = 1e-8;      // (rad/s)²
  constexpr double disturbance_first = 0.04;  // V²
  Eigen::Matrix<double, 10, 1> first;
  first << Eigen::Vector4d::Constant(reading), Eigen::Vector4d::Constant(speed_at_rest),
    Eigen::Vector2d::Constant(disturbance_first);
  return first.asDiagonal();
}

constexpr double longest_time = 60.0;  // s, in which recursions settle or do not

[[noreturn]] void cannot_hold()
{
  throw NotReachable("no gains hold this pendulum upright: what the motors do does not reach it");
}

/// The cost to go of holding for ever.
BalanceFeedback settle_feedback(
  const Cycle & upright, double period, double weight, Matrix8 & value)
{
  value = upright.weight;
  BalanceFeedback gain = BalanceFeedback::Zero();
  for (double time = 0.0; time < longest_time; time += period)
  {
    const BalanceFeedback next = feedback_step(upright, weight, value);
    const double change = (next - gain).norm();
    gain = next;
    if (change <= 1e-10 * gain.norm())
    {
      return gain;
    }
    if (!std::isfinite(change))
    {
      break;
    }
  }
  cannot_hold();
}

Cycle upright_cycle(
  const PendulumConstants<double> & constants, const Eigen::Vector2d & home, double period)
{
  PendulumState<double> x = PendulumState<double>::Zero();
  x.head<2>() = home;
  return cycle_at(constants, x, Eigen::Vector2d::Zero(), period);
}

}  // namespace

BalanceFeedback hold_feedback(
  const PendulumConstants<double> & constants, const Eigen::Vector2d & home, double period,
  double volts_weight)
{
  Matrix8 value;
  return settle_feedback(upright_cycle(constants, home, period), period, volts_weight, value);
}

BalanceGains make_balance_gains(
  const PendulumConstants<double> & constants, const Eigen::Vector2d & home,
  const BalancePlan & plan, double period, const BalanceGainSettings & settings)
{
  BalanceGains gains;
  gains.period = period;
  const auto count = static_cast<std::size_t>(std::floor(plan.duration() / period + 1e-6));
  std::vector<Cycle> cycles(count);
  gains.cycles.resize(count);
  for (std::size_t k = 0; k < count; ++k)
  {
    gains.cycles[k].reference = balance_reference(plan, static_cast<double>(k) * period);
    const BalanceReference & r = gains.cycles[k].reference;
    cycles[k] = cycle_at(constants, r.state, r.feedforward, period);
  }
  const Cycle upright = upright_cycle(constants, home, period);
  gains.hold.reference.state.head<2>() = home;
  Matrix8 value;
  gains.hold.feedback = settle_feedback(upright, period, settings.volts_weight, value);
  for (std::size_t k = count; k-- > 0;)
  {
    gains.cycles[k].feedback = feedback_step(cycles[k], settings.volts_weight, value);
  }
  Matrix10 covariance = covariance_at_rest(settings);
  for (std::size_t k = 0; k < count; ++k)
  {
    gains.cycles[k].observer = correct(settings, covariance);
    predict(cycles[k].step, settings, covariance);
  }
  BalanceObserverGain before = BalanceObserverGain::Zero();
  for (double time = 0.0; time < longest_time; time += period)
  {
    gains.hold.observer = correct(settings, covariance);
    predict(upright.step, settings, covariance);
    const double change = (gains.hold.observer - before).norm();
    if (change <= 1e-9 * gains.hold.observer.norm())
    {
      return gains;
    }
    before = gains.hold.observer;
  }
  cannot_hold();
}

}  // namespace fivebar_control
