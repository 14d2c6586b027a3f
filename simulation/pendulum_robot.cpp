// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/simulation/pendulum_robot.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fivebar_control
{

PendulumRobot::PendulumRobot(
  std::unique_ptr<PendulumEngine> engine, const PendulumPlant & plant,
  const PendulumState<double> & start)
: engine_(std::move(engine)), plant_(plant), random_(plant.seed)
{
  delayed_.fill(Eigen::Vector2d::Zero());
  engine_->reset(start);
}

Eigen::Vector4d PendulumRobot::read()
{
  const double count = 2.0 * std::numbers::pi / plant_.counts_per_turn;
  Eigen::Vector4d angle = engine_->state().head<4>() + plant_.zero_error;
  for (double & value : angle)
  {
    value += plant_.angle_noise > 0.0 ? plant_.angle_noise * noise_(random_) : 0.0;
    value = std::round(value / count) * count;
  }
  return angle;
}

void PendulumRobot::advance(const Eigen::Vector2d & volts, double period) noexcept
{
  delayed_[now_] = volts.cwiseMax(-plant_.supply_voltage).cwiseMin(plant_.supply_voltage);
  const std::size_t size = delayed_.size();
  const auto delay = static_cast<std::size_t>(plant_.delay_cycles);
  const Eigen::Vector2d & acting = delayed_[(now_ + size - delay) % size];
  engine_->advance(acting, acting, period);
  now_ = (now_ + 1) % size;
}

RandomPendulum random_pendulum(
  const RobotModel & robot, const PendulumParameters & pendulum, double share, Random & random)
{
  const auto vary = [&](double & value) { value *= 1.0 + random.uniform(-share, share); };
  RandomPendulum result{{}, robot.parameters(), pendulum};
  for (Link<double> & link : result.robot.physics.links)
  {
    vary(link.mass);
    vary(link.center[0]);
    vary(link.inertia);
  }
  for (Motor<double> & motor : result.robot.physics.motors)
  {
    vary(motor.rotor_inertia);
    vary(motor.back_emf_constant);
    vary(motor.torque_constant);
    vary(motor.resistance);
    vary(motor.damping);
  }
  PendulumBody<double> & body = result.pendulum.body;
  vary(body.mass);
  vary(body.center);
  vary(body.inertia_along);
  vary(body.inertia_second);
  vary(body.inertia_third);
  // Two moments that differ by more than the third belong to no rigid body; MuJoCo minds the last
  // digit, too.
  const double apart = body.inertia_second - body.inertia_third;
  if (std::abs(apart) > 0.99 * body.inertia_along)
  {
    const double mean = 0.5 * (body.inertia_second + body.inertia_third);
    const double half = 0.5 * std::copysign(0.99 * body.inertia_along, apart);
    body.inertia_second = mean + half;
    body.inertia_third = mean - half;
  }
  result.constants = lump(RobotModel(result.robot), result.pendulum);
  return result;
}

}  // namespace fivebar_control
