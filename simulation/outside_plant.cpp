// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/simulation/outside_plant.hpp"

#include <fmt/core.h>

#include <cmath>

#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{

/// Stands where it was last seen, and remembers what it was asked for.
class OutsidePlant::Engine : public PlantEngine
{
public:
  Engine(const RobotModel & robot, const PlantParameters & plant)
  : geometry_(geometry_of(plant_physics(robot, plant), robot.parameters().assembly_mode)),
    back_emf_(back_emf_of(plant_physics(robot, plant))),
    drives_(plant_drives(robot, plant))
  {
  }

  void reset(const Eigen::Vector4d & state) override
  {
    state_ = state;
    volts_.setZero();
  }
  void advance(const Eigen::Vector2d & volts, double) noexcept override { volts_ = volts; }
  Eigen::Vector4d state() const noexcept override { return state_; }
  Eigen::Vector2d end_effector() const noexcept override
  {
    return end_effector_at(geometry_, state_.head<2>());
  }
  double largest_loop_error() const noexcept override { return 0.0; }
  Eigen::Vector2d back_emf_constants() const noexcept override { return back_emf_; }
  const Drives & drives() const noexcept override { return drives_; }
  std::string name() const override { return "links in another simulator"; }

  void put(const Eigen::Vector4d & state) noexcept { state_ = state; }
  const Eigen::Vector2d & volts() const noexcept { return volts_; }

private:
  Geometry<double> geometry_;
  Eigen::Vector2d back_emf_;
  Drives drives_;
  Eigen::Vector4d state_ = Eigen::Vector4d::Zero();
  Eigen::Vector2d volts_ = Eigen::Vector2d::Zero();
};

OutsidePlant::OutsidePlant(
  const RobotModel & robot, const PlantParameters & plant, std::int64_t period_ns)
: torque_gain_(plant_model(robot, plant).constants().torque_gain), cogging_(plant.effects.cogging)
{
  require_gazebo_plant(robot, plant);
  auto engine = std::make_unique<Engine>(robot, plant);
  engine_ = engine.get();
  robot_ =
    std::make_unique<SimulatedRobot>(std::move(engine), plant, robot.parameters().home, period_ns);
}

Eigen::Vector2d OutsidePlant::volts() noexcept
{
  robot_->let_period_pass();
  return engine_->volts();
}

Eigen::Vector2d OutsidePlant::torques() noexcept
{
  const Eigen::Vector4d state = engine_->state();
  Eigen::Vector2d torques = torque_gain_.cwiseProduct(volts());
  for (int i = 0; i < 2; ++i)
  {
    torques[i] += cogging_torque(cogging_, state[i]);
  }
  return torques;
}

void OutsidePlant::moved(const Eigen::Vector4d & state) noexcept
{
  engine_->put(state);
  robot_->look_again();
}

void require_gazebo_plant(const RobotModel & robot, const PlantParameters & plant)
{
  const Drives drives = plant_drives(robot, plant);
  const char * what = nullptr;
  for (const Drive & drive : drives)
  {
    what = !drive.is_rigid() ? "backlash or elastic drives" : what;
    what = drive.stribeck != 0.0 ? "friction that falls with speed (stribeck)" : what;
    what = drive.lag > 0.0 ? "amplifiers that lag" : what;
  }
  what = plant.end_stops ? "end stops" : what;
  what = plant.faults.belt_lost[0] || plant.faults.belt_lost[1] ? "a lost belt" : what;
  what = plant.faults.coasts ? "motors that coast" : what;
  what = plant.start && *plant.start != robot.parameters().home ? "a start beside home" : what;
  if (what != nullptr)
  {
    throw InputError(fmt::format(
      "plant '{}': the model for Gazebo cannot have {}; expected another simulator for this plant",
      plant.name, what));
  }
}

double cogging_torque(const Cogging & cogging, double angle)
{
  return -cogging.amplitude * std::sin(cogging.periods * angle + cogging.phase);
}

}  // namespace fivebar_control
