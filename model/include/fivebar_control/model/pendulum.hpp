// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "fivebar_control/model/robot_model.hpp"

namespace fivebar_control
{

class YamlMap;

/// Where the first axis of the universal joint points (Maciąg, fig. 5.21, can be read both ways).
enum class PendulumAxes
{
  link_2,    ///< along link 2, from elbow 1 to P: a joint that can be built
  parallel,  ///< always along the x axis of the plane; carried by no link
};

/// A rigid pendulum that stands on the end-effector P on a universal joint (Maciąg, section 5.5).
/// Its first axis lies in the plane of the robot, its second one stands across it.
template <class S>
struct PendulumBody
{
  S length{};          ///< m
  S mass{};            ///< kg
  S center{};          ///< m, centre of mass above P, along the pendulum
  S inertia_along{};   ///< kg m², about the pendulum's own axis
  S inertia_second{};  ///< kg m², about the second axis of the joint
  S inertia_third{};   ///< kg m², about the axis that is left: across both
  S friction{};        ///< N m s/rad, viscous, at each axis of the joint
  S gravity{};         ///< m/s², down onto the plane of the robot
};

struct PendulumParameters
{
  PendulumBody<double> body;
  PendulumAxes axes = PendulumAxes::link_2;
};

/// Calls visit(key, value) for each number, under its key in a file; `inertia` is a list of three.
template <class Body, class Visit>
void visit_pendulum(Body & body, Visit && visit)
{
  visit("length", body.length);
  visit("mass", body.mass);
  visit("center", body.center);
  visit("inertia.0", body.inertia_along);
  visit("inertia.1", body.inertia_second);
  visit("inertia.2", body.inertia_third);
  visit("friction", body.friction);
  visit("gravity", body.gravity);
}

/// Reads the mapping `pendulum` of a file; throws InputError with the key.
PendulumParameters read_pendulum(const YamlMap & map);
/// The mapping again, as YAML without its key.
std::string pendulum_text(const PendulumParameters & pendulum);
/// Sentences about values that are allowed and hardly meant.
std::vector<std::string> pendulum_notes(const PendulumParameters & pendulum);

/// 16 hexadecimal digits over robot and pendulum.
std::string pendulum_fingerprint(const RobotModel & robot, const PendulumParameters & pendulum);

}  // namespace fivebar_control
