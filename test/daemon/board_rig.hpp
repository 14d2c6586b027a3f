// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "firmware/board.h"
#include "fivebar_control/daemon/board_program.hpp"
#include "fivebar_control/daemon/board_supervisor.hpp"
#include "fivebar_control/hardware/program_stream.hpp"
#include "fivebar_control/runs/tracking_score.hpp"
#include "fivebar_control/simulation/faulty_line.hpp"
#include "fivebar_control/simulation/live_robot.hpp"

namespace fivebar_control::test
{

/// What the supervisor wants to know of hardware that is not behind a MotorHardware here.
class Wires : public MotorHardware
{
public:
  explicit Wires(const Encoder & encoder) : encoder_(encoder) {}
  HardwareError open() override { return HardwareError::none; }
  HardwareError arm() override { return HardwareError::none; }
  HardwareError read(MotorSample &) noexcept override { return HardwareError::none; }
  HardwareError write(const Eigen::Vector2d &) noexcept override { return HardwareError::none; }
  HardwareError disarm() noexcept override { return HardwareError::none; }
  void close() noexcept override {}
  Encoder encoder() const override { return encoder_; }
  HardwareClock clock() const override { return HardwareClock::simulated; }
  std::string description() const override { return "board in simulated time"; }

private:
  Encoder encoder_;
};

/// What goes wrong, and when: s after the first cycle of the motion.
struct BoardTrouble
{
  double at = std::numeric_limits<double>::infinity();
  double duration = std::numeric_limits<double>::infinity();
  bool host_away = false;     ///< it is not run
  double host_hiccups = 0.0;  ///< share of its wake-ups that come 20 ms late, all the time
  std::vector<Fault> line{};  ///< on the line while the trouble lasts
  bool lose_nodes = false;    ///< of the plan, and nothing else
  bool replay = false;        ///< everything from the host comes once more, 50 ms later
  bool reboot = false;
  bool emergency_stop = false;
  std::function<void(fivebar_board &)> to_board{};  ///< once
  bool interrupt = false;                           ///< the user asks to stop
  bool disarm = false;
};

/// Board, line and host in simulated time: the real firmware, the real host's stream and
/// supervisor. The board's time is the world's; the host wakes up every 5 ms of it.
class BoardRig : private FrameSender
{
public:
  static constexpr std::int64_t ms = 1'000'000;

  BoardRig(
    const RobotModel & robot, const Plan & plan, const PlantParameters & plant,
    const ControllerSettings & settings, ControlMode mode, const BoardTrouble & trouble = {},
    std::uint64_t seed = 1)
  : robot_(robot),
    with_feedforward_(mode != ControlMode::feedback_only),
    trouble_(trouble),
    random_(seed),
    plant_(make_equations_engine(robot, plant), plant, PlayablePlan(plan.samples).start()),
    to_board_(seed),
    to_host_(seed + 1),
    playable_(plan.samples),
    wires_(encoder_of(plant, plan)),
    controller_(robot, BoardSupervisor::supervised(settings, ms), mode, ms),
    supervisor_(controller_, wires_, ms, true),
    scorer_(robot)
  {
    plant_.advance_to(now_);
    controller_.set_plan(&playable_);
    program_ = make_board_program(robot, settings, mode, plan.samples, wires_, ms, true);
    boot();
    hear_directly(serial::hello(next_sequence(), 1));
    serial::Abilities abilities;
    abilities.nodes = FIVEBAR_PLAN_NODES;
    abilities.period_us = 1000;
    abilities.settings = serial::settings_words;
    abilities.kept = FIVEBAR_TELEMETRY_KEPT;
    stream_.begin(program_, abilities, 7, {});
  }

  /// Until the board is at zero volts for a while and the host has heard so, or has given up.
  void run(double longest = 30.0)
  {
    while (now_ < static_cast<std::int64_t>(longest * 1e9) && quiet_ms_ < 600)
    {
      step();
    }
  }
  void step()
  {
    now_ += ms;
    plant_.advance_to(now_);
    cause_trouble();
    for (const std::uint8_t byte : heard_by_board())
    {
      fivebar_board_receive(board_.get(), byte);
    }
    const bool was_on = fivebar_player_is_on(&board_->player);
    fivebar_board_tick(board_.get());
    watch(was_on);
    const auto bytes = to_host_.pop(now_);
    waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
    if (now_ >= host_wakes_)
    {
      std::uniform_real_distribution<double> dice(0.0, 1.0);
      const bool late = dice(random_) < trouble_.host_hiccups;
      host_wakes_ = now_ + (late ? 20 : 5) * ms;
      if (!(troubled() && trouble_.host_away))
      {
        host();
      }
    }
    quiet_ms_ = began_ && board_->output[0] == 0 && board_->output[1] == 0 && !board_->armed
                  ? quiet_ms_ + 1
                  : 0;
  }

  fivebar_board & board() { return *board_; }
  ProgramStream & stream() { return stream_; }
  const BoardSupervisor & supervisor() const { return supervisor_; }
  TrackingScore score() const { return scorer_.score(); }
  const std::vector<CycleRecord> & records() const { return records_; }
  const Eigen::Vector4d & state() const { return plant_.plant().state(); }
  /// ms from the trouble to zero volts on the board's clock; negative: never.
  std::int64_t zero_after_ms() const { return zero_after_ms_; }
  std::int64_t stopping_after_ms() const { return stopping_after_ms_; }
  /// V, the largest change from one period to the next while the motors were driven.
  double largest_jump() const { return largest_jump_; }
  double largest_speed() const { return largest_speed_; }
  /// V between what the board gave and the host's own law, at the most, where both knew the same.
  double largest_difference() const { return largest_difference_; }
  serial::PlayReason board_reason() const { return reason_; }

  std::uint16_t next_sequence() noexcept override { return ++sequence_; }
  void hear_directly(const serial::Frame & frame)
  {
    for (const std::uint8_t byte : frame.view())
    {
      fivebar_board_receive(board_.get(), byte);
    }
  }

private:
  static BoardRig & of(void * context) { return *static_cast<BoardRig *>(context); }

  static Encoder encoder_of(const PlantParameters & plant, const Plan & plan)
  {
    Encoder encoder;
    encoder.counts_per_turn.setConstant(plant.counts_per_turn);
    encoder.zero_angle = plant.start.value_or(PlayablePlan(plan.samples).start());
    return encoder;
  }

  bool send(const serial::Frame & frame) noexcept override
  {
    // The first byte of a payload stands behind the first of the frame, unless it is zero.
    const bool node = frame.bytes[1] == static_cast<std::uint8_t>(serial::PlayMessage::plan);
    if (troubled() && trouble_.lose_nodes && node)
    {
      return true;
    }
    to_board_.push(frame.view(), now_, line_faults(LineDirection::to_board));
    if (troubled() && trouble_.replay)
    {
      replayed_.push_back({now_ + 50 * ms, {frame.view().begin(), frame.view().end()}});
    }
    return true;
  }

  std::vector<std::uint8_t> heard_by_board()
  {
    std::vector<std::uint8_t> bytes = to_board_.pop(now_);
    while (!replayed_.empty() && replayed_.front().first <= now_)
    {
      bytes.insert(bytes.end(), replayed_.front().second.begin(), replayed_.front().second.end());
      replayed_.erase(replayed_.begin());
    }
    return bytes;
  }

  std::vector<const Fault *> line_faults(LineDirection direction) const
  {
    std::vector<const Fault *> faults;
    for (const Fault & fault : trouble_.line)
    {
      if (troubled() && (fault.direction == LineDirection::both || fault.direction == direction))
      {
        faults.push_back(&fault);
      }
    }
    return faults;
  }

  double since_trouble() const
  {
    return began_ ? 1e-9 * static_cast<double>(now_ - began_ns_) - trouble_.at : -1.0;
  }
  bool troubled() const { return since_trouble() >= 0.0 && since_trouble() < trouble_.duration; }

  void cause_trouble()
  {
    if (!troubled() || caused_)
    {
      return;
    }
    caused_ = true;
    trouble_ns_ = now_;
    if (trouble_.reboot)
    {
      boot();
    }
    if (trouble_.to_board)
    {
      trouble_.to_board(*board_);
    }
    if (trouble_.interrupt)
    {
      stream_.stop();
    }
    if (trouble_.disarm)
    {
      send(serial::disarm(next_sequence()));
    }
  }

  void host()
  {
    for (const std::uint8_t byte : waiting_)
    {
      const auto payload = reader_.take(byte);
      if (!payload)
      {
        continue;
      }
      if (const auto telemetry = serial::decode_telemetry(*payload))
      {
        stream_.hear(*telemetry);
        take_cycles();
      }
      else if (const auto progress = serial::decode_progress(*payload))
      {
        reason_ = progress->reason;
        stream_.hear(*progress, now_);
      }
    }
    waiting_.clear();
    stream_.step(now_, *this);
    take_cycles();
    if (supervisor_.finding() && !disarmed_)
    {
      disarmed_ = true;
      send(serial::disarm(next_sequence()));
    }
  }

  void take_cycles()
  {
    BoardCycle cycle;
    while (stream_.next(cycle))
    {
      const CycleRecord record = supervisor_.take(cycle);
      scorer_.take(record);
      records_.push_back(record);
      note_difference(record);
    }
  }

  /// The host's own volts are feedforward and feedback of the record, before slew and clamp.
  void note_difference(const CycleRecord & record)
  {
    since_lost_ = record.read_good ? since_lost_ + 1 : 0;
    if (record.state == ControlState::playing && !record.limited && since_lost_ > 200)
    {
      const Eigen::Vector2d law =
        record.feedback + (with_feedforward_ ? record.feedforward : Eigen::Vector2d(0.0, 0.0));
      const double own = (law - record.volts).cwiseAbs().maxCoeff();
      largest_difference_ = std::max(largest_difference_, own);
    }
  }

  void watch(bool was_on)
  {
    if (!began_ && board_->player.cycles > 0)
    {
      began_ = true;
      began_ns_ = now_;
    }
    const Eigen::Vector2d volts(1e-3 * board_->output[0], 1e-3 * board_->output[1]);
    const bool stays_on = was_on && fivebar_player_is_on(&board_->player);
    if (stays_on && caused_)
    {
      largest_jump_ = std::max(largest_jump_, (volts - before_).cwiseAbs().maxCoeff());
    }
    before_ = volts;
    largest_speed_ = std::max(largest_speed_, state().tail<2>().cwiseAbs().maxCoeff());
    if (caused_ && stopping_after_ms_ < 0 && board_->player.state == FIVEBAR_STOPPING)
    {
      stopping_after_ms_ = (now_ - trouble_ns_) / ms;
    }
    if (caused_ && zero_after_ms_ < 0 && volts.isZero(0.0) && !board_->armed)
    {
      zero_after_ms_ = (now_ - trouble_ns_) / ms;
    }
  }

  void boot()
  {
    fivebar_hooks hooks{};
    hooks.context = this;
    hooks.time_us = [](void * c) { return static_cast<std::uint32_t>(of(c).now_ / 1000); };
    hooks.counts = [](void * c, int joint) {
      return of(c).plant_.counts()[static_cast<std::size_t>(joint)];
    };
    hooks.index = [](void *, int, std::int32_t *) { return false; };
    hooks.set_output = [](void * c, std::int32_t first, std::int32_t second) {
      of(c).plant_.set_volts({1e-3 * first, 1e-3 * second});
    };
    hooks.faults = [](void * c) {
      const bool pressed = of(c).troubled() && of(c).trouble_.emergency_stop;
      return static_cast<std::uint16_t>(pressed ? FIVEBAR_EMERGENCY_STOP : 0);
    };
    hooks.send = [](void * c, const std::uint8_t * bytes, std::size_t size) {
      BoardRig & self = of(c);
      self.to_host_.push({bytes, size}, self.now_, self.line_faults(LineDirection::to_host));
    };
    hooks.kick_hardware_watchdog = [](void *) {};
    board_ = std::make_unique<fivebar_board>();
    fivebar_board_init(board_.get(), &hooks, began_ ? 8 : 7, 24000);
  }

  const RobotModel & robot_;
  bool with_feedforward_;
  BoardTrouble trouble_;
  std::mt19937_64 random_;
  std::int64_t now_ = 1'000'000'000;
  LiveRobot plant_;
  std::unique_ptr<fivebar_board> board_;
  FaultyLine to_board_, to_host_;
  std::vector<std::pair<std::int64_t, std::vector<std::uint8_t>>> replayed_;
  std::vector<std::uint8_t> waiting_;
  serial::FrameReader reader_;
  PlayablePlan playable_;
  Wires wires_;
  ControlCore controller_;
  BoardSupervisor supervisor_;
  TrackingScorer scorer_;
  BoardProgram program_;
  ProgramStream stream_;
  std::uint16_t sequence_ = 0;
  std::int64_t host_wakes_ = 0;
  bool began_ = false, caused_ = false, disarmed_ = false;
  std::int64_t began_ns_ = 0, trouble_ns_ = 0;
  std::int64_t zero_after_ms_ = -1, stopping_after_ms_ = -1;
  int quiet_ms_ = 0;
  int since_lost_ = 0;
  Eigen::Vector2d before_ = Eigen::Vector2d::Zero();
  double largest_jump_ = 0.0, largest_speed_ = 0.0, largest_difference_ = 0.0;
  serial::PlayReason reason_ = serial::PlayReason::none;
  std::vector<CycleRecord> records_;
};

}  // namespace fivebar_control::test
