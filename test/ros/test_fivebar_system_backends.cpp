// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "fivebar_control/hardware/backends/backend.hpp"
#include "fivebar_control/support/text_file.hpp"
#include "hardware/emulation.hpp"
#include "system_fixture.hpp"

// The backends that a URDF can choose, each behind the same plugin.
namespace fivebar_control::test
{
namespace
{

using CallbackReturn = hardware_interface::CallbackReturn;
using Return = hardware_interface::return_type;

hardware_interface::HardwareInfo info_with(const std::string & backend)
{
  auto info = hardware_info();
  info.hardware_parameters["backend"] = backend;
  info.hardware_parameters["calibration"] = config_path(default_calibration(backend));
  info.hardware_parameters["plant"] = "";
  info.hardware_parameters["homed"] = "true";
  info.hardware_parameters["uncommissioned"] = "true";
  // A read through the pseudo-terminal of a busy machine may be late; what is tolerated is tested
  // elsewhere.
  info.hardware_parameters["tolerated_errors"] = "1000";
  return info;
}

/// Drives for 60 ms of real time and returns the angle of link 1.
double angle_after_two_volts(SystemUnderTest & system)
{
  for (int i = 0; i < 60; ++i)
  {
    EXPECT_EQ(system.read(), Return::OK);
    system.set("joint_1/voltage", 2.0);
    EXPECT_EQ(system.write(), Return::OK);
    sleep_ms(1);
  }
  EXPECT_EQ(system.read(), Return::OK);
  return system.value("joint_1/position");
}

TEST(FiveBarSystemBackends, MujocoMovesLikeOurOwnEquations)
{
  SystemUnderTest own(info_with("sim"));
  SystemUnderTest other(info_with("mujoco"));
  if (other.init_result() != CallbackReturn::SUCCESS)
  {
    GTEST_SKIP() << "MuJoCo is not installed (package libmujoco-dev)";
  }
  const double count = 2.0 * M_PI / 4096.0;
  own.configure_and_activate();
  other.configure_and_activate();
  EXPECT_NEAR(angle_after_two_volts(own), angle_after_two_volts(other), count);
  EXPECT_GT(own.value("joint_1/position"), 0.02);
}

TEST(FiveBarSystemBackends, TheSerialBoardIsDrivenAndDisarmed)
{
  const std::string link = link_name("ros");
  BoardThread board({link});
  {
    SystemUnderTest system(info_with("serial:" + link));
    system.configure_and_activate();
    EXPECT_EQ(system.value("motor_board/simulated"), 0.0);
    EXPECT_TRUE(board.board().is_armed());
    EXPECT_GT(angle_after_two_volts(system), 0.02);
    EXPECT_EQ(system->on_deactivate(any_state()), CallbackReturn::SUCCESS);
    sleep_ms(20);
    EXPECT_FALSE(board.board().is_armed());
    EXPECT_EQ(system->on_cleanup(any_state()), CallbackReturn::SUCCESS);
  }
  board.stop();
  EXPECT_TRUE(board.board().robot().volts().isZero(0.0));
}

TEST(FiveBarSystemBackends, ACableThatFallsOutIsAnError)
{
  const std::string link = link_name("ros_cable");
  EmulatorOptions options{link};
  options.faults = parse_faults("schema: 1\nfaults: [{at: 0.03, fault: unplug}]\n", "script");
  BoardThread board(options);
  auto info = info_with("serial:" + link);
  info.hardware_parameters["tolerated_errors"] = "5";
  SystemUnderTest system(info);
  system.configure_and_activate();
  Return result = Return::OK;
  for (int i = 0; i < 1000 && result == Return::OK; ++i)
  {
    result = system.read();
    system.set("joint_1/voltage", 1.0);
    system.write();
    sleep_ms(1);
  }
  EXPECT_EQ(result, Return::ERROR);
  EXPECT_EQ(system->on_error(any_state()), CallbackReturn::SUCCESS);
  sleep_ms(60);  // the board's watchdog
  board.stop();
  EXPECT_TRUE(board.board().robot().volts().isZero(0.0));
}

TEST(FiveBarSystemBackends, TheHilCardIsDrivenThroughTheVendorsInterface)
{
  std::string text = read_text_file(config_path("hardware/hil.yaml"), 100'000);
  const std::string library = "libhil.so";
  ASSERT_NE(text.find(library), std::string::npos);
  text.replace(text.find(library), library.size(), FIVEBAR_HIL_TEST_LIBRARY);
  const std::string file = link_name("hil_calibration");
  std::ofstream(file) << text;
  auto info = info_with("hil:q2_usb");
  info.hardware_parameters["calibration"] = file;
  SystemUnderTest system(info);
  system.configure_and_activate();
  EXPECT_GT(angle_after_two_volts(system), 0.02);
  EXPECT_EQ(system->on_deactivate(any_state()), CallbackReturn::SUCCESS);
  std::filesystem::remove(file);
}

TEST(FiveBarSystemBackends, HardwareThatIsNotThereDoesNotConfigure)
{
  SystemUnderTest no_port(info_with("serial:/nowhere/robot"));
  ASSERT_EQ(no_port.init_result(), CallbackReturn::SUCCESS);
  EXPECT_EQ(no_port->on_configure(any_state()), CallbackReturn::FAILURE);
  auto no_file = info_with("serial:/nowhere/robot");
  no_file.hardware_parameters["calibration"] = "/nowhere/serial.yaml";
  EXPECT_EQ(SystemUnderTest(no_file).init_result(), CallbackReturn::ERROR);
  EXPECT_EQ(SystemUnderTest(info_with("serial:")).init_result(), CallbackReturn::ERROR);
}

}  // namespace
}  // namespace fivebar_control::test
