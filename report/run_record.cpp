#include "fivebar_control/report/run_record.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "fivebar_control/support/checksum.hpp"
#include "fivebar_control/support/csv_table.hpp"
#include "fivebar_control/support/file_error.hpp"
#include "fivebar_control/support/text_file.hpp"
#include "fivebar_control/support/yaml_map.hpp"

namespace fivebar_control
{
namespace
{

constexpr int schema_version = 1;
constexpr std::size_t largest_file = 2000000000;
constexpr int state_count = static_cast<int>(ControlState::fault) + 1;

/// The parts of a log: '#' lines, the line of names, rows, '#' lines.
struct LogText
{
  std::string header, trailer;
  std::string_view rows;
  std::size_t row_count = 0;
};

/// Takes the '#' lines off the front of `rest`, without their '# '.
std::string take_comments(std::string_view & rest)
{
  std::string yaml;
  while (!rest.empty() && rest.front() == '#')
  {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    yaml.append(rest.substr(std::min<std::size_t>(2, end), end - std::min<std::size_t>(2, end)));
    yaml.push_back('\n');
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return yaml;
}

LogText split(const std::string & text, const std::string & name)
{
  LogText parts;
  std::string_view rest = text;
  parts.header = take_comments(rest);
  if (parts.header.empty())
  {
    throw FileError(
      {name, 1},
      "not a run log: expected a header of '# ' lines, as 'fivebar run --log' writes it");
  }
  rest.remove_prefix(
    std::min(rest.find('\n'), rest.size() - std::min<std::size_t>(1, rest.size())));
  if (!rest.empty())
  {
    rest.remove_prefix(1);
  }
  const std::size_t comments = rest.empty() || rest.front() == '#' ? 0 : rest.find("\n# ");
  parts.rows = comments == 0
                 ? std::string_view()
                 : rest.substr(0, comments == std::string_view::npos ? rest.size() : comments + 1);
  parts.row_count =
    static_cast<std::size_t>(std::count(parts.rows.begin(), parts.rows.end(), '\n'));
  rest.remove_prefix(parts.rows.size());
  parts.trailer = take_comments(rest);
  return parts;
}

void require_log(const YamlMap & header, const std::string & name)
{
  const std::string content = header.text_or("content", "");
  if (content != "run log")
  {
    const char * what = header.has("solver") ? "a plan" : "another file";
    throw FileError(
      {name}, fmt::format(
                "this is {}, not a run log: expected a file that 'fivebar run --log' wrote", what));
  }
  const int schema = header.integer("schema", 1, 1000000);
  if (schema > schema_version)
  {
    header.fail(
      "schema", fmt::format(
                  "the log has schema {}, this program reads up to {}: update fivebar_control",
                  schema, schema_version));
  }
}

void require_whole(const LogText & parts, const std::string & name)
{
  if (parts.trailer.find("checksum:") == std::string::npos)
  {
    throw FileError(
      {name}, fmt::format(
                "the log is cut: it ends after {} rows, without the lines that close a log",
                parts.row_count));
  }
  const YamlMap trailer = YamlMap::parse(parts.trailer, name);
  const int rows = trailer.integer("rows", 0, 2000000000);
  if (static_cast<std::size_t>(rows) != parts.row_count)
  {
    throw FileError(
      {name}, fmt::format("the log is cut: {} of {} data rows are there", parts.row_count, rows));
  }
  if (rows == 0)
  {
    throw FileError({name}, "the log has no data rows: the run did not begin");
  }
  Checksum checksum;
  checksum.add(parts.rows);
  if (checksum.hex() != trailer.text("checksum"))
  {
    throw FileError(
      {name}, fmt::format(
                "the data rows were changed after the run: their checksum is {}, the log says {}",
                checksum.hex(), trailer.text("checksum")));
  }
}

void read_header(const YamlMap & header, RunRecord & run)
{
  run.package_version = header.text_or("package_version", "");
  const YamlMap robot = header.map("robot");
  run.robot_name = robot.text("name");
  run.robot_fingerprint = robot.text("fingerprint");
  run.curve = header.text("curve");
  run.hardware = header.text("hardware");
  run.mode = header.text("mode");
  run.rate = header.number("rate", positive("Hz"));
  run.voltage_limit = header.number("voltage_limit", positive("V"));
  const YamlMap feedback = header.map("feedback");
  run.kp = feedback.number("kp", any_number("V/rad"));
  run.kd = feedback.number("kd", any_number("V s/rad"));
  run.ki = feedback.number("ki", any_number("V/(rad s)"));
}

void read_columns(CsvTable & table, const std::string & name, RunRecord & run)
{
  const auto take = [&table](const char * column_name) {
    const auto found = std::find(table.columns.begin(), table.columns.end(), column_name);
    return std::move(table.values[static_cast<std::size_t>(found - table.columns.begin())]);
  };
  run.t = take("t");
  run.plan_time = take("plan_time");
  run.feedforward = {take("u1"), take("u4")};
  run.feedback = {take("u1_feedback"), take("u4_feedback")};
  run.applied = {take("u1_applied"), take("u4_applied")};
  run.reference = {take("phi1"), take("phi4")};
  run.angle = {take("phi1_measured"), take("phi4_measured")};
  run.planned_point = {take("x"), take("y")};
  run.measured_point = {take("x_measured"), take("y_measured")};
  const std::vector<double> state = take("state");
  const std::vector<double> late = take("late");
  const std::vector<double> limited = take("limited");
  for (std::size_t i = 0; i < state.size(); ++i)
  {
    const int value = state[i] >= 0.0 && state[i] < state_count ? static_cast<int>(state[i]) : -1;
    if (value < 0)
    {
      throw FileError(
        {name, table.lines[i]},
        fmt::format("column 'state': expected 0 to {}, got {}", state_count - 1, state[i]));
    }
    run.state.push_back(static_cast<ControlState>(value));
    run.late.push_back(late[i] != 0.0);
    run.limited.push_back(limited[i] != 0.0);
  }
}

}  // namespace

RunRecord load_run_record(const std::string & path)
{
  return parse_run_record(read_text_file(path, largest_file), path);
}

RunRecord parse_run_record(const std::string & text, const std::string & name)
{
  const LogText parts = split(text, name);
  if (
    parts.rows.empty() && parts.trailer.empty() &&
    parts.header.find("content: run log\n") != std::string::npos)
  {
    throw FileError({name}, "the log is cut: it ends before the data rows");
  }
  const YamlMap header = YamlMap::parse(parts.header, name);
  require_log(header, name);
  require_whole(parts, name);
  RunRecord run;
  run.file = name;
  read_header(header, run);
  const YamlMap trailer = YamlMap::parse(parts.trailer, name);
  run.ended = trailer.text_or("ended", "unknown");
  run.reason = trailer.text_or("reason", "none");
  run.lost_rows = trailer.integer_or("lost_rows", 0, 2000000000, 0);
  CsvTable table = parse_csv(
    text, name,
    {"t", "u1", "u4", "phi1", "phi4", "x", "y", "plan_time", "u1_feedback", "u4_feedback",
     "u1_applied", "u4_applied", "phi1_measured", "phi4_measured", "x_measured", "y_measured",
     "state", "late", "limited"});
  require_increasing_time(table, name);
  read_columns(table, name, run);
  return run;
}

void require_run_of_plan(const RunRecord & run, const Plan & plan, const std::string & plan_name)
{
  if (run.robot_fingerprint != plan.robot_fingerprint)
  {
    throw FileError(
      {run.file},
      fmt::format(
        "this run was on another robot ('{}', fingerprint {}) than the one {} was planned for "
        "('{}', fingerprint {})",
        run.robot_name, run.robot_fingerprint, plan_name, plan.robot_name, plan.robot_fingerprint));
  }
  if (run.curve != plan.curve_name)
  {
    throw FileError(
      {run.file},
      fmt::format(
        "this run played '{}', but {} is a plan of '{}': expected logs of this plan only",
        run.curve, plan_name, plan.curve_name));
  }
  // A plan of the same name may have been made again in between.
  const PlayablePlan playable(plan.samples);
  std::size_t interval = 0;
  for (std::size_t i = 0; i < run.size(); ++i)
  {
    if (run.state[i] != ControlState::playing)
    {
      continue;
    }
    const Reference expected = playable.at(run.plan_time[i], interval);
    for (std::size_t j = 0; j < 2; ++j)
    {
      const double planned = expected.phi[static_cast<Eigen::Index>(j)];
      if (!(std::abs(run.reference[j][i] - planned) < 1e-6))
      {
        throw FileError(
          {run.file},
          fmt::format(
            "this run did not play {}: at {:.4g} s of the plan its reference phi{} is {:.6g} "
            "rad, "
            "the plan says {:.6g} rad",
            plan_name, run.plan_time[i], j == 0 ? 1 : 4, run.reference[j][i], planned));
      }
    }
  }
}

}  // namespace fivebar_control
