// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fivebar_control/runs/run_log.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "run_report.hpp"

namespace fivebar_control::cli
{

/// Completes the log; what goes wrong with it is part of the report, not the end of it.
void finish_log(RunLog & log, const std::string & name, RunReport & report);

/// What could not be written; empty if all could.
std::string write_json(AtomicFile & file, const RunReport & report);

/// Tells how it ended and returns the exit code: of the run, or of files that could not be written.
int tell(const RunReport & report, const std::string & json_failure, int signal);

}  // namespace fivebar_control::cli
