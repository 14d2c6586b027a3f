// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

namespace fivebar_control::cli
{

/// What the process returns.
enum ExitCode
{
  done = 0,
  internal_error = 1,  ///< a defect of the program itself
  bad_usage = 2,       ///< bad arguments or a bad file
  not_converged = 3,   ///< the solver did not converge
  hardware_fault = 4,
  stopped_by_guard = 5,
};

// One function per command, each in its own command_<name>.cpp: adds the subcommand with its
// options and a callback that stores the exit code. main.cpp reports what callbacks throw. New
// commands are declared here and called in main.cpp.
void add_simulate(CLI::App & app, int & exit_code);
void add_run(CLI::App & app, int & exit_code);
void add_compare(CLI::App & app, int & exit_code);
void add_excite(CLI::App & app, int & exit_code);
void add_identify(CLI::App & app, int & exit_code);
void add_learn(CLI::App & app, int & exit_code);
void add_balance(CLI::App & app, int & exit_code);
void add_animate(CLI::App & app, int & exit_code);
void add_describe(CLI::App & app, int & exit_code);
void add_optimise(CLI::App & app, int & exit_code);
void add_plan(CLI::App & app, int & exit_code);
void add_report(CLI::App & app, int & exit_code);
void add_gradient(CLI::App & app, int & exit_code);
void add_verify(CLI::App & app, int & exit_code);
void add_sensitivity(CLI::App & app, int & exit_code);
void add_emulate(CLI::App & app, int & exit_code);
void add_check(CLI::App & app, int & exit_code);
void add_commission(CLI::App & app, int & exit_code);
void add_check_hardware(CLI::App & app, int & exit_code);
void add_studio(CLI::App & app, int & exit_code);
void add_doctor(CLI::App & app, int & exit_code);
void add_soak(CLI::App & app, int & exit_code);
void add_log(CLI::App & app, int & exit_code);
void add_init(CLI::App & app, int & exit_code);
// Hidden: they write what the package installs.
void add_completion(CLI::App & app, int & exit_code);
void add_man(CLI::App & app, int & exit_code);

}  // namespace fivebar_control::cli
