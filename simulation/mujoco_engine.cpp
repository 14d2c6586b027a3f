// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/simulation/mujoco_engine.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "fivebar_control/model/joint_states.hpp"
#include "fivebar_control/simulation/mjcf.hpp"
#include "fivebar_control/support/errors.hpp"
#include "mujoco_model.hpp"

namespace fivebar_control
{
namespace
{

constexpr double longest_step = 1e-4;  // s; the loop opens with its square (mjcf.hpp)

/// What friction and cogging of one driven joint need, kept in mjData::userdata: MuJoCo's callback
/// is global, and there may be several robots in one process.
enum UserData
{
  degree_of_freedom,
  position_address,
  coulomb,
  coulomb_velocity,
  stribeck,
  stribeck_velocity,
  cogging_amplitude,
  cogging_periods,
  cogging_phase,
  user_data_per_joint,
};
constexpr int user_data_size = 2 * user_data_per_joint;
static_assert(user_data_size == mjcf_user_data_size);

/// Called by MuJoCo at every stage of its integrator.
void add_friction(const mjModel * model, mjData * data)
{
  if (model->nuserdata != user_data_size)
  {
    return;  // another program part's model
  }
  for (std::ptrdiff_t joint = 0; joint < 2; ++joint)
  {
    const mjtNum * user = data->userdata + joint * user_data_per_joint;
    const int dof = static_cast<int>(user[degree_of_freedom]);
    double dry = user[coulomb];
    if (user[stribeck] != 0.0)
    {
      const double ratio = data->qvel[dof] / user[stribeck_velocity];
      dry += user[stribeck] * std::exp(-ratio * ratio);
    }
    data->qfrc_passive[dof] -= dry * std::tanh(data->qvel[dof] / user[coulomb_velocity]);
    if (user[cogging_amplitude] != 0.0)
    {
      const double angle = data->qpos[static_cast<int>(user[position_address])];
      data->qfrc_passive[dof] -=
        user[cogging_amplitude] * std::sin(user[cogging_periods] * angle + user[cogging_phase]);
    }
  }
}

class MujocoEngine : public PlantEngine
{
public:
  MujocoEngine(const std::string & mjcf, const RobotModel & robot, const PlantParameters & plant)
  : model_(load_mujoco_model(mjcf)),
    data_(mujoco_library().make_data(model_.get())),
    kinematics_(geometry_of(plant_physics(robot, plant), robot.parameters().assembly_mode)),
    friction_(plant_physics(robot, plant).friction),
    drives_(plant_drives(robot, plant)),
    cogging_(plant.effects.cogging),
    back_emf_(back_emf_of(plant_physics(robot, plant)))
  {
    if (!drives_[0].is_rigid() || !drives_[1].is_rigid())
    {
      throw InputError(fmt::format(
        "plant '{}': MuJoCo's model has rigid drives, no backlash and no elastic drives; expected "
        "--hardware sim for this plant",
        plant.name));
    }
    for (std::size_t i = 0; i < joints_.size(); ++i)
    {
      joints_[i] = mujoco_id(*model_, mjOBJ_JOINT, fmt::format("joint_{}", i + 1));
    }
    motors_ = {
      mujoco_id(*model_, mjOBJ_ACTUATOR, "motor_1"), mujoco_id(*model_, mjOBJ_ACTUATOR, "motor_4")};
    ends_ = {
      mujoco_id(*model_, mjOBJ_SITE, "end_effector_2"),
      mujoco_id(*model_, mjOBJ_SITE, "end_effector_3")};
    if (model_->nuserdata != user_data_size || model_->nv != 4 || model_->neq != 1)
    {
      throw InputError(fmt::format(
        "MuJoCo: the MJCF has {} degrees of freedom, {} loop closures and {} user data, expected "
        "4, 1 and {}",
        model_->nv, model_->neq, model_->nuserdata, user_data_size));
    }
    longest_step_ = model_->opt.timestep;
    time_constants_ = model_->eq_solref[0] / longest_step_;
  }

  void reset(const Eigen::Vector4d & state) override
  {
    const MujocoLibrary & mujoco = mujoco_library();
    *mujoco.passive_force_callback = add_friction;
    mujoco.reset_data(model_.get(), data_.get());
    const JointStates all = joint_states(kinematics_, state.head<2>(), state.tail<2>());
    constexpr std::array<std::size_t, 4> order{0, 2, 3, 1};  // of joint_1 to joint_4 in `all`
    lost_ = false;
    for (std::size_t i = 0; i < joints_.size(); ++i)
    {
      data_->qpos[model_->jnt_qposadr[joints_[i]]] = all.angle[order[i]];
      data_->qvel[model_->jnt_dofadr[joints_[i]]] = all.speed[order[i]];
      lost_ = lost_ || !std::isfinite(all.angle[order[i]]);
    }
    if (lost_)
    {
      return;
    }
    for (std::size_t i = 0; i < 2; ++i)
    {
      mjtNum * user = data_->userdata + i * user_data_per_joint;
      user[degree_of_freedom] = model_->jnt_dofadr[driven(i)];
      user[coulomb] = friction_[i].coulomb;
      user[position_address] = model_->jnt_qposadr[driven(i)];
      user[coulomb_velocity] = friction_[i].coulomb_velocity;
      user[stribeck] = drives_[i].stribeck;
      user[stribeck_velocity] = drives_[i].stribeck_velocity;
      user[cogging_amplitude] = cogging_.amplitude;
      user[cogging_periods] = cogging_.periods;
      user[cogging_phase] = cogging_.phase;
    }
    mujoco.forward(model_.get(), data_.get());
    watch_loop();
  }

  void advance(const Eigen::Vector2d & volts, double duration) noexcept override
  {
    data_->ctrl[motors_[0]] = volts[0];
    data_->ctrl[motors_[1]] = volts[1];
    const int steps = std::max(1, static_cast<int>(std::ceil(duration / longest_step_ - 1e-9)));
    model_->opt.timestep = duration / steps;
    model_->eq_solref[0] = time_constants_ * model_->opt.timestep;
    for (int i = 0; i < steps && !lost_; ++i)
    {
      mujoco_library().step(model_.get(), data_.get());
      // MuJoCo puts a model that has blown up back to its initial pose and goes on.
      lost_ = data_->warning[mjWARN_BADQPOS].number > 0 ||
              data_->warning[mjWARN_BADQVEL].number > 0 ||
              data_->warning[mjWARN_BADQACC].number > 0;
      watch_loop();
    }
  }

  Eigen::Vector4d state() const noexcept override
  {
    if (lost_)
    {
      return Eigen::Vector4d::Constant(std::numeric_limits<double>::quiet_NaN());
    }
    const auto position = [&](std::size_t i) {
      return data_->qpos[model_->jnt_qposadr[driven(i)]];
    };
    const auto speed = [&](std::size_t i) { return data_->qvel[model_->jnt_dofadr[driven(i)]]; };
    return {position(0), position(1), speed(0), speed(1)};
  }

  Eigen::Vector2d end_effector() const noexcept override
  {
    return end_effector_at(kinematics_.geometry(), state().head<2>());
  }
  double largest_loop_error() const noexcept override { return largest_loop_error_; }
  Eigen::Vector2d back_emf_constants() const noexcept override { return back_emf_; }
  const Drives & drives() const noexcept override { return drives_; }

  std::string name() const override { return mujoco_name(); }

private:
  int driven(std::size_t i) const { return joints_[i == 0 ? 0 : 3]; }

  void watch_loop() noexcept
  {
    mujoco_library().kinematics(model_.get(), data_.get());
    const mjtNum * a = data_->site_xpos + 3 * std::ptrdiff_t{ends_[0]};
    const mjtNum * b = data_->site_xpos + 3 * std::ptrdiff_t{ends_[1]};
    largest_loop_error_ =
      std::max(largest_loop_error_, std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]));
  }

  MujocoModel model_;
  MujocoData data_;
  Kinematics kinematics_;
  std::array<Friction<double>, 2> friction_;
  Drives drives_;
  Cogging cogging_;
  Eigen::Vector2d back_emf_;
  std::array<int, 4> joints_{};
  std::array<int, 2> motors_{};
  std::array<int, 2> ends_{};
  double longest_step_ = 0.0;    // s
  double time_constants_ = 0.0;  // of the loop closure, in steps
  double largest_loop_error_ = 0.0;
  bool lost_ = true;
};

}  // namespace

std::unique_ptr<PlantEngine> make_mujoco_engine(
  const RobotModel & robot, const PlantParameters & plant)
{
  MjcfOptions options;
  options.time_step = std::min(plant.integration_step, longest_step);
  return make_mujoco_engine_from(mjcf_of(plant_model(robot, plant), options), robot, plant);
}

std::unique_ptr<PlantEngine> make_mujoco_engine_from(
  const std::string & mjcf, const RobotModel & robot, const PlantParameters & plant)
{
  return std::make_unique<MujocoEngine>(mjcf, robot, plant);
}

}  // namespace fivebar_control
