// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "feedforward_controller.hpp"
#include "fivebar_control/hardware/motor_hardware.hpp"
#include "fivebar_control/support/monotonic_clock.hpp"
#include "fivebar_control/support/nanoseconds.hpp"

// The controller's cycle: nothing here allocates, waits or throws.

namespace fivebar_control
{
namespace
{

/// Order of the state interfaces.
enum Slot : std::size_t
{
  position_1,
  position_4,
  velocity_1,
  velocity_4,
  sample_time,
  status,
  simulated,
  armed,
  arm_count,
};

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

std::int64_t nanoseconds_or_zero(double seconds)
{
  return std::isfinite(seconds) ? nanoseconds(seconds) : 0;
}

}  // namespace

bool FeedforwardController::apply(const Eigen::Vector2d & volts)
{
  bool good = command_interfaces_.size() == 2;
  if (good)
  {
    good = compatibility::set(command_interfaces_[0], volts[0]) && good;
    good = compatibility::set(command_interfaces_[1], volts[1]) && good;
  }
  return good;
}

std::int64_t FeedforwardController::next_time() const
{
  return simulated_time_ ? time_ns_ + period_ns_ : monotonic_now_ns();
}

ControlInput FeedforwardController::sense()
{
  ControlInput input;
  const auto value = [&](Slot slot) {
    const std::optional<double> read = compatibility::get(state_interfaces_[slot]);
    input.read_good = input.read_good && read.has_value();
    return read.value_or(0.0);
  };
  input.angle = zero_angle_ + Eigen::Vector2d(value(position_1), value(position_4));
  input.write_good = write_good_;
  input.time_ns = next_time();
  input.sample_time_ns = input.time_ns;
  if (state_interfaces_.size() > sample_time)
  {
    sense_board(input);
  }
  time_ns_ = input.time_ns;
  return input;
}

void FeedforwardController::sense_board(ControlInput & input)
{
  const auto read = [this](Slot slot) { return compatibility::get(state_interfaces_[slot]); };
  const std::optional<double> measured = read(sample_time);
  const std::optional<double> flags = read(status);
  input.read_good = input.read_good && measured && flags;
  if (!board_is_simulated_)
  {
    const std::optional<double> told = read(simulated);
    input.read_good = input.read_good && told.has_value();
    board_is_simulated_ = told ? std::optional(*told > 0.5) : std::nullopt;
  }
  if (state_interfaces_.size() > arm_count)
  {
    // One that cannot be read in this moment is as it was.
    armed_ = read(armed).value_or(armed_ ? 1.0 : 0.0) > 0.5;
    const double count = read(arm_count).value_or(static_cast<double>(arm_count_));
    arm_count_ = std::isfinite(count) ? static_cast<std::int64_t>(count) : arm_count_;
    input.armed = armed_;
    input.arm_count = arm_count_;
  }
  if (input.read_good)
  {
    input.sample_time_ns = nanoseconds_or_zero(*measured);
    input.device_good = motor_status::is_good(static_cast<std::uint32_t>(*flags));
    if (*board_is_simulated_)
    {
      // A simulated robot waits for the loop: its clock is the one that counts.
      simulated_time_ = true;
      input.time_ns = input.sample_time_ns;
    }
  }
}

ControlCommand FeedforwardController::take_request()
{
  ControllerSettings settings;
  while (handover_->settings.pop(settings))
  {
    core_->change_settings(settings);
  }
  if (verdict_ == ToleranceVerdict::path_left && running_ && !stopping_)
  {
    stopping_ = true;
    return ControlCommand::stop;
  }
  RunRequest request;
  if (!handover_->requests.pop(request))
  {
    return ControlCommand::none;
  }
  if (request.command == ControlCommand::stop)
  {
    stopping_ = running_ && request.run == run_;
    return stopping_ ? ControlCommand::stop : ControlCommand::none;
  }
  if (request.takes_over_at >= 0)
  {
    take_over(request);
    return ControlCommand::none;
  }
  // A simulated robot waits for however long the horizon takes.
  core_->set_clock(simulated_time_ ? nullptr : monotonic_now_ns);
  core_->set_mode(request.mode);
  core_->set_plan(request.plan, request.gains);
  begin_run(request);
  return request.command;
}

void FeedforwardController::begin_run(const RunRequest & request)
{
  run_ = request.run;
  running_ = true;
  stopping_ = false;
  run_start_ns_ = -1;
  scorer_.emplace(*robot_, request.log);
  tolerance_ = ToleranceWatch(request.tolerances);
  verdict_ = ToleranceVerdict::kept;
}

void FeedforwardController::take_over(const RunRequest & request)
{
  const bool free = running_ && !stopping_ && !next_;
  if (free && core_->go_on_with(request.plan, request.gains, request.takes_over_at))
  {
    next_ = request;
  }
  else
  {
    tell_missed(request.run);
  }
}

/// It came too late, or the run that it was to go on from ended otherwise.
void FeedforwardController::tell_missed(std::uint64_t run)
{
  RunNews news;
  news.run = run;
  news.ended = true;
  news.ending = RunEnd::refused;
  news.time_ns = stamp_ns_;
  [[maybe_unused]] const bool told = handover_->news.push(news);
}

void FeedforwardController::forget_next()
{
  if (next_)
  {
    tell_missed(next_->run);
    next_.reset();
  }
}

void FeedforwardController::change_over(const ControlOutput & output)
{
  RunNews news = news_of(output);
  news.ended = true;
  news.ending = RunEnd::stopped;
  news.taken_over = true;
  news.tolerance = verdict_;
  news.score = scorer_->score();
  [[maybe_unused]] bool told = handover_->news.push(news);
  begin_run(*next_);
  next_.reset();
  told = handover_->news.push(news_of(output));
}

FeedforwardController::Return FeedforwardController::update(
  const rclcpp::Time & time, const rclcpp::Duration &)
{
  stamp_ns_ = time.nanoseconds();
  ControlInput input = sense();
  input.command = take_request();
  last_ = core_->update(input);
  write_good_ = apply(last_.volts);
  if (next_ && core_->plan() == next_->plan)
  {
    change_over(last_);
  }
  else if (stopping_)
  {
    forget_next();
  }
  handover_->driving.store(
    last_.state != ControlState::idle && last_.state != ControlState::fault,
    std::memory_order_relaxed);
  if (running_)
  {
    follow_run(input, last_);
  }
  else if (last_.state == ControlState::fault)
  {
    end_run(RunEnd::fault, core_->fault(), last_);
  }
  tell(last_);
  ++cycle_;
  return last_.state == ControlState::fault ? Return::ERROR : Return::OK;
}

void FeedforwardController::follow_run(const ControlInput & input, const ControlOutput & output)
{
  run_start_ns_ = run_start_ns_ < 0 ? input.time_ns : run_start_ns_;
  CycleRecord record = record_of(input.time_ns - run_start_ns_, output);
  record.read_good = input.read_good;
  record.write_good = write_good_;
  scorer_->take(record);
  verdict_ = tolerance_.take(output, static_cast<double>(period_ns_) * 1e-9);
  if (output.state == ControlState::fault)
  {
    end_run(RunEnd::fault, core_->fault(), output);
  }
  else if (output.refusal)
  {
    end_run(RunEnd::refused, output.refusal, output);
  }
  else if (output.state == ControlState::idle)
  {
    end_run(stopping_ ? RunEnd::stopped : RunEnd::finished, {}, output);
  }
}

void FeedforwardController::end_run(
  RunEnd ending, const Finding & finding, const ControlOutput & output)
{
  RunNews news = news_of(output);
  news.ended = true;
  news.ending = ending;
  news.tolerance = verdict_;
  news.finding = finding;
  news.score = scorer_->score();
  running_ = false;
  verdict_ = ToleranceVerdict::kept;
  // There is room: progress leaves some, and there is one run at a time.
  [[maybe_unused]] const bool told = handover_->news.push(news);
  forget_next();
}

RunNews FeedforwardController::news_of(const ControlOutput & output) const
{
  RunNews news;
  news.run = run_;
  news.state = output.state;
  news.time_ns = stamp_ns_;
  news.plan_time = output.plan_time;
  news.reference = output.reference;
  news.angle = output.angle;
  news.speed = output.speed;
  news.volts = output.volts;
  news.late_cycles = static_cast<std::uint64_t>(core_->late_cycles());
  news.bounded_horizons = static_cast<std::uint64_t>(core_->bounded_horizons());
  news.unfinished_horizons = static_cast<std::uint64_t>(core_->unfinished_horizons());
  return news;
}

void FeedforwardController::tell(const ControlOutput & output)
{
  constexpr std::size_t room_for_endings = 32;
  if (cycle_ % tell_every_ == 0 && compatibility::waiting(handover_->news) < room_for_endings)
  {
    [[maybe_unused]] const bool told = handover_->news.push(news_of(output));
  }
  watched_.state = static_cast<double>(output.state);
  watched_.fault = static_cast<double>(core_->fault().reason);
  watched_.plan_time = output.plan_time;
  watched_.late_cycles = static_cast<double>(core_->late_cycles());
  watched_.error = output.reference.phi - output.angle;
  watched_.feedforward = output.reference.feedforward;
  watched_.feedback = output.feedback;
  watched_.applied = output.volts;
  const bool due = publish_every_ > 0 && cycle_ % publish_every_ == 0;
  if (due || output.state == ControlState::fault)
  {
    show(output);
  }
}

void FeedforwardController::show(const ControlOutput & output)
{
  StateSample * sample = handover_->samples.claim();
  if (sample == nullptr || state_interfaces_.size() <= velocity_4)
  {
    return;  // the network is that much slower than the loop
  }
  sample->time_ns = stamp_ns_;
  sample->output = output;
  sample->velocity = {
    compatibility::get(state_interfaces_[velocity_1]).value_or(nothing),
    compatibility::get(state_interfaces_[velocity_4]).value_or(nothing)};
  sample->fault = core_->fault();
  sample->late_cycles = core_->late_cycles();
  handover_->samples.commit();
}

}  // namespace fivebar_control
