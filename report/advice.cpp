// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/report/advice.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace fivebar_control
{
namespace
{

// Shares above which something is worth a sentence.
constexpr double notable_saturation = 0.01;
constexpr double notable_lateness = 0.001;
constexpr double notable_feedback = 0.15;
constexpr double notable_first_interval = 0.3;
constexpr double notable_bias = 0.5;

double share(std::int64_t part, std::int64_t whole)
{
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

bool uses_feedforward(const RunRecord & run) { return run.mode != "pd"; }
bool uses_feedback(const RunRecord & run) { return run.mode != "feedforward"; }

/// The run that came nearest to the plan, of those that finished; of all if none did.
const ReportRun & best_of(const std::vector<ReportRun> & runs)
{
  return *std::min_element(runs.begin(), runs.end(), [](const ReportRun & a, const ReportRun & b) {
    const bool a_finished = a.record.ended == "finished";
    const bool b_finished = b.record.ended == "finished";
    return a_finished != b_finished ? a_finished : a.score.to_plan.ise < b.score.to_plan.ise;
  });
}

std::string plan_sentence(const ReportData & data)
{
  const PlanQuality & q = data.plan.quality;
  if (!data.nominal)
  {
    return fmt::format(
      "The plan has no curve to follow: a motion of its own, with at most {:.2f} V.",
      q.largest_voltage);
  }
  return fmt::format(
    "On the model the plan follows the curve to {:.3g} mm (largest at {:.2f} s) with at most "
    "{:.2f} "
    "V{}.",
    1e3 * q.largest_error, q.largest_error_time, q.largest_voltage,
    data.plan.verdict == Verdict::converged
      ? ""
      : fmt::format(", but its solver ended with '{}'", to_string(data.plan.verdict)));
}

/// Runs whose squared errors differ by less are as good as each other.
constexpr double alike = 1.02;

std::string run_sentence(const ReportData & data)
{
  const ReportRun & best = best_of(data.runs);
  if (best.record.ended != "finished")
  {
    const std::string reason =
      best.record.reason == "none" ? "" : fmt::format(" ({})", best.record.reason);
    return fmt::format(
      "No: '{}' ended with '{}'{} after {:.2f} s of the plan; until then it was within {:.3g} mm.",
      best.name, best.record.ended, reason,
      best.record.plan_time.empty() ? 0.0 : best.record.plan_time.back(),
      1e3 * best.score.to_plan.largest);
  }
  std::string text = fmt::format(
    "'{}' followed the planned path to {:.3g} mm, worst at {:.2f} s", best.name,
    1e3 * best.score.to_plan.largest, best.score.to_plan.largest_time);
  std::string others;
  const char * encoder = "";
  for (const ReportRun & other : data.runs)
  {
    const double ratio = other.score.to_plan.ise / best.score.to_plan.ise;
    if (&other != &best && other.record.ended != "finished")
    {
      others += fmt::format("; '{}' did not finish ({})", other.name, other.record.ended);
    }
    else if (&other != &best && ratio > alike)
    {
      text += fmt::format(
        ", with {} times less squared error than '{}'",
        ratio < 100.0 ? fmt::format("{:.3g}", ratio) : fmt::format("{:.0f}", ratio), other.name);
      encoder = ", at the encoder";
    }
  }
  return text + encoder + others + ".";
}

const char * advice_for(const std::string & reason)
{
  static const std::map<std::string, const char *> advice{
    {"following_error",
     "The robot left its band around the plan: look where the volts reach their limit, and whether "
     "a link is blocked or an encoder counts the wrong way."},
    {"late_cycles",
     "The loop was not woken in time: give it a real-time kernel, --priority and a core of its own "
     "(--cpu)."},
    {"joint_range",
     "A joint left its range: move the curve, or correct the range in the robot file."},
    {"joint_speed", "A joint was too fast: lengthen the curve's duration."},
    {"parallel_singularity", "Links 2 and 3 came too near to aligned: move or shrink the curve."},
    {"serial_singularity",
     "A driven link came too near to aligned with its distal link: move or shrink the curve."},
    {"encoder_frozen", "An encoder did not count although its motor was driven: check its cable."},
    {"encoder_jump", "An encoder jumped: check its cable and shield."},
    {"not_at_start", "The robot did not stand at the plan's start: use --align."}};
  const auto found = advice.find(reason);
  return found == advice.end() ? nullptr : found->second;
}

void hint_about_end(const ReportRun & run, std::vector<std::string> & hints)
{
  if (run.record.ended == "finished")
  {
    return;
  }
  if (const char * text = advice_for(run.record.reason))
  {
    hints.push_back(fmt::format("{}: {}", run.name, text));
  }
}

void hint_about_volts(const ReportRun & run, std::vector<std::string> & hints)
{
  const double limited = share(run.score.limited_cycles, run.score.cycles);
  if (limited > notable_saturation)
  {
    hints.push_back(fmt::format(
      "{}: the volts were limited in {:.1f} % of the cycles, and what is limited cannot correct: "
      "plan a slower curve or one with ramps (ramp: {{in: 1}}), or plan with a lower voltage limit "
      "than "
      "the "
      "{:g} V of the run so that feedback keeps a reserve.",
      run.name, 1e2 * limited, run.record.voltage_limit));
  }
}

void hint_about_timing(const ReportRun & run, std::vector<std::string> & hints)
{
  const double late = share(run.late_cycles(), static_cast<std::int64_t>(run.record.size()));
  if (late > notable_lateness)
  {
    hints.push_back(fmt::format(
      "{}: {:.2f} % of the cycles were late: use a real-time kernel, --priority and --cpu, or a "
      "lower --rate.",
      run.name, 1e2 * late));
  }
  if (run.record.lost_rows > 0)
  {
    hints.push_back(fmt::format(
      "{}: {} rows of the log were lost because the disk was too slow; peaks may be missing here.",
      run.name, run.record.lost_rows));
  }
}

void hint_about_model(const ReportRun & run, std::vector<std::string> & hints)
{
  const RunScore & s = run.score;
  if (!uses_feedforward(run.record))
  {
    return;
  }
  if (
    uses_feedback(run.record) && run.record.feedback_method == to_string(FeedbackMethod::pd) &&
    s.feedforward_rms > 0.0 && s.feedback_rms > notable_feedback * s.feedforward_rms)
  {
    hints.push_back(fmt::format(
      "{}: feedback had to add {:.2f} V (rms) to {:.2f} V of feedforward, so the model is not this "
      "robot: identify friction, motor constants and masses, then plan again.",
      run.name, s.feedback_rms, s.feedforward_rms));
  }
  for (std::size_t j = 0; j < 2; ++j)
  {
    if (std::abs(s.mean_error[j]) > notable_bias * s.largest_joint_error[j] && s.cycles > 0)
    {
      hints.push_back(fmt::format(
        "{}: phi{} was off to one side ({:+.2f} mrad on average): check its zero position, or give "
        "ki a value.",
        run.name, j == 0 ? 1 : 4, 1e3 * s.mean_error[j]));
    }
  }
}

void hint_about_plan(const Plan & plan, const RobotModel & robot, std::vector<std::string> & hints)
{
  if (plan.verdict != Verdict::converged)
  {
    hints.push_back(fmt::format(
      "The solver ended with '{}' after {} iterations: raise solver.max_iterations, or start from "
      "inverse dynamics.",
      to_string(plan.verdict), plan.iterations));
  }
  if (plan.quality.largest_voltage > robot.limits().voltage * (1.0 + 1e-9))
  {
    hints.push_back(fmt::format(
      "The plan asks for {:.2f} V, the robot has {:g} V: plan with limits.voltage, more time or a "
      "smaller curve.",
      plan.quality.largest_voltage, robot.limits().voltage));
  }
  if (plan.quality.first_interval_cost_share > notable_first_interval)
  {
    hints.push_back(fmt::format(
      "{:.0f} % of the plan's cost lie in its first interval, where the robot is at rest and the "
      "curve already moves: let the curve begin slowly (ramp: {{in: 1}}).",
      1e2 * plan.quality.first_interval_cost_share));
  }
}

}  // namespace

Advice advice_on(const ReportData & data)
{
  Advice advice;
  advice.verdict =
    data.runs.empty() ? plan_sentence(data) : run_sentence(data) + " " + plan_sentence(data);
  advice.good = data.plan.verdict == Verdict::converged;
  bool any_feedforward = data.runs.empty();
  for (const ReportRun & run : data.runs)
  {
    advice.good = advice.good && run.record.ended == "finished";
    any_feedforward = any_feedforward || uses_feedforward(run.record);
    hint_about_end(run, advice.hints);
    hint_about_volts(run, advice.hints);
    hint_about_model(run, advice.hints);
    hint_about_timing(run, advice.hints);
  }
  hint_about_plan(data.plan, data.robot, advice.hints);
  if (!any_feedforward)
  {
    advice.hints.emplace_back(
      "Only feedback was at work: the same plan with --mode feedforward+pd usually lags much "
      "less.");
  }
  if (advice.hints.empty())
  {
    advice.hints.emplace_back(
      data.runs.empty()
        ? "Nothing stands out. Play it: fivebar run, or fivebar compare."
        : "Nothing stands out: volts, timing and model fit. A smaller error needs a "
          "better model or higher gains.");
  }
  return advice;
}

}  // namespace fivebar_control
