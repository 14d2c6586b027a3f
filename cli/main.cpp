// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "command_tree.hpp"
#include "commands.hpp"
#include "fivebar_control/support/errors.hpp"
#include "help_text.hpp"
#include "terminal.hpp"
#include "usage_error.hpp"
#include "version.hpp"

namespace
{

using namespace fivebar_control;

void report(const std::string & message)
{
  std::fprintf(
    stderr, "%s %s\n", cli::coloured(stderr, cli::Colour::red, "fivebar:").c_str(),
    cli::one_line(message).c_str());
}

void add_commands(CLI::App & app, int & exit_code)
{
  struct Group
  {
    const char * name;
    std::vector<void (*)(CLI::App &, int &)> add;
  };
  const std::vector<Group> groups{
    {"Plan and play",
     {cli::add_plan, cli::add_run, cli::add_compare, cli::add_simulate, cli::add_excite,
      cli::add_identify, cli::add_learn, cli::add_balance}},
    {"Look", {cli::add_studio, cli::add_report, cli::add_animate}},
    {"Robots and boards",
     {cli::add_describe, cli::add_emulate, cli::add_commission, cli::add_check_hardware,
      cli::add_doctor, cli::add_soak}},
    {"Mechanisms and gradients",
     {cli::add_sensitivity, cli::add_optimise, cli::add_gradient, cli::add_verify}},
    {"Files", {cli::add_init, cli::add_check, cli::add_log}},
    {"", {cli::add_completion, cli::add_man}}};
  for (const Group & group : groups)
  {
    for (const auto add : group.add)
    {
      add(app, exit_code);
      app.get_subcommands({}).back()->group(group.name);
    }
  }
}

void print_help(const CLI::App & app)
{
  const cli::ProgramText program = cli::text_of(app);
  const std::vector<CLI::App *> chosen = app.get_subcommands();
  std::string text = cli::overview_with_options(program);
  for (const auto * commands : {&program.commands, &program.hidden})
  {
    for (const cli::CommandText & command : *commands)
    {
      if (!chosen.empty() && chosen.front()->get_name() == command.name)
      {
        text = cli::command_help(command);
      }
    }
  }
  std::fputs(text.c_str(), stdout);
}

int run(int argc, char ** argv)
{
  CLI::App app;
  app.name("fivebar");
  app.set_help_flag("-h,--help", "Print this help");
  app.set_version_flag(
    "--version", cli::version_text(), "Print the version and what is compiled in");
  app.require_subcommand(1);
  int exit_code = cli::done;
  add_commands(app, exit_code);
  if (argc < 2)
  {
    // Not success: a script whose command got lost must not go on as if it had been done.
    std::fputs(cli::overview(cli::text_of(app)).c_str(), stderr);
    return cli::bad_usage;
  }
  try
  {
    app.parse(argc, argv);
  }
  catch (const CLI::CallForHelp &)
  {
    print_help(app);
  }
  catch (const CLI::Success & success)
  {
    return app.exit(success);
  }
  catch (const CLI::ParseError & error)
  {
    report(cli::usage_error(app, error));
    return cli::bad_usage;
  }
  return exit_code;
}

}  // namespace

int main(int argc, char ** argv)
{
  try
  {
    return run(argc, argv);
  }
  catch (const InputError & error)
  {
    report(error.key().empty() ? error.what() : cli::option_error(error));
    return cli::bad_usage;
  }
  catch (const NotReachable & error)
  {
    report(error.what());
    return cli::bad_usage;
  }
  catch (const HardwareFailure & error)
  {
    report(error.what());
    return cli::hardware_fault;
  }
  catch (const std::exception & error)
  {
    report(std::string("internal error: ") + error.what());
    return cli::internal_error;
  }
}
