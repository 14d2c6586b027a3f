// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <memory>

#include "fivebar_control/simulation/mjcf.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "model/robots.hpp"

namespace fivebar_control
{
namespace
{

using ModelPointer = std::unique_ptr<mjModel, void (*)(mjModel *)>;
using DataPointer = std::unique_ptr<mjData, void (*)(mjData *)>;

ModelPointer compiled(const RobotModel & robot)
{
  const std::string path =
    testing::TempDir() + "mjcf_" + robot.fingerprint() + "_" + std::to_string(getpid()) + ".xml";
  write_file_atomically(path, mjcf_of(robot));
  std::array<char, 1000> error{};
  ModelPointer model(
    mj_loadXML(path.c_str(), nullptr, error.data(), static_cast<int>(error.size())),
    mj_deleteModel);
  std::remove(path.c_str());
  EXPECT_TRUE(model) << error.data();
  return model;
}

class MjcfNumbers : public testing::TestWithParam<const char *>
{
};

}  // namespace

TEST_P(MjcfNumbers, AreThoseOfTheRobotFile)
{
  const RobotModel robot = load_robot(test::config_path(GetParam()));
  const Physics<double> & physics = robot.physics();
  const ModelPointer model = compiled(robot);
  const DataPointer data(mj_makeData(model.get()), mj_deleteData);
  mj_forward(model.get(), data.get());
  const auto id = [&](mjtObj type, const std::string & name) {
    const int found = mj_name2id(model.get(), type, name.c_str());
    EXPECT_GE(found, 0) << name;
    return found;
  };
  for (std::size_t i = 0; i < 4; ++i)
  {
    const int body = id(mjOBJ_BODY, "link_" + std::to_string(i + 1));
    EXPECT_EQ(model->body_mass[body], physics.links[i].mass);
    EXPECT_EQ(model->body_inertia[3 * body + 2], physics.links[i].inertia);
    EXPECT_EQ(model->body_ipos[3 * body], physics.links[i].center.x());
    EXPECT_EQ(model->body_ipos[3 * body + 1], physics.links[i].center.y());
  }
  const char * const names[] = {"1", "4"};
  const std::array<Eigen::Vector2d, 2> pivots{physics.pivot_1, physics.pivot_4};
  for (std::size_t i = 0; i < 2; ++i)
  {
    const int joint = id(mjOBJ_JOINT, std::string("joint_") + names[i]);
    const int dof = model->jnt_dofadr[joint];
    const Motor<double> & motor = physics.motors[i];
    const double ratio = motor.gear_ratio;
    EXPECT_DOUBLE_EQ(model->dof_armature[dof], ratio * ratio * motor.rotor_inertia);
    const double electric = motor.torque_constant * motor.back_emf_constant / motor.resistance;
    EXPECT_NEAR(
      model->dof_damping[dof],
      ratio * ratio * (electric + motor.damping) + physics.friction[i].viscous, 1e-15);
    const int actuator = id(mjOBJ_ACTUATOR, std::string("motor_") + names[i]);
    EXPECT_NEAR(
      model->actuator_gear[6 * actuator], ratio * motor.torque_constant / motor.resistance, 1e-15);
    EXPECT_EQ(data->qpos[model->jnt_qposadr[joint]], robot.parameters().home[Eigen::Index(i)]);
    EXPECT_NEAR(data->xanchor[3 * joint], pivots[i].x(), 1e-15);
    EXPECT_NEAR(data->xanchor[3 * joint + 1], pivots[i].y(), 1e-15);
  }
  EXPECT_EQ(model->opt.gravity[0], physics.gravity.x());
  EXPECT_EQ(model->opt.gravity[1], physics.gravity.y());
  const Eigen::Vector2d end = robot.kinematics().forward(robot.parameters().home)->end_effector;
  for (const char * site : {"end_effector_2", "end_effector_3"})
  {
    const mjtNum * at = data->site_xpos + 3 * id(mjOBJ_SITE, site);
    EXPECT_NEAR(at[0], end.x(), 1e-12) << site;
    EXPECT_NEAR(at[1], end.y(), 1e-12) << site;
  }
}

INSTANTIATE_TEST_SUITE_P(
  Robots, MjcfNumbers, testing::Values("robot.yaml", "robots/unequal.yaml"),
  [](const auto & robot_file) {
    return std::string(robot_file.param) == "robot.yaml" ? "Default" : "Unequal";
  });

}  // namespace fivebar_control
