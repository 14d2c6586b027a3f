// SPDX-License-Identifier: Apache-2.0
#include "hardware_tag.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "fivebar_control/commission/stamp.hpp"
#include "fivebar_control/hardware/hardware_parameter.hpp"
#include "fivebar_control/ros/compatibility.hpp"
#include "fivebar_control/support/config_location.hpp"
#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{
namespace
{

bool has_interface(
  const std::vector<hardware_interface::InterfaceInfo> & interfaces, const char * name)
{
  return std::any_of(
    interfaces.begin(), interfaces.end(), [name](const auto & i) { return i.name == name; });
}

bool has_good_commands(const hardware_interface::ComponentInfo & joint)
{
  const std::size_t count = joint.command_interfaces.size();
  return has_interface(joint.command_interfaces, "voltage") &&
         (count == 1 || (count == 2 && has_interface(joint.command_interfaces, "effort")));
}

bool flag(const hardware_interface::HardwareInfo & info, const std::string & name)
{
  // A text, as xacro writes it.
  const std::string text = tag_parameter(info, name, "false");
  if (text != "true" && text != "True" && text != "false" && text != "False")
  {
    throw InputError(
      fmt::format("<param name=\"{}\">: expected true or false, found '{}'", name, text));
  }
  return text == "true" || text == "True";
}

}  // namespace

std::string tag_parameter(
  const hardware_interface::HardwareInfo & info, const std::string & name,
  const std::string & otherwise)
{
  const auto found = info.hardware_parameters.find(name);
  return found == info.hardware_parameters.end() || found->second.empty() ? otherwise
                                                                          : found->second;
}

void require_joints(const hardware_interface::HardwareInfo & info)
{
  if (info.joints.size() != 2 && info.joints.size() != 4)
  {
    throw InputError(fmt::format(
      "<ros2_control name=\"{}\">: expected the joints joint_1, joint_4 and optionally joint_2, "
      "joint_3 in this order, found {} joints",
      info.name, info.joints.size()));
  }
  for (std::size_t i = 0; i < info.joints.size(); ++i)
  {
    const auto & joint = info.joints[i];
    const bool driven = i < 2;
    const bool commands_good = driven ? has_good_commands(joint) : joint.command_interfaces.empty();
    const bool states_good = has_interface(joint.state_interfaces, "position") &&
                             has_interface(joint.state_interfaces, "velocity") &&
                             joint.state_interfaces.size() == 2;
    if (!commands_good || !states_good)
    {
      throw InputError(fmt::format(
        "<joint name=\"{}\">: expected {} and the state interfaces position and velocity",
        joint.name,
        driven ? "the command interface voltage, optionally also effort,"
               : "no command interface (a passive joint)"));
    }
  }
}

SystemSettings system_settings(const hardware_interface::HardwareInfo & info)
{
  const auto number = [&](const char * name, const char * otherwise, int least, int most) {
    return whole_number(name, tag_parameter(info, name, otherwise), least, most);
  };
  SystemSettings settings;
  settings.backend = tag_parameter(info, "backend", "sim");
  settings.motor_board = tag_parameter(info, "motor_board", "motor_board");
  settings.stamp = tag_parameter(info, "stamp", "");
  settings.uncommissioned = flag(info, "uncommissioned");
  settings.tolerated_errors = number("tolerated_errors", "5", 0, 1000);
  settings.effort_timeout_ns = 1'000'000LL * number("effort_timeout", "100", 1, 10'000);
  const unsigned int told = compatibility::read_rate(info);
  const int rate = told > 0 ? static_cast<int>(told) : number("rate", "1000", 1, 100'000);
  settings.period_ns = 1'000'000'000 / rate;
  return settings;
}

BackendChoice backend_choice(
  const hardware_interface::HardwareInfo & info, const SystemSettings & settings,
  const RobotModel & robot)
{
  BackendChoice choice;
  choice.name = settings.backend;
  if (const std::string plant = tag_parameter(info, "plant", ""); !plant.empty())
  {
    choice.plant = load_plant(plant);
  }
  choice.start = robot.parameters().home;
  choice.period_ns = settings.period_ns;
  if (const std::string in_config = default_calibration(choice.name); !in_config.empty())
  {
    choice.calibration = given_or_config(tag_parameter(info, "calibration", ""), in_config);
  }
  choice.zero = {default_state_folder(), flag(info, "homed")};
  return choice;
}

std::string objection_to(
  const SystemSettings & settings, const BackendChoice & choice, const RobotModel & robot)
{
  if (device_kind(choice.name).empty())
  {
    return "";
  }
  const std::string stamp =
    settings.stamp.empty() ? commission::default_stamp(choice.name) : settings.stamp;
  return commission::objection_to_driving(
    stamp, choice.name, robot, load_calibration(choice.calibration, robot));
}

}  // namespace fivebar_control
