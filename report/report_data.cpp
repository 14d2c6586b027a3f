// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/report/report_data.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "fivebar_control/planner/plan_request.hpp"
#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{
namespace
{

std::string stem_of(const std::string & path)
{
  return std::filesystem::path(path).stem().string();
}

CurvePointer nominal_curve(const Plan & plan, const std::string & plan_file)
{
  return plan.request.empty() ? nullptr : parse_plan_request(plan.request, plan_file).curve;
}

/// "feedforward+kalman+tvlqr": the mode, and what took the place of PD in it.
std::string law_of(const RunRecord & run)
{
  const bool feedback = run.mode != to_string(ControlMode::feedforward_only);
  const bool observed = run.velocity_method == to_string(VelocityMethod::kalman);
  if (!feedback || (!observed && run.feedback_method == to_string(FeedbackMethod::pd)))
  {
    return run.mode;
  }
  return std::string(run.mode == to_string(ControlMode::feedback_only) ? "" : "feedforward+") +
         (observed ? run.velocity_method + "+" : "") + run.feedback_method;
}

/// The law says most; the file name is added where two runs had the same one.
std::string name_of(const RunRecord & run, const std::vector<RunRecord> & runs)
{
  const std::string law = law_of(run);
  const auto same = std::count_if(
    runs.begin(), runs.end(), [&](const RunRecord & other) { return law_of(other) == law; });
  return same == 1 ? law : fmt::format("{} ({})", law, stem_of(run.file));
}

void attach(TimingRecord timing, std::vector<ReportRun> & runs)
{
  const std::string log = std::filesystem::path(timing.log).filename().string();
  for (ReportRun & run : runs)
  {
    if (std::filesystem::path(run.record.file).filename().string() == log)
    {
      run.timing = std::move(timing);
      return;
    }
  }
  throw InputError(fmt::format(
    "{}: this is the timing of the run logged in '{}', which is none of the logs given",
    timing.file, timing.log));
}

}  // namespace

ReportData make_report_data(
  const std::string & plan_file, Plan plan, RobotModel robot, std::vector<RunRecord> runs,
  std::vector<TimingRecord> timings)
{
  if (plan.robot_fingerprint != robot.fingerprint())
  {
    throw InputError(fmt::format(
      "{}: the plan was made for another robot ('{}', fingerprint {}); this robot is '{}' with "
      "fingerprint {}: give its file with --robot",
      plan_file, plan.robot_name, plan.robot_fingerprint, robot.parameters().name,
      robot.fingerprint()));
  }
  CurvePointer nominal = nominal_curve(plan, plan_file);
  ReportData data{plan_file, std::move(plan), std::move(robot), std::move(nominal), {}};
  std::vector<std::string> names;
  for (const RunRecord & run : runs)
  {
    require_run_of_plan(run, data.plan, plan_file);
    names.push_back(name_of(run, runs));
  }
  for (std::size_t i = 0; i < runs.size(); ++i)
  {
    const RunScore score = score_of(runs[i], data.nominal.get());
    data.runs.push_back({names[i], std::move(runs[i]), score, std::nullopt});
  }
  for (TimingRecord & timing : timings)
  {
    attach(std::move(timing), data.runs);
  }
  return data;
}

}  // namespace fivebar_control
