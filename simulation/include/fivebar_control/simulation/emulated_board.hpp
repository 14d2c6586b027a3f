// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "firmware/board.h"
#include "fivebar_control/hardware/serial_protocol.hpp"
#include "fivebar_control/simulation/fault_script.hpp"
#include "fivebar_control/simulation/faulty_line.hpp"
#include "fivebar_control/simulation/live_robot.hpp"
#include "fivebar_control/simulation/pseudo_terminal.hpp"
#include "fivebar_control/simulation/true_motion.hpp"

namespace fivebar_control
{

struct EmulatorOptions
{
  std::string link{};  ///< name for the pseudo-terminal; may be empty
  std::vector<Fault> faults{};
  std::uint64_t seed = 1;
  double full_scale = 24.0;  ///< V
  double boot_time = 0.3;    ///< s
  bool record_volts = true;  ///< every change of the volts is an event, too
  EngineMaker engine = make_equations_engine;
  /// Not 0: the board's time is not the machine's. It goes on by this much with every request of
  /// the host, and by itself only once the host is known to be gone or has been silent for a
  /// second.
  std::int64_t lock_step_ns = 0;
  /// The board's time is what live() is told; it begins at zero.
  bool host_keeps_time = false;
  /// The board's time is a count of its own ticks of 1 ms, which follow the machine's clock. When
  /// the emulator is not run for a while, the board and its robot stand still for that long,
  /// instead of missing it: what the machine does to the emulator is no fault of the board's.
  bool own_clock = false;
  std::function<bool()> host_is_gone{};  ///< in lock-step; asked between frames
  /// In lock-step: called with the number of each frame, before the board obeys it.
  std::function<void(std::int64_t)> on_frame{};
};

/// The reference firmware on a pseudo-terminal, with the robot's dynamics behind it, in real time.
class EmulatedBoard
{
public:
  /// What happened when; times on CLOCK_MONOTONIC, or the board's own if it has one.
  struct Event
  {
    std::int64_t time_ns = 0;
    std::string what;
    Eigen::Vector2d volts = Eigen::Vector2d::Zero();  ///< at the motors since then
    std::int64_t frame = 0;                           ///< of the host, the last before (lock-step)
    std::int64_t silence_ns = 0;  ///< since the host's last command for volts (lock-step)
  };

  EmulatedBoard(
    const RobotModel & robot, const PlantParameters & plant, const Eigen::Vector2d & start,
    const EmulatorOptions & options);

  /// Opens the pseudo-terminal; throws InputError.
  void open();
  /// Until `stop` says so; closes the pseudo-terminal.
  void run(const std::function<bool()> & stop);

  /// Instead of run() where the host keeps the time: hears whatever the host has sent so far, which
  /// are `heard` bytes since the beginning, and lives from then on until another moment, or until
  /// it has sent something itself. Returns when that is. Throws HardwareFailure if the bytes do not
  /// come.
  std::int64_t live(
    std::int64_t from_ns, std::int64_t until_ns, std::uint64_t heard, bool until_it_sends);
  const PseudoTerminal & line() const { return terminal_; }

  const std::string & device() const { return terminal_.device(); }
  const std::vector<Event> & events() const { return events_; }
  /// Times at which each fault of the script began; 0: it did not.
  const std::vector<std::int64_t> & fault_times_ns() const { return fault_times_ns_; }
  bool is_armed() const { return armed_.load(std::memory_order_relaxed); }
  /// Longest time that the board's program was not run, from the first arming on: a microcontroller
  /// runs at least every millisecond, an emulated one only as often as the machine lets it.
  std::int64_t longest_pause_ns() const { return longest_pause_ns_; }
  const LiveRobot & robot() const { return robot_; }
  /// The worst since the first arming; there is no reference here, and so no error.
  const TruePeaks & truth() const { return truth_.peaks(); }
  /// Frames that the host has sent, in lock-step.
  std::int64_t frames() const { return frames_; }

private:
  static EmulatedBoard & of(void * context) { return *static_cast<EmulatedBoard *>(context); }
  fivebar_hooks hooks();
  void cycle(std::int64_t now_ns);
  void run_with_own_clock(const std::function<bool()> & stop);
  void run_in_lock_step(const std::function<bool()> & stop);
  void take_in_lock_step(std::uint8_t byte);
  void pass_lock_step();
  void note_changes(std::int64_t now_ns);
  void update_faults(std::int64_t now_ns);
  void begin(const Fault & fault, std::int64_t now_ns);
  void run_firmware(std::int64_t now_ns);
  void reset(std::int64_t now_ns, const std::string & why);
  void set_output(const Eigen::Vector2d & volts, std::int64_t now_ns);
  void note(std::int64_t now_ns, std::string what);
  bool is_on(FaultKind kind) const;
  std::vector<const Fault *> line_faults(LineDirection direction) const;
  std::int32_t counts(int joint);

  EmulatorOptions options_;
  LiveRobot robot_;
  TrueMotion truth_;
  PseudoTerminal terminal_;
  FaultyLine to_board_, to_host_;
  fivebar_board board_{};
  serial::FrameReader listener_;  ///< hears the same bytes as the board, to know what they are
  std::int64_t frames_ = 0;
  std::int64_t last_drive_ns_ = 0;  ///< when the last command for volts came
  std::vector<Event> events_;

  std::vector<std::int64_t> fault_times_ns_;
  std::vector<const Fault *> active_;
  std::int64_t started_ns_ = 0;
  std::int64_t first_armed_ns_ = 0;
  std::int64_t longest_pause_ns_ = 0;
  std::atomic<bool> armed_{false};
  std::uint16_t latched_before_ = 0;

  // The microcontroller.
  std::int64_t now_ns_ = 0;
  std::int64_t boot_ns_ = 0;   ///< device time zero
  std::int64_t ready_ns_ = 0;  ///< end of booting
  std::int64_t kicked_ns_ = 0;
  std::int64_t tick_due_ns_ = 0;
  std::uint32_t session_;
  bool hung_ = false;
  std::array<std::int32_t, 2> counts_at_boot_{}, jump_{}, frozen_{};
};

}  // namespace fivebar_control
