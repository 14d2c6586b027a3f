// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/controller/balancer.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <utility>

#include "fivebar_control/support/nanoseconds.hpp"

namespace fivebar_control
{
namespace
{

const char * angle_name(int angle)
{
  constexpr std::array<const char *, 4> names{"phi1", "phi4", "a1", "a2"};
  return names[static_cast<std::size_t>(angle)];
}

BalanceFinding of_linkage(const Finding & finding)
{
  BalanceFinding result;
  result.kind = finding ? BalanceFinding::Kind::linkage : BalanceFinding::Kind::none;
  result.finding = finding;
  result.angle = finding.joint;
  result.value = finding.value;
  result.limit = finding.limit;
  return result;
}

}  // namespace

const char * to_string(const BalanceFinding & finding)
{
  switch (finding.kind)
  {
    case BalanceFinding::Kind::none:
      return "none";
    case BalanceFinding::Kind::linkage:
      return to_string(finding.finding.reason);
    case BalanceFinding::Kind::not_at_start:
      return "not_at_start";
    case BalanceFinding::Kind::pendulum_over:
      return "pendulum_over";
    case BalanceFinding::Kind::pendulum_encoder:
      return "pendulum_encoder";
  }
  return "?";
}

std::string describe(const BalanceFinding & finding)
{
  switch (finding.kind)
  {
    case BalanceFinding::Kind::none:
      return "nothing";
    case BalanceFinding::Kind::linkage:
      return describe(finding.finding);
    case BalanceFinding::Kind::not_at_start:
      return fmt::format(
        "{} is {:.4f} rad away from the plan's start; the limit is {:.4f} rad",
        angle_name(finding.angle), finding.value, finding.limit);
    case BalanceFinding::Kind::pendulum_over:
      return fmt::format(
        "the pendulum is {:.3f} rad from upright; the limit is {:.3f} rad", finding.value,
        finding.limit);
    case BalanceFinding::Kind::pendulum_encoder:
      return fmt::format(
        "the encoder of {} moved by {:.4f} rad in one cycle; at most {:.4f} rad is a motion",
        angle_name(finding.angle), finding.value, finding.limit);
  }
  return "?";
}

const char * to_string(BalanceState state)
{
  switch (state)
  {
    case BalanceState::idle:
      return "idle";
    case BalanceState::playing:
      return "playing";
    case BalanceState::holding:
      return "holding";
    case BalanceState::finished:
      return "finished";
    case BalanceState::fault:
      return "fault";
  }
  return "?";
}

Balancer::Balancer(
  const RobotModel & robot, const PendulumParameters & pendulum, BalanceGains gains,
  const BalanceSettings & settings)
: constants_(lump(robot, pendulum)),
  gains_(std::move(gains)),
  settings_(settings),
  guard_(robot, settings.guard),
  output_guard_(robot, settings.guard),
  clock_(nanoseconds(gains_.period)),
  limits_{robot.limits().voltage, robot.limits().voltage_rate * gains_.period},
  last_cycle_(
    gains_.cycles.size() +
    static_cast<std::size_t>(std::ceil(settings.hold_time / gains_.period - 1e-6)))
{
}

void Balancer::reset() noexcept
{
  guard_.reset();
  output_guard_.reset();
  state_ = BalanceState::idle;
  finding_ = {};
  start_requested_ = false;
  volts_.setZero();
}

const BalanceCycle & Balancer::cycle() const
{
  return cycle_ < gains_.cycles.size() ? gains_.cycles[cycle_] : gains_.hold;
}

void Balancer::fail(const BalanceFinding & finding) noexcept
{
  state_ = BalanceState::fault;
  finding_ = finding;
  volts_.setZero();
}

/// The encoders, in every state.
BalanceFinding Balancer::check_readings(
  const Eigen::Vector4d & angle, bool fresh, double elapsed) noexcept
{
  if (const Finding found = guard_.check_connection(fresh, true, true))
  {
    return of_linkage(found);
  }
  if (!fresh)
  {
    return {};
  }
  const Eigen::Vector4d before = measured_ ? angle_ : angle;
  if (const Finding found = guard_.check_encoders(angle.head<2>(), before.head<2>(), elapsed))
  {
    return of_linkage(found);
  }
  const double largest = settings_.guard.jump_speed * elapsed;
  for (int i = 2; i < 4; ++i)
  {
    const double moved = angle[i] - before[i];
    if (!(std::abs(moved) <= largest))
    {
      return {BalanceFinding::Kind::pendulum_encoder, {}, i, moved, largest};
    }
  }
  return {};
}

/// While the motors are driven.
BalanceFinding Balancer::check_motion(bool fresh, const CycleTiming & timing) noexcept
{
  if (const Finding found = guard_.check_timing(timing.late))
  {
    return of_linkage(found);
  }
  if (
    const Finding found =
      guard_.check_motion(angle_.head<2>(), guard_.pose(angle_.head<2>()), estimate_.segment<2>(4)))
  {
    return of_linkage(found);
  }
  if (fresh)
  {
    const Finding found =
      guard_.check_frozen(angle_.head<2>(), angle_before_.head<2>(), volts_, timing.elapsed_ns);
    if (found)
    {
      return of_linkage(found);
    }
  }
  PendulumState<double> x = estimate_;
  x.head<4>() = angle_;
  if (const double tilt = tilt_of(constants_, x); !(tilt <= settings_.tilt_limit))
  {
    return {BalanceFinding::Kind::pendulum_over, {}, -1, tilt, settings_.tilt_limit};
  }
  return {};
}

BalanceFinding Balancer::find_start_defect() const noexcept
{
  const BalanceCycle & first = gains_.cycles.empty() ? gains_.hold : gains_.cycles.front();
  for (int i = 0; i < 4; ++i)
  {
    const double away = angle_[i] - first.reference.state[i];
    if (!(std::abs(away) <= settings_.start_tolerance))
    {
      return {BalanceFinding::Kind::not_at_start, {}, i, away, settings_.start_tolerance};
    }
  }
  return {};
}

/// At rest: somebody has held the pendulum and lets go now.
void Balancer::start() noexcept
{
  start_requested_ = false;
  if (!measured_)
  {
    return;
  }
  if (const BalanceFinding defect = find_start_defect())
  {
    fail(defect);
    return;
  }
  cycle_ = 0;
  state_ = gains_.cycles.empty() ? BalanceState::holding : BalanceState::playing;
  estimate_ << angle_, Eigen::Vector4d::Zero();
  disturbance_.setZero();
  volts_.setZero();
}

/// One cycle on: the volts of the last cycle have acted.
void Balancer::observe(bool fresh) noexcept
{
  const Eigen::Vector2d acting = volts_ + disturbance_;
  constexpr int steps = 2;
  for (int i = 0; i < steps; ++i)
  {
    estimate_ = pendulum_step<double>(constants_, estimate_, acting, acting, gains_.period / steps);
  }
  if (!fresh)
  {
    return;
  }
  const Eigen::Vector4d innovation = angle_ - estimate_.head<4>();
  const BalanceObserverGain & gain = cycle().observer;
  estimate_ += gain.topRows<8>() * innovation;
  const double limit = settings_.gains.disturbance_limit;
  disturbance_ =
    (disturbance_ + gain.bottomRows<2>() * innovation).cwiseMax(-limit).cwiseMin(limit);
}

Eigen::Vector2d Balancer::law(double elapsed) noexcept
{
  const BalanceCycle & now = cycle();
  const Eigen::Vector2d wanted =
    now.reference.feedforward - now.feedback * (estimate_ - now.reference.state) - disturbance_;
  if (!is_finite(wanted))
  {
    fail(of_linkage({Reason::output_not_finite, -1, wanted.sum(), 0.0}));
    return volts_;
  }
  const Eigen::Vector2d limited = limit_output(wanted, volts_, limits_);
  if (const Finding found = output_guard_.check(wanted, limited, estimate_.segment<2>(4), elapsed))
  {
    fail(of_linkage(found));
    return volts_;
  }
  volts_ = limited;
  return volts_;
}

Eigen::Vector2d Balancer::go_on(bool fresh, const CycleTiming & timing) noexcept
{
  ++cycle_;
  if (cycle_ >= last_cycle_)
  {
    state_ = BalanceState::finished;
    volts_.setZero();
    return volts_;
  }
  state_ = cycle_ < gains_.cycles.size() ? BalanceState::playing : BalanceState::holding;
  observe(fresh);
  if (const BalanceFinding found = check_motion(fresh, timing))
  {
    fail(found);
    return volts_;
  }
  return law(static_cast<double>(timing.elapsed_ns) * 1e-9);
}

Eigen::Vector2d Balancer::update(
  const Eigen::Vector4d & angle, bool fresh, std::int64_t time_ns) noexcept
{
  const CycleTiming timing = clock_.tick(time_ns);
  late_ += timing.late ? 1 : 0;
  unread_ += static_cast<double>(timing.elapsed_ns) * 1e-9;
  const BalanceFinding found = check_readings(angle, fresh, unread_);
  if (found && state_ != BalanceState::fault)
  {
    fail(found);
  }
  if (fresh && !found)
  {
    angle_before_ = measured_ ? angle_ : angle;
    angle_ = angle;
    measured_ = true;
    unread_ = 0.0;
  }
  if (drives())
  {
    return go_on(fresh, timing);
  }
  volts_.setZero();
  if (start_requested_ && state_ == BalanceState::idle)
  {
    start();
    if (drives())
    {
      return law(gains_.period);
    }
  }
  return volts_;
}

}  // namespace fivebar_control
