#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "fivebar_control/controller/control_core.hpp"

namespace fivebar_control
{

/// A whole run in memory, one entry of each column per control cycle; index 0 is driven link 1,
/// index 1 driven link 4.
struct RunRecord
{
  std::string file;  ///< where it was read from; names the run
  std::string robot_name, robot_fingerprint, curve, hardware, mode, package_version;
  std::string ended, reason;   ///< as `fivebar run` says them: "finished", "none"
  double rate = 0.0;           ///< Hz
  double voltage_limit = 0.0;  ///< V
  double kp = 0.0, kd = 0.0, ki = 0.0;
  std::int64_t lost_rows = 0;

  std::vector<double> t, plan_time;                                   ///< s
  std::array<std::vector<double>, 2> feedforward, feedback, applied;  ///< V
  std::array<std::vector<double>, 2> reference, angle;                ///< rad
  std::array<std::vector<double>, 2> planned_point, measured_point;   ///< m, x and y
  std::vector<ControlState> state;
  std::vector<bool> late, limited;

  std::size_t size() const { return t.size(); }
};

/// Reads a log of `fivebar run`. Checks that it is one, that it is whole (row count and checksum of
/// its last lines) and that time increases; throws FileError that says what and where.
RunRecord load_run_record(const std::string & path);

/// The same from text; `name` stands for the file in messages.
RunRecord parse_run_record(const std::string & text, const std::string & name);

/// Throws FileError unless the run was one of this plan: robot, curve and the played reference.
void require_run_of_plan(const RunRecord & run, const Plan & plan, const std::string & plan_name);

}  // namespace fivebar_control
