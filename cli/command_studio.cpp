// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "commands.hpp"
#include "fivebar_control/studio/studio_options.hpp"
#include "fivebar_control/support/config_location.hpp"
#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/message.hpp"
#include "hardware_choice.hpp"
#include "shared_options.hpp"
#ifdef FIVEBAR_HAS_LIVE_VIEW
#include "fivebar_control/studio/studio_server.hpp"
#endif

namespace fivebar_control::cli
{
namespace
{

struct StudioArguments
{
  StudioOptions studio;
  std::string calibration, stamp;
  bool homed = false;
  bool no_browser = false;
};

#ifdef FIVEBAR_HAS_LIVE_VIEW

/// Signals that end the program, as something to wait for. Before the first thread is started, so
/// that all leave them to this one.
class EndSignals
{
public:
  EndSignals()
  {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT})
    {
      sigaddset(&signals, signal);
    }
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    descriptor_ = signalfd(-1, &signals, SFD_CLOEXEC);
    signal(SIGPIPE, SIG_IGN);
  }
  ~EndSignals() { close(descriptor_); }
  EndSignals(const EndSignals &) = delete;
  EndSignals & operator=(const EndSignals &) = delete;

  void wait() const
  {
    pollfd one{descriptor_, POLLIN, 0};
    while (poll(&one, 1, -1) < 0)
    {
    }
  }

private:
  int descriptor_;
};

/// Where there is a desktop. What the browser has to say is its own business.
void open_browser(const std::string & url)
{
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr)
  {
    return;
  }
  const pid_t child = fork();
  if (child != 0)
  {
    waitpid(child, nullptr, 0);
    return;
  }
  if (fork() == 0)
  {
    setsid();
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    const int nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, STDERR_FILENO);
    execlp("xdg-open", "xdg-open", url.c_str(), nullptr);
  }
  _exit(0);
}

int run_studio(StudioArguments & a)
{
  StudioOptions & o = a.studio;
  o.web.wanted = true;
  o.program = std::filesystem::read_symlink("/proc/self/exe").string();
  if (!o.hardware.empty())
  {
    // What a backend does not know is said now and not when the robot is armed.
    o.hardware_options = {};
    for (const auto & [option, value] :
         {std::pair("--calibration", a.calibration), std::pair("--stamp", a.stamp)})
    {
      if (!value.empty())
      {
        o.hardware_options.insert(o.hardware_options.end(), {option, value});
      }
    }
    if (a.homed)
    {
      o.hardware_options.emplace_back("--homed");
    }
  }
  const EndSignals signals;
  const StudioServer server(o);
  say("fivebar: studio at {} (Ctrl-C ends it)\n", server.url());
  if (!a.no_browser)
  {
    const std::string token = o.web.token.empty() ? "" : "?token=" + o.web.token;
    open_browser(fmt::format("http://127.0.0.1:{}/{}", server.port(), token));
  }
  signals.wait();
  say("fivebar: the studio ends; its commands are told to\n");
  return done;
}

#else

int run_studio(StudioArguments &)
{
  throw InputError("studio: this build has no server, cpp-httplib was not found");
}

#endif

}  // namespace

void add_studio(CLI::App & app, int & exit_code)
{
  auto a = std::make_shared<StudioArguments>();
  a->studio.web.option = "ADDRESS:PORT";
  CLI::App * command = app.add_subcommand(
    "studio", "Draw curves in the browser and see them planned and played while you drag");
  command->footer(
    "The page comes from the program itself and needs no network. It reads and writes files only\n"
    "below the folder that the studio was started in, and shows for each action the command that\n"
    "does the same. A robot moves only with --hardware, after it was armed on the page.\n\n"
    "Examples:\n"
    "  fivebar studio\n"
    "  fivebar studio --robot lab/robot.yaml 127.0.0.1:9000 --no-browser\n"
    "  fivebar studio --hardware serial:/dev/ttyACM0\n\n"
    "Exit codes: 0 ended by a signal; 2 bad usage, bad file or an address in use.");
  command
    ->add_option("ADDRESS:PORT", a->studio.web.address, "Where the page is; port 0 is any free one")
    ->capture_default_str();
  command->add_option("--robot", a->studio.robot, robot_text)->type_name("FILE.yaml");
  command->add_option("--controller", a->studio.controller, controller_text)
    ->type_name("FILE.yaml");
  command->add_option("--hardware", a->studio.hardware, "Motors to play on (default: none)")
    ->type_name(hardware_choices());
  add_calibration(*command, a->calibration);
  add_stamp(*command, a->stamp, "What 'fivebar commission' left of these motors");
  command->add_flag(
    "--homed", a->homed,
    "Real motors with a known pose: the links stand (or stood when powered up) where it says");
  command->add_flag("--no-browser", a->no_browser, "Do not open a browser");
  command->add_flag(
    "--web-remote", a->studio.web.remote, "Bind an address that other machines can reach");
  command
    ->add_option("--web-token", a->studio.web.token, "What the page's URL must have as ?token=")
    ->type_name("TOKEN")
    ->envname("FIVEBAR_WEB_TOKEN");
  command->callback([a, &exit_code] { exit_code = run_studio(*a); });
}

}  // namespace fivebar_control::cli
