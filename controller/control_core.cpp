// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/controller/control_core.hpp"

#include <cmath>

namespace fivebar_control
{

ControlCore::ControlCore(
  const RobotModel & robot, const ControllerSettings & settings, ControlMode mode,
  std::int64_t period_ns)
: settings_(settings),
  mode_(mode),
  period_ns_(period_ns),
  period_(static_cast<double>(period_ns) * 1e-9),
  limits_{robot.limits().voltage, robot.limits().voltage_rate * period_},
  model_(robot.constants()),
  clock_(period_ns),
  velocity_(settings.velocity, period_),
  observer_(robot, period_, settings.loop.disturbance_limit),
  horizon_(settings.loop.horizon, settings.loop.horizon_sweeps, settings.loop.horizon_time),
  feedback_(settings.gains),
  guard_(robot, settings.guard),
  plausibility_(robot, settings.guard, period_),
  output_guard_(robot, settings.guard)
{
}

bool ControlCore::set_plan(const PlayablePlan * plan, const LoopGains * gains)
{
  const bool lacks_horizon =
    settings_.gains.method == FeedbackMethod::mpc && gains != nullptr && gains->horizon.empty();
  if (is_driving() || (settings_.needs_gains() && gains == nullptr) || lacks_horizon)
  {
    return false;
  }
  plan_ = plan;
  gains_ = gains;
  return true;
}

bool ControlCore::set_mode(ControlMode mode)
{
  if (is_driving())
  {
    return false;
  }
  mode_ = mode;
  return true;
}

ControlOutput ControlCore::update(const ControlInput & input) noexcept
{
  ControlOutput output;
  const CycleTiming timing = clock_.tick(input.time_ns);
  late_cycles_ += timing.late ? 1 : 0;
  output.late = timing.late;

  // A fault must be seen before it can be reset: not in the cycle that found it.
  const bool too_early = input.command == ControlCommand::reset && state_ != ControlState::fault;
  Finding finding = sense(input);
  if (!finding && is_driving())
  {
    finding = step_state(timing.advance_ns);
  }
  if (finding && state_ != ControlState::fault)
  {
    fall(finding);
  }
  if (settings_wait_ && !is_driving())
  {
    take_waiting_settings();
  }
  output.refusal = obey(too_early ? ControlCommand::none : input.command, input);
  if (is_driving())
  {
    output.reference = make_reference();
    finding = watch(timing, output.reference);
    if (!finding)
    {
      finding = drive(output, timing.advance_ns);
    }
    if (finding)
    {
      fall(finding);
    }
  }
  if (!is_driving())
  {
    volts_.setZero();
    output_guard_.cool(static_cast<double>(timing.advance_ns) * 1e-9);
  }
  output.volts = volts_;
  output.angle = angle_;
  output.speed = observing_ ? observer_.state().tail<2>() : velocity_.speed();
  output.plan_time = player_.time();
  output.state = state_;
  return output;
}

Finding ControlCore::check_arming(const ControlInput & input) const
{
  if (is_driving() && (!input.armed || input.arm_count != arm_count_))
  {
    return {Reason::device_disarmed, -1, input.armed ? 1.0 : 0.0, 0.0};
  }
  return {};
}

Finding ControlCore::sense(const ControlInput & input)
{
  // First, because a board that does not drive makes everything else look broken.
  if (const Finding finding = check_arming(input))
  {
    fresh_ = false;
    return finding;
  }
  // Motors that are off, with links that nobody has homed yet: nothing to measure, nothing wrong.
  if (!input.armed && !input.angle.allFinite())
  {
    fresh_ = false;
    has_measurement_ = false;
    guard_.reset();
    return {};
  }
  // A sample that is not newer than the last one is as good as none.
  fresh_ = input.read_good && (!has_measurement_ || input.sample_time_ns > sample_time_ns_);
  const Finding finding = guard_.check_connection(fresh_, input.write_good, input.device_good);
  if (finding || !fresh_)
  {
    return finding;
  }
  return take_measurement(input);
}

Finding ControlCore::take_measurement(const ControlInput & input)
{
  const std::int64_t elapsed_ns = input.sample_time_ns - sample_time_ns_;
  const bool on_time = elapsed_ns >= period_ns_ / 2 && elapsed_ns <= period_ns_ + period_ns_ / 2;
  sample_interval_ = on_time ? period_ : static_cast<double>(elapsed_ns) * 1e-9;
  sample_time_ns_ = input.sample_time_ns;
  const Eigen::Vector2d & before = has_measurement_ ? angle_ : input.angle;
  const Finding finding = guard_.check_encoders(input.angle, before, sample_interval_);
  if (finding.reason == Reason::encoder_not_finite)
  {
    fresh_ = false;
    return finding;
  }
  angle_before_ = before;
  angle_ = input.angle;
  if (has_measurement_ && !finding)
  {
    velocity_.update(angle_, sample_interval_);
  }
  else
  {
    velocity_.reset(angle_);
  }
  has_measurement_ = true;
  return finding;
}

Finding ControlCore::step_state(std::int64_t advance_ns)
{
  state_time_ns_ += advance_ns;
  switch (state_)
  {
    case ControlState::aligning:
      return step_alignment(advance_ns);
    case ControlState::playing:
      player_.advance(advance_ns);
      go_on();
      if (player_.at_end())
      {
        hold_from(player_.reference());
      }
      break;
    case ControlState::stopping:
      step_stop(advance_ns);
      break;
    case ControlState::holding:
      go_on();
      if (time_in_state() >= settings_.end.settle_time + settings_.end.hold_time)
      {
        enter(ControlState::relaxing);
      }
      break;
    case ControlState::relaxing:
      // With a low rate limit the volts fade later than the time is over.
      if (
        time_in_state() >= settings_.end.relax_time &&
        volts_.cwiseAbs().maxCoeff() <= limits_.voltage_change * share_of_period(advance_ns))
      {
        enter(ControlState::idle);
      }
      break;
    case ControlState::idle:
    case ControlState::fault:
    case ControlState::homing:
      break;
  }
  return {};
}

Finding ControlCore::step_alignment(std::int64_t advance_ns)
{
  move_time_ns_ += advance_ns;
  if (time_in_state() < alignment_.duration())
  {
    return {};
  }
  const Eigen::Vector2d distance = (angle_ - plan_->start()).cwiseAbs();
  const int worst = distance[0] >= distance[1] ? 0 : 1;
  const bool settled = distance[worst] <= settings_.start.tolerance;
  settled_time_ns_ = settled ? settled_time_ns_ + advance_ns : 0;
  if (static_cast<double>(settled_time_ns_) * 1e-9 >= settings_.start.settle_time)
  {
    player_.rewind(*plan_);
    enter(ControlState::playing);
  }
  else if (time_in_state() > alignment_.duration() + settings_.start.alignment_timeout)
  {
    return {Reason::alignment_timeout, worst, distance[worst], settings_.start.tolerance};
  }
  return {};
}

double ControlCore::stop_rate() const
{
  return 1.0 - smooth_step(time_in_state() / settings_.end.stop_time);
}

void ControlCore::step_stop(std::int64_t advance_ns)
{
  const auto along_path =
    static_cast<std::int64_t>(std::llround(stop_rate() * static_cast<double>(advance_ns)));
  if (stopped_from_ == ControlState::playing)
  {
    player_.advance(along_path);
  }
  else
  {
    move_time_ns_ += along_path;
  }
  const bool path_ended = stopped_from_ == ControlState::playing && player_.at_end();
  if (path_ended || time_in_state() >= settings_.end.stop_time)
  {
    hold_from(make_reference());
  }
}

Finding ControlCore::obey(ControlCommand command, const ControlInput & input)
{
  switch (command)
  {
    case ControlCommand::none:
      break;
    case ControlCommand::start:
      return start(false, input);
    case ControlCommand::align_and_start:
      return start(true, input);
    case ControlCommand::stop:
      next_plan_ = nullptr;
      if (state_ == ControlState::aligning || state_ == ControlState::playing)
      {
        stopped_from_ = state_;
        enter(ControlState::stopping);
      }
      break;
    case ControlCommand::abort:
      if (is_driving())
      {
        enter(ControlState::idle);
      }
      break;
    case ControlCommand::reset:
      if (state_ == ControlState::fault)
      {
        fault_ = {};
        guard_.reset();
        enter(ControlState::idle);
      }
      break;
  }
  return {};
}

Finding ControlCore::start(bool align, const ControlInput & input)
{
  if (state_ != ControlState::idle)
  {
    return {Reason::not_idle, -1, 0.0, 0.0};
  }
  if (plan_ == nullptr)
  {
    return {Reason::no_plan, -1, 0.0, 0.0};
  }
  if (!has_measurement_ || !fresh_)
  {
    return {Reason::no_measurement, -1, 0.0, 0.0};
  }
  if (!input.armed)
  {
    return {Reason::device_disarmed, -1, 0.0, 0.0};
  }
  const Eigen::Vector2d distance = angle_ - plan_->start();
  const int worst = std::abs(distance[0]) >= std::abs(distance[1]) ? 0 : 1;
  const bool at_start = std::abs(distance[worst]) <= settings_.start.tolerance;
  if (!at_start && !align)
  {
    return {Reason::not_at_start, worst, distance[worst], settings_.start.tolerance};
  }
  if (!at_start)
  {
    if (const Finding finding = guard_.check_path(angle_, plan_->start()))
    {
      return finding;
    }
  }
  arm_count_ = input.arm_count;
  next_plan_ = nullptr;
  guard_.reset();
  plausibility_.reset(velocity_.speed());
  output_guard_.reset();
  feedback_.reset();
  horizon_.reset();
  player_.rewind(*plan_);
  stopped_from_ = ControlState::playing;
  if (at_start)
  {
    enter(ControlState::playing);
    return {};
  }
  alignment_ = JointMove(angle_, plan_->start(), settings_.start.alignment_speed);
  move_time_ns_ = 0;
  settled_time_ns_ = 0;
  enter(ControlState::aligning);
  return {};
}

void ControlCore::enter(ControlState state)
{
  state_ = state;
  state_time_ns_ = 0;
}

void ControlCore::hold_from(Reference reference)
{
  if (mode_ == ControlMode::feedforward_only && stopped_from_ != ControlState::aligning)
  {
    // Open loop the robot is somewhere else than the plan: hold it where it is.
    reference.phi = angle_;
    reference.speed = velocity_.speed();
    feedback_.reset();  // of what it integrated while aligning
  }
  settling_ = Settling(reference, settings_.end.settle_time);
  enter(ControlState::holding);
}

/// A plan may end at speed: the volts that bring the links to rest are the model's. Without them
/// the feedback alone would have to brake, and would be further off than on any plan.
Reference ControlCore::settling_reference(double time) const
{
  Reference reference = settling_.at(time);
  Eigen::Vector4d x;
  x << reference.phi, reference.speed;
  const Eigen::Vector2d volts = inverse_dynamics<double>(model_, x, settling_.acceleration(time));
  // Where the linkage cannot be, there are none.
  reference.feedforward =
    is_finite(volts) ? Eigen::Vector2d(volts.cwiseMin(limits_.voltage).cwiseMax(-limits_.voltage))
                     : Eigen::Vector2d(0.0, 0.0);
  return reference;
}

Reference ControlCore::make_reference()
{
  if (state_ == ControlState::holding)
  {
    return settling_reference(time_in_state());
  }
  if (state_ == ControlState::relaxing)
  {
    return settling_reference(settings_.end.settle_time);
  }
  const ControlState path = state_ == ControlState::stopping ? stopped_from_ : state_;
  Reference reference = path == ControlState::aligning
                          ? alignment_.at(static_cast<double>(move_time_ns_) * 1e-9)
                          : player_.reference();
  if (state_ == ControlState::stopping)
  {
    // Back-EMF and friction dominate: to first order the volts scale with the speed.
    const double rate = stop_rate();
    reference.speed *= rate;
    reference.feedforward *= rate;
  }
  return reference;
}

}  // namespace fivebar_control
