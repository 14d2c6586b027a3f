// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "daemon/fault_rig.hpp"

// The fault table of docs/safety.md: every row is a test, and every test prints its row. A row is
// the worst of three curves in two modes. Figures are of the true motion until the robot has come
// to rest, not of what the encoders showed.

namespace fivebar_control::test
{
namespace
{

void gains_times_100(ControllerSettings & settings)
{
  settings.gains.kp *= 100.0;
  settings.gains.kd *= 100.0;
}

void motors_that_stand_little(ControllerSettings & settings)
{
  settings.guard.motor_current = 0.005;
}

constexpr auto as_it_is = [](ControllerSettings &) {};

const std::vector<FaultRow> rows = {
  {"motor 1 inverted", "wiring: {motor_1: inverted}"},
  {"motor 1 inverted, bridge coasts at 0 V", "wiring: {motor_1: inverted}\nzero_volts: coast", 0.0,
   0.45},
  {"motor 4 inverted", "wiring: {motor_4: inverted}"},
  {"both motors inverted", "wiring: {motor_1: inverted, motor_4: inverted}"},
  {"encoder 1 inverted", "wiring: {encoder_1: inverted}"},
  {"encoder 4 inverted", "wiring: {encoder_4: inverted}"},
  {"both encoders inverted", "wiring: {encoder_1: inverted, encoder_4: inverted}"},
  {"motors swapped", "wiring: {motors: swapped}"},
  {"encoders swapped", "wiring: {encoders: swapped}"},
  {"counts per turn × 0.5", "encoder: {counts_factor: 0.5}"},
  {"counts per turn × 2", "encoder: {counts_factor: 2}"},
  {"encoder 1 stuck", "encoder: {stuck: 1, at: 0.5}", 0.5, 0.3},
  {"encoder 1 toggles one count", "encoder: {toggle: 1, at: 0.5}", 0.5, 0.3},
  {"encoder 4 jumps by 0.08 rad", "encoder: {jump: 0.08, joint: 4, at: 0.5}", 0.5, 0.1},
  {"belt of joint 1 lost", "belt: {lost: 1, at: 0.5}", 0.5},
  {"joint 1 blocked", "end_stops: {phi1: [-0.02, 0.02], phi4: [0, 3]}"},
  {"gains × 100", "", 0.0, 0.25, 6.0, gains_times_100},
  {"asked for more than the voltage limit (0.1 V)", "", 0.0, 0.25, 6.0, as_it_is, 0.1},
  {"motor overload (I²t, 5 mA)", "", 0.0, 0.25, 6.0, motors_that_stand_little},
  {"host hangs for 150 ms", "", 0.5, 0.25, 6.0, as_it_is, 10.0, Event::hang},
};

const std::vector<FaultRow> board_rows = {
  {"emergency stop pressed", "", 0.5, 0.25, 6.0, as_it_is, 10.0, Event::emergency_stop},
  {"board reboots", "", 0.5, 0.25, 6.0, as_it_is, 10.0, Event::reboot},
  {"board's timer stands still", "", 0.5, 0.25, 6.0, as_it_is, 10.0, Event::timer_stands_still},
  {"board gives 0.1 V at most", "", 0.5, 0.25, 6.0, as_it_is, 10.0, Event::gives_less},
};

class FaultTable : public testing::TestWithParam<std::tuple<FaultRow, Robot>>
{
};

TEST_P(FaultTable, IsStoppedBeforeItHurts)
{
  const auto & [row, robot] = GetParam();
  const PlantParameters plant = parse_plant(std::string("schema: 1\n") + row.plant, row.name);
  std::vector<std::string> reasons;
  int longest = 0, seen = 0, runs = 0;
  TruePeaks worst;
  for (const CurvePlan & plan : plans())
  {
    for (const ControlMode mode : both_modes)
    {
      const Played played = play(robot, plant, plan.samples, row, mode);
      const TruePeaks & peaks = played.peaks;
      ++runs;
      worst.error = std::max(worst.error, peaks.error);
      worst.speed = std::max(worst.speed, peaks.speed);
      worst.volts = std::max(worst.volts, peaks.volts);
      worst.into_singularity = worst.into_singularity || peaks.into_singularity;
      EXPECT_NE(played.outcome.end, RunEnd::finished)
        << "not seen on " << plan.name << " in " << to_string(mode);
      if (played.outcome.end == RunEnd::finished)
      {
        continue;
      }
      ++seen;
      longest = std::max(longest, static_cast<int>(played.outcome.cycles));
      const std::string reason = to_string(played.outcome.finding.reason);
      if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end())
      {
        reasons.push_back(reason);
      }
    }
  }
  std::string stopped_by;
  for (const std::string & reason : reasons)
  {
    stopped_by += (stopped_by.empty() ? "`" : ", `") + reason + "`";
  }
  std::printf(
    "| %s | %s | %d of %d | %s | %.0f | %.2f | %.3f | %.2f | %s |\n", row.name, name_of(robot),
    seen, runs, stopped_by.c_str(), longest - 1e3 * row.begins, worst.speed, worst.error,
    worst.volts, worst.into_singularity ? "yes" : "no");
  EXPECT_LE(worst.error, row.error);
  EXPECT_LE(worst.speed, row.speed);
  EXPECT_FALSE(worst.into_singularity);
}

std::string test_name(const testing::TestParamInfo<std::tuple<FaultRow, Robot>> & row)
{
  std::string name;
  for (const char * c = std::get<0>(row.param).name; *c != '\0'; ++c)
  {
    name += std::isalnum(static_cast<unsigned char>(*c)) != 0 ? *c : '_';
  }
  return name + "_on_" + name_of(std::get<1>(row.param));
}

INSTANTIATE_TEST_SUITE_P(
  Rows, FaultTable, testing::Combine(testing::ValuesIn(rows), testing::ValuesIn(robots())),
  test_name);
INSTANTIATE_TEST_SUITE_P(
  BoardRows, FaultTable,
  testing::Combine(testing::ValuesIn(board_rows), testing::Values(Robot::board)), test_name);

}  // namespace
}  // namespace fivebar_control::test
