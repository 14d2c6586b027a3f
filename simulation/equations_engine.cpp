// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "fivebar_control/model/drive_dynamics.hpp"
#include "fivebar_control/model/runge_kutta.hpp"
#include "fivebar_control/simulation/plant_engine.hpp"

namespace fivebar_control
{
namespace
{

class EquationsEngine : public PlantEngine
{
public:
  EquationsEngine(const RobotModel & robot, const PlantParameters & plant)
  : constants_(lump(plant_physics(robot, plant), robot.parameters().assembly_mode)),
    back_emf_(back_emf_of(plant_physics(robot, plant))),
    drives_(plant_drives(robot, plant)),
    largest_step_(plant.integration_step)
  {
  }

  void reset(const Eigen::Vector4d & state) override { state_ = state; }

  void advance(const Eigen::Vector2d & volts, double duration) noexcept override
  {
    const int steps = std::max(10, static_cast<int>(std::ceil(duration / largest_step_ - 1e-9)));
    const double step = duration / static_cast<double>(steps);
    for (int i = 0; i < steps; ++i)
    {
      state_ = runge_kutta_step<double>(constants_, state_, volts, volts, step);
    }
  }

  Eigen::Vector4d state() const noexcept override { return state_; }
  Eigen::Vector2d end_effector() const noexcept override
  {
    return end_effector_at(constants_.geometry, state_.head<2>());
  }
  double largest_loop_error() const noexcept override { return 0.0; }
  Eigen::Vector2d back_emf_constants() const noexcept override { return back_emf_; }
  const Drives & drives() const noexcept override { return drives_; }
  std::string name() const override { return "own equations of motion"; }

private:
  DynamicsConstants<double> constants_;
  Eigen::Vector2d back_emf_;
  Drives drives_;
  double largest_step_;  // s
  Eigen::Vector4d state_ = Eigen::Vector4d::Zero();
};

/// The same with drives that yield, stick or cog.
class DriveEngine : public PlantEngine
{
public:
  DriveEngine(const RobotModel & robot, const PlantParameters & plant)
  : drives_(plant_drives(robot, plant)),
    dynamics_(
      plant_physics(robot, plant), robot.parameters().assembly_mode, drives_,
      {plant.effects.cogging, plant.effects.cogging}),
    back_emf_(back_emf_of(plant_physics(robot, plant))),
    // Runge-Kutta is stable up to 2.78; a fifth of that is accurate.
    largest_step_(std::min(plant.integration_step, 0.5 / dynamics_.fastest_rate()))
  {
  }

  void reset(const Eigen::Vector4d & state) override { state_ = dynamics_.with_links_at(state); }
  void advance(const Eigen::Vector2d & volts, double duration) noexcept override
  {
    const int steps = std::max(1, static_cast<int>(std::ceil(duration / largest_step_ - 1e-9)));
    for (int i = 0; i < steps; ++i)
    {
      state_ = dynamics_.step(state_, volts, duration / static_cast<double>(steps));
    }
  }
  Eigen::Vector4d state() const noexcept override { return state_.head<4>(); }
  Eigen::Vector4d motor_state() const noexcept override { return state_.tail<4>(); }
  Eigen::Vector2d end_effector() const noexcept override
  {
    return end_effector_at(dynamics_.constants().geometry, state_.head<2>());
  }
  double largest_loop_error() const noexcept override { return 0.0; }
  Eigen::Vector2d back_emf_constants() const noexcept override { return back_emf_; }
  const Drives & drives() const noexcept override { return drives_; }
  std::string name() const override { return "own equations of motion"; }

private:
  Drives drives_;
  DriveDynamics dynamics_;
  Eigen::Vector2d back_emf_;
  double largest_step_;  // s
  DriveState state_ = DriveState::Zero();
};

bool has_ideal_mechanics(const Drives & drives, const PlantEffects & effects)
{
  return drives[0].is_rigid() && drives[1].is_rigid() && drives[0].stribeck == 0.0 &&
         drives[1].stribeck == 0.0 && effects.cogging.amplitude == 0.0;
}

}  // namespace

std::unique_ptr<PlantEngine> make_equations_engine(
  const RobotModel & robot, const PlantParameters & plant)
{
  if (!has_ideal_mechanics(plant_drives(robot, plant), plant.effects))
  {
    return std::make_unique<DriveEngine>(robot, plant);
  }
  return std::make_unique<EquationsEngine>(robot, plant);
}

}  // namespace fivebar_control
