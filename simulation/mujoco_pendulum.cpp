// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "fivebar_control/model/joint_states.hpp"
#include "fivebar_control/simulation/pendulum_engine.hpp"
#include "fivebar_control/support/errors.hpp"
#include "mujoco_model.hpp"

namespace fivebar_control
{
namespace
{

class MujocoPendulum : public PendulumEngine
{
public:
  MujocoPendulum(const RobotModel & robot, const PendulumParameters & pendulum, double step)
  : model_(load_mujoco_model(pendulum_mjcf(robot, pendulum, step))),
    data_(mujoco_library().make_data(model_.get())),
    kinematics_(robot.kinematics()),
    longest_step_(model_->opt.timestep),
    time_constants_(model_->eq_solref[0] / longest_step_)
  {
    const auto joint = [this](const char * name) { return mujoco_id(*model_, mjOBJ_JOINT, name); };
    joints_ = {joint("joint_1"),    joint("joint_4"), joint("pendulum_1"),
               joint("pendulum_2"), joint("joint_2"), joint("joint_3")};
    motors_ = {
      mujoco_id(*model_, mjOBJ_ACTUATOR, "motor_1"), mujoco_id(*model_, mjOBJ_ACTUATOR, "motor_4")};
    mujoco_library().reset_data(model_.get(), data_.get());
  }

  void reset(const PendulumState<double> & x) override
  {
    mujoco_library().reset_data(model_.get(), data_.get());
    const JointStates all = joint_states(kinematics_, x.head<2>(), x.segment<2>(4));
    lost_ = !x.allFinite() || !std::isfinite(all.angle[2]) || !std::isfinite(all.angle[3]);
    if (lost_)
    {
      return;
    }
    for (std::size_t i = 0; i < 4; ++i)
    {
      const auto index = static_cast<Eigen::Index>(i);
      set(i, x[index], x[4 + index]);
    }
    set(4, all.angle[2], all.speed[2]);
    set(5, all.angle[3], all.speed[3]);
    mujoco_library().forward(model_.get(), data_.get());
  }

  void advance(
    const Eigen::Vector2d & from, const Eigen::Vector2d & to, double duration) noexcept override
  {
    const int steps = std::max(1, static_cast<int>(std::ceil(duration / longest_step_ - 1e-9)));
    model_->opt.timestep = duration / steps;
    model_->eq_solref[0] = time_constants_ * model_->opt.timestep;
    for (int i = 0; i < steps && !lost_; ++i)
    {
      // Held over a step: the mean of what goes linearly.
      const Eigen::Vector2d volts = from + (i + 0.5) / steps * (to - from);
      data_->ctrl[motors_[0]] = volts[0];
      data_->ctrl[motors_[1]] = volts[1];
      mujoco_library().step(model_.get(), data_.get());
      // MuJoCo puts a model that has blown up back to its initial pose and goes on.
      lost_ = data_->warning[mjWARN_BADQPOS].number > 0 ||
              data_->warning[mjWARN_BADQVEL].number > 0 ||
              data_->warning[mjWARN_BADQACC].number > 0;
    }
  }

  PendulumState<double> state() const noexcept override
  {
    PendulumState<double> x =
      PendulumState<double>::Constant(std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < 4 && !lost_; ++i)
    {
      const auto index = static_cast<Eigen::Index>(i);
      x[index] = data_->qpos[model_->jnt_qposadr[joints_[i]]];
      x[4 + index] = data_->qvel[model_->jnt_dofadr[joints_[i]]];
    }
    return x;
  }

  std::string name() const override { return mujoco_name(); }

private:
  void set(std::size_t joint, double angle, double speed)
  {
    data_->qpos[model_->jnt_qposadr[joints_[joint]]] = angle;
    data_->qvel[model_->jnt_dofadr[joints_[joint]]] = speed;
  }

  MujocoModel model_;
  MujocoData data_;
  Kinematics kinematics_;
  double longest_step_;    // s
  double time_constants_;  // of the loop closure, in steps
  std::array<int, 6> joints_{};
  std::array<int, 2> motors_{};
  bool lost_ = true;
};

}  // namespace

std::unique_ptr<PendulumEngine> make_mujoco_pendulum(
  const RobotModel & robot, const PendulumParameters & pendulum, double step)
{
  if (pendulum.axes != PendulumAxes::link_2)
  {
    throw InputError(
      "MuJoCo: a joint whose axes stay parallel to the plane's is on no body; expected axes: "
      "link_2");
  }
  if (robot.constants().has_coulomb)
  {
    throw InputError(
      "MuJoCo: the model with a pendulum has no dry friction; expected --engine sim for this "
      "robot");
  }
  return std::make_unique<MujocoPendulum>(robot, pendulum, step);
}

}  // namespace fivebar_control
