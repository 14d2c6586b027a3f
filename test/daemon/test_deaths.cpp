// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "cli/program.hpp"
#include "fivebar_control/runs/run_record.hpp"
#include "hardware/emulation.hpp"

// The daemon dies, is stopped, or loses its terminal, its disk or its reader, in every state, and
// the emulated board finds zero volts at the motors. Host and board run in lock-step, and all times
// are the board's own: how busy the machine is changes nothing but how long this takes.
// FIVEBAR_DEATHS is how often each of them happens, in turn in each state (default: once per
// state).
namespace fivebar_control::test
{
namespace
{

constexpr std::int64_t period_ns = 1'000'000;
constexpr std::int64_t watchdog_ns = 50'000'000;

/// How the volts must end.
enum class Ending
{
  at_once,   ///< by the process, before it sends another command
  in_turn,   ///< by the process, in its next cycle
  smoothly,  ///< by the process, at the end of its smooth stop; at once while homing
  watchdog,  ///< by the board: the process cannot
};

/// What becomes of the process's surroundings.
enum class Place
{
  ordinary,
  closing_terminal,  ///< at the frame
  full_errors,       ///< from the beginning, and a SIGINT at the frame
  closed_errors,
  broken_errors,
  full_disk,
};

struct Death
{
  const char * name;
  std::string what;  ///< for deadly.cpp; may be empty
  Ending ending;
  int exit_code;  ///< or minus the signal
  Place place = Place::ordinary;
};

const std::vector<Death> deaths{
  {"SIGKILL", std::to_string(SIGKILL), Ending::watchdog, -SIGKILL},
  {"SIGSTOP", std::to_string(SIGSTOP), Ending::watchdog, -SIGKILL},
  {"SIGINT", std::to_string(SIGINT), Ending::smoothly, 128 + SIGINT},
  {"SIGTERM", std::to_string(SIGTERM), Ending::smoothly, 128 + SIGTERM},
  {"SIGHUP", std::to_string(SIGHUP), Ending::smoothly, 128 + SIGHUP},
  {"SIGTSTP", std::to_string(SIGTSTP), Ending::smoothly, 128 + SIGTSTP},
  {"SIGUSR1", std::to_string(SIGUSR1), Ending::smoothly, 128 + SIGUSR1},
  {"SIGQUIT", std::to_string(SIGQUIT), Ending::in_turn, 128 + SIGQUIT},
  {"bus error", "bus", Ending::at_once, -SIGBUS},
  {"segmentation fault", "segfault", Ending::at_once, -SIGSEGV},
  {"stack overflow", "overflow", Ending::at_once, -SIGSEGV},
  {"division by zero", "division", Ending::at_once, -SIGFPE},
  {"illegal instruction", "trap", Ending::at_once, -SIGILL},
  {"abort()", "abort", Ending::at_once, -SIGABRT},
  {"std::terminate", "terminate", Ending::at_once, -SIGABRT},
  {"exit() in the loop", "exit", Ending::at_once, 3},
  {"terminal closed", "", Ending::smoothly, 128 + SIGHUP, Place::closing_terminal},
  {"stderr full", std::to_string(SIGINT), Ending::smoothly, 128 + SIGINT, Place::full_errors},
  {"stderr closed", std::to_string(SIGINT), Ending::smoothly, 128 + SIGINT, Place::closed_errors},
  {"stderr without reader", std::to_string(SIGINT), Ending::smoothly, 128 + SIGINT,
   Place::broken_errors},
  {"disk full", std::to_string(SIGINT), Ending::smoothly, 128 + SIGINT, Place::full_disk},
};

/// From the first to before the last frame of a state.
struct Span
{
  std::string state;
  std::int64_t first = 0, last = 0;
};

struct Outcome
{
  bool driven_then = false;  ///< whether the motors had volts when it died
  int exit_code = 0;
  bool ended_driven = true;
  bool watchdog = false;        ///< the board's tripped
  std::int64_t silence_ns = 0;  ///< from the last command for volts to zero volts
  std::int64_t zero_frame = 0;  ///< the last frame before zero volts
};

class Deaths : public ProgramTest
{
protected:
  void SetUp() override
  {
    ProgramTest::SetUp();
    write(
      "curve.yaml",
      "schema: 1\nname: lively\ncurve: {type: lissajous, center: [0.127, 0.127], amplitude: "
      "[0.025, "
      "0.025], angular_frequency: [20.0, 20.0], duration: 0.6}\nramp: {out: 0.2}\ntime_step: "
      "0.005\n"
      "cost: {beta: 1.0, alpha: 0.05}\n");
    const auto planned = run({"plan", path("curve.yaml"), "--out", path("plan.csv")});
    ASSERT_EQ(planned.exit_code, 0) << planned.err;
    write(
      "board.yaml",
      "schema: 1\njoint_1: &j {counts_per_revolution: 4096, output_limit: 10}\njoint_4: *j\n"
      "homing: {method: index_pulse, phi1: 0.2, phi4: 1.7707963267948966, voltage_1: 1.0, "
      "voltage_4: 1.0}\n"
      "serial: {lock_step: true}\n");
  }
  void TearDown() override
  {
    if (!HasFailure())
    {
      ProgramTest::TearDown();
    }
  }

  /// The child's side of fork().
  [[noreturn]] void become_the_daemon(
    const Death & death, std::int64_t frame, int terminal_master, const char * log) const
  {
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    int errors = open(path("host.log").c_str(), flags, 0600);
    if (death.place == Place::closing_terminal)
    {
      setsid();
      char name[128];
      ptsname_r(terminal_master, name, sizeof(name));
      errors = open(name, O_RDWR);
      ioctl(errors, TIOCSCTTY, 0);
      dup2(errors, STDIN_FILENO);
    }
    else if (death.place == Place::full_errors)
    {
      errors = open("/dev/full", O_WRONLY);
    }
    else if (death.place == Place::broken_errors)
    {
      int ends[2];
      errors = pipe(ends) == 0 ? ends[1] : -1;
      close(ends[0]);
    }
    dup2(errors, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    if (death.place == Place::closed_errors)
    {
      close(STDOUT_FILENO);
      close(STDERR_FILENO);
    }
    if (death.place == Place::full_disk)
    {
      const rlimit little{20'000, 20'000};
      setrlimit(RLIMIT_FSIZE, &little);
    }
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    setenv("FIVEBAR_STATE_DIR", path("state").c_str(), 1);
    setenv("LD_PRELOAD", FIVEBAR_DEADLY_LIBRARY, 1);
    if (!death.what.empty())
    {
      setenv("FIVEBAR_DEATH", (death.what + " " + std::to_string(frame)).c_str(), 1);
    }
    for (int other = 3; other < 100; ++other)
    {
      close(other);
    }
    const std::string hardware = "serial:" + path("ROBOT");
    execl(
      FIVEBAR_PROGRAM, "fivebar", "run", path("plan.csv").c_str(), "--hardware", hardware.c_str(),
      "--calibration", path("board.yaml").c_str(), "--align", "--fast", "--uncommissioned", "--log",
      log, "--json", path("run.json").c_str(), nullptr);
    _exit(127);
  }

  /// One life of the daemon on a board of its own.
  Outcome live(const Death & death, std::int64_t frame)
  {
    const std::string log = path("log.csv");
    int master = -1;
    if (death.place == Place::closing_terminal)
    {
      master = posix_openpt(O_RDWR | O_NOCTTY);
      grantpt(master);
      unlockpt(master);
    }
    std::atomic<bool> gone{false};
    EmulatorOptions options{path("ROBOT")};
    options.lock_step_ns = period_ns;
    options.host_is_gone = [&gone] { return gone.load(); };
    options.on_frame = [&master, frame](std::int64_t number) {
      if (number == frame && master >= 0)
      {
        close(master);
        master = -1;
      }
    };
    BoardThread board(options);
    const pid_t host = fork();
    if (host == 0)
    {
      become_the_daemon(death, frame, master, log.c_str());
    }
    int status = 0;
    waitpid(host, &status, WUNTRACED);
    gone = true;
    for (int i = 0; i < 20'000 && board.board().is_armed(); ++i)
    {
      sleep_ms(1);
    }
    if (WIFSTOPPED(status))
    {
      // Suspended with the motors off: it may go on to its end. Stopped from outside: it may not.
      kill(host, death.ending == Ending::watchdog ? SIGKILL : SIGCONT);
      waitpid(host, &status, 0);
    }
    board.stop();
    events_ = board.board().events();
    Outcome outcome;
    outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    outcome.ended_driven = !board.board().robot().volts().isZero(0.0);
    bool driven = false;
    for (const EmulatedBoard::Event & event : events_)
    {
      outcome.watchdog = outcome.watchdog || event.what == "watchdog";
      const bool zero = event.volts.isZero(0.0);
      outcome.driven_then = event.frame <= frame ? !zero : outcome.driven_then;
      if (driven && zero)
      {
        outcome.silence_ns = event.silence_ns;
        outcome.zero_frame = event.frame;
      }
      driven = !zero;
    }
    return outcome;
  }

  /// Which frames a run without any trouble sends in which state.
  std::vector<Span> spans_of_a_life()
  {
    const Outcome outcome = live({"none", "", Ending::smoothly, 0}, -1);
    EXPECT_EQ(outcome.exit_code, 0) << content_of(path("host.log"));
    std::vector<Span> spans{{"homing", 0, 0}};
    for (const EmulatedBoard::Event & event : events_)
    {
      spans[0].first =
        event.what == "armed for homing" && spans[0].first == 0 ? event.frame + 2 : spans[0].first;
      spans[0].last = event.what == "armed" ? event.frame - 4 : spans[0].last;
    }
    const std::int64_t armed = spans[0].last + 4;
    const RunRecord record = load_run_record(path("log.csv"));
    const auto homing = std::count(record.state.begin(), record.state.end(), ControlState::homing);
    EXPECT_GT(homing, 100) << "the log begins with homing";
    for (const ControlState state :
         {ControlState::aligning, ControlState::playing, ControlState::holding,
          ControlState::relaxing})
    {
      Span span{to_string(state), 0, 0};
      for (auto i = static_cast<std::size_t>(homing); i < record.size(); ++i)
      {
        const std::int64_t frame = armed + 3 + 2 * (static_cast<std::int64_t>(i) - homing);
        span.first = record.state[i] == state && span.first == 0 ? frame : span.first;
        span.last = record.state[i] == state ? frame - 2 : span.last;
      }
      spans.push_back(span);
    }
    return spans;
  }

  std::string judge(
    const Death & death, const Span & span, std::int64_t frame, const Outcome & outcome) const
  {
    if (outcome.ended_driven)
    {
      return "the motors have volts";
    }
    if (outcome.exit_code != death.exit_code)
    {
      return "it ended with " + std::to_string(outcome.exit_code);
    }
    // Motors that have no volts, as at the end of relaxing, need no watchdog.
    const bool needed = death.ending == Ending::watchdog && outcome.driven_then;
    if (outcome.watchdog ? death.ending != Ending::watchdog : needed)
    {
      return outcome.watchdog ? "only the watchdog helped" : "the watchdog was not needed";
    }
    if (outcome.silence_ns > (outcome.watchdog ? watchdog_ns : period_ns))
    {
      return "volts for " + std::to_string(outcome.silence_ns) + " ns after the last command";
    }
    // A command may be under way, then comes a request, then the command for zero volts.
    const bool at_once = death.ending == Ending::at_once || death.ending == Ending::in_turn ||
                         (death.ending == Ending::smoothly && span.state == "homing");
    if (at_once && outcome.zero_frame > frame + 3)
    {
      return std::to_string(outcome.zero_frame - frame) + " frames until zero volts";
    }
    if (death.place == Place::full_disk)
    {
      return judge_black_box();
    }
    return {};
  }

  /// The log could not be completed: everything else is there all the same.
  std::string judge_black_box() const
  {
    const auto report = nlohmann::json::parse(content_of(path("run.json")), nullptr, false);
    if (report.is_discarded() || report["log"]["failure"].is_null())
    {
      return report.is_discarded() ? "there is no JSON" : "";  // it ended before the disk was full
    }
    const bool told = content_of(path("host.log")).find("NOT COMPLETE") != std::string::npos;
    return told ? "" : "it does not say that the log is not complete";
  }

  std::vector<EmulatedBoard::Event> events_;
};

TEST_F(Deaths, EachOneEndsInZeroVoltsInEveryState)
{
  const std::vector<Span> spans = spans_of_a_life();
  for (const Span & span : spans)
  {
    ASSERT_GT(span.last, span.first) << span.state;
  }
  const char * wanted = std::getenv("FIVEBAR_DEATHS");
  const std::size_t repetitions =
    wanted == nullptr ? spans.size() : static_cast<std::size_t>(std::atol(wanted));
  std::mt19937_64 random(17);
  std::printf(
    "| death | times | zero volts by | longest silence of the host before [ms] |\n"
    "| --- | --- | --- | --- |\n");
  for (const Death & death : deaths)
  {
    std::int64_t longest_ns = 0;
    for (std::size_t i = 0; i < repetitions; ++i)
    {
      const Span & span = spans[i % spans.size()];
      std::uniform_int_distribution<std::int64_t> any(span.first, span.last);
      const std::int64_t frame = any(random);
      const Outcome outcome = live(death, frame);
      longest_ns = std::max(longest_ns, outcome.silence_ns);
      const std::string complaint = judge(death, span, frame, outcome);
      ASSERT_EQ(complaint, "") << death.name << " while " << span.state << ", at frame " << frame
                               << "\n"
                               << content_of(path("host.log"));
    }
    std::printf(
      "| %s | %zu | %s | %.1f |\n", death.name, repetitions,
      death.ending == Ending::watchdog ? "the board's watchdog" : "the daemon",
      1e-6 * static_cast<double>(longest_ns));
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace fivebar_control::test
