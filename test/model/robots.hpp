// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <string>

#include "fivebar_control/model/robot_file.hpp"

namespace fivebar_control::test
{

inline std::string config_path(const std::string & name)
{
  return std::string(FIVEBAR_SOURCE_DIR) + "/config/" + name;
}

/// The robots that every test of the model runs on.
inline RobotModel default_robot() { return load_robot(config_path("robot.yaml")); }
inline RobotModel unequal_robot() { return load_robot(config_path("robots/unequal.yaml")); }

/// Random states within the joint limits and away from singularities of both kinds.
class RandomStates
{
public:
  RandomStates(const RobotModel & robot, unsigned seed) : robot_(robot), generator_(seed) {}

  Eigen::Vector4d state(double margin = 0.2, double speed = 5.0)
  {
    const Limits & limits = robot_.limits();
    for (;;)
    {
      const Eigen::Vector4d x(
        uniform(limits.joint_minimum[0], limits.joint_maximum[0]),
        uniform(limits.joint_minimum[1], limits.joint_maximum[1]), uniform(-speed, speed),
        uniform(-speed, speed));
      const auto pose = robot_.kinematics().forward(x.head<2>());
      if (
        pose && pose->margins.parallel > margin && pose->margins.serial_1 > margin &&
        pose->margins.serial_4 > margin)
      {
        return x;
      }
    }
  }

  Eigen::Vector2d voltages()
  {
    const double limit = robot_.limits().voltage;
    return {uniform(-limit, limit), uniform(-limit, limit)};
  }

  double uniform(double low, double high)
  {
    return std::uniform_real_distribution<double>(low, high)(generator_);
  }

private:
  const RobotModel & robot_;
  std::mt19937 generator_;
};

}  // namespace fivebar_control::test
