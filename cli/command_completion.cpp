// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "command_tree.hpp"
#include "commands.hpp"
#include "completion.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "output_file.hpp"

namespace fivebar_control::cli
{
namespace
{

struct CompletionArguments
{
  std::string shell, out;
};

void run_completion(const CompletionArguments & a, const ProgramText & program)
{
  const std::string script = a.shell == "bash"  ? bash_completion(program)
                             : a.shell == "zsh" ? zsh_completion(program)
                                                : fish_completion(program);
  write_file_atomically(a.out.empty() ? "/dev/stdout" : output_target(a.out), script);
}

}  // namespace

void add_completion(CLI::App & app, int & exit_code)
{
  auto a = std::make_shared<CompletionArguments>();
  CLI::App * command =
    app.add_subcommand("completion", "Write the script with which a shell completes fivebar");
  command->footer(
    "Installed packages have these scripts already.\n\n"
    "Example:\n"
    "  source <(fivebar completion bash)\n\n"
    "Exit codes: 0 done; 2 bad usage.");
  command->add_option("SHELL", a->shell, "Which shell")
    ->required()
    ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  add_output(*command, "--out", a->out, "Where to write it (default: standard output)");
  command->callback([a, &app, &exit_code] {
    run_completion(*a, text_of(app));
    exit_code = done;
  });
}

}  // namespace fivebar_control::cli
