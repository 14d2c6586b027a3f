// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "commissioned.hpp"
#include "fivebar_control/daemon/realtime.hpp"
#include "fivebar_control/daemon/run_loop.hpp"
#include "fivebar_control/hardware/board_player.hpp"
#include "fivebar_control/runs/tracking_score.hpp"
#include "fivebar_control/simulation/true_motion.hpp"

namespace fivebar_control::cli
{

/// Everything that is known after a run.
struct RunReport
{
  std::string plan, curve, mode, hardware;
  double rate = 0.0;  ///< Hz
  Commissioning commissioning;
  bool paced = true;
  RunOutcome outcome;
  TrackingScore score;
  LoopTiming timing;
  RealtimeReport realtime;
  std::optional<LinkStatistics> link;   ///< of hardware behind a connection
  std::optional<PlayStatistics> board;  ///< of a board that played by itself
  std::string explanation;              ///< the hardware's own, of a fault
  std::string log;                      ///< empty: none was written
  std::int64_t log_rows = 0;
  std::int64_t lost_rows = 0;
  GuardSettings guard;
  /// What was read, by what it is: "robot", "controller", "plant", "calibration".
  std::vector<std::pair<std::string, std::string>> files;
  std::string log_failure;         ///< why the log is not complete; empty if it is
  std::optional<TruePeaks> truth;  ///< of a simulated robot
  double loop_error = 0.0;         ///< m, largest of a simulation that closes its loop by force
};

/// One sentence: how the run ended.
std::string ending_sentence(const RunReport & report);
/// The one-screen summary.
std::string summary(const RunReport & report);
/// Keys are documented in docs/operation.md and stable.
nlohmann::json to_json(const RunReport & report);

}  // namespace fivebar_control::cli
