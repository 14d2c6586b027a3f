// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "commands.hpp"
#include "fivebar_control/runs/recovery.hpp"
#include "fivebar_control/runs/run_log.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/text_file.hpp"
#include "output_file.hpp"

namespace fivebar_control::cli
{
namespace
{

struct LogArguments
{
  std::string action, file, out;
};

/// Where the log would be if its run had come to its end.
std::string intended_name(const std::string & file)
{
  const std::size_t mark = file.rfind(".unfinished.");
  if (mark == std::string::npos)
  {
    throw InputError(
      "--out: say where the recovered log shall be: " + file +
      " is not named as runs name their unfinished logs");
  }
  const std::string name = file.substr(0, mark);
  if (std::filesystem::exists(name))
  {
    throw InputError(fmt::format("--out: {} exists; say where the recovered log shall be", name));
  }
  return name;
}

/// FILE, or what a run that was to write FILE has left beside it.
std::string unfinished_log(const std::string & file)
{
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::exists(file, error))
  {
    return file;
  }
  const fs::path folder = fs::path(file).parent_path();
  const std::string begin = fs::path(file).filename().string() + ".unfinished.";
  std::vector<std::string> found;
  for (const fs::directory_entry & entry :
       fs::directory_iterator(folder.empty() ? fs::path(".") : folder, error))
  {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(begin))
    {
      found.push_back((folder / name).string());
    }
  }
  if (found.size() > 1)
  {
    throw InputError(fmt::format(
      "{}: several runs have left something of it, say which: {}", file, fmt::join(found, ", ")));
  }
  return found.empty() ? file : found.front();
}

int run_log_command(const LogArguments & a)
{
  const std::string file = unfinished_log(a.file);
  const std::string text = read_text_file(file, run_log_kind.largest_file);
  const RecoveredLog recovered = recover_run_log(text, file);
  const std::string out = a.out.empty() ? intended_name(file) : a.out;
  write_file_atomically(output_target(out), recovered.text);
  fmt::print(
    "{}: {} rows, of a run whose end is not known; {} bytes behind the last whole row were "
    "dropped\n",
    output_name(out), recovered.rows, recovered.lost_bytes);
  return done;
}

}  // namespace

void add_log(CLI::App & app, int & exit_code)
{
  auto a = std::make_shared<LogArguments>();
  CLI::App * command = app.add_subcommand("log", "Make a whole log of what a killed run left");
  command->footer(
    "A run writes its log beside its target, under a name with .unfinished in it, and renames it\n"
    "at the end. After a kill or on a full disk that file stays: 'recover' keeps its whole "
    "rows.\n\n"
    "Example:\n"
    "  fivebar log recover b.log.csv                              # of what lies beside it\n"
    "  fivebar log recover b.log.csv.unfinished.k3JxQa --out b.log.csv\n\n"
    "Exit codes: 0 done; 2 bad usage or bad file.");
  command->add_option("ACTION", a->action, "What to do with it: recover")
    ->type_name("recover")
    ->required()
    ->check(CLI::IsMember({"recover"}));
  command->add_option("FILE", a->file, "What the run left, or the log that it was to be")
    ->required();
  add_output(
    *command, "--out", a->out, "The log (default: FILE without .unfinished and what follows it)")
    ->type_name("FILE.csv");
  command->callback([a, &exit_code] { exit_code = run_log_command(*a); });
}

}  // namespace fivebar_control::cli
