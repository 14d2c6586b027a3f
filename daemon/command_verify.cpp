#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands.hpp"
#include "fivebar_control/multibody/verification.hpp"
#include "fivebar_control/support/atomic_file.hpp"

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
    std::string mark = row.agrees() ? "" : "  DIFFERS";
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
    "{} numbers, {} agree{}\n", rows.size(), rows.size() - failed,
    failed == 0 ? "" : fmt::format(", {} DIFFER", failed));
  if (!json_file.empty())
  {
    write_file_atomically(
      json_file, nlohmann::json{{"agree", failed == 0}, {"rows", all}}.dump(2) + "\n");
  }
  return failed == 0 ? done : internal_error;
}

}  // namespace

void add_verify(CLI::App & app, int & exit_code)
{
  auto json_file = std::make_shared<std::string>();
  CLI::App * command = app.add_subcommand(
    "verify", "Recompute the published numbers of the sources and print them side by side");
  command->add_option("--json", *json_file, "Write the table as JSON")->type_name("F");
  command->footer(
    "Exit code 0 only if every number agrees to the digits that its source prints; numbers that "
    "are "
    "known to be misprinted or less accurate are marked and explained.");
  command->callback([json_file, &exit_code] { exit_code = run_verify(*json_file); });
}

}  // namespace fivebar_control::cli
