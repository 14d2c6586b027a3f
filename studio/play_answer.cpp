// SPDX-License-Identifier: Apache-2.0
#include "play_answer.hpp"

#include <algorithm>

#include "fivebar_control/controller/loop_gains.hpp"
#include "fivebar_control/daemon/compared_laws.hpp"
#include "fivebar_control/daemon/experiment.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/report/advice.hpp"
#include "fivebar_control/report/decimation.hpp"
#include "json_text.hpp"

namespace fivebar_control
{
namespace
{

using nlohmann::json;

constexpr std::size_t drawn_buckets = 200;
constexpr double rate = 1000.0;  // Hz, that of `fivebar compare`

json figures_of(const ReportRun & run)
{
  const RunScore & s = run.score;
  return {
    {"name", run.name},
    {"mode", run.record.mode},
    {"ended", run.record.ended},
    {"reason", run.record.reason},
    {"ise", s.to_plan.ise},
    {"largest_error", s.to_plan.largest},
    {"largest_error_time", s.to_plan.largest_time},
    {"feedback_rms", s.feedback_rms},
    {"largest_volts", s.largest_volts},
    {"limited_cycles", s.limited_cycles},
    {"cycles", s.cycles}};
}

/// One run on the plan's time, from its start to a little after its end.
std::string course_of(const ReportRun & run)
{
  const RunRecord & r = run.record;
  std::vector<double> time(r.size());
  std::vector<double> error(r.size());
  for (std::size_t i = 0; i < r.size(); ++i)
  {
    time[i] = r.t[i] - run.score.start;
    const Eigen::Vector2d p = r.has_truth ? r.truly(i) : r.measured(i);
    error[i] = 1e3 * (p - r.planned(i)).norm();
  }
  const std::vector<std::size_t> rows =
    rows_to_draw({r.applied[0], r.applied[1], error}, r.size(), drawn_buckets);
  const auto drawn = [&rows](const std::vector<double> & all) {
    std::vector<double> some;
    some.reserve(rows.size());
    for (const std::size_t row : rows)
    {
      some.push_back(all[row]);
    }
    return some;
  };
  const auto & point = r.has_truth ? r.true_point : r.measured_point;
  return series_text(
    {{"t", drawn(time)},
     {"x", drawn(point[0])},
     {"y", drawn(point[1])},
     {"phi1", drawn(r.angle[0])},
     {"phi4", drawn(r.angle[1])},
     {"error", drawn(error)},
     {"u1", drawn(r.applied[0])},
     {"u4", drawn(r.applied[1])},
     {"feedback1", drawn(r.feedback[0])},
     {"feedback4", drawn(r.feedback[1])}});
}

std::string text_of_runs(const ReportData & data, const std::string & command)
{
  const Advice advice = advice_on(data);
  json answer{
    {"state", advice.good ? "good" : "bad"},
    {"sentence", advice.verdict},
    {"hints", advice.hints},
    {"command", command}};
  std::string runs = "[";
  for (const ReportRun & run : data.runs)
  {
    runs += runs.size() > 1 ? "," : "";
    runs += with_texts(figures_of(run), {{"series", course_of(run)}});
  }
  return with_texts(answer, {{"runs", runs + "]"}});
}

}  // namespace

std::string answer_play(const Desk & desk, const PlayQuestion & question, const GoOn & go_on)
{
  const PlannedCurve planned = plan_text_of_page(desk, question.curve, go_on);
  if (!planned.outcome.result)
  {
    throw InputError(planned.outcome.error);
  }
  const Plan & plan = planned.outcome.result->plan;
  require_plan_can_be_played(plan, desk.robot, desk.settings, question.curve.name);
  const PlantParameters plant = studio_plant(desk, question.plant);
  const PlayablePlan playable(plan.samples);
  std::vector<RunRecord> runs;
  for (const ComparedLaw & law : laws_to_compare(desk.settings, plan))
  {
    const auto & wanted = question.laws;
    const bool plays =
      wanted.empty() || std::find(wanted.begin(), wanted.end(), law.key) != wanted.end();
    if (!plays || !go_on())
    {
      continue;
    }
    RecordKeeper keeper(desk.robot);
    const Experiment experiment{
      desk.robot, playable, law.settings, 1'000'000, make_equations_engine};
    const RunOutcome outcome = run_experiment(experiment, plant, law.mode, &keeper).outcome;
    const RunDescription description = describe_run(
      plan, desk.robot, law.settings, "simulated robot (plant '" + plant.name + "')", law.mode,
      rate, true);
    runs.push_back(keeper.finish(description, outcome.end, outcome.finding.reason));
  }
  if (runs.empty())
  {
    throw InputError("there is no law to play with");
  }
  const std::string name = plan_name_of(question.curve.name);
  return text_of_runs(
    make_report_data(name, plan, desk.robot, std::move(runs), {}),
    command_line(desk, {"fivebar", "compare", name}, true, question.plant));
}

std::string answer_logs(
  const Desk & desk, const std::string & plan, const std::vector<std::string> & logs)
{
  std::vector<RunRecord> runs;
  std::vector<std::string> words{"fivebar", "report", desk.folder.checked(plan, {".csv"})};
  for (const std::string & log : logs)
  {
    runs.push_back(load_run_record(desk.folder.checked(log, {".csv"})));
    words.push_back(log);
  }
  if (runs.empty())
  {
    throw InputError("there is no log to show");
  }
  return text_of_runs(
    make_report_data(plan, load_plan(plan), desk.robot, std::move(runs), {}),
    command_line(desk, words, false, ""));
}

}  // namespace fivebar_control
