// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "file_check.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "output_file.hpp"
#include "terminal.hpp"

namespace fivebar_control::cli
{
namespace
{

struct CheckArguments
{
  std::vector<std::string> files;
  std::string robot, controller, plan, json;
};

void print(const FileFinding & finding)
{
  if (!finding.error.empty())
  {
    std::fflush(stdout);
    fmt::print(
      stderr, "{} {}\n", coloured(stderr, Colour::red, "fivebar:"), one_line(finding.error));
    return;
  }
  fmt::print(
    "{}: {}{}\n", finding.file, one_line(finding.summary),
    finding.fits.empty() ? "" : fmt::format(", {}", finding.fits));
}

nlohmann::json json_of(const FileFinding & finding)
{
  const auto text_or_null = [](const std::string & text) {
    return text.empty() ? nlohmann::json(nullptr) : nlohmann::json(text);
  };
  return {
    {"file", finding.file},
    {"kind", text_or_null(finding.kind ? to_string(*finding.kind) : "")},
    {"good", finding.error.empty()},
    {"summary", text_or_null(finding.summary)},
    {"fits", text_or_null(finding.fits)},
    {"error", text_or_null(finding.error)}};
}

int run_check_files(const CheckArguments & a)
{
  CheckCompany company;
  if (!a.robot.empty())
  {
    company.robot.emplace(a.robot, load_robot(a.robot));
  }
  if (!a.controller.empty())
  {
    company.controller = load_controller_settings(a.controller);
  }
  if (!a.plan.empty())
  {
    company.plans.emplace_back(a.plan, load_plan(a.plan));
    company.plan_is_required = true;
  }
  const std::vector<FileFinding> findings = check_files(a.files, std::move(company));
  nlohmann::json files = nlohmann::json::array();
  for (const FileFinding & finding : findings)
  {
    print(finding);
    files.push_back(json_of(finding));
  }
  const bool good = std::all_of(findings.begin(), findings.end(), [](const FileFinding & finding) {
    return finding.error.empty();
  });
  if (!a.json.empty())
  {
    const nlohmann::json all{{"schema", 1}, {"content", "check"}, {"good", good}, {"files", files}};
    write_file_atomically(
      output_target(a.json),
      all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  }
  return good ? done : bad_usage;
}

}  // namespace

void add_check(CLI::App & app, int & exit_code)
{
  auto a = std::make_shared<CheckArguments>();
  CLI::App * command =
    app.add_subcommand("check", "Say what files are, whether they are valid and fit together");
  command->footer(
    "Knows robot, curve, controller, plant, hardware, mechanism and balance files, fault scripts,\n"
    "plans, run logs, responses and voltages, by their content. Without --robot the others are\n"
    "compared with the robot among the files if there is just one; logs also with the plans among\n"
    "them.\n"
    "Plans are judged as 'fivebar run' judges them: with the same robot and controller files\n"
    "where none are given.\n\n"
    "Examples:\n"
    "  fivebar check config/curves/*.yaml\n"
    "  fivebar check b.plan.csv b.log.csv --robot config/robot.yaml\n\n"
    "Exit codes: 0 all files are good and fit; 2 one is not, or bad usage.");
  command->add_option("FILE", a->files, "Files to check")->required();
  command
    ->add_option("--robot", a->robot, "Robot that plans, logs, curves and hardware files must fit")
    ->type_name("FILE.yaml");
  command
    ->add_option("--controller", a->controller, "Controller file with which plans are to be played")
    ->type_name("FILE.yaml");
  command->add_option("--plan", a->plan, "Plan that logs must be runs of")->type_name("PLAN.csv");
  add_output(*command, "--json", a->json, "Write the findings here (JSON)");
  command->callback([a, &exit_code] { exit_code = run_check_files(*a); });
}

}  // namespace fivebar_control::cli
