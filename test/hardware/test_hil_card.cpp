// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "fivebar_control/hardware/hil_card.hpp"
#include "hardware/program_with_board.hpp"

namespace fivebar_control::test
{
namespace
{

HilSettings test_library()
{
  HilSettings settings;
  settings.library = FIVEBAR_HIL_TEST_LIBRARY;
  return settings;
}

void * function_of_library(const char * name)
{
  return dlsym(dlopen(FIVEBAR_HIL_TEST_LIBRARY, RTLD_NOW | RTLD_LOCAL), name);
}

std::array<double, 2> motor_volts()
{
  std::array<double, 2> volts{};
  reinterpret_cast<void (*)(double *)>(function_of_library("fivebar_test_volts"))(volts.data());
  return volts;
}

void let_time_pass(double seconds)
{
  reinterpret_cast<void (*)(double)>(function_of_library("fivebar_test_let_time_pass"))(seconds);
}

TEST(HilCard, DrivesAndReadsThroughTheVendorsInterface)
{
  let_time_pass(0.0);
  HilCard card("q2_usb", "0", test_library());
  ASSERT_EQ(card.open(), HardwareError::none) << card.explanation();
  MotorSample sample;
  ASSERT_EQ(card.read(sample), HardwareError::none);
  EXPECT_EQ(sample.counts, (std::array<std::int64_t, 2>{0, 0}));
  EXPECT_EQ(card.write({1.0, 0.0}), HardwareError::not_armed);
  ASSERT_EQ(card.arm(), HardwareError::none);
  for (int i = 0; i < 50; ++i)
  {
    ASSERT_EQ(card.write({1.0, 0.0}), HardwareError::none);
    let_time_pass(0.001);
  }
  ASSERT_EQ(card.read(sample), HardwareError::none);
  EXPECT_GT(sample.counts[0], 5);
}

TEST(HilCard, TheCardItselfGoesToZeroWhenItHearsNothing)
{
  let_time_pass(0.0);
  HilCard card("q2_usb", "0", test_library());
  ASSERT_EQ(card.open(), HardwareError::none);
  ASSERT_EQ(card.arm(), HardwareError::none);
  ASSERT_EQ(card.write({2.0, -2.0}), HardwareError::none);
  EXPECT_EQ(motor_volts(), (std::array<double, 2>{2.0, -2.0}));
  let_time_pass(0.049);
  EXPECT_EQ(motor_volts(), (std::array<double, 2>{2.0, -2.0})) << "its watchdog waits 50 ms";
  let_time_pass(0.002);
  EXPECT_EQ(motor_volts(), (std::array<double, 2>{0.0, 0.0}));
  card.write({2.0, -2.0});
  EXPECT_EQ(motor_volts(), (std::array<double, 2>{0.0, 0.0})) << "until it is armed again";
  MotorSample sample;
  card.read(sample);
  EXPECT_TRUE(sample.status & motor_status::watchdog_tripped);
  ASSERT_EQ(card.arm(), HardwareError::none);
  card.write({1.0, 1.0});
  EXPECT_EQ(motor_volts(), (std::array<double, 2>{1.0, 1.0}));
  card.disarm();
  EXPECT_EQ(motor_volts(), (std::array<double, 2>{0.0, 0.0}));
}

TEST(HilCard, NamesTheVendorsErrorForAnUnknownCard)
{
  HilCard card("q99", "0", test_library());
  EXPECT_EQ(card.open(), HardwareError::no_device);
  EXPECT_THAT(card.explanation(), testing::HasSubstr("hil_open failed with the vendor's error -1"));
}

TEST(HilCard, ALibraryWithoutTheFunctionsIsNotTaken)
{
  HilSettings settings;
  settings.library = "libm.so.6";
  HilCard card("q2_usb", "0", settings);
  EXPECT_EQ(card.open(), HardwareError::library_missing);
  EXPECT_THAT(card.explanation(), testing::HasSubstr("has no function hil_"));
}

class HilCommand : public ProgramTest
{
};

TEST_F(HilCommand, AMissingSdkSaysWhatToInstall)
{
  run({"plan", FIVEBAR_SOURCE_DIR "/config/curves/b.yaml", "--out", path("plan.csv")});
  const Outcome outcome =
    run({"run", path("plan.csv"), "--hardware", "hil:q2_usb", "--homed", "--uncommissioned"});
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_THAT(outcome.err, testing::HasSubstr("Install the Quanser SDK"));
}

/// At 1 kHz by the program's own pacing, with the vendor's library as the robot's clock.
TEST_F(HilCommand, PlaysCurveBLikeTheSimulatedRobot)
{
  run({"plan", FIVEBAR_SOURCE_DIR "/config/curves/b.yaml", "--out", path("plan.csv")});
  run({"run", path("plan.csv"), "--fast", "--json", path("sim.json")});
  const double simulated_ise =
    nlohmann::json::parse(content_of(path("sim.json")))["tracking"]["ise"];
  std::string calibration = content_of(FIVEBAR_SOURCE_DIR "/config/hardware/hil.yaml");
  const std::string vendor = "library: libhil.so";
  calibration.replace(
    calibration.find(vendor), vendor.size(), "library: " FIVEBAR_HIL_TEST_LIBRARY);
  const std::string file = write("hil.yaml", calibration);
  preload_shared_clock("alone");
  const Outcome outcome = run(
    {"run", path("plan.csv"), "--hardware", "hil:q2_usb:0", "--homed", "--calibration", file,
     "--uncommissioned", "--json", path("hil.json")});
  unsetenv("LD_PRELOAD");
  unsetenv("FIVEBAR_CLOCK");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto report = nlohmann::json::parse(content_of(path("hil.json")));
  EXPECT_EQ(report["timing"]["late_cycles"], 0);
  const double ise = report["tracking"]["ise"];
  std::printf("ISE: simulated %.3e, HIL card %.3e m^2 s\n", simulated_ise, ise);
  EXPECT_NEAR(ise, simulated_ise, 0.02 * simulated_ise);
}

}  // namespace
}  // namespace fivebar_control::test
