// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/runs/run_record.hpp"

#include <fmt/core.h>

#include <cmath>
#include <type_traits>

#include "fivebar_control/runs/run_log.hpp"
#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/text_file.hpp"

namespace fivebar_control
{
namespace
{

constexpr double last_state = static_cast<double>(ControlState::homing);

void read_header(const YamlMap & header, RunDescription & run)
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
  run.feedback_method = feedback.text_or("method", "pd");
  run.kp = feedback.number("kp", any_number("V/rad"));
  run.kd = feedback.number("kd", any_number("V s/rad"));
  run.ki = feedback.number("ki", any_number("V/(rad s)"));
  if (const auto velocity = header.optional_map("velocity"))  // logs of older versions have none
  {
    run.velocity_method = velocity->text("method");
    run.velocity_cutoff = velocity->number("cutoff", positive("Hz"));
  }
}

void require_whole_numbers(
  const CsvTable & table, const char * column_name, double least, double most,
  const std::string & name)
{
  const std::vector<double> & values = column(table, column_name);
  for (std::size_t i = 0; i < values.size(); ++i)
  {
    if (!(values[i] >= least && values[i] <= most) || values[i] != std::floor(values[i]))
    {
      throw InputError(
        {name, table.lines[i]}, fmt::format(
                                  "column '{}': expected a whole number from {} to {}, got {}",
                                  column_name, least, most, values[i]));
    }
  }
}

void read_columns(CsvTable & table, RunRecord & run)
{
  const auto fill = [&table](const char * name, auto & values) {
    using Value = typename std::decay_t<decltype(values)>::value_type;
    std::vector<double> numbers = take_column(table, name);
    if constexpr (std::is_same_v<Value, double>)
    {
      values = std::move(numbers);
    }
    else
    {
      values.reserve(numbers.size());
      for (const double number : numbers)
      {
        if constexpr (std::is_same_v<Value, bool>)
        {
          values.push_back(number != 0.0);
        }
        else
        {
          values.push_back(static_cast<Value>(static_cast<std::int64_t>(number)));
        }
      }
    }
  };
  visit_run_columns(fill, run);
  if (run.has_truth)
  {
    visit_truth_columns(fill, run);
  }
}

}  // namespace

RunRecord load_run_record(const std::string & path)
{
  return parse_run_record(read_text_file(path, run_log_kind.largest_file), path);
}

RunRecord parse_run_record(const std::string & text, const std::string & name)
{
  SealedTable table = parse_sealed_table(text, name, run_log_kind, run_column_names());
  if (table.rows.rows() == 0)
  {
    throw InputError({name}, "the run log has no data rows: the run did not begin");
  }
  RunRecord run;
  run.file = name;
  read_header(table.header, run);
  run.ended = table.ending.text_or("ended", "unknown");
  run.reason = table.ending.text_or("reason", "none");
  run.lost_rows = table.ending.integer_or("lost_rows", 0, 2000000000, 0);
  require_increasing_time(table.rows, name);
  require_whole_numbers(table.rows, "state", 0.0, last_state, name);
  for (const char * counts : {"count1", "count4"})
  {
    require_whole_numbers(table.rows, counts, -9e15, 9e15, name);
  }
  run.has_truth = has_column(table.rows, "x_true") && has_column(table.rows, "y_true");
  read_columns(table.rows, run);
  return run;
}

void RecordKeeper::take(const CycleRecord & record) noexcept
{
  const RunRow row = row_of(record, geometry_);
  const auto keep = [](const char *, auto & values, const auto & value) {
    values.push_back(value);
  };
  visit_run_columns(keep, run_, row);
  if (record.true_point)
  {
    visit_truth_columns(keep, run_, row);
  }
}

RunRecord RecordKeeper::finish(const RunDescription & description, RunEnd end, Reason reason)
{
  RunRecord run = std::move(run_);
  run_ = {};
  static_cast<RunDescription &>(run) = description;
  run.has_truth = run.true_point[0].size() == run.size() && run.size() > 0;
  run.file = "not logged";
  run.ended = to_string(end);
  run.reason = to_string(reason);
  return run;
}

void require_run_of_plan(const RunRecord & run, const Plan & plan, const std::string & plan_name)
{
  if (run.robot_fingerprint != plan.robot_fingerprint)
  {
    throw InputError(
      {run.file},
      fmt::format(
        "this run was on another robot ('{}', fingerprint {}) than the one {} was planned for "
        "('{}', fingerprint {})",
        run.robot_name, run.robot_fingerprint, plan_name, plan.robot_name, plan.robot_fingerprint));
  }
  if (run.curve != plan.curve_name)
  {
    throw InputError(
      {run.file},
      fmt::format(
        "this run played '{}', but {} is a plan of '{}': expected logs of this plan only",
        run.curve, plan_name, plan.curve_name));
  }
  // A plan of the same name may have been made again in between.
  for_each_played_row(run, plan, [&](std::size_t i, const Reference & expected) {
    for (std::size_t j = 0; j < 2; ++j)
    {
      const double planned = expected.phi[static_cast<Eigen::Index>(j)];
      if (!(std::abs(run.reference[j][i] - planned) < 1e-6))
      {
        throw InputError(
          {run.file},
          fmt::format(
            "this run did not play {}: at {:.4g} s of the plan its reference phi{} is {:.6g} "
            "rad, "
            "the plan says {:.6g} rad",
            plan_name, run.plan_time[i], j == 0 ? 1 : 4, run.reference[j][i], planned));
      }
    }
  });
}

}  // namespace fivebar_control
