// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/model/robot_file.hpp"

namespace fivebar_control::fuzz
{

/// The robot of config/robot.yaml.
inline const RobotModel & known_robot()
{
  static const RobotModel robot = load_robot(FIVEBAR_SOURCE_DIR "/config/robot.yaml");
  return robot;
}

}  // namespace fivebar_control::fuzz
