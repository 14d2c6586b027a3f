// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "fivebar_control/commission/stamp.hpp"
#include "fivebar_control/commission/step.hpp"
#include "hardware/emulation.hpp"
#include "system_fixture.hpp"

// Real motors, here emulated: what moves when, and what may drive them. The board waits for its
// host, so that nothing depends on how busy the machine is.
namespace fivebar_control::test
{
namespace
{

using CallbackReturn = hardware_interface::CallbackReturn;
using Return = hardware_interface::return_type;

const char * const to_the_stops =
  "homing: {method: end_stop, phi1: -0.3, phi4: 1.9, voltage_1: -2.5, voltage_4: 2.5}\n";
// The emulated marks are 0.2 rad from home.
const char * const to_the_marks =
  "homing: {method: index_pulse, phi1: 0.2, phi4: 1.7707963267948966, voltage_1: 1.0, "
  "voltage_4: 1.0}\n";

class SerialSystem : public testing::Test
{
protected:
  void SetUp() override
  {
    ASSERT_FALSE(rclcpp::ok());
    PlantParameters plant;
    plant.end_stops = {Eigen::Vector2d(-0.3, 1.2), Eigen::Vector2d(0.4, 1.9)};
    EmulatorOptions options{link};
    options.lock_step_ns = 1'000'000;
    // About as fast as a real one, so that a test can act in the middle of the homing.
    options.on_frame = [](std::int64_t) { sleep_ms(1); };
    board = std::make_unique<BoardThread>(options, plant);
  }
  void TearDown() override
  {
    std::filesystem::remove(calibration);
    std::filesystem::remove(stamp);
    if (rclcpp::ok())
    {
      rclcpp::shutdown();
    }
  }

  hardware_interface::HardwareInfo info(const std::string & homing)
  {
    std::ofstream(calibration)
      << "schema: 1\njoint_1: &j {counts_per_revolution: 4096, output_limit: 10}\njoint_4: *j\n"
         "serial: {lock_step: true}\n"
      << homing;
    auto info = hardware_info();
    info.hardware_parameters["backend"] = "serial:" + link;
    info.hardware_parameters["calibration"] = calibration;
    info.hardware_parameters["plant"] = "";
    info.hardware_parameters["homed"] = "true";
    info.hardware_parameters["stamp"] = stamp;
    info.hardware_parameters["uncommissioned"] = "true";
    return info;
  }

  /// Volts that the motors had at most; the board ends with none. Ends the board.
  double largest_volts()
  {
    board->stop();
    double largest = 0.0;
    for (const EmulatedBoard::Event & event : board->board().events())
    {
      largest = std::max(largest, event.volts.cwiseAbs().maxCoeff());
    }
    EXPECT_TRUE(board->board().robot().volts().isZero(0.0));
    return largest;
  }

  /// Cycles as the manager does them, until the links are homed.
  void run_until_armed(SystemUnderTest & system)
  {
    for (int i = 0; i < 20'000 && system.value("motor_board/armed") == 0.0; ++i)
    {
      ASSERT_EQ(system.read(), Return::OK);
      ASSERT_EQ(system.write(), Return::OK);
      sleep_ms(1);
    }
    ASSERT_EQ(system.value("motor_board/armed"), 1.0);
  }

  const std::string link = link_name("ros_homing");
  const std::string calibration = link + "_calibration.yaml";
  const std::string stamp = link + "_stamp.json";
  std::unique_ptr<BoardThread> board;
};

TEST_F(SerialSystem, MovesNothingWhileItIsConfigured)
{
  SystemUnderTest system(info(to_the_stops));
  ASSERT_EQ(system->on_configure(any_state()), CallbackReturn::SUCCESS);
  for (int i = 0; i < 50; ++i)
  {
    ASSERT_EQ(system.read(), Return::OK);
    ASSERT_EQ(system.write(), Return::OK);
  }
  EXPECT_TRUE(std::isnan(system.value("joint_1/position"))) << "nobody knows it yet";
  EXPECT_TRUE(std::isnan(system.value("joint_3/velocity")));
  EXPECT_EQ(system.value("motor_board/armed"), 0.0);
  ASSERT_EQ(system->on_cleanup(any_state()), CallbackReturn::SUCCESS);
  EXPECT_EQ(largest_volts(), 0.0);
}

class HomedSystem : public SerialSystem, public testing::WithParamInterface<const char *>
{
};

TEST_P(HomedSystem, HomesWhenItIsActivatedAndObeysAfterwards)
{
  SystemUnderTest system(info(GetParam()));
  ASSERT_EQ(system->on_configure(any_state()), CallbackReturn::SUCCESS);
  ASSERT_EQ(system->on_activate(any_state()), CallbackReturn::SUCCESS);
  // A controller that was activated during the homing and is at rest.
  system->perform_command_mode_switch({"joint_1/voltage", "joint_4/voltage"}, {});
  run_until_armed(system);
  const double before = system.value("joint_1/position");
  system.set("joint_1/voltage", 1.5);
  for (int i = 0; i < 60; ++i)
  {
    ASSERT_EQ(system.write(), Return::OK);
    ASSERT_EQ(system.read(), Return::OK);
  }
  EXPECT_GT(system.value("joint_1/position"), before + 0.005);
  ASSERT_EQ(system->on_deactivate(any_state()), CallbackReturn::SUCCESS);
  // Known from now on: the second activation arms at once.
  ASSERT_EQ(system->on_activate(any_state()), CallbackReturn::SUCCESS);
  EXPECT_TRUE(board->board().is_armed());
  EXPECT_EQ(system.value("motor_board/arm_count"), 2.0);
  ASSERT_EQ(system->on_cleanup(any_state()), CallbackReturn::SUCCESS);
  EXPECT_LE(largest_volts(), 2.5);
}

INSTANTIATE_TEST_SUITE_P(
  By, HomedSystem, testing::Values(to_the_stops, to_the_marks),
  [](const auto & homing) { return homing.index == 0 ? "end_stop" : "index_pulse"; });

TEST_F(SerialSystem, ShowsTrueAnglesAfterTheHoming)
{
  SystemUnderTest system(info(to_the_marks));
  ASSERT_EQ(system->on_configure(any_state()), CallbackReturn::SUCCESS);
  ASSERT_EQ(system->on_activate(any_state()), CallbackReturn::SUCCESS);
  run_until_armed(system);
  for (int i = 0; i < 300; ++i)  // until the links are at rest
  {
    ASSERT_EQ(system.read(), Return::OK);
    ASSERT_EQ(system.write(), Return::OK);
  }
  const double count = 2.0 * std::numbers::pi / 4096.0;
  ASSERT_EQ(system->on_cleanup(any_state()), CallbackReturn::SUCCESS);
  board->stop();
  const Eigen::Vector2d truth = board->board().robot().angle();
  EXPECT_NEAR(system.value("joint_1/position"), truth[0], count);
  EXPECT_NEAR(system.value("joint_4/position"), truth[1], count);
}

TEST_F(SerialSystem, DoesNotObeyAControllerThatCommandedBeforeTheArming)
{
  SystemUnderTest system(info(to_the_marks));
  ASSERT_EQ(system->on_configure(any_state()), CallbackReturn::SUCCESS);
  system->perform_command_mode_switch({"joint_1/voltage", "joint_4/voltage"}, {});
  ASSERT_EQ(system->on_activate(any_state()), CallbackReturn::SUCCESS);
  for (int i = 0; i < 20'000 && system.value("motor_board/arm_count") == 0.0; ++i)
  {
    system.set("joint_1/voltage", 7.0);
    ASSERT_EQ(system.read(), Return::OK);
    ASSERT_EQ(system.write(), Return::OK);
    sleep_ms(1);
  }
  ASSERT_EQ(system.value("motor_board/arm_count"), 1.0);
  EXPECT_EQ(system.value("motor_board/armed"), 0.0);
  ASSERT_EQ(system->on_cleanup(any_state()), CallbackReturn::SUCCESS);
  EXPECT_NEAR(largest_volts(), 1.0, 1e-9) << "those of the homing";
}

/// Each ends the homing while it drives; the motors must be without volts when the call returns, or
/// for a stop of ROS, some cycles later.
class StoppedHoming : public SerialSystem, public testing::WithParamInterface<const char *>
{
};

TEST_P(StoppedHoming, HasZeroVoltsAtTheMotors)
{
  const std::string way = GetParam();
  if (way == "ros")
  {
    rclcpp::init(0, nullptr);
  }
  SystemUnderTest system(info(to_the_stops));
  ASSERT_EQ(system->on_configure(any_state()), CallbackReturn::SUCCESS);
  ASSERT_EQ(system->on_activate(any_state()), CallbackReturn::SUCCESS);
  for (int i = 0; i < 5000 && !board->board().is_armed(); ++i)
  {
    ASSERT_EQ(system.read(), Return::OK);
    sleep_ms(1);
  }
  ASSERT_TRUE(board->board().is_armed());
  sleep_ms(30);
  if (way == "deactivate")
  {
    EXPECT_EQ(system->on_deactivate(any_state()), CallbackReturn::SUCCESS);
  }
  else if (way == "shutdown")
  {
    EXPECT_EQ(system->on_shutdown(any_state()), CallbackReturn::SUCCESS);
  }
  else
  {
    rclcpp::shutdown();
    Return result = Return::OK;
    for (int i = 0; i < 5000 && result == Return::OK; ++i)
    {
      result = system.read();
      sleep_ms(1);
    }
    EXPECT_EQ(result, Return::ERROR);
  }
  sleep_ms(20);  // the frame's way through the line
  EXPECT_FALSE(board->board().is_armed());
  EXPECT_TRUE(std::isnan(system.value("joint_1/position"))) << "it was not found";
  EXPECT_GT(largest_volts(), 0.0);
  bool disarmed = false;
  for (const EmulatedBoard::Event & event : board->board().events())
  {
    disarmed = disarmed || event.what == "disarmed by the host";
    EXPECT_TRUE(!disarmed || event.volts.isZero(0.0)) << event.what;
    EXPECT_EQ(event.what.find("watchdog"), std::string::npos) << event.what;
  }
  EXPECT_TRUE(disarmed);
}

INSTANTIATE_TEST_SUITE_P(
  By, StoppedHoming, testing::Values("deactivate", "shutdown", "ros"),
  [](const auto & way) { return std::string(way.param); });

TEST_F(SerialSystem, DrivesRealMotorsOnlyWithTheStampOfACommissioning)
{
  auto described = info("homing: {method: known_pose, at: open}\n");
  described.hardware_parameters["uncommissioned"] = "false";
  {
    SystemUnderTest system(described);
    ASSERT_EQ(system->on_configure(any_state()), CallbackReturn::SUCCESS);
    EXPECT_EQ(system.read(), Return::OK) << "angles may be looked at";
    EXPECT_EQ(system->on_activate(any_state()), CallbackReturn::FAILURE);
    EXPECT_FALSE(board->board().is_armed());
    EXPECT_EQ(system->on_cleanup(any_state()), CallbackReturn::SUCCESS);
  }
  const Calibration in_use = load_calibration(calibration, default_robot());
  commission::Record record;
  record.subject = commission::subject_of("serial:" + link, default_robot(), in_use);
  record.subject.board = commission::ask_board("serial:" + link, in_use);
  record.date = "2026-03-01T14:05:00Z";
  for (const commission::Step & step : commission::steps())
  {
    commission::StepResult result;
    result.name = step.name;
    record.put(result);
  }
  std::ofstream(stamp) << commission::to_text(record);
  {
    SystemUnderTest system(described);
    ASSERT_EQ(system->on_configure(any_state()), CallbackReturn::SUCCESS);
    EXPECT_EQ(system->on_activate(any_state()), CallbackReturn::SUCCESS);
    EXPECT_TRUE(board->board().is_armed());
    EXPECT_EQ(system->on_cleanup(any_state()), CallbackReturn::SUCCESS);
  }
}

}  // namespace
}  // namespace fivebar_control::test
