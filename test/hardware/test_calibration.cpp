// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdio>
#include <numbers>

#include "fivebar_control/hardware/calibration.hpp"
#include "fivebar_control/support/errors.hpp"
#include "hardware/emulation.hpp"

namespace fivebar_control::test
{
namespace
{

const char * const joints =
  "schema: 1\n"
  "joint_1: {counts_per_revolution: 1024, gear: 70, encoder_reversed: true, output_limit: 5}\n"
  "joint_4: {counts_per_revolution: 4096, output_limit: 8, motor_reversed: true,\n"
  "  output_per_volt: 0.5, dead_band: 0.4, dead_band_width: 0.1}\n";

Calibration with_homing(const std::string & homing)
{
  return parse_calibration(std::string(joints) + homing, "test.yaml", default_robot());
}

std::string refusal(const std::string & text)
{
  try
  {
    parse_calibration(text, "test.yaml", default_robot());
  }
  catch (const InputError & error)
  {
    return error.what();
  }
  return "accepted";
}

TEST(Calibration, TurnsCountsIntoAngles)
{
  const Calibration calibration = with_homing("homing: {method: known_pose, phi1: 0.1, phi4: 1.5}");
  const auto hardware = make_device("serial:/dev/null", calibration);
  MotorSample sample;
  sample.counts = {-1024 * 7, 1024};
  EXPECT_NEAR(hardware->encoder().angle(sample)[0], 0.1 + 0.2 * std::numbers::pi, 1e-12);
  EXPECT_NEAR(hardware->encoder().angle(sample)[1], 1.5 + 0.5 * std::numbers::pi, 1e-12);
}

TEST(Calibration, TurnsVoltsIntoOutputs)
{
  const Calibration calibration = with_homing("homing: {method: known_pose}");
  const JointCalibration & plain = calibration.joints[0];
  EXPECT_DOUBLE_EQ(plain.output(2.0), 2.0);
  EXPECT_DOUBLE_EQ(plain.output(-9.0), -5.0);
  const JointCalibration & other = calibration.joints[1];
  EXPECT_DOUBLE_EQ(other.output(2.0), -0.5 * 2.4);
  EXPECT_DOUBLE_EQ(other.output(0.05), -0.5 * (0.05 + 0.2));  // half of the compensation
  EXPECT_DOUBLE_EQ(other.output(0.0), 0.0);
  EXPECT_DOUBLE_EQ(other.output(-100.0), 5.0) << "the robot's 10 V, not the device's 16";
}

TEST(Calibration, TheMotorGetsNoMoreThanTheRobotsVoltsAndWhatItGetsIsTold)
{
  JointCalibration joint;
  joint.dead_band = 0.3;
  joint.voltage_limit = 2.0;
  EXPECT_DOUBLE_EQ(joint.output(2.0), 2.0) << "compensation of the dead band included";
  EXPECT_DOUBLE_EQ(joint.terminal(1.0), 1.3);
  joint.output_per_volt = 10.0;
  joint.output_limit = 5.0;
  joint.motor_reversed = true;
  EXPECT_DOUBLE_EQ(joint.output(1.5), -5.0);
  EXPECT_DOUBLE_EQ(joint.terminal(1.5), 0.5) << "what the device can give";
  const Calibration calibration = with_homing("homing: {method: known_pose}");
  EXPECT_EQ(calibration.joints[0].voltage_limit, default_robot().limits().voltage);
  const auto hardware = make_device("serial:/dev/null", calibration);
  EXPECT_EQ(hardware->terminal_volts({7.0, 2.0}), Eigen::Vector2d(5.0, 2.4));
}

TEST(Calibration, RefusesWhatItDoesNotUnderstand)
{
  using testing::HasSubstr;
  EXPECT_THAT(
    refusal(std::string(joints) + "homing: {method: known_pos}"), HasSubstr("test.yaml:5"));
  EXPECT_THAT(refusal(std::string(joints)), HasSubstr("homing"));
  EXPECT_THAT(
    refusal(std::string(joints) + "homing: {method: known_pose, voltage_1: 1}"),
    HasSubstr("belongs to the other methods"));
  EXPECT_THAT(
    refusal(
      std::string(joints) +
      "homing: {method: end_stop, phi1: 0, phi4: 0, voltage_1: 12, voltage_4: 1}"),
    HasSubstr("from -3 to 3"));
  EXPECT_THAT(
    refusal(std::string(joints) + "homing: {method: known_pose}\nserial: {baud: 9600}"),
    HasSubstr("115200"));
  EXPECT_THAT(
    refusal(std::string(joints) + "homing: {method: known_pose}\nserial: {bauds: 115200}"),
    HasSubstr("baud"));
}

TEST(Calibration, TheShippedFilesAreGood)
{
  for (const char * kind : {"serial", "hil", "comedi"})
  {
    EXPECT_NO_THROW(load_calibration(
      std::string(FIVEBAR_SOURCE_DIR "/config/hardware/") + kind + ".yaml", default_robot()))
      << kind;
  }
}

/// Nearer than the joint ranges, behind which one moving link stretches the linkage.
PlantParameters plant_with_stops()
{
  PlantParameters plant;
  plant.end_stops = {Eigen::Vector2d(-0.3, 1.2), Eigen::Vector2d(0.4, 1.9)};
  return plant;
}

constexpr double count = 2.0 * std::numbers::pi / 4096.0;
const auto never = [] { return false; };

Calibration for_emulated(const std::string & homing)
{
  return parse_calibration(
    "schema: 1\njoint_1: &j {counts_per_revolution: 4096, output_limit: 10}\njoint_4: *j\n"
    "serial: {lock_step: true}\n" +
      homing,
    "test.yaml", default_robot());
}

/// A robot that stands at its home, on a board in lock-step: nothing here depends on how busy the
/// machine is.
class Homing : public testing::Test
{
protected:
  void board(const PlantParameters & plant = plant_with_stops(), const std::string & faults = "")
  {
    EmulatorOptions options{link};
    options.lock_step_ns = 1'000'000;
    if (!faults.empty())
    {
      options.faults = parse_faults("schema: 1\nfaults: [" + faults + "]\n", "faults");
    }
    board_ = std::make_unique<BoardThread>(options, plant);
  }

  HardwareError home(const std::string & homing, const std::function<bool()> & stop = never)
  {
    hardware = make_device("serial:" + link, for_emulated(homing));
    const HardwareError error = hardware->open();
    const auto see = [this](const HomingCycle & cycle) { cycles.push_back(cycle); };
    return error == HardwareError::none ? hardware->home({stop, see}) : error;
  }

  /// Ends the board and compares what the encoders say with where the links are.
  void expect_true_angles()
  {
    MotorSample sample;
    ASSERT_EQ(hardware->read(sample), HardwareError::none);
    hardware->close();
    board_->stop();
    const Eigen::Vector2d truth = board_->board().robot().angle();
    EXPECT_NEAR(hardware->encoder().angle(sample)[0], truth[0], count);
    EXPECT_NEAR(hardware->encoder().angle(sample)[1], truth[1], count);
  }

  /// Volts that the motors had at most, and whether they have some at the end.
  double largest_volts()
  {
    hardware->close();
    board_->stop();
    double largest = 0.0;
    for (const EmulatedBoard::Event & event : board_->board().events())
    {
      largest = std::max(largest, event.volts.cwiseAbs().maxCoeff());
    }
    EXPECT_TRUE(board_->board().robot().volts().isZero(0.0));
    return largest;
  }

  const std::string link = link_name("homing");
  std::unique_ptr<BoardThread> board_;
  std::unique_ptr<MotorHardware> hardware;
  std::vector<HomingCycle> cycles;
};

TEST_F(Homing, ByAKnownPose)
{
  board();
  ASSERT_EQ(home("homing: {method: known_pose, at: open}"), HardwareError::none);
  expect_true_angles();
}

TEST_F(Homing, ByIndexPulses)
{
  // The emulated marks are 0.2 rad from home.
  board();
  ASSERT_EQ(
    home("homing: {method: index_pulse, phi1: 0.2, phi4: 1.7707963267948966, voltage_1: 1.0, "
         "voltage_4: 1.0}"),
    HardwareError::none)
    << hardware->explanation();
  expect_true_angles();
}

const char * const to_the_stops =
  "homing: {method: end_stop, phi1: -0.3, phi4: 1.9, voltage_1: -2.5, voltage_4: 2.5}";

TEST_F(Homing, ByEndStopsWithVoltsAtWhichTheBoardWouldElseSeeABrokenEncoder)
{
  board();
  ASSERT_EQ(home(to_the_stops), HardwareError::none) << hardware->explanation();
  expect_true_angles();
  // Whoever listens has heard of every cycle: first one joint, then the other, never both.
  ASSERT_GT(cycles.size(), 100U);
  double first = 0.0, second = 0.0;
  for (const HomingCycle & cycle : cycles)
  {
    EXPECT_TRUE(cycle.volts[0] == 0.0 || cycle.volts[1] == 0.0);
    EXPECT_TRUE(second == 0.0 || cycle.volts[0] == 0.0) << "joint 1 comes first";
    first = std::min(first, cycle.volts[0]);
    second = std::max(second, cycle.volts[1]);
  }
  EXPECT_EQ(first, -2.5);
  EXPECT_EQ(second, 2.5);
}

TEST_F(Homing, StopsOnRequestWithinOneCycle)
{
  board();
  int asked = 0;
  EXPECT_EQ(home(to_the_stops, [&asked] { return ++asked > 50; }), HardwareError::interrupted);
  EXPECT_NEAR(largest_volts(), 2.5, 1e-9);
  std::int64_t silence_ns = -1;
  for (const EmulatedBoard::Event & event : board_->board().events())
  {
    silence_ns = event.what == "disarmed by the host" ? event.silence_ns : silence_ns;
  }
  EXPECT_GE(silence_ns, 0);
  EXPECT_LE(silence_ns, 1'000'000);
}

TEST_F(Homing, TakesAStallForAnEndStopOnlyWhereTheEndStopCanBe)
{
  PlantParameters blocked = plant_with_stops();
  blocked.end_stops = {Eigen::Vector2d(-0.1, 1.2), Eigen::Vector2d(0.4, 1.9)};
  board(blocked);
  EXPECT_EQ(home(to_the_stops), HardwareError::not_homed);
  EXPECT_THAT(hardware->explanation(), testing::HasSubstr("joint 1 stands still at about -0.1"));
  largest_volts();
}

TEST_F(Homing, AnEncoderThatDoesNotCountIsNoEndStop)
{
  board(plant_with_stops(), "{at: 0, fault: freeze_encoder, joint: 1}");
  EXPECT_EQ(home(to_the_stops), HardwareError::not_homed);
  EXPECT_THAT(hardware->explanation(), testing::HasSubstr("the encoder does not count"));
  largest_volts();
}

TEST_F(Homing, EveryFaultEndsItWithZeroVoltsBeforeTheLinksHaveGoneFar)
{
  struct Row
  {
    const char *name, *plant, *fault, *why;
  };
  const Row rows[] = {
    {"motor 1 inverted", "wiring: {motor_1: inverted}", "", "joint 1 moves against its volts"},
    {"motor 4 inverted", "wiring: {motor_4: inverted}", "", "joint 4 moves against its volts"},
    {"encoder 1 inverted", "wiring: {encoder_1: inverted}", "", "joint 1 moves against its volts"},
    {"encoder 4 inverted", "wiring: {encoder_4: inverted}", "", "joint 4 moves against its volts"},
    {"motors swapped", "wiring: {motors: swapped}", "", "joint 4 moves instead"},
    {"encoders swapped", "wiring: {encoders: swapped}", "", "joint 4 moves instead"},
    {"counts per turn × 0.5", "encoder: {counts_factor: 0.5}", "", "stands still at about"},
    {"counts per turn × 2", "encoder: {counts_factor: 2}", "", "stands still at about"},
    {"encoder 1 stuck", "", "{at: 0, fault: freeze_encoder, joint: 1}", "does not count"},
    {"encoder 1 jumps", "", "{at: 0.05, fault: jump_encoder, joint: 1, counts: 100}", "jumped"},
    {"emergency stop", "", "{at: 0.05, fault: emergency_stop}", "emergency stop"},
    {"over-current", "", "{at: 0.05, fault: over_current}", "over-current"},
    {"board gives 0.5 V at most", "", "{at: 0.02, fault: limit_output, volts: 0.5}",
     "other volts than commanded"},
  };
  for (const Row & row : rows)
  {
    PlantParameters plant = parse_plant(std::string("schema: 1\n") + row.plant, row.name);
    plant.end_stops = plant_with_stops().end_stops;
    board(plant, row.fault);
    cycles.clear();
    EXPECT_NE(home(to_the_stops), HardwareError::none) << row.name;
    const std::string why = hardware->explanation();
    EXPECT_THAT(why, testing::HasSubstr(row.why)) << row.name;
    const double volts = largest_volts();
    const EmulatedBoard & ended = board_->board();
    const Eigen::Vector2d moved = ended.robot().angle() - default_robot().parameters().home;
    EXPECT_LE(volts, 2.5 + 1e-9) << row.name;
    EXPECT_LE(ended.truth().speed, 6.0) << row.name;
    EXPECT_LE(moved.cwiseAbs().maxCoeff(), 0.6) << row.name;
    std::printf(
      "| %s | %s | %zu | %.2f | %.3f | %.2f |\n", row.name, row.why, cycles.size(),
      ended.truth().speed, moved.cwiseAbs().maxCoeff(), volts);
    board_.reset();
  }
}

TEST_F(Homing, KeepsOutOfSingularities)
{
  board(PlantParameters{});  // no stops at all
  EXPECT_EQ(
    home("homing: {method: end_stop, phi1: 1.5, phi4: 1.9, voltage_1: 2.5, voltage_4: 2.5}"),
    HardwareError::not_homed);
  EXPECT_THAT(hardware->explanation(), testing::HasSubstr("too near to a singularity"));
  largest_volts();
}

TEST_F(Homing, KeepsTheRobotsVoltageLimit)
{
  RobotParameters parameters = default_robot().parameters();
  parameters.limits.voltage = 1.2;
  Calibration calibration = for_emulated(to_the_stops);
  calibration.robot = std::make_shared<const RobotModel>(parameters);
  board();
  hardware = make_device("serial:" + link, calibration);
  ASSERT_EQ(hardware->open(), HardwareError::none);
  EXPECT_EQ(hardware->home({never}), HardwareError::none) << hardware->explanation();
  EXPECT_NEAR(largest_volts(), 1.2, 1e-9);
}

TEST_F(Homing, ComesBeforeArming)
{
  board();
  hardware = make_device("serial:" + link, for_emulated(to_the_stops));
  ASSERT_EQ(hardware->open(), HardwareError::none);
  EXPECT_EQ(hardware->arm(), HardwareError::not_homed);
}

TEST_F(Homing, ARealBoardIsNotTakenForOneInLockStep)
{
  EmulatorOptions options{link};
  BoardThread in_real_time(options);
  const auto device = make_device("serial:" + link, for_emulated(to_the_stops));
  EXPECT_EQ(device->open(), HardwareError::wrong_device);
  EXPECT_THAT(device->explanation(), testing::HasSubstr("does not run in lock-step"));
}

}  // namespace
}  // namespace fivebar_control::test
