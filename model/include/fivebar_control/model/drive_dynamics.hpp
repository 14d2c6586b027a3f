// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/model/drives.hpp"
#include "fivebar_control/model/dynamics.hpp"

namespace fivebar_control
{

/// Torque ripple of a motor: -amplitude sin(periods angle + phase), at the link.
struct Cogging
{
  double amplitude = 0.0;  ///< N m
  double periods = 0.0;    ///< per turn of the link
  double phase = 0.0;      ///< rad
};

/// phi1, phi4, w1, w4 of the links, then the same of the motors (divided by the gear ratio).
using DriveState = Eigen::Matrix<double, 8, 1>;

/// The equations of motion of a robot whose drives may be elastic, have backlash, stick and cog
/// (docs/model.md, "Drives"). With rigid drives the motors' half of the state follows the links'.
class DriveDynamics
{
public:
  /// N m/rad at which teeth meet in a drive with a gap that is otherwise rigid.
  static constexpr double contact_stiffness = 1000.0;

  /// `rotor_inertia` kg m² and `motor_damping` N m s/rad (back-EMF and rotor friction) at the link:
  /// what of the constants' inertia and damping sits on the motors' side of the drives.
  DriveDynamics(
    const DynamicsConstants<double> & constants, const Eigen::Vector2d & rotor_inertia,
    const Eigen::Vector2d & motor_damping, const Drives & drives,
    const std::array<Cogging, 2> & cogging = {});
  DriveDynamics(
    const Physics<double> & physics, AssemblyMode mode, const Drives & drives,
    const std::array<Cogging, 2> & cogging = {});

  /// Motors where the links are, at their speed.
  DriveState with_links_at(const Eigen::Vector4d & links) const;
  /// Motors twisted against the links by the torques that give the links these accelerations.
  DriveState carrying(const Eigen::Vector4d & links, const Eigen::Vector2d & acceleration) const;
  DriveState derivative(const DriveState & x, const Eigen::Vector2d & volts) const noexcept;
  /// One classical Runge-Kutta step under constant volts.
  DriveState step(const DriveState & x, const Eigen::Vector2d & volts, double h) const noexcept;

  /// N m that the drives give to the links.
  Eigen::Vector2d drive_torques(const DriveState & x) const noexcept;
  const DynamicsConstants<double> & constants() const { return whole_; }
  bool is_rigid(int i) const { return drives_[static_cast<std::size_t>(i)].is_rigid(); }
  bool all_rigid() const { return is_rigid(0) && is_rigid(1); }
  /// 1/s, the fastest of its motions: steps should be well below its inverse.
  double fastest_rate() const;

private:
  double extra_torque(int i, double angle, double speed) const noexcept;

  DynamicsConstants<double> whole_;  ///< as if the drives were rigid
  DynamicsConstants<double> links_;  ///< without what sits on the motors
  Eigen::Vector2d rotor_inertia_, motor_damping_;
  Drives drives_;
  Eigen::Vector2d contact_damping_;  ///< N m s/rad
  std::array<Cogging, 2> cogging_;
  bool has_extra_ = false;
};

/// Rigid gears, plain dry friction and amplifiers that give what they are asked for, wherever the
/// encoders sit.
bool are_ideal(const Drives & drives);

/// Of the motors at the links: inertia, and damping by back-EMF and rotor friction.
Eigen::Vector2d rotor_inertia_at_links(const Physics<double> & physics);
Eigen::Vector2d motor_damping_at_links(const Physics<double> & physics);

}  // namespace fivebar_control
