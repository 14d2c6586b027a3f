// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/simulation/mjcf.hpp"

#include <fmt/format.h>

#include <iterator>

namespace fivebar_control
{
namespace
{

struct Body
{
  int number;                // of the link, 1 to 4
  Eigen::Vector2d position;  // of its joint in the parent's frame
  double angle;              // rad, in the parent's frame at home
};

/// The opening tag of a link's body with everything but its children. `driven` is the motor's index
/// or -1.
std::string open_body(const RobotModel & robot, const Body & body, int driven)
{
  const Link<double> & link = robot.physics().links[static_cast<std::size_t>(body.number - 1)];
  std::string joint_dynamics;
  if (driven >= 0)
  {
    const Motor<double> & motor = robot.physics().motors[static_cast<std::size_t>(driven)];
    joint_dynamics = fmt::format(
      " damping=\"{:.17g}\" armature=\"{:.17g}\"", robot.constants().damping[driven],
      motor.gear_ratio * motor.gear_ratio * motor.rotor_inertia);
  }
  // Only the inertia about z matters in the plane; three equal ones satisfy the triangle rule.
  return fmt::format(
    R"(<body name="link_{0}" pos="{1:.17g} {2:.17g} 0" euler="0 0 {3:.17g}">
<joint name="joint_{0}" type="hinge" axis="0 0 1" ref="{3:.17g}"{4}/>
<inertial pos="{5:.17g} {6:.17g} 0" mass="{7:.17g}" diaginertia="{8:.17g} {8:.17g} {8:.17g}"/>
<geom type="capsule" size="0.005" fromto="0 0 0 {9:.17g} 0 0" contype="0" conaffinity="0"/>
)",
    body.number, body.position.x(), body.position.y(), body.angle, joint_dynamics, link.center.x(),
    link.center.y(), link.mass, link.inertia, link.length);
}

}  // namespace

std::string mjcf_of(const RobotModel & robot, const MjcfOptions & options)
{
  const Physics<double> & physics = robot.physics();
  const Eigen::Vector2d home = robot.parameters().home;
  const LinkagePose pose = robot.kinematics().forward(home).value();
  const auto length = [&](std::size_t link) { return physics.links[link - 1].length; };
  std::string text;
  auto out = std::back_inserter(text);
  fmt::format_to(
    out,
    R"(<mujoco model="fivebar">
<compiler angle="radian" inertiafromgeom="false"/>
<option timestep="{:.17g}" integrator="RK4" gravity="{:.17g} {:.17g} 0" solver="Newton" tolerance="0" iterations="20">
<flag contact="disable" limit="disable" frictionloss="disable"/>
</option>
<size nuserdata="{}"/>
<worldbody>
)",
    options.time_step, physics.gravity.x(), physics.gravity.y(), mjcf_user_data_size);
  // Each chain: the driven link on the ground, the distal link on it.
  const auto add_chain = [&](const Body & driven, const Body & distal, int motor) {
    fmt::format_to(
      out, "{}{}<site name=\"end_effector_{}\" pos=\"{:.17g} 0 0\"/>\n</body>\n</body>\n",
      open_body(robot, driven, motor), open_body(robot, distal, -1), distal.number,
      length(static_cast<std::size_t>(distal.number)));
  };
  add_chain({1, physics.pivot_1, home[0]}, {2, {length(1), 0.0}, pose.phi2 - home[0]}, 0);
  add_chain({4, physics.pivot_4, home[1]}, {3, {length(4), 0.0}, pose.phi3 - home[1]}, 1);
  fmt::format_to(
    out,
    R"(</worldbody>
<equality>
<connect body1="link_2" body2="link_3" anchor="{:.17g} 0 0" solref="{:.17g} 1" solimp="{:.17g} {:.17g} 0.001"/>
</equality>
<actuator>
<motor name="motor_1" joint="joint_1" gear="{:.17g}"/>
<motor name="motor_4" joint="joint_4" gear="{:.17g}"/>
</actuator>
</mujoco>
)",
    length(2), options.time_constant_in_steps * options.time_step, options.impedance,
    options.impedance, robot.constants().torque_gain[0], robot.constants().torque_gain[1]);
  return text;
}

}  // namespace fivebar_control
