#include <gmock/gmock.h>

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

/// Homes an emulated robot, which stands at its home, and compares with where it really is. A busy
/// machine may let the board's watchdog end a search: those attempts are repeated.
void expect_homed(const std::string & homing, const std::string & name)
{
  const std::string text =
    "schema: 1\njoint_1: &j {counts_per_revolution: 4096, output_limit: 10}\njoint_4: *j\n"
    "serial: {read_deadline: 2.0e-3, largest_age: 0.02}\n" +
    homing;
  const Calibration calibration = parse_calibration(text, "test.yaml", default_robot());
  HardwareError error = HardwareError::none;
  for (int attempt = 0; attempt < 8; ++attempt)
  {
    const std::string link = link_name(name);
    BoardThread board({link}, plant_with_stops());
    const auto hardware = make_device("serial:" + link, calibration);
    error = hardware->open();
    if (error != HardwareError::none)
    {
      continue;
    }
    sleep_ms(300);  // comes to rest
    MotorSample sample;
    for (int i = 0; i < 100 && hardware->read(sample) != HardwareError::none; ++i)
    {
      sleep_ms(1);
    }
    hardware->close();
    board.stop();
    const Eigen::Vector2d truth = board.board().robot().angle();
    const double count = 2.0 * std::numbers::pi / 4096.0;
    EXPECT_NEAR(hardware->encoder().angle(sample)[0], truth[0], count);
    EXPECT_NEAR(hardware->encoder().angle(sample)[1], truth[1], count);
    return;
  }
  FAIL() << to_string(error);
}

TEST(Homing, ByAKnownPose) { expect_homed("homing: {method: known_pose, at: open}", "pose"); }

TEST(Homing, ByIndexPulses)
{
  // The emulated marks are 0.2 rad from home.
  expect_homed(
    "homing: {method: index_pulse, phi1: 0.2, phi4: 1.7707963267948966, voltage_1: 1.0, "
    "voltage_4: 1.0}",
    "index");
}

TEST(Homing, ByEndStopsAtLowVoltage)
{
  expect_homed(
    "homing: {method: end_stop, phi1: -0.3, phi4: 1.9, voltage_1: -1.0, voltage_4: 1.0, "
    "timeout: 10}",
    "stop");
}

}  // namespace
}  // namespace fivebar_control::test
