// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <mutex>
#include <string>

#include "desk.hpp"
#include "fivebar_control/studio/studio_options.hpp"
#include "jobs.hpp"

namespace fivebar_control
{

/// The robot that the studio was started for (--hardware): `fivebar run` in a process of its own,
/// with its guard, its live view and its stop lane. Arming and starting are two questions, so that
/// nothing moves by one click or by one request.
class RobotStation
{
public:
  /// `seconds` are how long an arming lasts.
  RobotStation(const StudioOptions & options, const Desk & desk, Jobs & jobs);

  struct Armed
  {
    std::string ticket, command;
    double seconds = 0.0;
  };
  /// Checks plan and mode ("feedforward+pd", ...). Throws InputError, also without hardware.
  Armed arm(const std::string & plan, const std::string & mode, bool align);
  /// Starts what was armed; the number of its job. Throws InputError if the ticket is none, is too
  /// old or was used, or if the plan has changed since.
  int start(const std::string & ticket);

  struct Stopped
  {
    bool sent = false;
    bool zero_volts = false;  ///< the motors' device has confirmed it
    bool ended = false;       ///< the run is over
    double milliseconds = 0.0;
  };
  /// A smooth stop signals the run. An emergency asks the stop lane of its live view and signals
  /// it, and waits up to a second for the answer of the first or the end of the run. Waits for no
  /// lock.
  Stopped stop(bool emergency);

private:
  using Clock = std::chrono::steady_clock;

  StudioOptions options_;
  const Desk & desk_;
  Jobs & jobs_;
  std::mutex mutex_;
  std::string ticket_, plan_, fingerprint_;
  std::vector<std::string> words_;
  Clock::time_point until_;
};

}  // namespace fivebar_control
