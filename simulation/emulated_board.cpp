// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/simulation/emulated_board.hpp"

#include <algorithm>
#include <cmath>

#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/monotonic_clock.hpp"
#include "fivebar_control/support/nanoseconds.hpp"

namespace fivebar_control
{
namespace
{

constexpr std::int64_t tick_ns = 1'000'000;
// What firmware/board.h asks of the microcontroller's own watchdog.
constexpr std::int64_t hardware_watchdog_ns = 40'000'000;

bool concerns(const Fault & fault, int joint) { return fault.joint < 0 || fault.joint == joint; }

}  // namespace

EmulatedBoard::EmulatedBoard(
  const RobotModel & robot, const PlantParameters & plant, const Eigen::Vector2d & start,
  const EmulatorOptions & options)
: options_(options),
  robot_(options.engine(robot, plant), plant, start),
  truth_(robot),
  terminal_(options.link),
  to_board_(options.seed),
  to_host_(options.seed + 1),
  fault_times_ns_(options.faults.size(), 0),
  session_(options.host_keeps_time ? 1 : static_cast<std::uint32_t>(monotonic_now_ns()))
{
  events_.reserve(options.record_volts ? 100000 : 1000);
}

void EmulatedBoard::open()
{
  terminal_.open();
  const bool own_time = options_.lock_step_ns != 0 || options_.host_keeps_time;
  now_ns_ = own_time ? std::max(options_.lock_step_ns, tick_ns) : monotonic_now_ns();
  started_ns_ = boot_ns_ = kicked_ns_ = now_ns_;
  robot_.advance_to(now_ns_);
  const fivebar_hooks table = hooks();
  fivebar_board_init(
    &board_, &table, session_, static_cast<std::int32_t>(std::lround(options_.full_scale * 1e3)));
  note(now_ns_, "started");
}

void EmulatedBoard::run(const std::function<bool()> & stop)
{
  if (options_.lock_step_ns != 0)
  {
    run_in_lock_step(stop);
    return;
  }
  if (options_.own_clock)
  {
    run_with_own_clock(stop);
    return;
  }
  std::int64_t next_tick = monotonic_now_ns();
  while (!stop())
  {
    const std::int64_t now = monotonic_now_ns();
    cycle(now);
    next_tick = now >= next_tick ? now + tick_ns : next_tick;
    std::int64_t wake = next_tick;
    for (const FaultyLine * line : {&to_board_, &to_host_})
    {
      wake = std::min(wake, line->next_due_ns().value_or(wake));
    }
    terminal_.wait(wake);
  }
  terminal_.close();
}

std::int64_t EmulatedBoard::live(
  std::int64_t from_ns, std::int64_t until_ns, std::uint64_t heard, bool until_it_sends)
{
  if (!terminal_.wait_for(heard))
  {
    throw HardwareFailure("the pseudo-terminal keeps what was written into it");
  }
  const std::uint64_t sent = terminal_.sent();
  std::int64_t now = from_ns;
  while (true)
  {
    cycle(now);
    if (now >= until_ns || (until_it_sends && terminal_.sent() != sent))
    {
      return now;
    }
    std::int64_t next = std::min(until_ns, (now / tick_ns + 1) * tick_ns);
    for (const FaultyLine * line : {&to_board_, &to_host_})
    {
      // What is due already waits for a board that hangs.
      const std::int64_t due = line->next_due_ns().value_or(next);
      next = due > now ? std::min(next, due) : next;
    }
    now = next;
  }
}

fivebar_hooks EmulatedBoard::hooks()
{
  fivebar_hooks table{};
  table.context = this;
  table.time_us = [](void * context) {
    const EmulatedBoard & self = of(context);
    return static_cast<std::uint32_t>((self.now_ns_ - self.boot_ns_) / 1000);
  };
  table.counts = [](void * context, int joint) { return of(context).counts(joint); };
  table.index = [](void * context, int joint, int32_t * counts) {
    EmulatedBoard & self = of(context);
    const auto mark = self.robot_.index(joint);
    *counts = mark.value_or(0) - self.counts_at_boot_[static_cast<std::size_t>(joint)];
    return mark.has_value();
  };
  table.set_output = [](void * context, int32_t first, int32_t second) {
    EmulatedBoard & self = of(context);
    self.set_output({1e-3 * first, 1e-3 * second}, self.now_ns_);
  };
  table.faults = [](void * context) {
    const EmulatedBoard & self = of(context);
    int bits = self.is_on(FaultKind::over_current) ? FIVEBAR_OVER_CURRENT : 0;
    bits |= self.is_on(FaultKind::under_voltage) ? FIVEBAR_UNDER_VOLTAGE : 0;
    bits |= self.is_on(FaultKind::emergency_stop) ? FIVEBAR_EMERGENCY_STOP : 0;
    return static_cast<std::uint16_t>(bits);
  };
  table.send = [](void * context, const uint8_t * bytes, std::size_t size) {
    EmulatedBoard & self = of(context);
    self.to_host_.push({bytes, size}, self.now_ns_, self.line_faults(LineDirection::to_host));
  };
  table.kick_hardware_watchdog = [](void * context) {
    EmulatedBoard & self = of(context);
    self.kicked_ns_ = self.now_ns_;
  };
  return table;
}

void EmulatedBoard::cycle(std::int64_t now_ns)
{
  if (first_armed_ns_ != 0)
  {
    longest_pause_ns_ = std::max(longest_pause_ns_, now_ns - now_ns_);
  }
  now_ns_ = now_ns;
  robot_.advance_to(now_ns);
  if (first_armed_ns_ != 0)
  {
    truth_.see(robot_.plant());
  }
  update_faults(now_ns);
  to_board_.push(terminal_.read(), now_ns, line_faults(LineDirection::to_board));
  if (hung_ && now_ns - kicked_ns_ >= hardware_watchdog_ns)
  {
    reset(now_ns, "reset by the microcontroller's watchdog");
  }
  if (now_ns < ready_ns_)
  {
    to_board_.pop(now_ns);  // nobody listens while it boots
    kicked_ns_ = now_ns;
  }
  else if (!hung_)
  {
    run_firmware(now_ns);
  }
  terminal_.write(to_host_.pop(now_ns));
}

void EmulatedBoard::run_firmware(std::int64_t now_ns)
{
  for (const std::uint8_t byte : to_board_.pop(now_ns))
  {
    fivebar_board_receive(&board_, byte);
  }
  if (now_ns >= tick_due_ns_)
  {
    tick_due_ns_ = std::max(tick_due_ns_ + tick_ns, now_ns);
    fivebar_board_tick(&board_);
  }
  note_changes(now_ns);
}

void EmulatedBoard::note_changes(std::int64_t now_ns)
{
  if (board_.armed && !is_armed())
  {
    first_armed_ns_ = first_armed_ns_ == 0 ? now_ns : first_armed_ns_;
    note(now_ns, board_.homing ? "armed for homing" : "armed");
  }
  const auto fresh = static_cast<std::uint16_t>(board_.latched & ~latched_before_);
  for (const auto & [bit, name] :
       {std::pair(FIVEBAR_WATCHDOG, "watchdog"), std::pair(FIVEBAR_OVER_CURRENT, "over-current"),
        std::pair(FIVEBAR_UNDER_VOLTAGE, "under-voltage"),
        std::pair(FIVEBAR_ENCODER_ERROR, "encoder error"),
        std::pair(FIVEBAR_EMERGENCY_STOP, "emergency stop")})
  {
    if ((fresh & bit) != 0)
    {
      note(now_ns, name);
    }
  }
  if (!board_.armed && is_armed())
  {
    note(now_ns, fresh != 0 ? "zero volts by itself" : "disarmed by the host");
  }
  latched_before_ = board_.latched;
  armed_.store(board_.armed, std::memory_order_relaxed);
}

void EmulatedBoard::update_faults(std::int64_t now_ns)
{
  active_.clear();
  Eigen::Vector2d hand = Eigen::Vector2d::Zero();
  double full_scale = options_.full_scale;
  for (std::size_t i = 0; i < options_.faults.size(); ++i)
  {
    const Fault & fault = options_.faults[i];
    const std::int64_t origin = fault.since_start ? started_ns_ : first_armed_ns_;
    const double since = static_cast<double>(now_ns - origin) * 1e-9 - fault.at;
    if (origin == 0 || since < 0.0)
    {
      continue;
    }
    if (fault_times_ns_[i] == 0)
    {
      fault_times_ns_[i] = now_ns;
      note(now_ns, std::string("fault: ") + to_string(fault.kind));
      begin(fault, now_ns);
    }
    if (since < fault.duration)
    {
      active_.push_back(&fault);
      full_scale = fault.kind == FaultKind::limit_output ? fault.volts : full_scale;
      for (int joint = 0; joint < 2 && fault.kind == FaultKind::hand; ++joint)
      {
        hand[joint] += concerns(fault, joint) ? fault.volts : 0.0;
      }
    }
  }
  robot_.set_hand(hand);
  board_.full_scale_millivolts = static_cast<std::int32_t>(std::lround(1e3 * full_scale));
  if (terminal_.is_open() == is_on(FaultKind::unplug))
  {
    to_board_.clear();
    to_host_.clear();
    terminal_.is_open() ? terminal_.close() : terminal_.open();
    note(now_ns, terminal_.is_open() ? "plugged in" : "unplugged");
  }
}

void EmulatedBoard::begin(const Fault & fault, std::int64_t now_ns)
{
  switch (fault.kind)
  {
    case FaultKind::hang:
      hung_ = true;
      break;
    case FaultKind::reboot:
      reset(now_ns, "rebooted");
      break;
    case FaultKind::freeze_encoder:
      frozen_ = robot_.counts();
      break;
    case FaultKind::jump_encoder:
      for (int i = 0; i < 2; ++i)
      {
        jump_[static_cast<std::size_t>(i)] += concerns(fault, i) ? fault.counts : 0;
      }
      break;
    default:
      break;
  }
}

void EmulatedBoard::reset(std::int64_t now_ns, const std::string & why)
{
  hung_ = false;
  armed_.store(false, std::memory_order_relaxed);
  latched_before_ = 0;
  boot_ns_ = now_ns;
  ready_ns_ = now_ns + nanoseconds(options_.boot_time);
  kicked_ns_ = now_ns;
  counts_at_boot_ = robot_.counts();
  const fivebar_hooks table = hooks();
  fivebar_board_init(&board_, &table, ++session_, board_.full_scale_millivolts);
  note(now_ns, why);
}

void EmulatedBoard::set_output(const Eigen::Vector2d & volts, std::int64_t now_ns)
{
  const Eigen::Vector2d before = robot_.volts();
  robot_.set_volts(volts);
  if (options_.record_volts && robot_.volts() != before)
  {
    note(now_ns, "");
  }
}

void EmulatedBoard::note(std::int64_t now_ns, std::string what)
{
  events_.push_back({now_ns, std::move(what), robot_.volts(), frames_, now_ns - last_drive_ns_});
}

bool EmulatedBoard::is_on(FaultKind kind) const
{
  return std::any_of(
    active_.begin(), active_.end(), [kind](const Fault * fault) { return fault->kind == kind; });
}

std::vector<const Fault *> EmulatedBoard::line_faults(LineDirection direction) const
{
  std::vector<const Fault *> faults;
  for (const Fault * fault : active_)
  {
    const bool here = fault->direction == LineDirection::both || fault->direction == direction;
    if (fault->kind <= FaultKind::delay && here)
    {
      faults.push_back(fault);
    }
  }
  return faults;
}

std::int32_t EmulatedBoard::counts(int joint)
{
  const auto i = static_cast<std::size_t>(joint);
  std::int32_t counts = robot_.counts()[i];
  for (const Fault * fault : active_)
  {
    if (fault->kind == FaultKind::freeze_encoder && concerns(*fault, joint))
    {
      counts = frozen_[i];
    }
  }
  return counts + jump_[i] - counts_at_boot_[i];
}

}  // namespace fivebar_control
