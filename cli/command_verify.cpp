// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands.hpp"
#include "fivebar_control/multibody/verification.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "output_file.hpp"
#include "terminal.hpp"

namespace fivebar_control::cli
{
namespace
{

int run_verify(const std::string & json_file)
{
  using multibody::VerificationRow;
  const std::vector<VerificationRow> rows = multibody::verify(
    [](const std::string & group) { fmt::print(stderr, "computing: {}\n", group); });

  fmt::print(
    "{:36} {:44} {:>14} {:>18} {:>6} {:32} {:>8}\n", "source", "quantity", "printed", "ours",
    "digits", "method", "time [s]");
  nlohmann::json all = nlohmann::json::array();
  std::vector<std::string> notes;
  std::size_t failed = 0;
  for (const VerificationRow & row : rows)
  {
    std::string mark = row.agrees() ? "" : "  " + coloured(stdout, Colour::red, "DIFFERS");
    if (row.agrees() && !row.explanation.empty())
    {
      auto found = std::find(notes.begin(), notes.end(), row.explanation);
      if (found == notes.end())
      {
        found = notes.insert(notes.end(), row.explanation);
      }
      mark = fmt::format("  ({})", found - notes.begin() + 1);
    }
    failed += row.agrees() ? 0 : 1;
    fmt::print(
      "{:36} {:44} {:>14} {:>18.10g} {:>6.1f} {:32} {:>8.2f}{}\n", row.source, row.quantity,
      row.printed, row.ours, row.digits(), row.method, row.seconds, mark);
    all.push_back(
      {{"source", row.source},
       {"quantity", row.quantity},
       {"printed", row.printed},
       {"ours", row.ours},
       {"digits", row.digits()},
       {"method", row.method},
       {"seconds", row.seconds},
       {"agrees", row.agrees()},
       {"explanation", row.explanation}});
  }
  fmt::print("\n");
  for (std::size_t i = 0; i < notes.size(); ++i)
  {
    fmt::print("({}) {}\n", i + 1, notes[i]);
  }
  fmt::print(
    "{}\n",
    failed == 0
      ? coloured(
          stdout, Colour::green, fmt::format("{} numbers, {} agree", rows.size(), rows.size()))
      : coloured(
          stdout, Colour::red,
          fmt::format(
            "{} numbers, {} agree, {} DIFFER", rows.size(), rows.size() - failed, failed)));
  if (!json_file.empty())
  {
    write_file_atomically(
      output_target(json_file),
      nlohmann::json{{"agree", failed == 0}, {"rows", all}}.dump(2) + "\n");
  }
  return failed == 0 ? done : internal_error;
}

}  // namespace

void add_verify(CLI::App & app, int & exit_code)
{
  auto json_file = std::make_shared<std::string>();
  CLI::App * command =
    app.add_subcommand("verify", "Recompute the published numbers of the sources, side by side");
  add_output(*command, "--json", *json_file, "Write the table here (JSON)");
  command->footer(
    "Takes some seconds. Numbers that are known to be misprinted or less accurate are marked and\n"
    "explained (docs/sensitivity.md).\n\n"
    "Example:\n"
    "  fivebar verify --json verify.json\n\n"
    "Exit codes: 0 every number agrees to the digits that its source prints; 1 one differs.");
  command->callback([json_file, &exit_code] { exit_code = run_verify(*json_file); });
}

}  // namespace fivebar_control::cli
