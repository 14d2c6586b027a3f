// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/simulation/mujoco_engine.hpp"
#include "fivebar_control/simulation/pendulum_engine.hpp"
#include "fivebar_control/support/errors.hpp"

// In place of mujoco_engine.cpp where MuJoCo's headers were not found.

namespace fivebar_control
{

std::unique_ptr<PlantEngine> make_mujoco_engine(const RobotModel &, const PlantParameters &)
{
  throw InputError(
    "MuJoCo: this program was built without it; install libmujoco-dev (or MuJoCo's own release), "
    "then configure and build again");
}

std::unique_ptr<PendulumEngine> make_mujoco_pendulum(
  const RobotModel & robot, const PendulumParameters &, double)
{
  make_mujoco_engine(robot, {});
  return nullptr;
}

std::unique_ptr<PlantEngine> make_mujoco_engine_from(
  const std::string &, const RobotModel & robot, const PlantParameters & plant)
{
  return make_mujoco_engine(robot, plant);
}

}  // namespace fivebar_control
