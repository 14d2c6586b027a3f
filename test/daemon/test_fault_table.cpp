// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "controller/rig.hpp"
#include "fivebar_control/daemon/run_loop.hpp"
#include "fivebar_control/simulation/mujoco_engine.hpp"
#include "fivebar_control/simulation/stepped_board.hpp"
#include "fivebar_control/simulation/true_motion.hpp"

// The fault table of docs/safety.md: every row is a test, and every test prints its row. A row is
// the worst of three curves in two modes. Figures are of the true motion until the robot has come
// to rest, not of what the encoders showed.

namespace fivebar_control::test
{
namespace
{

enum class Robot
{
  simulated,
  mujoco,
  board,
};

const char * name_of(Robot robot)
{
  switch (robot)
  {
    case Robot::simulated:
      return "sim";
    case Robot::mujoco:
      return "MuJoCo";
    case Robot::board:
      return "board";
  }
  return "";
}

struct FaultRow
{
  const char * name;
  const char * plant;      ///< keys of the plant file
  double begins = 0.0;     ///< s after the motors were first driven
  double error = 0.25;     ///< rad that must not be passed
  double speed = 6.0;      ///< rad/s that must not be passed
  bool always = true;      ///< must be seen on every curve, even on the smallest
  double gain_factor = 1;  ///< on kp and kd
};

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
  {"counts per turn × 0.5", "encoder: {counts_factor: 0.5}", 0.0, 0.6, 3.0, false},
  {"counts per turn × 2", "encoder: {counts_factor: 2}", 0.0, 0.35, 3.0, false},
  {"encoder 1 stuck", "encoder: {stuck: 1, at: 0.5}", 0.5, 0.3},
  {"encoder 1 toggles one count", "encoder: {toggle: 1, at: 0.5}", 0.5, 0.3},
  {"encoder 4 jumps by 0.08 rad", "encoder: {jump: 0.08, joint: 4, at: 0.5}", 0.5, 0.1},
  {"belt of joint 1 lost", "belt: {lost: 1, at: 0.5}", 0.5},
  {"joint 1 blocked", "end_stops: {phi1: [-0.02, 0.02], phi4: [0, 3]}"},
  {"gains × 100", "", 0.0, 0.25, 6.0, true, 100},
};

struct CurvePlan
{
  const char * name;
  PlanSamples samples;
};

const std::vector<CurvePlan> & plans()
{
  static const std::vector<CurvePlan> all = [] {
    const char * circle =
      "schema: 1\nname: circle\ncurve: {type: circle, center: [0.115, 0.127], radius: 0.012, "
      "start_angle: 0.0, turns: 2, duration: 4.0}\nramp: {in: 1.0, out: 1.0}\ncost: {alpha: 0.05, "
      "beta: 1.0, rho: 1.0e-9}\n";
    return std::vector<CurvePlan>{
      {"b_gentle", samples_of("b_gentle")},
      {"a_gentle", samples_of("a_gentle")},
      {"circle of 12 mm",
       make_plan(default_robot(), parse_plan_request(circle, "circle")).plan.samples}};
  }();
  return all;
}

/// Sees the true motion of whatever robot this is.
class Watcher : public RecordSink
{
public:
  explicit Watcher(const SimulatedPlant & plant) : plant_(plant), motion_(default_robot()) {}
  void take(const CycleRecord & record) noexcept override
  {
    const bool driven = record.state != ControlState::idle && record.state != ControlState::fault;
    reference_ = driven ? record.reference : reference_;
    motion_.see(plant_, reference_);
  }
  void come_to_rest(SimulatedRobot & robot)
  {
    MotorSample sample;
    for (int i = 0; i < 500; ++i)
    {
      robot.read(sample);
      motion_.see(plant_, reference_);
    }
  }
  void come_to_rest(SteppedBoard & board)
  {
    for (int i = 0; i < 500; ++i)
    {
      board.let_time_pass(1e-3);
      motion_.see(plant_, reference_);
    }
  }
  const TruePeaks & peaks() const { return motion_.peaks(); }

private:
  const SimulatedPlant & plant_;
  TrueMotion motion_;
  Eigen::Vector2d reference_ = Eigen::Vector2d::Zero();
};

struct Played
{
  RunOutcome outcome;
  TruePeaks peaks;
};

template <class Hardware>
Played play_on(
  Hardware & hardware, const PlayablePlan & plan, const ControllerSettings & settings,
  ControlMode mode)
{
  ControlCore controller(default_robot(), settings, mode, millisecond);
  controller.set_plan(&plan);
  Pacer pacer(millisecond, false);
  Watcher watcher(hardware.plant());
  RunRequests requests;
  RunStatus status;
  const RunOutcome outcome =
    run_loop(controller, hardware, pacer, watcher, requests, status, {millisecond, false});
  if (outcome.end != RunEnd::finished)
  {
    watcher.come_to_rest(hardware);
  }
  return {outcome, watcher.peaks()};
}

/// A board that knows where its robot stood at power-up.
class HomedBoard : public SteppedBoard
{
public:
  HomedBoard(const PlantParameters & plant, const Eigen::Vector2d & start)
  : SteppedBoard(default_robot(), plant, start, millisecond),
    encoder_{Eigen::Vector2d::Constant(plant.counts_per_turn), start}
  {
  }
  Encoder encoder() const override { return encoder_; }

private:
  Encoder encoder_;
};

Played play(
  Robot robot, const PlantParameters & plant, const PlanSamples & samples,
  const ControllerSettings & settings, ControlMode mode)
{
  const PlayablePlan plan(samples);
  if (robot == Robot::board)
  {
    HomedBoard board(plant, plan.start());
    return play_on(board, plan, settings, mode);
  }
  const EngineMaker maker = robot == Robot::mujoco ? make_mujoco_engine : make_equations_engine;
  SimulatedRobot simulated(maker(default_robot(), plant), plant, plan.start(), millisecond);
  return play_on(simulated, plan, settings, mode);
}

std::vector<Robot> robots()
{
#ifdef FIVEBAR_MUJOCO
  return {Robot::simulated, Robot::mujoco, Robot::board};
#else
  return {Robot::simulated, Robot::board};
#endif
}

constexpr ControlMode both_modes[] = {
  ControlMode::feedback_only, ControlMode::feedforward_and_feedback};

class FaultTable : public testing::TestWithParam<std::tuple<FaultRow, Robot>>
{
};

TEST_P(FaultTable, IsStoppedBeforeItHurts)
{
  const auto & [row, robot] = GetParam();
  const PlantParameters plant = parse_plant(std::string("schema: 1\n") + row.plant, row.name);
  ControllerSettings settings = default_settings();
  settings.gains.kp *= row.gain_factor;
  settings.gains.kd *= row.gain_factor;
  std::vector<std::string> reasons;
  int longest = 0, seen = 0, runs = 0;
  TruePeaks worst;
  for (const CurvePlan & plan : plans())
  {
    for (const ControlMode mode : both_modes)
    {
      const Played played = play(robot, plant, plan.samples, settings, mode);
      const TruePeaks & peaks = played.peaks;
      ++runs;
      worst.error = std::max(worst.error, peaks.error);
      worst.speed = std::max(worst.speed, peaks.speed);
      worst.volts = std::max(worst.volts, peaks.volts);
      worst.into_singularity = worst.into_singularity || peaks.into_singularity;
      if (played.outcome.end == RunEnd::finished)
      {
        EXPECT_FALSE(row.always) << "not seen on " << plan.name << " in " << to_string(mode);
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
  EXPECT_GT(seen, 0);
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

void expect_to_finish(
  Robot robot, const std::string & curve, const std::string & plant_name, ControlMode mode)
{
  const PlantParameters plant = plant_name.empty()
                                  ? PlantParameters{}
                                  : load_plant(config_path("plants/" + plant_name + ".yaml"));
  const Played played = play(robot, plant, samples_of(curve), default_settings(), mode);
  EXPECT_EQ(played.outcome.end, RunEnd::finished)
    << curve << " on " << plant_name << ", " << to_string(mode) << ": "
    << describe(played.outcome.finding);
}

TEST(HealthyRuns, FinishOnEveryShippedCurveAndPlantInBothModes)
{
  for (const char * curve : {"a", "b", "c", "a_gentle", "b_gentle", "c_gentle", "c_soft"})
  {
    for (const char * plant : {"", "perfect", "mismatched", "noisy"})
    {
      for (const ControlMode mode : both_modes)
      {
        expect_to_finish(Robot::simulated, curve, plant, mode);
      }
    }
  }
}

TEST(HealthyRuns, FinishOnTheEmulatedBoardAndInMujoco)
{
  for (const Robot robot : robots())
  {
    for (const char * plant : {"mismatched", "noisy"})
    {
      for (const ControlMode mode : both_modes)
      {
        expect_to_finish(robot, "b_gentle", plant, mode);
        expect_to_finish(robot, "c", plant, mode);
      }
    }
  }
}

}  // namespace
}  // namespace fivebar_control::test
