// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fivebar_control/daemon/run_loop.hpp"
#include "fivebar_control/simulation/simulated_robot.hpp"
#include "incident.hpp"

namespace fivebar_control::soak
{

/// A clock of cycles as a real machine has it: it jitters, and is late where the script says so.
/// Goes on over several runs. Paced, each cycle also takes its time.
class TroubledClock : public Pacer
{
public:
  TroubledClock(std::int64_t period_ns, bool paced, Random & random)
  : Pacer(period_ns, paced), period_ns_(period_ns), random_(random)
  {
  }

  void begin_run(const std::vector<Incident> * incidents)
  {
    incidents_ = incidents;
    cycle_ = -1;
  }
  std::int64_t begin_cycle() override;
  /// Lets time pass between runs.
  void pass(std::int64_t time_ns) { now_ns_ += time_ns; }

  std::int64_t now_ns() const { return now_ns_; }
  std::int64_t cycle() const { return cycle_; }
  /// Whole periods since the cycle before.
  std::int64_t periods() const { return periods_; }

private:
  std::int64_t period_ns_;
  Random & random_;
  const std::vector<Incident> * incidents_ = nullptr;
  std::int64_t cycle_ = -1;
  std::int64_t now_ns_ = 0;
  std::int64_t periods_ = 1;
};

/// The simulated robot behind a bad cable, at a bad amplifier, with somebody at the keyboard.
class TroubledRobot : public MotorHardware
{
public:
  TroubledRobot(SimulatedRobot & robot, const TroubledClock & clock) : robot_(robot), clock_(clock)
  {
  }
  /// Both must outlive the run.
  void begin_run(const std::vector<Incident> & incidents, RunRequests & requests)
  {
    incidents_ = &incidents;
    requests_ = &requests;
    device_bad_ = false;
  }

  HardwareError open() override { return robot_.open(); }
  HardwareError arm() override { return robot_.arm(); }
  HardwareError read(MotorSample & sample) noexcept override;
  HardwareError write(const Eigen::Vector2d & volts) noexcept override;
  HardwareError disarm() noexcept override { return robot_.disarm(); }
  void close() noexcept override { robot_.close(); }
  Encoder encoder() const override { return robot_.encoder(); }
  /// The time stamps are the troubled clock's, not one per read.
  HardwareClock clock() const override { return HardwareClock::monotonic; }
  std::string description() const override { return "troubled " + robot_.description(); }

  /// Did the last read tell of a fault of the board or a tripped watchdog?
  bool device_bad() const { return device_bad_; }

private:
  HardwareError trouble_reading(const Incident & incident, MotorSample & sample) noexcept;

  SimulatedRobot & robot_;
  const TroubledClock & clock_;
  const std::vector<Incident> * incidents_ = nullptr;
  RunRequests * requests_ = nullptr;
  MotorSample before_;
  std::array<std::int64_t, 2> frozen_{};
  bool device_bad_ = false;
};

}  // namespace fivebar_control::soak
