// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "commands.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/report/html_report.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/config_location.hpp"
#include "fivebar_control/support/errors.hpp"
#include "output_file.hpp"

namespace fivebar_control::cli
{
namespace
{

struct ReportArguments
{
  std::string plan, robot, out = "report.html";
  std::vector<std::string> logs, timings;
};

/// The page must not replace one of the files that it is about.
void require_other_target(const ReportArguments & a)
{
  std::vector<std::string> sources = a.logs;
  sources.push_back(a.plan);
  sources.insert(sources.end(), a.timings.begin(), a.timings.end());
  for (const std::string & source : sources)
  {
    std::error_code error;
    if (std::filesystem::equivalent(a.out, source, error))
    {
      throw InputError(fmt::format("--out: {} is one of the files to report on", a.out));
    }
  }
}

int run_report(const ReportArguments & a)
{
  require_other_target(a);
  RobotModel robot = load_robot(given_or_config(a.robot, "robot.yaml"));
  Plan plan = load_plan(a.plan);
  std::vector<RunRecord> runs;
  for (const std::string & log : a.logs)
  {
    runs.push_back(load_run_record(log));
  }
  std::vector<TimingRecord> timings;
  for (const std::string & timing : a.timings)
  {
    timings.push_back(load_timing_record(timing));
  }
  const ReportData data = make_report_data(
    a.plan, std::move(plan), std::move(robot), std::move(runs), std::move(timings));
  write_file_atomically(output_target(a.out), html_report(data));
  if (a.out != "-")
  {
    fmt::print("Report: {}\n", std::filesystem::absolute(a.out).lexically_normal().string());
  }
  return done;
}

}  // namespace

void add_report(CLI::App & app, int & exit_code)
{
  auto a = std::make_shared<ReportArguments>();
  CLI::App * command =
    app.add_subcommand("report", "Write one HTML page that shows a plan and runs of it");
  command->footer(
    "The page needs no other file and no network. Several logs are laid over each other.\n\n"
    "Example:\n"
    "  fivebar report b.plan.csv pd.csv ff.csv --timing ff.json --out b.html\n\n"
    "Exit codes: 0 done; 2 bad usage or bad file.");
  command->add_option("PLAN.csv", a->plan, "Plan, as 'fivebar plan' writes it")->required();
  command->add_option("LOG.csv", a->logs, "Logs of runs of this plan ('fivebar run --log')");
  add_output(*command, "--out", a->out, "The page")->type_name("FILE.html")->capture_default_str();
  command
    ->add_option(
      "--timing", a->timings,
      "JSON of one of these runs ('fivebar run --json'), for loop timing; may be repeated")
    ->type_name("RUN.json")
    ->allow_extra_args(false);
  command->add_option("--robot", a->robot, robot_text)->type_name("FILE.yaml");
  command->callback([a, &exit_code] { exit_code = run_report(*a); });
}

}  // namespace fivebar_control::cli
