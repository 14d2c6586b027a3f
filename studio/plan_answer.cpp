// SPDX-License-Identifier: Apache-2.0
#include "plan_answer.hpp"

#include <fmt/format.h>

#include <cctype>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "fivebar_control/report/advice.hpp"
#include "fivebar_control/report/decimation.hpp"
#include "json_text.hpp"
#include "reach_map.hpp"
#include "request_model.hpp"

namespace fivebar_control
{
namespace
{

using nlohmann::json;

constexpr std::size_t drawn_buckets = 260;
constexpr std::size_t curve_points = 500;

json error_json(const InputError & error)
{
  return {
    {"message", error.what()},
    {"line", error.where().line},
    {"column", error.where().column},
    {"key", error.key()}};
}

json error_json(const std::string & message)
{
  return {{"message", message}, {"line", 0}, {"column", 0}, {"key", ""}};
}

std::string curve_text(const DrawnCurve & drawn)
{
  std::vector<double> obstacles;
  for (const Obstacle obstacle : drawn.obstacles)
  {
    obstacles.push_back(static_cast<double>(obstacle));
  }
  return series_text({{"t", drawn.t}, {"x", drawn.x}, {"y", drawn.y}, {"obstacle", obstacles}});
}

/// Distance between plan and curve, and the sines that must not vanish, at each node.
struct PlanCourse
{
  std::vector<double> reference_x, reference_y, error, parallel, serial_1, serial_4;
};

PlanCourse course_of(const RobotModel & robot, const PlanRequest & request, const Plan & plan)
{
  PlanCourse course;
  const PlanSamples & s = plan.samples;
  for (std::size_t i = 0; i < s.size(); ++i)
  {
    const Eigen::Vector2d wanted =
      request.curve->at(std::min(s.t[i], request.curve->duration())).position;
    course.reference_x.push_back(wanted[0]);
    course.reference_y.push_back(wanted[1]);
    course.error.push_back(1e3 * (s.point(i) - wanted).norm());
    const auto pose = robot.kinematics().forward(s.phi(i));
    const SingularityMargins margins = pose ? pose->margins : SingularityMargins{};
    course.parallel.push_back(margins.parallel);
    course.serial_1.push_back(margins.serial_1);
    course.serial_4.push_back(margins.serial_4);
  }
  return course;
}

std::string course_text(const RobotModel & robot, const PlanRequest & request, const Plan & plan)
{
  const PlanSamples & s = plan.samples;
  const PlanCourse course = course_of(robot, request, plan);
  const std::vector<std::size_t> rows =
    rows_to_draw({s.u1, s.u4, course.error, course.parallel}, s.size(), drawn_buckets);
  const auto drawn = [&rows](const std::vector<double> & all) {
    std::vector<double> some;
    some.reserve(rows.size());
    for (const std::size_t row : rows)
    {
      some.push_back(all[row]);
    }
    return some;
  };
  return series_text(
    {{"t", drawn(s.t)},
     {"u1", drawn(s.u1)},
     {"u4", drawn(s.u4)},
     {"phi1", drawn(s.phi1)},
     {"phi4", drawn(s.phi4)},
     {"dphi1", drawn(s.dphi1)},
     {"dphi4", drawn(s.dphi4)},
     {"x", drawn(s.x)},
     {"y", drawn(s.y)},
     {"reference_x", drawn(course.reference_x)},
     {"reference_y", drawn(course.reference_y)},
     {"error", drawn(course.error)},
     {"parallel", drawn(course.parallel)},
     {"serial1", drawn(course.serial_1)},
     {"serial4", drawn(course.serial_4)}});
}

json figures_of(const PlanOutcome & outcome)
{
  const PlanResult & result = *outcome.result;
  const PlanQuality & q = result.plan.quality;
  const CostParts & parts = result.history.back().cost;
  return {
    {"nodes", result.plan.samples.size()},
    {"time_step", result.plan.time_step},
    {"verdict", to_string(result.plan.verdict)},
    {"iterations", result.plan.iterations},
    {"seconds", result.seconds},
    {"cost", q.cost},
    {"cost_parts",
     {{"position", parts.position},
      {"velocity", parts.velocity},
      {"terminal", parts.terminal},
      {"soft_limit", parts.soft},
      {"rate", parts.rate}}},
    {"ise", q.ise},
    {"largest_error", q.largest_error},
    {"largest_error_time", q.largest_error_time},
    {"end_error", q.end_error},
    {"largest_voltage", q.largest_voltage},
    {"voltage_limit",
     std::isfinite(result.plan.bounds.voltage) ? json(result.plan.bounds.voltage) : json(nullptr)}};
}

/// A plan's verdict: the report's sentence and hints, and what the planner itself says.
void add_verdict(
  json & answer, const Desk & desk, const PlannedCurve & planned, const std::string & name)
{
  const PlanOutcome & outcome = planned.outcome;
  const ReportData data{name, outcome.result->plan, desk.robot, planned.request.curve, {}};
  const Advice advice = advice_on(data);
  json hints = json::array();
  if (!outcome.shortcoming.empty())
  {
    hints.push_back(outcome.shortcoming);
  }
  for (const std::string & warning : outcome.result->warnings)
  {
    hints.push_back(warning);
  }
  if (hints.empty())
  {
    hints = advice.hints;
  }
  const bool playable = data.plan.quality.largest_voltage <= desk.robot.limits().voltage + 1e-9;
  const bool good = advice.good && outcome.shortcoming.empty() && playable;
  answer["ok"] = true;
  answer["state"] = !good ? "bad" : outcome.result->warnings.empty() ? "good" : "warn";
  answer["sentence"] = advice.verdict;
  answer["hints"] = hints;
  answer["figures"] = figures_of(outcome);
}

void add_refusal(json & answer, const Desk & desk, const PlannedCurve & planned, bool reachable)
{
  answer["state"] = "bad";
  std::string sentence = planned.outcome.error + ".";
  sentence[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence[0])));
  answer["sentence"] = sentence;
  answer["error"] = error_json(planned.outcome.error);
  if (!reachable)
  {
    const auto move = move_into_reach(desk.robot, *planned.request.curve);
    if (move)
    {
      answer["fix"] = {{"translate", {(*move)[0], (*move)[1]}}};
      answer["hints"].push_back(fmt::format(
        "Moved by ({:+.0f}, {:+.0f}) mm, the whole curve can be drawn.", 1e3 * (*move)[0],
        1e3 * (*move)[1]));
    }
    else
    {
      answer["hints"].push_back(
        "Make the curve smaller, or move it to the light area: no short move alone helps.");
    }
  }
}

}  // namespace

std::string plan_name_of(const std::string & curve)
{
  return std::filesystem::path(curve).replace_extension(".plan.csv").generic_string();
}

PlannedCurve plan_text_of_page(const Desk & desk, const CurveText & curve, const GoOn & go_on)
{
  PlannedCurve planned{studio_request(curve.text, curve.name, desk.folder), {}};
  planned.outcome =
    plan_one(desk.robot, planned.request, [&go_on](const Iteration &) { return go_on(); });
  return planned;
}

std::string answer_plan(const Desk & desk, const CurveText & curve, const GoOn & go_on)
{
  const auto begin = std::chrono::steady_clock::now();
  json answer{
    {"ok", false},
    {"hints", json::array()},
    {"error", nullptr},
    {"fix", nullptr},
    {"model", nullptr},
    {"command",
     command_line(
       desk, {"fivebar", "plan", curve.name, "--out", plan_name_of(curve.name)}, false, "")}};
  std::vector<std::pair<std::string, std::string>> texts;
  try
  {
    const PlannedCurve planned = plan_text_of_page(desk, curve, go_on);
    const Curve & path = *planned.request.curve;
    answer["model"] = request_model(curve.text, curve.name);
    answer["duration"] = path.duration();
    const DrawnCurve drawn =
      drawn_curve(desk.robot, path, std::min(curve_points, planned.request.intervals));
    texts.emplace_back("curve", curve_text(drawn));
    if (planned.outcome.result)
    {
      add_verdict(answer, desk, planned, curve.name);
      texts.emplace_back(
        "series", course_text(desk.robot, planned.request, planned.outcome.result->plan));
    }
    else
    {
      add_refusal(answer, desk, planned, drawn.reachable());
    }
  }
  catch (const InputError & error)
  {
    answer["state"] = "error";
    answer["sentence"] = error.what();
    answer["error"] = error_json(error);
  }
  answer["milliseconds"] =
    std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  return with_texts(answer, texts);
}

}  // namespace fivebar_control
