// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <string>

#include "fivebar_control/model/drives.hpp"

namespace fivebar_control
{

template <class S>
using Vector2 = Eigen::Matrix<S, 2, 1>;
template <class S>
using Vector4 = Eigen::Matrix<S, 4, 1>;
template <class S>
using Matrix2 = Eigen::Matrix<S, 2, 2>;

/// One rigid link. Its frame sits at the joint nearer to its motor, x along the link.
template <class S>
struct Link
{
  S length{};           ///< m, joint to joint
  S mass{};             ///< kg
  Vector2<S> center{};  ///< m, centre of mass in the link's frame
  S inertia{};          ///< kg m², about the centre of mass
};

/// A geared DC motor without inductance (Maciąg, eq. 5.6); speeds and torques of the rotor.
template <class S>
struct Motor
{
  S rotor_inertia{};      ///< kg m²
  S back_emf_constant{};  ///< V s/rad
  S torque_constant{};    ///< N m/A
  S resistance{};         ///< ohm
  S damping{};            ///< N m s/rad
  S gear_ratio{};         ///< rotor angle / link angle
};

/// Friction at a driven joint: viscous ω + coulomb tanh(ω / coulomb_velocity).
template <class S>
struct Friction
{
  S viscous{};           ///< N m s/rad
  S coulomb{};           ///< N m
  S coulomb_velocity{};  ///< rad/s, width of the smoothing
};

/// Everything physical about the robot. Link i of the documentation is links[i - 1]; motors and
/// friction have index 0 for driven link 1 and index 1 for driven link 4. A template so that the
/// same model can be differentiated by its parameters.
template <class S>
struct Physics
{
  Vector2<S> pivot_1{};  ///< m, O1
  Vector2<S> pivot_4{};  ///< m, O4
  std::array<Link<S>, 4> links{};
  std::array<Motor<S>, 2> motors{};
  std::array<Friction<S>, 2> friction{};
  Vector2<S> gravity{};  ///< m/s², in the plane of the robot
};

/// Calls visit(name, value) for each physical parameter, in a fixed order. The order and the names
/// are part of the robot's fingerprint and of the parameter Jacobian (see
/// dynamics_derivatives.hpp).
template <class PhysicsType, class Visit>
void visit_parameters(PhysicsType & physics, Visit && visit)
{
  visit("pivots.o1.x", physics.pivot_1[0]);
  visit("pivots.o1.y", physics.pivot_1[1]);
  visit("pivots.o4.x", physics.pivot_4[0]);
  visit("pivots.o4.y", physics.pivot_4[1]);
  for (std::size_t i = 0; i < 4; ++i)
  {
    const std::string prefix = "links.link_" + std::to_string(i + 1) + ".";
    visit(prefix + "length", physics.links[i].length);
    visit(prefix + "mass", physics.links[i].mass);
    visit(prefix + "center.x", physics.links[i].center[0]);
    visit(prefix + "center.y", physics.links[i].center[1]);
    visit(prefix + "inertia", physics.links[i].inertia);
  }
  for (std::size_t i = 0; i < 2; ++i)
  {
    const std::string prefix = i == 0 ? "motors.motor_1." : "motors.motor_4.";
    visit(prefix + "rotor_inertia", physics.motors[i].rotor_inertia);
    visit(prefix + "back_emf_constant", physics.motors[i].back_emf_constant);
    visit(prefix + "torque_constant", physics.motors[i].torque_constant);
    visit(prefix + "resistance", physics.motors[i].resistance);
    visit(prefix + "damping", physics.motors[i].damping);
    visit(prefix + "gear_ratio", physics.motors[i].gear_ratio);
  }
  for (std::size_t i = 0; i < 2; ++i)
  {
    const std::string prefix = i == 0 ? "friction.joint_1." : "friction.joint_4.";
    visit(prefix + "viscous", physics.friction[i].viscous);
    visit(prefix + "coulomb", physics.friction[i].coulomb);
    visit(prefix + "coulomb_velocity", physics.friction[i].coulomb_velocity);
  }
  visit("gravity.x", physics.gravity[0]);
  visit("gravity.y", physics.gravity[1]);
}

/// How many values visit_parameters() visits.
inline constexpr int parameter_count = 44;

/// Which of the two circle intersections P is: left or right of the line from elbow 1 to elbow 4.
enum class AssemblyMode
{
  left = 1,
  right = -1,
};

/// Limits that the planner plans within and the guard enforces.
struct Limits
{
  double voltage = 0.0;                                     ///< V, |u| at each motor
  double voltage_rate = 0.0;                                ///< V/s
  Eigen::Vector2d joint_minimum = Eigen::Vector2d::Zero();  ///< rad, (phi1, phi4)
  Eigen::Vector2d joint_maximum = Eigen::Vector2d::Zero();  ///< rad
  double joint_speed = 0.0;                                 ///< rad/s
  double singularity_margin = 0.0;                          ///< |sin| between distal links 2 and 3
  double serial_singularity_margin = 0.0;  ///< |sin| between a driven link and its distal link
};

/// The content of a robot file, validated (see robot_file.hpp).
struct RobotParameters
{
  std::string name;
  Physics<double> physics;
  Drives drives;  ///< what they have beyond the physics; nothing by default
  AssemblyMode assembly_mode = AssemblyMode::left;
  Eigen::Vector2d home = Eigen::Vector2d::Zero();  ///< rad, (phi1, phi4)
  Limits limits;
};

}  // namespace fivebar_control
