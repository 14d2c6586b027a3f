// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <memory>
#include <numbers>

#include "fivebar_control/model/runge_kutta.hpp"
#include "fivebar_control/simulation/mjcf.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "model/robots.hpp"

// MuJoCo knows nothing of our equations: it gets bodies, hinges and a loop closure, and must move
// the same way.

namespace fivebar_control
{
namespace
{

struct ModelDeleter
{
  void operator()(mjModel * model) const { mj_deleteModel(model); }
};
struct DataDeleter
{
  void operator()(mjData * data) const { mj_deleteData(data); }
};

/// The Coulomb friction of the robot under test, which MuJoCo evaluates at every stage of its
/// integrator. Its callback is global, hence this variable.
const RobotModel * friction_of = nullptr;

void add_coulomb_friction(const mjModel * model, mjData * data)
{
  const char * const joints[] = {"joint_1", "joint_4"};
  for (std::size_t i = 0; i < 2; ++i)
  {
    const int joint = mj_name2id(model, mjOBJ_JOINT, joints[i]);
    const int dof = model->jnt_dofadr[joint];
    const Friction<double> & friction = friction_of->physics().friction[i];
    data->qfrc_passive[dof] -=
      friction.coulomb * std::tanh(data->qvel[dof] / friction.coulomb_velocity);
  }
}

/// The robot in MuJoCo.
class Mujoco
{
public:
  Mujoco(const RobotModel & robot, const MjcfOptions & options)
  {
    const std::string path = testing::TempDir() + "fivebar_" + robot.fingerprint() + "_" +
                             std::to_string(getpid()) + ".xml";
    write_file_atomically(path, mjcf_of(robot, options));
    std::array<char, 1000> error{};
    model_.reset(mj_loadXML(path.c_str(), nullptr, error.data(), static_cast<int>(error.size())));
    std::remove(path.c_str());
    if (!model_)
    {
      throw std::runtime_error(error.data());
    }
    data_.reset(mj_makeData(model_.get()));
    friction_of = &robot;
    mjcb_passive = add_coulomb_friction;
    joint_1_ = id(mjOBJ_JOINT, "joint_1");
    joint_4_ = id(mjOBJ_JOINT, "joint_4");
  }
  ~Mujoco() { mjcb_passive = nullptr; }
  Mujoco(const Mujoco &) = delete;
  Mujoco & operator=(const Mujoco &) = delete;

  void step(const Eigen::Vector2d & voltage)
  {
    data_->ctrl[id(mjOBJ_ACTUATOR, "motor_1")] = voltage[0];
    data_->ctrl[id(mjOBJ_ACTUATOR, "motor_4")] = voltage[1];
    mj_step(model_.get(), data_.get());
  }

  Eigen::Vector2d phi() const
  {
    return {data_->qpos[model_->jnt_qposadr[joint_1_]], data_->qpos[model_->jnt_qposadr[joint_4_]]};
  }

  /// Distance of the two link ends that should be one point, at the present angles.
  double loop_error()
  {
    mj_kinematics(model_.get(), data_.get());
    const double * a = data_->site_xpos + 3 * id(mjOBJ_SITE, "end_effector_2");
    const double * b = data_->site_xpos + 3 * id(mjOBJ_SITE, "end_effector_3");
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
  }

  bool has_only_planar_degrees_of_freedom() const { return model_->nv == 4; }

private:
  int id(mjtObj type, const char * name) const { return mj_name2id(model_.get(), type, name); }

  std::unique_ptr<mjModel, ModelDeleter> model_;
  std::unique_ptr<mjData, DataDeleter> data_;
  int joint_1_ = 0;
  int joint_4_ = 0;
};

/// Largest differences along a motion.
struct Difference
{
  double angle = 0.0;   ///< rad
  double loop = 0.0;    ///< m
  double travel = 0.0;  ///< rad, how far the driven links went from home
  double margin = 1.0;  ///< smallest sine of the singularities
};

/// Steps both models with the same voltages, held over each step.
template <class Voltage>
Difference compare(const RobotModel & robot, Voltage && voltage, double duration, double step)
{
  MjcfOptions options;
  options.time_step = step;
  Mujoco mujoco(robot, options);
  EXPECT_TRUE(mujoco.has_only_planar_degrees_of_freedom());
  Eigen::Vector4d x = robot.home_state();
  Difference worst;
  const int steps = static_cast<int>(std::lround(duration / step));
  for (int i = 0; i < steps; ++i)
  {
    const Eigen::Vector2d u = voltage((i + 0.5) * step);
    mujoco.step(u);
    x = runge_kutta_step<double>(robot.constants(), x, u, u, step);
    worst.angle = std::max(worst.angle, (mujoco.phi() - x.head<2>()).cwiseAbs().maxCoeff());
    worst.loop = std::max(worst.loop, mujoco.loop_error());
    worst.travel =
      std::max(worst.travel, (x.head<2>() - robot.parameters().home).cwiseAbs().maxCoeff());
    const auto pose = robot.kinematics().forward(x.head<2>());
    worst.margin =
      !pose
        ? 0.0
        : std::min(
            {worst.margin, pose->margins.parallel, pose->margins.serial_1, pose->margins.serial_4});
  }
  return worst;
}

/// Random sines around the voltages that hold the robot at home.
class SmoothVoltages
{
public:
  SmoothVoltages(const RobotModel & robot, test::RandomStates & random, double amplitude)
  : offset_(
      inverse_dynamics<double>(robot.constants(), robot.home_state(), Eigen::Vector2d::Zero()))
  {
    for (Wave & wave : waves_)
    {
      wave = {
        {random.uniform(-amplitude, amplitude), random.uniform(-amplitude, amplitude)},
        random.uniform(2.0, 20.0),
        {random.uniform(0.0, 2.0 * std::numbers::pi), random.uniform(0.0, 2.0 * std::numbers::pi)}};
    }
  }

  Eigen::Vector2d operator()(double t) const
  {
    Eigen::Vector2d u = offset_;
    for (const Wave & wave : waves_)
    {
      for (int i = 0; i < 2; ++i)
      {
        u[i] += wave.amplitude[i] * std::sin(wave.frequency * t + wave.phase[i]);
      }
    }
    return u;
  }

private:
  struct Wave
  {
    Eigen::Vector2d amplitude;  // V
    double frequency = 0.0;     // rad/s
    Eigen::Vector2d phase;
  };
  Eigen::Vector2d offset_;
  std::array<Wave, 4> waves_;
};

/// Does the model stay clear of singularities over this motion?
bool stays_clear(const RobotModel & robot, const SmoothVoltages & voltages, double duration)
{
  Eigen::Vector4d x = robot.home_state();
  const double step = 1e-3;
  for (double t = 0.0; t < duration; t += step)
  {
    x = runge_kutta_step<double>(robot.constants(), x, voltages(t), voltages(t + step), step);
    const auto pose = robot.kinematics().forward(x.head<2>());
    if (
      !pose || pose->margins.parallel < 0.3 || pose->margins.serial_1 < 0.1 ||
      pose->margins.serial_4 < 0.1)
    {
      return false;
    }
  }
  return true;
}

class MujocoAgrees : public testing::TestWithParam<const char *>
{
};

}  // namespace

TEST_P(MujocoAgrees, AlongRandomVoltages)
{
  const RobotModel robot = load_robot(test::config_path(GetParam()));
  test::RandomStates random(robot, 2024);
  const double duration = 2.5;
  int motions = 0;
  for (int draw = 0; draw < 1000 && motions < 3; ++draw)
  {
    const SmoothVoltages voltages(robot, random, 2.0);
    if (!stays_clear(robot, voltages, duration))
    {
      continue;
    }
    ++motions;
    const Difference difference = compare(robot, voltages, duration, 1e-4);
    EXPECT_LT(difference.angle, 1e-6);
    EXPECT_LT(difference.loop, 1e-6);
    EXPECT_GT(difference.travel, 0.2) << "the motion must be one";
    std::printf(
      "  motion %d: angles within %.1e rad, loop within %.1e m, travel %.2f rad, margin %.2f\n",
      motions, difference.angle, difference.loop, difference.travel, difference.margin);
  }
  EXPECT_EQ(motions, 3);
}

INSTANTIATE_TEST_SUITE_P(
  Robots, MujocoAgrees, testing::Values("robot.yaml", "robots/unequal.yaml"),
  [](const auto & robot_file) {
    return std::string(robot_file.param) == "robot.yaml" ? "Default" : "Unequal";
  });

TEST(Mujoco, GivesTheReferenceResponse)
{
  // The figures come from two independent models (shared with the project's specification).
  const RobotModel robot = test::default_robot();
  MjcfOptions options;
  Mujoco mujoco(robot, options);
  const double figures[][3] = {
    {1.0, 0.510620232, 1.606529151},
    {2.0, 0.644939455, 1.524556038},
    {5.0, 0.703601607, 1.669750997}};
  int i = 0;
  for (const auto & [time, phi1, phi4] : figures)
  {
    for (; i < std::lround(time / options.time_step); ++i)
    {
      const double t = (i + 0.5) * options.time_step;
      mujoco.step({0.5 * std::sin(2.0 * t), 0.25 * std::cos(3.0 * t)});
    }
    std::printf(
      "  at %g s: %.1e rad, %.1e rad from the figures\n", time, mujoco.phi()[0] - phi1,
      mujoco.phi()[1] - phi4);
    EXPECT_NEAR(mujoco.phi()[0], phi1, 1e-6);
    EXPECT_NEAR(mujoco.phi()[1], phi4, 1e-6);
    EXPECT_LT(mujoco.loop_error(), 1e-6);
  }
}

}  // namespace fivebar_control
