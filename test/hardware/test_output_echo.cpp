// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fivebar_control/hardware/calibration.hpp"
#include "fivebar_control/hardware/output_echo.hpp"
#include "hardware/emulation.hpp"

// Whether the motors have the volts that the program believes they have. The boards are in
// lock-step: nothing here depends on how busy the machine is.
namespace fivebar_control::test
{
namespace
{

using Millivolts = std::array<std::int16_t, 2>;

TEST(OutputEcho, BelievesABoardThatGivesWhatItWasTold)
{
  OutputEcho echo;
  for (std::uint16_t i = 0; i < 500; ++i)
  {
    echo.told(i, Millivolts{static_cast<std::int16_t>(10 * i), -4000});
    // Rounding, and an answer that is one command behind.
    echo.reported(
      static_cast<std::uint16_t>(i - 1),
      Millivolts{static_cast<std::int16_t>(10 * (i - 1) + 2), -3999});
  }
  EXPECT_FALSE(echo.differs());
  EXPECT_EQ(echo.explanation(), "");
}

TEST(OutputEcho, NeedsTenReportsInARowAndThenStaysWithTheFirst)
{
  OutputEcho echo;
  const auto hear = [&echo](std::uint16_t sequence, std::int16_t millivolts) {
    echo.told(sequence, Millivolts{1000, 4000});
    echo.reported(sequence, Millivolts{1000, millivolts});
  };
  for (std::uint16_t i = 0; i < 9; ++i)
  {
    hear(i, 2000);
  }
  hear(9, 4000);
  for (std::uint16_t i = 10; i < 19; ++i)
  {
    hear(i, 2000);
  }
  EXPECT_FALSE(echo.differs());
  hear(19, 2000);
  EXPECT_TRUE(echo.differs());
  hear(20, 4000);
  EXPECT_EQ(echo.explanation(), "motor 4 was told 4.000 V, the board gives 2.000 V");
  echo.reset();
  EXPECT_FALSE(echo.differs());
}

TEST(OutputEcho, DoesNotJudgeACommandThatItNeverSaw)
{
  OutputEcho echo;
  for (std::uint16_t i = 0; i < 100; ++i)
  {
    echo.reported(i, Millivolts{9000, 9000});
  }
  echo.told(7, Millivolts{0, 0});
  for (int i = 0; i < 100; ++i)
  {
    echo.reported(7 + 64, Millivolts{9000, 9000});
  }
  EXPECT_FALSE(echo.differs());
}

class Outputs : public testing::Test
{
protected:
  void board(double full_scale, const std::string & faults = "[]")
  {
    EmulatorOptions options{link};
    options.lock_step_ns = 1'000'000;
    options.full_scale = full_scale;
    options.faults = parse_faults("schema: 1\nfaults: " + faults + "\n", "faults");
    board_ = std::make_unique<BoardThread>(options);
  }

  HardwareError connect(double output_limit = 10.0, const std::string & serial = "")
  {
    hardware = make_device(
      "serial:" + link,
      parse_calibration(
        "schema: 1\njoint_1: &j {counts_per_revolution: 4096, output_limit: " +
          std::to_string(output_limit) + "}\njoint_4: *j\nhoming: {method: known_pose}\n" +
          "serial: {lock_step: true" + serial + "}\n",
        "test.yaml", default_robot()));
    return hardware->open();
  }

  /// Cycles with these volts until the device says that something is wrong; 0 if it never does.
  int cycles_until_bad(double volts, int most)
  {
    MotorSample sample;
    for (int i = 1; i <= most; ++i)
    {
      EXPECT_EQ(hardware->read(sample), HardwareError::none);
      status = sample.status;
      if (!motor_status::is_good(sample.status))
      {
        return i;
      }
      EXPECT_EQ(hardware->write({volts, -volts}), HardwareError::none);
    }
    return 0;
  }

  const std::string link = link_name("outputs");
  std::unique_ptr<BoardThread> board_;
  std::unique_ptr<MotorHardware> hardware;
  std::uint32_t status = 0;
};

TEST_F(Outputs, ABoardThatCannotGiveWhatTheCalibrationMayAskForIsRefused)
{
  board(8.0);
  EXPECT_EQ(connect(), HardwareError::wrong_device);
  EXPECT_EQ(
    hardware->explanation(),
    "its outputs give at most 8.000 V, joint_1 may ask for 10.000 V: lower 'output_limit' of the "
    "calibration to what the device gives, or the robot's voltage limit");
  EXPECT_EQ(connect(8.0), HardwareError::none) << hardware->explanation();
  EXPECT_EQ(hardware->full_scale(), 8.0);
}

TEST_F(Outputs, AFullScaleThatTheCalibrationDoesNotExpectIsRefused)
{
  board(24.0);
  EXPECT_EQ(connect(10.0, ", full_scale: 12"), HardwareError::wrong_device);
  EXPECT_EQ(
    hardware->explanation(),
    "the board's full scale is 24.000 V, 'serial: full_scale' of the calibration says 12.000 V: it "
    "is another board, or its firmware is for another supply");
  EXPECT_EQ(connect(10.0, ", full_scale: 24"), HardwareError::none) << hardware->explanation();
}

TEST_F(Outputs, ABoardThatBeginsToGiveLessIsSeenWithinTenCycles)
{
  board(24.0, "[{fault: limit_output, volts: 1, at: 0.05, since: armed}]");
  ASSERT_EQ(connect(), HardwareError::none);
  ASSERT_EQ(hardware->arm(), HardwareError::none);
  const int cycles = cycles_until_bad(1.2, 200);
  EXPECT_GE(cycles, 50 + OutputEcho::patience);
  EXPECT_LE(cycles, 50 + OutputEcho::patience + 4);
  EXPECT_EQ(
    hardware->explanation(),
    "other volts than commanded: motor 4 was told -1.200 V, the board gives -1.000 V");
  EXPECT_NE(status & motor_status::output_differs, 0U);
}

TEST_F(Outputs, ABoardThatGivesWhatItIsToldIsLeftAlone)
{
  board(24.0);
  ASSERT_EQ(connect(), HardwareError::none);
  ASSERT_EQ(hardware->arm(), HardwareError::none);
  EXPECT_EQ(cycles_until_bad(0.8, 200), 0);
}

}  // namespace
}  // namespace fivebar_control::test
