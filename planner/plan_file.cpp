#include "fivebar_control/planner/plan_file.hpp"

#include <fmt/core.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/checksum.hpp"
#include "fivebar_control/support/csv_table.hpp"
#include "fivebar_control/support/text_file.hpp"
#include "fivebar_control/support/yaml_map.hpp"

namespace fivebar_control
{
namespace
{

constexpr int schema_version = 1;
constexpr std::size_t largest_file = 500000000;
constexpr const char * column_line = "t,u1,u4,phi1,phi4,dphi1,dphi4,x,y\n";

/// Hands the data rows to `use` in pieces of bounded size.
template <class Use>
void format_rows(const PlanSamples & s, Use && use)
{
  fmt::memory_buffer buffer;
  for (std::size_t i = 0; i < s.size(); ++i)
  {
    fmt::format_to(
      std::back_inserter(buffer), "{},{},{},{},{},{},{},{},{}\n", s.t[i], s.u1[i], s.u4[i],
      s.phi1[i], s.phi4[i], s.dphi1[i], s.dphi4[i], s.x[i], s.y[i]);
    if (buffer.size() > 60000 || i + 1 == s.size())
    {
      use(std::string_view(buffer.data(), buffer.size()));
      buffer.clear();
    }
  }
}

/// A number that may be infinite, as "none".
std::string bound_text(double value)
{
  return std::isfinite(value) ? fmt::format("{}", value) : std::string("none");
}

/// A YAML string in double quotes; what is not printable would end or change the header's line.
std::string quoted(const std::string & text)
{
  std::string result = "\"";
  for (const char c : text)
  {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20 || code == 0x7f)
    {
      result += fmt::format("\\x{:02x}", code);
      continue;
    }
    if (c == '"' || c == '\\')
    {
      result += '\\';
    }
    result += c;
  }
  return result + "\"";
}

std::string indented(const std::string & text)
{
  std::string result = "  ";
  for (std::size_t i = 0; i < text.size(); ++i)
  {
    result += text[i];
    if (text[i] == '\n' && i + 1 < text.size())
    {
      result += "  ";
    }
  }
  if (result.back() != '\n')
  {
    result += '\n';
  }
  return result;
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

std::string header_of(const Plan & p, const std::string & checksum)
{
  const PlanQuality & q = p.quality;
  std::string yaml = fmt::format("schema: {}\n", schema_version);
  if (!p.package_version.empty())
  {
    yaml += fmt::format("package_version: {}\n", quoted(p.package_version));
  }
  yaml += fmt::format(
    "robot: {{name: {}, fingerprint: {}}}\n", quoted(p.robot_name), quoted(p.robot_fingerprint));
  yaml += fmt::format("curve: {}\n", quoted(p.curve_name));
  yaml += fmt::format("time_step: {}\n", p.time_step);
  yaml += fmt::format(
    "cost: {{alpha: {}, beta: {}, gamma: {}, soft_voltage: {}, rho: {}}}\n", p.weights.alpha,
    p.weights.beta, p.weights.gamma, p.weights.soft_voltage, p.weights.rho);
  yaml += fmt::format(
    "bounds: {{voltage: {}, voltage_rate: {}}}\n", bound_text(p.bounds.voltage),
    bound_text(p.bounds.voltage_rate));
  yaml += fmt::format(
    "solver: {{name: {}, verdict: {}, iterations: {}, projected_gradient: {}}}\n", quoted(p.solver),
    quoted(to_string(p.verdict)), p.iterations, p.projected_gradient);
  yaml += fmt::format(
    "quality: {{cost: {}, ise: {}, largest_error: {}, largest_error_time: {}, end_error: {}, "
    "largest_voltage: {}, first_voltage: {}, first_interval_cost_share: {}}}\n",
    q.cost, q.ise, q.largest_error, q.largest_error_time, q.end_error, q.largest_voltage,
    q.first_voltage, q.first_interval_cost_share);
  yaml += history_text(p.history);
  if (!p.request.empty())
  {
    yaml += "request:\n" + indented(p.request);
  }
  yaml += fmt::format("rows: {}\nchecksum: {}\n", p.samples.size(), quoted(checksum));

  std::string commented;
  std::size_t start = 0;
  while (start < yaml.size())
  {
    const std::size_t end = yaml.find('\n', start);
    commented += "# " + yaml.substr(start, end - start) + "\n";
    start = end + 1;
  }
  return commented;
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

}  // namespace

std::string plan_text(const Plan & plan)
{
  std::string rows = column_line;
  Checksum checksum;
  format_rows(plan.samples, [&](std::string_view some) {
    checksum.add(some);
    rows.append(some);
  });
  return header_of(plan, checksum.hex()) + rows;
}

void save_plan(const Plan & plan, const std::string & path)
{
  Checksum checksum;
  format_rows(plan.samples, [&](std::string_view rows) { checksum.add(rows); });
  AtomicFile file(path);
  file.write(header_of(plan, checksum.hex()));
  file.write(column_line);
  format_rows(plan.samples, [&](std::string_view rows) { file.write(rows); });
  file.commit();
}

Plan load_plan(const std::string & path)
{
  return parse_plan(read_text_file(path, largest_file), path);
}

Plan parse_plan(const std::string & text, const std::string & name)
{
  if (text.rfind("# ", 0) != 0)
  {
    throw FileError(
      {name, 1}, "not a plan file: expected a header of '# ' lines, as 'fivebar plan' writes it");
  }
  // The header is judged before the rows: a newer schema may have other columns.
  const std::size_t rows_begin = text.find("\nt,");
  std::string header;
  std::size_t start = 0;
  while (start < text.size() && text[start] == '#')
  {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    header += text.substr(start + 1, end - start - 1) + "\n";
    start = end + 1;
  }
  const YamlMap map = YamlMap::parse(header, name);
  const int schema = map.integer("schema", 1, 1000000);
  if (schema > schema_version)
  {
    map.fail(
      "schema", fmt::format(
                  "the plan has schema {}, this program reads up to {}: update fivebar_control",
                  schema, schema_version));
  }
  if (rows_begin == std::string::npos)
  {
    throw FileError({name}, "the file is cut: it ends before the data rows");
  }
  Plan plan;
  read_header(map, plan);
  const int rows = map.integer("rows", 2, 1000000000);
  const std::string expected_checksum = map.text("checksum");

  const std::string_view data =
    std::string_view(text).substr(std::min(text.find('\n', rows_begin + 1) + 1, text.size()));
  const auto lines = static_cast<int>(std::count(data.begin(), data.end(), '\n'));
  if (lines < rows)
  {
    throw FileError(
      {name}, fmt::format("the file is cut: {} of {} data rows are there", lines, rows));
  }
  Checksum checksum;
  checksum.add(data);
  if (checksum.hex() != expected_checksum)
  {
    throw FileError(
      {name},
      fmt::format(
        "the data rows were changed after planning: their checksum is {}, the header says {}",
        checksum.hex(), expected_checksum));
  }
  const std::vector<std::string> names{"t", "u1", "u4", "phi1", "phi4", "dphi1", "dphi4", "x", "y"};
  CsvTable table = parse_csv(text, name, names);
  if (table.columns != names)
  {
    // The line of names is not under the checksum: swapped motors would pass unseen.
    throw FileError(
      {name},
      fmt::format(
        "the column names were changed after planning: expected {}", fmt::join(names, ",")));
  }
  require_increasing_time(table, name);
  if (table.rows() != static_cast<std::size_t>(rows))
  {
    throw FileError({name}, fmt::format("expected {} data rows, got {}", rows, table.rows()));
  }
  if (table.values[0].front() != 0.0)
  {
    throw FileError(
      {name, table.lines.front()},
      fmt::format(
        "column 't': expected a plan that begins at 0 s, got {} s", table.values[0].front()));
  }
  const std::array<std::vector<double> *, 9> targets{
    &plan.samples.t,     &plan.samples.u1,   &plan.samples.u4,
    &plan.samples.phi1,  &plan.samples.phi4, &plan.samples.dphi1,
    &plan.samples.dphi4, &plan.samples.x,    &plan.samples.y};
  for (std::size_t c = 0; c < targets.size(); ++c)
  {
    *targets[c] = std::move(table.values[c]);
  }
  return plan;
}

}  // namespace fivebar_control
