// SPDX-License-Identifier: Apache-2.0
#include "run_conclusion.hpp"

#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/message.hpp"
#include "terminal.hpp"

namespace fivebar_control::cli
{
namespace
{

int exit_code_of(RunEnd end, int signal)
{
  switch (end)
  {
    case RunEnd::finished:
      return done;
    case RunEnd::stopped:
    case RunEnd::aborted:
      // As shells expect it: a script must not go on to its next motion. A stop from the live page
      // counts as SIGINT.
      return 128 + (signal == 0 ? SIGINT : signal);
    case RunEnd::refused:
    case RunEnd::fault:
      return stopped_by_guard;
    case RunEnd::hardware_fault:
    case RunEnd::deactivated:
      return hardware_fault;
  }
  return internal_error;
}

}  // namespace

void finish_log(RunLog & log, const std::string & name, RunReport & report)
{
  try
  {
    log.finish(report.outcome.end, report.outcome.finding.reason);
  }
  catch (const InputError & error)
  {
    report.log_failure = error.what();
  }
  report.log = name;
  report.log_rows = log.rows();
  report.lost_rows = log.lost();
}

std::string write_json(AtomicFile & file, const RunReport & report)
{
  try
  {
    file.write(
      to_json(report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    file.commit();
  }
  catch (const InputError & error)
  {
    return error.what();
  }
  return {};
}

int tell(const RunReport & report, const std::string & json_failure, int signal)
{
  int code = exit_code_of(report.outcome.end, signal);
  code = code == done && !(report.log_failure.empty() && json_failure.empty()) ? bad_usage : code;
  if (code == done)
  {
    std::fputs(summary(report).c_str(), stdout);  // what cannot be written was not asked to be kept
  }
  else
  {
    say("{} {}", coloured(stderr, Colour::red, "fivebar:"), summary(report));
  }
  if (!json_failure.empty())
  {
    say("{} {}\n", coloured(stderr, Colour::red, "fivebar:"), json_failure);
  }
  return code;
}

}  // namespace fivebar_control::cli
