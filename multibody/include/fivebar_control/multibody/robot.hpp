// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "fivebar_control/multibody/problem.hpp"

namespace fivebar_control::multibody
{

/// The five-bar robot as numbers, in SI units: this room knows no robot files. Links have their
/// frame at the joint nearer to their motor, x along the link; index 0 is driven by motor 0, index
/// 3 by motor 1, index 1 and 2 are the distal links.
struct RobotNumbers
{
  struct Link
  {
    double length, mass, centre_x, centre_y, inertia;
  };
  struct Motor
  {
    double rotor_inertia, back_emf, torque_constant, resistance, damping, gear_ratio;
  };
  struct Friction
  {
    double viscous, coulomb, coulomb_velocity;
  };
  std::array<double, 2> pivot_1, pivot_4;
  std::array<Link, 4> links;
  std::array<Motor, 2> motors;
  std::array<Friction, 2> friction;
  std::array<double, 2> gravity;
  std::array<double, 2> start_angle, start_rate;  ///< of links 1 and 4
  double side = 1.0;  ///< +1: P left of the line from elbow 1 to elbow 4, -1: right
};

struct ReferencePoint
{
  std::array<double, 2> position, velocity, acceleration;
};
using ReferenceCurve = std::function<ReferencePoint(double t)>;

/// J = (1 - alpha) integral (|r - r*|^2 + beta |r' - r*'|^2) dt + alpha |r - r*|^2 (end), with
/// voltages linear between nodes `step` apart.
struct RobotTracking
{
  RobotNumbers robot;
  double step = 0.0;                            ///< s
  std::vector<std::array<double, 2>> voltages;  ///< V1, V4 at the nodes
  ReferenceCurve reference;
  double alpha = 0.0, beta = 0.0;
};

/// Coordinates: (x, y, angle) of each link's centre, then both motor shafts; constraints: five
/// revolute joints and two gears (003: section 5.5). rho: V1 at all nodes, then V4.
Problem robot_problem(const RobotTracking & tracking);

struct RobotGradient
{
  double cost = 0.0;
  std::vector<std::array<double, 2>> gradient;  ///< dJ/dV1, dJ/dV4 at the nodes
  double velocity_drift = 0.0;                  ///< see HamiltonianAdjoint
  double acceleration_drift = 0.0;
};

/// dJ/dV by the Hamiltonian adjoint of the robot in absolute coordinates (003: 5.6-5.7, 4.11-4.16,
/// B.7), or in joint space (4.29-4.30). Integrates one Runge-Kutta step per node interval. Throws
/// MechanismError if the robot cannot be assembled.
RobotGradient robot_hamiltonian_gradient(const RobotTracking & tracking, bool joint_space = false);

/// Angles and rates (phi1, phi4, phi1', phi4') at the nodes.
std::vector<std::array<double, 4>> robot_response(const RobotTracking & tracking);

}  // namespace fivebar_control::multibody
