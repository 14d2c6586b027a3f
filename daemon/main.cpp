#include <fmt/core.h>

#include <exception>
#include <string>

#include "commands.hpp"
#include "fivebar_control/support/file_error.hpp"

namespace
{

/// Messages quote parts of files: whatever those contain, the message stays one printable line.
std::string one_line(std::string text)
{
  for (char & letter : text)
  {
    const auto code = static_cast<unsigned char>(letter);
    if (code < 0x20 || code == 0x7f)
    {
      letter = code == '\n' || code == '\t' ? ' ' : '?';
    }
  }
  return text;
}

}  // namespace

int main(int argc, char ** argv)
{
  using namespace fivebar_control;

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
  cli::add_gradient(app, exit_code);
  cli::add_emulate(app, exit_code);
  cli::add_check_hardware(app, exit_code);

  try
  {
    app.parse(argc, argv);
    return exit_code;
  }
  catch (const CLI::ParseError & error)
  {
    return app.exit(error) == 0 ? cli::done : cli::bad_usage;
  }
  catch (const FileError & error)
  {
    fmt::print(stderr, "fivebar: {}\n", one_line(error.what()));
    return cli::bad_usage;
  }
  catch (const std::exception & error)
  {
    fmt::print(stderr, "fivebar: internal error: {}\n", one_line(error.what()));
    return cli::internal_error;
  }
}
