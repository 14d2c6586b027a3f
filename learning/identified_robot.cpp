// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "fivebar_control/learning/identify.hpp"
#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{
namespace
{

/// A distal link with this inertia about its elbow and this first moment; the mass is the robot
/// file's as far as real links allow it.
void set_distal(Link<double> & link, double mass, double inertia, const Eigen::Vector2d & moment)
{
  // m |c|² may be at most the inertia: a heavier link with the same moment has its centre nearer.
  constexpr double most_of_inertia = 0.9;
  link.mass = std::max(mass, moment.squaredNorm() / (most_of_inertia * inertia));
  link.center = moment / link.mass;
  link.inertia = inertia - link.mass * link.center.squaredNorm();
}

/// A driven link and its rotor with this inertia, of which the distal mass is a part, and this
/// first moment.
void set_driven(
  Link<double> & link, Motor<double> & motor, const Link<double> & distal, double inertia,
  const Eigen::Vector2d & moment, int number, bool knows_rotor)
{
  link.center = (moment - Eigen::Vector2d(distal.mass * link.length, 0.0)) / link.mass;
  const double square = motor.gear_ratio * motor.gear_ratio;
  const double left =
    inertia - distal.mass * link.length * link.length - link.mass * link.center.squaredNorm();
  const double rotor = left - link.inertia;
  if (knows_rotor && left > square * motor.rotor_inertia)
  {
    link.inertia = left - square * motor.rotor_inertia;
    return;
  }
  if (rotor >= 0.0)
  {
    motor.rotor_inertia = rotor / square;
    return;
  }
  motor.rotor_inertia = 0.0;
  link.inertia = left;
  if (!(left > 0.0))
  {
    throw InputError(fmt::format(
      "no real link has these inertias: about axis {} they leave {:.3g} kg m^2 for link {} and its "
      "rotor; expected logs that show more (different curves), or a robot file that is nearer",
      number, left, number));
  }
}

void set_drive(
  Motor<double> & motor, Friction<double> & friction, double gain, double damping, double coulomb,
  double coulomb_velocity)
{
  motor.torque_constant = gain * motor.resistance / motor.gear_ratio;
  const double square = motor.gear_ratio * motor.gear_ratio;
  const auto back_emf = [&] {
    return square * motor.torque_constant * motor.back_emf_constant / motor.resistance;
  };
  friction.viscous = std::min(friction.viscous, damping);
  double rotor = damping - friction.viscous - back_emf();
  if (rotor < 0.0)
  {
    // Motion does not tell back-EMF from rotor friction: what is too much goes.
    motor.back_emf_constant *= (damping - friction.viscous) / back_emf();
    rotor = 0.0;
  }
  motor.damping = rotor / square;
  friction.coulomb = coulomb;
  friction.coulomb_velocity = coulomb_velocity;
}

}  // namespace

RobotParameters identified_robot(
  const RobotModel & robot, const Identification & found, double coulomb_velocity)
{
  const LumpModel model(robot, found.coulomb_velocity);
  const LumpValues<double> & v = found.model.lumps;
  const DynamicsConstants<double> k = model.constants<double>(v);
  RobotParameters result = robot.parameters();
  Physics<double> & p = result.physics;
  const double growth = 1.0 + v[index_of(Lump::coupling_x)];
  auto & [link1, link2, link3, link4] = p.links;
  set_distal(link2, link2.mass * growth, k.inertia_2, k.moment_2);
  set_distal(link3, link3.mass * growth, k.inertia_3, k.moment_3);
  // Behind a drive that yields the motor shows by itself.
  p.motors[0].rotor_inertia *= found.rotor[0];
  p.motors[1].rotor_inertia *= found.rotor[1];
  result.drives = found.drives;
  set_driven(link1, p.motors[0], link2, k.inertia_1, k.moment_1, 1, !found.drives[0].is_rigid());
  set_driven(link4, p.motors[1], link3, k.inertia_4, k.moment_4, 4, !found.drives[1].is_rigid());
  for (std::size_t i = 0; i < 2; ++i)
  {
    const auto j = static_cast<Eigen::Index>(i);
    set_drive(
      p.motors[i], p.friction[i], k.torque_gain[j], k.damping[j], k.coulomb[j], coulomb_velocity);
  }
  p.gravity = k.gravity;
  result.name = robot.parameters().name + " (identified)";
  return result;
}

}  // namespace fivebar_control
