// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "fivebar_control/hardware/hil_card.hpp"
#include "hardware/emulation.hpp"

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

std::array<double, 2> motor_volts()
{
  void * library = dlopen(FIVEBAR_HIL_TEST_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
  const auto function = reinterpret_cast<void (*)(double *)>(dlsym(library, "fivebar_test_volts"));
  std::array<double, 2> volts{};
  function(volts.data());
  return volts;
}

TEST(HilCard, DrivesAndReadsThroughTheVendorsInterface)
{
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
    sleep_ms(1);
  }
  ASSERT_EQ(card.read(sample), HardwareError::none);
  EXPECT_GT(sample.counts[0], 5);
}

TEST(HilCard, TheCardItselfGoesToZeroWhenItHearsNothing)
{
  HilCard card("q2_usb", "0", test_library());
  ASSERT_EQ(card.open(), HardwareError::none);
  ASSERT_EQ(card.arm(), HardwareError::none);
  ASSERT_EQ(card.write({2.0, -2.0}), HardwareError::none);
  EXPECT_EQ(motor_volts(), (std::array<double, 2>{2.0, -2.0}));
  sleep_ms(60);
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

/// Runs that the machine held up say nothing and are repeated; the limit stays.
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
  for (int i = 0; i < 10; ++i)
  {
    const Outcome outcome = run(
      {"run", path("plan.csv"), "--hardware", "hil:q2_usb:0", "--homed", "--calibration", file,
       "--uncommissioned", "--json", path("hil.json")});
    const auto report = nlohmann::json::parse(content_of(path("hil.json")));
    if (!was_held_up(report))
    {
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
      EXPECT_NEAR(report["tracking"]["ise"], simulated_ise, 0.05 * simulated_ise);
      std::printf("%s", outcome.out.c_str());
      return;
    }
  }
  GTEST_SKIP() << "the machine delayed every one of 10 runs";
}

}  // namespace
}  // namespace fivebar_control::test
