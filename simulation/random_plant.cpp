// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/simulation/random_plant.hpp"

#include <fmt/core.h>

#include <cmath>
#include <memory>
#include <numbers>

#include "fivebar_control/support/random.hpp"

namespace fivebar_control
{
namespace
{

/// A factor between 1/f and f, or between the given ends, even on a logarithmic scale.
double factor(Random & random, double low, double high)
{
  return std::exp(random.uniform(std::log(low), std::log(high)));
}

}  // namespace

PlantParameters random_plant(const RobotModel & robot, std::uint64_t seed, int number)
{
  Random random(seed, static_cast<std::uint64_t>(number));
  RobotParameters parameters = robot.parameters();
  Physics<double> & p = parameters.physics;
  for (Link<double> & link : p.links)
  {
    link.mass *= factor(random, 0.7, 1.4);
    link.inertia *= factor(random, 0.7, 1.4);
    link.center[0] += random.uniform(-0.010, 0.010);
    link.center[1] += random.uniform(-0.005, 0.005);
  }
  for (Motor<double> & motor : p.motors)
  {
    motor.rotor_inertia *= factor(random, 0.7, 1.4);
    motor.torque_constant *= random.uniform(0.8, 1.2);
    motor.resistance *= random.uniform(0.8, 1.2);
    motor.damping *= factor(random, 0.5, 2.0);
  }
  for (Friction<double> & friction : p.friction)
  {
    friction.coulomb = factor(random, 0.003, 0.03);
    friction.coulomb_velocity = 1e-3;
  }
  const double tilt = random.uniform(0.0, 0.3);
  const double direction = random.uniform(0.0, 2.0 * std::numbers::pi);
  p.gravity = {tilt * std::cos(direction), tilt * std::sin(direction)};
  PlantParameters plant;
  plant.name = fmt::format("random {}", number);
  plant.robot = std::make_shared<const RobotModel>(std::move(parameters));
  plant.delay_cycles = random.integer(0, 1);
  return plant;
}

}  // namespace fivebar_control
