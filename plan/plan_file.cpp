// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/plan/plan_file.hpp"

#include <fmt/core.h>

#include <cmath>

#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/text_file.hpp"
#include "fivebar_control/support/yaml_map.hpp"
#include "fivebar_control/support/yaml_text.hpp"

namespace fivebar_control
{
namespace
{

/// A number that may be infinite, as "none".
std::string bound_text(double value)
{
  return std::isfinite(value) ? fmt::format("{}", value) : std::string("none");
}

/// One row per step: stage, number, cost, projected gradient, bounded.
std::string history_text(const std::vector<PlanIteration> & history)
{
  if (history.empty())
  {
    return {};
  }
  std::string text = "history:\n";
  for (const PlanIteration & i : history)
  {
    text += fmt::format(
      "  - [{}, {}, {}, {}, {:d}]\n", i.stage, i.number, i.cost, i.projected_gradient, i.bounded);
  }
  return text;
}

std::string lessons_text(const std::vector<PlanLesson> & lessons)
{
  std::string text = lessons.empty() ? "" : "learned:\n";
  for (const PlanLesson & lesson : lessons)
  {
    std::string logs;
    for (const std::string & log : lesson.logs)
    {
      logs += (logs.empty() ? "" : ", ") + yaml_quoted(log);
    }
    text += fmt::format(
      "  - {{plan: {}, checksum: {}, logs: [{}], measured_ise: {}, predicted_ise: {}, rate: {}, "
      "largest_change: {}}}\n",
      yaml_quoted(lesson.plan), yaml_quoted(lesson.checksum), logs, lesson.measured_ise,
      lesson.predicted_ise, lesson.rate, lesson.largest_change);
  }
  return text;
}

std::string header_of(const Plan & p)
{
  const PlanQuality & q = p.quality;
  std::string yaml;
  if (!p.package_version.empty())
  {
    yaml += fmt::format("package_version: {}\n", yaml_quoted(p.package_version));
  }
  yaml += fmt::format(
    "robot: {{name: {}, fingerprint: {}}}\n", yaml_quoted(p.robot_name),
    yaml_quoted(p.robot_fingerprint));
  yaml += fmt::format("curve: {}\n", yaml_quoted(p.curve_name));
  yaml += fmt::format("time_step: {}\n", p.time_step);
  yaml += fmt::format(
    "cost: {{alpha: {}, beta: {}, gamma: {}, soft_voltage: {}, rho: {}}}\n", p.weights.alpha,
    p.weights.beta, p.weights.gamma, p.weights.soft_voltage, p.weights.rho);
  yaml += fmt::format(
    "bounds: {{voltage: {}, voltage_rate: {}}}\n", bound_text(p.bounds.voltage),
    bound_text(p.bounds.voltage_rate));
  yaml += fmt::format(
    "solver: {{name: {}, verdict: {}, iterations: {}, projected_gradient: {}}}\n",
    yaml_quoted(p.solver), yaml_quoted(to_string(p.verdict)), p.iterations, p.projected_gradient);
  yaml += fmt::format(
    "quality: {{cost: {}, ise: {}, largest_error: {}, largest_error_time: {}, end_error: {}, "
    "largest_voltage: {}, first_voltage: {}, first_interval_cost_share: {}}}\n",
    q.cost, q.ise, q.largest_error, q.largest_error_time, q.end_error, q.largest_voltage,
    q.first_voltage, q.first_interval_cost_share);
  yaml += history_text(p.history);
  yaml += lessons_text(p.lessons);
  if (!p.request.empty())
  {
    yaml += "request:\n" + prefixed_lines(p.request, "  ");
  }
  return yaml;
}

double bound_value(const YamlMap & map, const std::string & key, const std::string & unit)
{
  return map.text(key) == "none" ? unbounded : map.number(key, positive(unit));
}

/// Stage or number of a step.
int count_of(const YamlMap & map, double value)
{
  if (!(value >= 0.0 && value <= 1e9) || value != std::floor(value))
  {
    map.fail("history", fmt::format("expected stages and numbers from 0 to 1e9, got {}", value));
  }
  return static_cast<int>(value);
}

void read_lessons(const YamlMap & map, Plan & plan)
{
  for (const YamlMap & entry : map.maps("learned"))
  {
    PlanLesson lesson;
    lesson.plan = entry.text("plan");
    lesson.checksum = entry.text("checksum");
    lesson.logs = entry.texts("logs", 0);
    lesson.measured_ise = entry.number("measured_ise", not_negative("m^2 s"));
    lesson.predicted_ise = entry.number("predicted_ise", not_negative("m^2 s"));
    lesson.rate = entry.number("rate", positive("V"));
    lesson.largest_change = entry.number("largest_change", not_negative("V"));
    plan.lessons.push_back(std::move(lesson));
  }
}

void read_header(const YamlMap & map, Plan & plan)
{
  plan.package_version = map.text_or("package_version", "");
  plan.curve_name = map.text("curve");
  plan.time_step = map.number("time_step", positive("s"));
  const YamlMap robot = map.map("robot");
  plan.robot_name = robot.text("name");
  plan.robot_fingerprint = robot.text("fingerprint");
  const YamlMap cost = map.map("cost");
  plan.weights.alpha = cost.number("alpha", between(0.0, 1.0, "share"));
  plan.weights.beta = cost.number("beta", not_negative("s^2"));
  plan.weights.gamma = cost.number("gamma", not_negative("m^2/V^2"));
  plan.weights.soft_voltage = cost.number("soft_voltage", not_negative("V"));
  plan.weights.rho = cost.number("rho", not_negative("m^2 s^2/V^2"));
  const YamlMap bounds = map.map("bounds");
  plan.bounds.voltage = bound_value(bounds, "voltage", "V");
  plan.bounds.voltage_rate = bound_value(bounds, "voltage_rate", "V/s");
  const YamlMap solver = map.map("solver");
  plan.solver = solver.text("name");
  plan.verdict = static_cast<Verdict>(
    solver.choice("verdict", {"converged", "stalled", "iteration limit", "cancelled"}));
  plan.iterations = solver.integer("iterations", 0, 1000000000);
  plan.projected_gradient = solver.number("projected_gradient", not_negative("m^2/V"));
  if (map.has("history"))
  {
    for (const std::vector<double> & row : map.table("history", 5, any_number("SI")))
    {
      plan.history.push_back(
        {count_of(map, row[0]), count_of(map, row[1]), row[2], row[3], row[4] != 0.0});
    }
  }
  if (map.has("learned"))
  {
    read_lessons(map, plan);
  }
  const YamlMap quality = map.map("quality");
  const NumberRule any = any_number("SI");
  plan.quality.cost = quality.number("cost", any);
  plan.quality.ise = quality.number("ise", any);
  plan.quality.largest_error = quality.number("largest_error", any);
  plan.quality.largest_error_time = quality.number("largest_error_time", any);
  plan.quality.end_error = quality.number("end_error", any);
  plan.quality.largest_voltage = quality.number("largest_voltage", any);
  plan.quality.first_voltage = quality.number("first_voltage", any);
  plan.quality.first_interval_cost_share = quality.number("first_interval_cost_share", any);
  if (const auto request = map.optional_map("request"))
  {
    plan.request = request->canonical_text();
  }
}

void write_plan(const Plan & plan, const SealedWriter::Output & output)
{
  SealedWriter writer(output, plan_kind, header_of(plan), columns_of(plan.samples));
  write_samples(plan.samples, writer);
  writer.close();
}

}  // namespace

std::string plan_text(const Plan & plan)
{
  std::string text;
  write_plan(plan, [&text](std::string_view some) { text.append(some); });
  return text;
}

void save_plan(const Plan & plan, const std::string & path)
{
  AtomicFile file(path);
  write_plan(plan, [&file](std::string_view some) { file.write(some); });
  file.commit();
}

Plan load_plan(const std::string & path)
{
  return parse_plan(read_text_file(path, plan_kind.largest_file), path);
}

Plan parse_plan(const std::string & text, const std::string & name)
{
  Plan plan;
  const SealedTable table = read_samples(text, name, plan_kind, plan.samples);
  read_header(table.header, plan);
  if (plan.samples.size() < 2)
  {
    throw InputError(
      {name}, fmt::format("expected at least 2 data rows, got {}", plan.samples.size()));
  }
  if (plan.samples.t.front() != 0.0)
  {
    throw InputError(
      {name, table.rows.lines.front()},
      fmt::format(
        "column 't': expected a plan that begins at 0 s, got {} s", plan.samples.t.front()));
  }
  return plan;
}

}  // namespace fivebar_control
