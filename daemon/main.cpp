#include <cstdio>
#include <exception>

#include "commands.hpp"
#include "fivebar_control/support/file_error.hpp"

namespace
{

using namespace fivebar_control;

int run(int argc, char ** argv)
{
  CLI::App app{
    "fivebar: plans and plays motor voltages for a five-bar parallel robot.\n"
    "All quantities are in SI units. 'fivebar COMMAND --help' explains a command."};
  app.name("fivebar");
  app.set_version_flag("--version", FIVEBAR_VERSION);
  app.require_subcommand(1);
  int exit_code = cli::done;
  cli::add_plan(app, exit_code);
  cli::add_simulate(app, exit_code);
  cli::add_run(app, exit_code);
  cli::add_compare(app, exit_code);
  cli::add_animate(app, exit_code);
  cli::add_report(app, exit_code);
  cli::add_describe(app, exit_code);
  cli::add_gradient(app, exit_code);
  cli::add_verify(app, exit_code);
  cli::add_sensitivity(app, exit_code);
  cli::add_emulate(app, exit_code);
  cli::add_check_hardware(app, exit_code);
  cli::add_soak(app, exit_code);

  try
  {
    app.parse(argc, argv);
  }
  catch (const CLI::ParseError & error)
  {
    return app.exit(error) == 0 ? cli::done : cli::bad_usage;
  }
  return exit_code;
}

/// Messages quote parts of files: whatever those contain, the message stays one printable line.
void report(const char * kind, const char * message) noexcept
{
  std::fprintf(stderr, "fivebar: %s", kind);
  for (const char * letter = message; *letter != '\0'; ++letter)
  {
    const auto code = static_cast<unsigned char>(*letter);
    const bool printable = code >= 0x20 && code != 0x7f;
    std::fputc(printable ? *letter : (code == '\n' || code == '\t' ? ' ' : '?'), stderr);
  }
  std::fputc('\n', stderr);
}

}  // namespace

int main(int argc, char ** argv)
{
  try
  {
    return run(argc, argv);
  }
  catch (const FileError & error)
  {
    report("", error.what());
    return cli::bad_usage;
  }
  catch (const std::exception & error)
  {
    report("internal error: ", error.what());
    return cli::internal_error;
  }
}
