// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/multibody/verification.hpp"
#include "fivebar_control/planner/methods/verification_balance.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "output_file.hpp"
#include "terminal.hpp"

/// config/robot.yaml as it was when the program was built.
namespace fivebar_control::cli::shipped
{
extern const std::string_view robot_yaml;
}

namespace fivebar_control::cli
{
namespace
{

using multibody::Evidence;
using multibody::VerificationRow;

nlohmann::json to_json(const VerificationRow & row)
{
  return {
    {"kind", name(row.evidence)},    {"source", row.source},   {"quantity", row.quantity},
    {"printed", row.printed},        {"at_most", row.at_most}, {"ours", row.ours},
    {"digits", row.digits()},        {"method", row.method},   {"seconds", row.seconds},
    {"agrees", row.agrees()},        {"exact", row.exact()},   {"reproducible", row.reproducible},
    {"explanation", row.explanation}};
}

/// The table; explanations become numbered notes below it.
void print_rows(const std::vector<VerificationRow> & rows)
{
  fmt::print(
    "{:13} {:41} {:41} {:>14} {:>18} {:>6} {:32} {:>8}\n", "kind", "source", "quantity", "expected",
    "ours", "digits", "method", "time [s]");
  std::vector<std::string> notes;
  for (const VerificationRow & row : rows)
  {
    std::string mark;
    if (row.reproducible && !row.agrees())
    {
      mark = "  " + coloured(stdout, Colour::red, "DIFFERS");
    }
    else if (!row.explanation.empty())
    {
      auto found = std::find(notes.begin(), notes.end(), row.explanation);
      if (found == notes.end())
      {
        found = notes.insert(notes.end(), row.explanation);
      }
      mark = fmt::format(
        "  {}({})", row.reproducible ? "" : "not reproducible ", found - notes.begin() + 1);
    }
    fmt::print(
      "{:13} {:41} {:41} {:>14} {:>18.10g} {:>6} {:32} {:>8.2f}{}\n", name(row.evidence),
      row.source, row.quantity, (row.at_most ? "<= " : "") + row.printed, row.ours,
      row.at_most ? "" : fmt::format("{:.1f}", row.digits()), row.method, row.seconds, mark);
  }
  fmt::print("\n");
  for (std::size_t i = 0; i < notes.size(); ++i)
  {
    fmt::print("({}) {}\n", i + 1, notes[i]);
  }
}

void print_not_recomputed()
{
  fmt::print("\nPrinted, but no rows:\n");
  for (const multibody::NotRecomputed & one : multibody::not_recomputed())
  {
    fmt::print("  {}, {}: {}\n", one.source, one.numbers, one.reason);
  }
  fmt::print("\n");
}

struct Counts
{
  std::size_t printed = 0, exact = 0, reference = 0, self_check = 0, failed = 0;
  std::size_t not_reproducible = 0;
};

Counts count(const std::vector<VerificationRow> & rows)
{
  Counts counts;
  for (const VerificationRow & row : rows)
  {
    if (!row.reproducible)
    {
      ++counts.not_reproducible;
      continue;
    }
    counts.failed += row.agrees() ? 0U : 1U;
    counts.printed += row.evidence == Evidence::printed ? 1U : 0U;
    counts.exact += row.evidence == Evidence::printed && row.exact() ? 1U : 0U;
    counts.reference += row.evidence == Evidence::reference ? 1U : 0U;
    counts.self_check += row.evidence == Evidence::self_check ? 1U : 0U;
  }
  return counts;
}

int run_verify(const std::string & json_file)
{
  const auto announce = [](const std::string & group) {
    fmt::print(stderr, "computing: {}\n", group);
  };
  std::vector<VerificationRow> rows = multibody::verify(announce);
  const RobotModel published =
    parse_robot(std::string(shipped::robot_yaml), "robot.yaml of this program");
  for (VerificationRow & row : verify_balance(published, announce))
  {
    rows.push_back(std::move(row));
  }
  print_rows(rows);
  print_not_recomputed();
  const Counts counts = count(rows);
  fmt::print(
    "{} printed in the sources: {} to every digit, {} within an explained allowance; {} own "
    "references; {} self-checks; {} printed numbers that cannot be reproduced\n",
    counts.printed, counts.exact, counts.printed - counts.exact, counts.reference,
    counts.self_check, counts.not_reproducible);
  const std::size_t compared = counts.printed + counts.reference + counts.self_check;
  fmt::print(
    "{}\n",
    counts.failed == 0
      ? coloured(stdout, Colour::green, fmt::format("{} numbers, {} agree", compared, compared))
      : coloured(
          stdout, Colour::red,
          fmt::format(
            "{} numbers, {} agree, {} DIFFER", compared, compared - counts.failed, counts.failed)));
  if (!json_file.empty())
  {
    nlohmann::json all = nlohmann::json::array();
    for (const VerificationRow & row : rows)
    {
      all.push_back(to_json(row));
    }
    nlohmann::json left_out = nlohmann::json::array();
    for (const multibody::NotRecomputed & one : multibody::not_recomputed())
    {
      left_out.push_back(
        {{"source", one.source}, {"numbers", one.numbers}, {"reason", one.reason}});
    }
    const nlohmann::json summary{
      {"printed", counts.printed},
      {"printed_exact", counts.exact},
      {"own_references", counts.reference},
      {"self_checks", counts.self_check},
      {"not_reproducible", counts.not_reproducible},
      {"differ", counts.failed}};
    write_file_atomically(
      output_target(json_file),
      nlohmann::json{
        {"agree", counts.failed == 0},
        {"counts", summary},
        {"rows", all},
        {"not_recomputed", left_out}}
          .dump(2) +
        "\n");
  }
  return counts.failed == 0 ? done : internal_error;
}

}  // namespace

void add_verify(CLI::App & app, int & exit_code)
{
  auto json_file = std::make_shared<std::string>();
  CLI::App * command =
    app.add_subcommand("verify", "Recompute the published numbers of the sources, side by side");
  add_output(*command, "--json", *json_file, "Write the table here (JSON)");
  command->footer(
    "Takes some seconds. Each number is printed in a source, computed by independent programs "
    "(own\n"
    "reference), or found by this program in two ways (self-check). Numbers that are known to be\n"
    "misprinted, less accurate or not reproducible are marked and explained "
    "(docs/sensitivity.md).\n\n"
    "Example:\n"
    "  fivebar verify --json verify.json\n\n"
    "Exit codes: 0 every number agrees, to its digits or within its allowance; 1 one differs.");
  command->callback([json_file, &exit_code] { exit_code = run_verify(*json_file); });
}

}  // namespace fivebar_control::cli
