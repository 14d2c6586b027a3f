// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/model/drive_dynamics.hpp"

#include <algorithm>
#include <cmath>

namespace fivebar_control
{

bool are_ideal(const Drives & drives)
{
  bool ideal = true;
  for (const Drive & drive : drives)
  {
    visit_drive(drive, [&ideal](const char *, double value) { ideal = ideal && value == 0.0; });
  }
  return ideal;
}

Eigen::Vector2d rotor_inertia_at_links(const Physics<double> & physics)
{
  const auto of = [](const Motor<double> & m) {
    return m.gear_ratio * m.gear_ratio * m.rotor_inertia;
  };
  return {of(physics.motors[0]), of(physics.motors[1])};
}

Eigen::Vector2d motor_damping_at_links(const Physics<double> & physics)
{
  const auto of = [](const Motor<double> & m) {
    return m.gear_ratio * m.gear_ratio *
           (m.torque_constant * m.back_emf_constant / m.resistance + m.damping);
  };
  return {of(physics.motors[0]), of(physics.motors[1])};
}

DriveDynamics::DriveDynamics(
  const DynamicsConstants<double> & constants, const Eigen::Vector2d & rotor_inertia,
  const Eigen::Vector2d & motor_damping, const Drives & drives,
  const std::array<Cogging, 2> & cogging)
: whole_(constants),
  links_(constants),
  rotor_inertia_(rotor_inertia),
  motor_damping_(motor_damping),
  drives_(drives),
  contact_damping_(drives[0].damping, drives[1].damping),
  cogging_(cogging)
{
  links_.inertia_1 -= is_rigid(0) ? 0.0 : rotor_inertia[0];
  links_.inertia_4 -= is_rigid(1) ? 0.0 : rotor_inertia[1];
  for (int i = 0; i < 2; ++i)
  {
    Drive & drive = drives_[static_cast<std::size_t>(i)];
    has_extra_ = has_extra_ || !drive.is_rigid() || drive.stribeck != 0.0 ||
                 cogging[static_cast<std::size_t>(i)].amplitude != 0.0;
    if (drive.is_rigid())
    {
      continue;
    }
    // Dry friction is the gear's: it sits with the motor, in front of what yields.
    links_.damping[i] -= motor_damping[i];
    links_.coulomb[i] = 0.0;
    if (drive.stiffness == 0.0)
    {
      // Teeth that meet lose most of their energy in a few strokes.
      constexpr double damping_ratio = 0.3;
      drive.stiffness = contact_stiffness;
      contact_damping_[i] = 2.0 * damping_ratio * std::sqrt(contact_stiffness * rotor_inertia[i]);
    }
  }
}

DriveDynamics::DriveDynamics(
  const Physics<double> & physics, AssemblyMode mode, const Drives & drives,
  const std::array<Cogging, 2> & cogging)
: DriveDynamics(
    lump(physics, mode), rotor_inertia_at_links(physics), motor_damping_at_links(physics), drives,
    cogging)
{
}

DriveState DriveDynamics::with_links_at(const Eigen::Vector4d & links) const
{
  DriveState x;
  x << links, links;
  return x;
}

DriveState DriveDynamics::carrying(
  const Eigen::Vector4d & links, const Eigen::Vector2d & acceleration) const
{
  DriveState x = with_links_at(links);
  const Eigen::Vector2d volts = inverse_dynamics<double>(links_, links, acceleration);
  for (int i = 0; i < 2; ++i)
  {
    const Drive & drive = drives_[static_cast<std::size_t>(i)];
    if (!drive.is_rigid())
    {
      const double torque = links_.torque_gain[i] * volts[i];
      x[4 + i] += torque / drive.stiffness + std::copysign(0.5 * drive.gap, torque);
    }
  }
  return x;
}

/// Stribeck's part of friction and cogging; behind an elastic drive also dry friction.
double DriveDynamics::extra_torque(int i, double angle, double speed) const noexcept
{
  const Drive & drive = drives_[static_cast<std::size_t>(i)];
  const Cogging & cogging = cogging_[static_cast<std::size_t>(i)];
  double torque = -cogging.amplitude * std::sin(cogging.periods * angle + cogging.phase);
  double dry = drive.is_rigid() ? 0.0 : whole_.coulomb[i];
  if (drive.stribeck != 0.0)
  {
    const double ratio = speed / drive.stribeck_velocity;
    dry += drive.stribeck * std::exp(-ratio * ratio);
  }
  torque -= dry == 0.0 ? 0.0 : dry * std::tanh(speed * whole_.inverse_coulomb_velocity[i]);
  return torque;
}

Eigen::Vector2d DriveDynamics::drive_torques(const DriveState & x) const noexcept
{
  Eigen::Vector2d torque;
  for (int i = 0; i < 2; ++i)
  {
    const Drive & drive = drives_[static_cast<std::size_t>(i)];
    const double twist = x[4 + i] - x[i];
    const double half = 0.5 * drive.gap;
    const double pressed =
      std::abs(twist) <= half && half > 0.0 ? 0.0 : twist - std::copysign(half, twist);
    torque[i] = drive.stiffness * pressed;
    if (half == 0.0)
    {
      torque[i] += contact_damping_[i] * (x[6 + i] - x[2 + i]);
    }
    else if (pressed != 0.0)
    {
      // Teeth push, they do not pull.
      const double with_damping = torque[i] + contact_damping_[i] * (x[6 + i] - x[2 + i]);
      torque[i] = with_damping * pressed > 0.0 ? with_damping : 0.0;
    }
  }
  return torque;
}

DriveState DriveDynamics::derivative(
  const DriveState & x, const Eigen::Vector2d & volts) const noexcept
{
  const Eigen::Vector2d torque = drive_torques(x);
  Eigen::Vector2d at_link = volts;  // as volts of the links' equations
  DriveState rate;
  for (int i = 0; i < 2; ++i)
  {
    const double gain = whole_.torque_gain[i];
    const bool rigid = is_rigid(i);
    const int motor = rigid ? i : 4 + i;
    const double extra = has_extra_ ? extra_torque(i, x[motor], x[motor + 2]) : 0.0;
    if (rigid)
    {
      at_link[i] += has_extra_ ? extra / gain : 0.0;
      continue;
    }
    at_link[i] = torque[i] / gain;
    rate[4 + i] = x[6 + i];
    rate[6 + i] =
      (gain * volts[i] + extra - motor_damping_[i] * x[6 + i] - torque[i]) / rotor_inertia_[i];
  }
  rate.head<4>() = state_derivative<double>(links_, x.head<4>(), at_link);
  for (int i = 0; i < 2; ++i)
  {
    if (is_rigid(i))
    {
      rate[4 + i] = rate[i];
      rate[6 + i] = rate[2 + i];
    }
  }
  return rate;
}

double DriveDynamics::fastest_rate() const
{
  double fastest = 0.0;
  for (int i = 0; i < 2; ++i)
  {
    const Drive & drive = drives_[static_cast<std::size_t>(i)];
    const double whole = i == 0 ? whole_.inertia_1 : whole_.inertia_4;
    const double link = i == 0 ? links_.inertia_1 : links_.inertia_4;
    const double inertia = drive.is_rigid() ? whole : std::min(rotor_inertia_[i], link);
    const double dry = (whole_.coulomb[i] + drive.stribeck) * whole_.inverse_coulomb_velocity[i];
    const double damping = whole_.damping[i] + dry + 2.0 * contact_damping_[i];
    fastest = std::max({fastest, damping / inertia, std::sqrt(2.0 * drive.stiffness / inertia)});
  }
  return fastest;
}

DriveState DriveDynamics::step(
  const DriveState & x, const Eigen::Vector2d & volts, double h) const noexcept
{
  const DriveState k1 = derivative(x, volts);
  const DriveState k2 = derivative(x + 0.5 * h * k1, volts);
  const DriveState k3 = derivative(x + 0.5 * h * k2, volts);
  const DriveState k4 = derivative(x + h * k3, volts);
  return x + (h / 6.0) * (k1 + 2.0 * (k2 + k3) + k4);
}

}  // namespace fivebar_control
