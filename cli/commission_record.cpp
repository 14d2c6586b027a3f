// SPDX-License-Identifier: Apache-2.0
#include "commission_record.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <chrono>
#include <filesystem>

#include "bench_hardware.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/errors.hpp"

namespace fivebar_control::cli
{

using commission::Record;
using commission::Step;
using commission::StepEnd;
using commission::StepResult;

std::string now_text()
{
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

Record earlier_record(const std::string & file, const commission::Subject & subject)
{
  Record fresh;
  fresh.subject = subject;
  fresh.date = now_text();
  if (file.empty() || !std::filesystem::exists(file))
  {
    return fresh;
  }
  try
  {
    const Record record = commission::load_record(file);
    const commission::Subject & then = record.subject;
    if (
      then.hardware == subject.hardware && then.robot_fingerprint == subject.robot_fingerprint &&
      then.calibration_fingerprint == subject.calibration_fingerprint &&
      then.board == subject.board)
    {
      return record;
    }
    print_line(
      "Board, robot or calibration are not those of the earlier steps: all are done again.");
  }
  catch (const InputError & error)
  {
    print_line(fmt::format("{}: all steps are done again.", error.what()));
  }
  return fresh;
}

std::vector<const Step *> chosen_steps(
  const std::string & only, const std::string & from, const Record & record)
{
  std::vector<const Step *> chosen;
  bool started = from.empty();
  for (const Step & step : commission::steps())
  {
    started = started || step.name == from;
    const StepResult * result = record.find(step.name);
    const bool is_done =
      result != nullptr && (result->end == StepEnd::passed || result->end == StepEnd::skipped);
    const bool wanted = !only.empty() ? step.name == only : started && (!from.empty() || !is_done);
    if (wanted)
    {
      chosen.push_back(&step);
    }
  }
  const Step * pose = commission::find_step("pose");
  for (std::size_t i = 0; i < chosen.size(); ++i)
  {
    if (chosen[i] == pose)
    {
      break;
    }
    if (chosen[i]->moves || std::string(chosen[i]->name) == "end_stops")
    {
      chosen.insert(chosen.begin() + static_cast<std::ptrdiff_t>(i), pose);
      break;
    }
  }
  return chosen;
}

void save(const std::string & path, const Record & record)
{
  if (!path.empty())
  {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    std::error_code error;
    if (!folder.empty())
    {
      std::filesystem::create_directories(folder, error);
    }
    write_file_atomically(path, commission::to_text(record));
  }
}

}  // namespace fivebar_control::cli
