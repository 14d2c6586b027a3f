// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "fivebar_control/hardware/calibration.hpp"
#include "fivebar_control/support/errors.hpp"
#include "hardware/emulation.hpp"

namespace fivebar_control::test
{
namespace
{

using testing::HasSubstr;

/// Runs of the same robot one after the other, each with a CalibratedHardware of its own.
class ZeroMemoryTest : public testing::Test
{
protected:
  void SetUp() override { std::filesystem::remove_all(folder); }
  void TearDown() override { std::filesystem::remove_all(folder); }

  void power_up()
  {
    board_.reset();
    EmulatorOptions options{link};
    options.lock_step_ns = 1'000'000;
    board_ = std::make_unique<BoardThread>(options);
  }

  HardwareError open(bool homed, const std::string & offset = "0.0", const char * at = "open")
  {
    const Calibration calibration = parse_calibration(
      "schema: 1\njoint_1: &j {counts_per_revolution: 4096, output_limit: 10, offset: " + offset +
        "}\njoint_4: *j\nserial: {lock_step: true}\nhoming: {method: known_pose, at: " + at + "}\n",
      "test.yaml", default_robot());
    hardware = make_device("serial:" + link, calibration, {folder, homed});
    return hardware->open();
  }

  /// 3 V for some cycles.
  void drive()
  {
    ASSERT_EQ(hardware->arm(), HardwareError::none);
    MotorSample sample;
    for (int i = 0; i < 50; ++i)
    {
      hardware->read(sample);
      hardware->write({1.0, -1.0});
    }
    hardware->disarm();
  }

  const std::string link = link_name("memory");
  const std::string folder = link_name("state");
  std::unique_ptr<BoardThread> board_;
  std::unique_ptr<MotorHardware> hardware;
};

TEST_F(ZeroMemoryTest, AKnownPoseIsNotTakenForGrantedTheFirstTime)
{
  power_up();
  EXPECT_EQ(open(false), HardwareError::not_homed);
  EXPECT_THAT(hardware->explanation(), HasSubstr("has not been homed"));
  EXPECT_THAT(hardware->explanation(), HasSubstr("--homed"));
}

TEST_F(ZeroMemoryTest, OpeningTwiceElsewhereDoesNotMoveTheZero)
{
  power_up();
  ASSERT_EQ(open(true), HardwareError::none);
  const Eigen::Vector2d zero = hardware->encoder().zero_angle;
  drive();
  hardware->close();
  ASSERT_EQ(open(false), HardwareError::none) << hardware->explanation();
  EXPECT_EQ(hardware->encoder().zero_angle, zero);
  MotorSample sample;
  ASSERT_EQ(hardware->read(sample), HardwareError::none);
  hardware->close();
  board_->stop();
  const Eigen::Vector2d truth = board_->board().robot().angle();
  EXPECT_GT((truth - default_robot().parameters().home).norm(), 0.01) << "it did move";
  EXPECT_NEAR((hardware->encoder().angle(sample) - truth).norm(), 0.0, 5e-3);
}

TEST_F(ZeroMemoryTest, ARestartedBoardMustBeHomedAgain)
{
  power_up();
  ASSERT_EQ(open(true, "0.0", "power_up"), HardwareError::none);
  drive();
  hardware->close();
  ASSERT_EQ(open(false, "0.0", "power_up"), HardwareError::none);
  hardware->close();
  power_up();
  EXPECT_EQ(open(false, "0.0", "power_up"), HardwareError::not_homed);
  EXPECT_THAT(hardware->explanation(), HasSubstr("restarted"));
  EXPECT_THAT(hardware->explanation(), HasSubstr("last seen at"));
  EXPECT_EQ(open(true, "0.0", "power_up"), HardwareError::none);
}

TEST_F(ZeroMemoryTest, AnotherCalibrationMustBeHomedAgain)
{
  power_up();
  ASSERT_EQ(open(true), HardwareError::none);
  hardware->close();
  EXPECT_EQ(open(false, "0.1"), HardwareError::not_homed);
  EXPECT_THAT(hardware->explanation(), HasSubstr("calibration"));
}

TEST_F(ZeroMemoryTest, AZeroInDoubtIsNotUsedAgain)
{
  power_up();
  ASSERT_EQ(open(true), HardwareError::none);
  hardware->doubt_zero();
  hardware->close();
  EXPECT_EQ(open(false), HardwareError::not_homed);
  EXPECT_THAT(hardware->explanation(), HasSubstr("an encoder failed"));
}

TEST_F(ZeroMemoryTest, ADamagedStateFileIsNoMemory)
{
  power_up();
  ASSERT_EQ(open(true), HardwareError::none);
  hardware->close();
  for (const auto & entry : std::filesystem::directory_iterator(folder))
  {
    std::ofstream(entry.path()) << "schema: 1\nsession: -3\n";
  }
  EXPECT_EQ(open(false), HardwareError::not_homed);
  EXPECT_THAT(hardware->explanation(), HasSubstr("serial_port"));  // the file
}

TEST(RememberedZero, IsTheSameAfterWritingAndReading)
{
  const RememberedZero zero{
    "serial port /dev/\"odd\" ",
    4294967295U,
    "0123456789abcdef",
    {0.1, -1.0 / 3.0},
    {1e-17, 3.0},
    true,
    "2026-01-01"};
  const RememberedZero again = parse_remembered_zero(to_text(zero), "state.yaml");
  EXPECT_EQ(again.device, zero.device);
  EXPECT_EQ(again.session, zero.session);
  EXPECT_EQ(again.zero_angle, zero.zero_angle);
  EXPECT_EQ(again.last_angle, zero.last_angle);
  EXPECT_TRUE(again.certain);
  EXPECT_THROW(parse_remembered_zero("schema: 2\n", "state.yaml"), InputError);
}

}  // namespace
}  // namespace fivebar_control::test
