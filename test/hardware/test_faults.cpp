// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/program.hpp"
#include "hardware/program_with_board.hpp"

// Every fault that the emulator can inject, through a real pseudo-terminal, against the real
// program at 1 kHz. Program and board have one clock, which only goes on while the program waits
// (hardware/shared_clock.hpp): every run is the same, however busy the machine is. Limits are those
// of the product: zero volts within 50 ms, the right reason, the right exit code.
namespace fivebar_control::test
{
namespace
{

constexpr double watchdog_ms = 50.0;
constexpr double fault_at = 0.06;  // s after the first arming

struct FaultCase
{
  const char * name;
  const char * script;  ///< without `at`; empty: something happens to the host
  int exit_code;
  const char * reason;  ///< of the host
  const char * status;  ///< that the host must have read from the board
  const char * board;   ///< what the board must have noted
  int signal = 0;       ///< sent to the host
  double volts = 0.0;   ///< the time counts from when the motor gets more than this
};

const std::vector<FaultCase> cases = {
  {"bytes lost, both ways", "fault: lose", 4, "read_failed", "", "watchdog"},
  {"bytes lost to the host", "fault: lose, direction: to_host", 4, "read_failed", "",
   "disarmed by the host"},
  {"bytes lost to the board", "fault: lose, direction: to_board", 4, "read_failed", "", "watchdog"},
  {"bytes duplicated", "fault: duplicate", 4, "read_failed", "", "watchdog"},
  {"bytes reordered", "fault: reorder", 4, "read_failed", "", "watchdog"},
  {"bytes corrupted", "fault: corrupt", 4, "read_failed", "", "watchdog"},
  {"bytes delayed by 20 ms", "fault: delay, delay: 0.02", 4, "read_failed", "",
   "disarmed by the host"},
  {"bytes delayed by 200 ms", "fault: delay, delay: 0.2", 4, "read_failed", "", "watchdog"},
  {"hung board", "fault: hang", 4, "read_failed", "", "reset by the microcontroller's watchdog"},
  {"rebooting board", "fault: reboot", 4, "read_failed", "", "rebooted"},
  {"frozen encoder", "fault: freeze_encoder, joint: 1", 4, "device_fault", "encoder error",
   "encoder error", 0, 1.5},
  {"jumping encoder", "fault: jump_encoder, joint: 4, counts: 300", 5, "encoder_jump", "",
   "disarmed by the host"},
  {"over-current", "fault: over_current", 4, "device_fault", "over-current", "over-current"},
  {"under-voltage", "fault: under_voltage", 4, "device_fault", "under-voltage", "under-voltage"},
  {"emergency stop", "fault: emergency_stop", 4, "device_fault", "emergency stop",
   "emergency stop"},
  {"output limited", "fault: limit_output, volts: 0.1", 4, "device_fault",
   "other volts than commanded", "disarmed by the host"},
  {"cable out", "fault: unplug", 4, "read_failed", "", "watchdog"},
  {"host killed (SIGKILL)", "", -1, "", "", "watchdog", SIGKILL},
  {"host stopped (SIGSTOP)", "", -1, "", "", "watchdog", SIGSTOP},
};

struct Result
{
  bool began = false;  ///< the motors were driven when the fault began
  int exit_code = -1;
  std::string reason, status, board, host;
  double milliseconds = -1.0;  ///< from the fault to zero volts
  std::vector<EmulatedBoard::Event> events;
};

class Faults : public ProgramTest
{
protected:
  void SetUp() override
  {
    ProgramTest::SetUp();
    setenv("FIVEBAR_STATE_DIR", path("state").c_str(), 1);
  }

  Result play(const FaultCase & fault_case) const
  {
    const std::string link = path("ROBOT");
    EmulatorOptions options{link};
    options.host_keeps_time = true;
    const std::string script = fault_case.script;
    if (!script.empty())
    {
      options.faults = parse_faults(
        "schema: 1\nfaults: [{at: " + std::to_string(fault_at) + ", " + script + "}]\n", "script");
    }
    std::filesystem::remove(path("run.json"));
    EmulatedBoard board(default_robot(), {}, default_robot().parameters().home, options);
    board.open();
    ProgramWithBoard program(board);
    program.start(
      {"run", path("plan.csv"), "--hardware", "serial:" + link, "--homed", "--uncommissioned",
       "--json", path("run.json")},
      path("host.log"));
    const std::int64_t blow_ns = program.serve(fault_at, fault_case.signal);
    Result result;
    result.exit_code = program.exit_code();
    evaluate(
      fault_case, board, fault_case.signal == 0 ? board.fault_times_ns()[0] : blow_ns, result);
    if (const std::string json = content_of(path("run.json")); !json.empty())
    {
      const auto report = nlohmann::json::parse(json);
      if (!report["fault"].is_null())
      {
        result.reason = report["fault"]["reason"];
        result.status = report["fault"]["device_status"];
      }
    }
    result.host = content_of(path("host.log"));
    return result;
  }

  static void evaluate(
    const FaultCase & fault_case, const EmulatedBoard & board, std::int64_t fault_ns,
    Result & result)
  {
    bool driven = false;
    std::int64_t counted_from = fault_ns;
    std::int64_t zero_ns = 0;
    for (const EmulatedBoard::Event & event : board.events())
    {
      const bool zero = event.volts.isZero(0.0);
      if (event.time_ns < fault_ns)
      {
        driven = !zero;
        continue;
      }
      if (std::abs(event.volts[0]) <= fault_case.volts && !zero && fault_case.volts > 0.0)
      {
        counted_from = event.time_ns;
      }
      zero_ns = zero ? (zero_ns == 0 ? event.time_ns : zero_ns) : 0;
      if (!event.what.empty() && event.what.rfind("fault", 0) != 0)
      {
        result.board += (result.board.empty() ? "" : "; ") + event.what;
      }
    }
    result.began = fault_ns != 0 && driven;
    result.milliseconds = zero_ns == 0 ? -1.0 : 1e-6 * static_cast<double>(zero_ns - counted_from);
    result.events = board.events();
  }
};

std::string row_of(const FaultCase & fault_case, const Result & result)
{
  const std::string host = fault_case.signal != 0
                             ? "gone"
                             : "exit " + std::to_string(result.exit_code) + ", " + result.reason +
                                 (result.status.empty() ? "" : " (" + result.status + ")");
  char text[256];
  std::snprintf(
    text, sizeof text, "| %s | %s | %s | %.1f ms |", fault_case.name, host.c_str(),
    result.board.c_str(), result.milliseconds);
  return text;
}

TEST_F(Faults, EachOneEndsInZeroVoltsWithinTheWatchdogTimeAndWithTheRightReason)
{
  const Outcome planned =
    run({"plan", FIVEBAR_SOURCE_DIR "/test/hardware/lively.yaml", "--out", path("plan.csv")});
  ASSERT_EQ(planned.exit_code, 0) << planned.err;
  std::printf(
    "| fault | host | board | zero volts after |\n"
    "| --- | --- | --- | ---: |\n");
  for (const FaultCase & fault_case : cases)
  {
    const Result result = play(fault_case);
    std::printf("%s\n", row_of(fault_case, result).c_str());
    std::fflush(stdout);
    SCOPED_TRACE(std::string(fault_case.name) + "\n" + result.host);
    EXPECT_TRUE(result.began);
    EXPECT_EQ(result.exit_code, fault_case.exit_code);
    EXPECT_EQ(result.reason, fault_case.reason);
    EXPECT_GE(result.milliseconds, 0.0);
    EXPECT_LE(result.milliseconds, watchdog_ms);
    EXPECT_THAT(result.status, testing::HasSubstr(fault_case.status));
    EXPECT_THAT(result.board, testing::HasSubstr(fault_case.board));
  }
}

/// What the table rests on: the same run twice is the same to the last event.
TEST_F(Faults, AFaultHappensInTheSameWayAgain)
{
  ASSERT_EQ(
    run({"plan", FIVEBAR_SOURCE_DIR "/test/hardware/lively.yaml", "--out", path("plan.csv")})
      .exit_code,
    0);
  for (const std::size_t i : {0U, 6U, 10U, 17U})
  {
    const Result first = play(cases[i]);
    const Result again = play(cases[i]);
    EXPECT_EQ(row_of(cases[i], first), row_of(cases[i], again));
    ASSERT_EQ(first.events.size(), again.events.size()) << cases[i].name;
    for (std::size_t k = 0; k < first.events.size(); ++k)
    {
      EXPECT_EQ(first.events[k].time_ns, again.events[k].time_ns) << cases[i].name;
      EXPECT_EQ(first.events[k].what, again.events[k].what) << cases[i].name;
      EXPECT_EQ(first.events[k].volts, again.events[k].volts) << cases[i].name;
    }
  }
}

/// The faults are not what makes runs of this kind end: without one it plays to its end, and no
/// answer of the board is lost or late.
TEST_F(Faults, WithoutAFaultTheRunFinishes)
{
  ASSERT_EQ(
    run({"plan", FIVEBAR_SOURCE_DIR "/test/hardware/lively.yaml", "--out", path("plan.csv")})
      .exit_code,
    0);
  const Result result =
    play({"none", "fault: hand, volts: 0, duration: 0.001", 0, "", "", "disarmed by the host"});
  EXPECT_EQ(result.exit_code, 0) << result.host;
  const auto report = nlohmann::json::parse(content_of(path("run.json")));
  EXPECT_EQ(report["ended"], "finished");
  EXPECT_EQ(report["timing"]["late_cycles"], 0);
  for (const char * count : {"lost", "lost_at_device", "bad_frames", "stale_reads"})
  {
    EXPECT_EQ(report["link"][count], 0) << count;
  }
}

TEST(FaultTable, CoversEveryFaultThatCanBeInjected)
{
  std::set<std::string> covered = {"hand"};  // a test aid, not a fault
  for (const FaultCase & fault_case : cases)
  {
    const std::string script = fault_case.script;
    for (const FaultKind kind : all_faults())
    {
      const std::string name = std::string("fault: ") + to_string(kind);
      if ((script + ",").find(name + ",") != std::string::npos)
      {
        covered.insert(to_string(kind));
      }
    }
  }
  EXPECT_EQ(covered.size(), all_faults().size());
}

/// The whole way of a run, protocol and firmware, with host and board in lock-step: the time of
/// both is simulated, so that there is one result however busy the machine is.
TEST_F(Faults, CurveBThroughTheSerialBoardTracksLikeTheSimulatedRobot)
{
  ASSERT_EQ(
    run({"plan", FIVEBAR_SOURCE_DIR "/config/curves/b.yaml", "--out", path("plan.csv")}).exit_code,
    0);
  ASSERT_EQ(run({"run", path("plan.csv"), "--fast", "--json", path("sim.json")}).exit_code, 0);
  const double simulated_ise =
    nlohmann::json::parse(content_of(path("sim.json")))["tracking"]["ise"];
  write(
    "board.yaml",
    "schema: 1\njoint_1: &j {counts_per_revolution: 4096, output_limit: 10}\njoint_4: *j\n"
    "homing: {method: known_pose}\nserial: {lock_step: true}\n");
  EmulatorOptions options{path("ROBOT")};
  options.lock_step_ns = 1'000'000;
  BoardThread board(options);
  const Outcome outcome = run(
    {"run", path("plan.csv"), "--hardware", "serial:" + path("ROBOT"), "--calibration",
     path("board.yaml"), "--homed", "--uncommissioned", "--fast", "--json", path("serial.json")});
  board.stop();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto report = nlohmann::json::parse(content_of(path("serial.json")));
  for (const char * count : {"lost", "lost_at_device", "bad_frames", "stale_reads"})
  {
    EXPECT_EQ(report["link"][count], 0) << count;
  }
  const double ise = report["tracking"]["ise"];
  std::printf("ISE: simulated %.3e, serial %.3e m^2 s\n", simulated_ise, ise);
  EXPECT_NEAR(ise, simulated_ise, 0.02 * simulated_ise);
  EXPECT_THAT(outcome.out, testing::HasSubstr("round trip"));
}

}  // namespace
}  // namespace fivebar_control::test
