// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fivebar_control/hardware/motor_hardware.hpp"

namespace fivebar_control::commission
{

/// What ends a motion at once, with zero volts. All motions are open loop: whatever is wired
/// wrongly, the links get no further than these volts carry them in that time.
struct MotionLimits
{
  double volts = 1.5;       ///< V at a motor
  double excursion = 0.35;  ///< rad that either joint may turn from where a motion began
  double speed = 8.0;       ///< rad/s of either joint, over speed_window
  double jump = 0.04;       ///< rad within one cycle: no link does that
  static constexpr int speed_window = 20;    ///< cycles
  static constexpr int most_bad_reads = 10;  ///< in a row
};

/// One cycle of a motion.
struct TrackPoint
{
  std::int64_t time_ns = 0;                         ///< of the sample
  std::int64_t written_ns = 0;                      ///< of the volts
  Eigen::Vector2d angle = Eigen::Vector2d::Zero();  ///< rad
  Eigen::Vector2d volts = Eigen::Vector2d::Zero();  ///< V asked for after the sample
  std::uint32_t status = 0;
};

struct Track
{
  std::vector<TrackPoint> points;
  std::string fault;  ///< a sentence if something ended it; empty: it went to its end
  bool interrupted = false;
  std::int64_t reads = 0, bad_reads = 0;
  double longest_silence = 0.0;  ///< s between two writes of ours while armed

  bool good() const { return fault.empty() && !interrupted; }
  Eigen::Vector2d moved() const
  {
    return points.empty() ? Eigen::Vector2d(0, 0) : points.back().angle - points.front().angle;
  }
};

/// Moves the motors without any feedback, within limits, and watches both encoders. Volts are zero
/// and the motors disarmed whenever none of its functions runs, and before each of them returns.
class Driver
{
public:
  using Volts = std::function<Eigen::Vector2d(double time)>;
  using Until = std::function<bool(const TrackPoint &)>;

  /// `interrupted` is asked in every cycle: true ends the motion with zero volts in that cycle.
  Driver(
    MotorHardware & hardware, double rate, const MotionLimits & limits,
    std::function<bool()> interrupted);

  /// Arms, gives these volts for `duration` s or until `until` says so, then zero volts, disarms.
  Track drive(double duration, const Volts & volts, const Until & until = nullptr);
  /// Only reads.
  Track watch(double duration, const Until & until = nullptr);
  /// Armed, and silent after one write of zero volts: what the device's watchdog is there for.
  Track be_silent(double duration, const Until & until);
  /// Reads until no joint moves, at most 5 s.
  Track wait_for_rest();

  MotorHardware & hardware() { return hardware_; }
  const Encoder & encoder() const { return encoder_; }
  const MotionLimits & limits() const { return limits_; }
  double period() const { return 1.0 / rate_; }
  /// rad of one count.
  double resolution(std::size_t joint) const;

  /// The largest since the last call: rad/s over the window, rad from a motion's start, V.
  struct Peaks
  {
    double speed = 0.0, excursion = 0.0, volts = 0.0;
  };
  Peaks take_peaks();
  /// How long each read took, ns.
  const TimeHistogram & read_times() const { return read_times_; }

private:
  enum class Writing
  {
    nothing,
    once,
    always,
  };
  Track cycle(double duration, Writing writing, const Volts & volts, const Until & until);
  bool read(Track & track, TrackPoint & point, int & bad_in_a_row);
  void judge(Track & track, const TrackPoint & point);
  void write(Track & track, TrackPoint & point, double time, const Volts & volts);

  MotorHardware & hardware_;
  double rate_;
  MotionLimits limits_;
  std::function<bool()> interrupted_;
  Encoder encoder_;
  bool simulated_;
  Peaks peaks_;
  TimeHistogram read_times_;
  std::int64_t last_write_ns_ = 0;
};

const char * joint_name(std::size_t joint);

}  // namespace fivebar_control::commission
