// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fivebar_control/model/robot_model.hpp"
#include "fivebar_control/plan/plan.hpp"
#include "fivebar_control/report/run_score.hpp"
#include "fivebar_control/runs/run_record.hpp"
#include "fivebar_control/runs/timing_record.hpp"

namespace fivebar_control
{

/// One run with what the report says about it.
struct ReportRun
{
  std::string name;  ///< short and different from the others
  RunRecord record;
  RunScore score;
  std::optional<TimingRecord> timing;

  /// By the clock of the machine where that is known, else by the controller's.
  std::int64_t late_cycles() const { return timing ? timing->late_cycles : score.late_cycles; }
};

/// All that a report is made from.
struct ReportData
{
  std::string plan_file;
  Plan plan;
  RobotModel robot;
  CurvePointer nominal;  ///< null if the plan does not say from which curve it was made
  std::vector<ReportRun> runs;
};

/// Checks that all belong together and computes the figures. Throws InputError if the plan is of
/// another robot, a run is none of this plan, or a timing belongs to none of the runs.
ReportData make_report_data(
  const std::string & plan_file, Plan plan, RobotModel robot, std::vector<RunRecord> runs,
  std::vector<TimingRecord> timings);

}  // namespace fivebar_control
