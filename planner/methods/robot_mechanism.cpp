// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/planner/methods/robot_mechanism.hpp"

#include <fmt/core.h>

#include <cmath>
#include <iterator>

namespace fivebar_control
{
namespace
{

/// Where the frames of the links are.
struct LinkFrames
{
  Eigen::Vector2d place[4];
  double angle[4];
};

LinkFrames link_frames(const RobotModel & robot, const Eigen::Vector2d & phi)
{
  const std::optional<LinkagePose> pose = robot.kinematics().forward(phi);
  if (!pose)
  {
    throw LeavesWorkspace("the linkage does not close at the start of the motion");
  }
  const Physics<double> & physics = robot.physics();
  return {
    {physics.pivot_1, pose->elbow_1, pose->elbow_4, physics.pivot_4},
    {phi[0], pose->phi2, pose->phi3, phi[1]}};
}

std::string voltages_of(const MechanismMotion & motion, int joint)
{
  if (motion.voltages.empty())
  {
    const long nodes = std::lround(motion.duration / motion.node_step) + 1;
    return fmt::format("zeros: {}", nodes);
  }
  std::string list;
  for (const Eigen::Vector2d & node : motion.voltages)
  {
    list += fmt::format("{}{}", list.empty() ? "" : ", ", node[joint]);
  }
  return fmt::format("nodes: [{}]", list);
}

void add_links(const RobotModel & robot, const MechanismMotion & motion, std::string & text)
{
  const Physics<double> & physics = robot.physics();
  const LinkFrames frames = link_frames(robot, motion.start.head<2>());
  auto out = std::back_inserter(text);
  fmt::format_to(
    out, "ground: {{O1: [{}, {}], O4: [{}, {}]}}\n", physics.pivot_1[0], physics.pivot_1[1],
    physics.pivot_4[0], physics.pivot_4[1]);
  text +=
    "bodies:                    # frames at the joint nearer to the motor, x along the link\n";
  for (std::size_t i = 0; i < 4; ++i)
  {
    const Link<double> & link = physics.links[i];
    fmt::format_to(
      out,
      "  link_{}: {{mass: {}, inertia: {}, centre: [{}, {}], start: [{}, {}, {}], points: {{tip: "
      "[{}, 0]}}}}\n",
      i + 1, link.mass, link.inertia, link.center[0], link.center[1], frames.place[i][0],
      frames.place[i][1], frames.angle[i], link.length);
  }
}

void add_drives(const RobotModel & robot, const MechanismMotion & motion, std::string & text)
{
  const Physics<double> & physics = robot.physics();
  auto out = std::back_inserter(text);
  std::string shafts, gears, frictions, inputs, motors;
  for (int i = 0; i < 2; ++i)
  {
    const int number = i == 0 ? 1 : 4;
    const auto index = static_cast<std::size_t>(i);
    const Motor<double> & motor = physics.motors[index];
    const Friction<double> & friction = physics.friction[index];
    shafts += fmt::format(
      "  motor_{}: {{inertia: {}, start: {}}}\n", number, motor.rotor_inertia,
      motor.gear_ratio * motion.start[i]);
    gears += fmt::format(
      "  gear_{0}: {{type: gear, shaft: motor_{0}, body: link_{0}, ratio: {1}}}\n", number,
      motor.gear_ratio);
    frictions += fmt::format(
      "  joint_{0}: {{coordinate: link_{0}.angle, viscous: {1}, coulomb: {2}, width: {3}}}\n",
      number, friction.viscous, friction.coulomb,
      friction.coulomb_velocity > 0.0 ? friction.coulomb_velocity : 1.0);
    inputs +=
      fmt::format("  u{}: {{step: {}, {}}}\n", number, motion.node_step, voltages_of(motion, i));
    motors += fmt::format(
      "  motor_{0}: {{shaft: motor_{0}, torque_constant: {1}, back_emf: {2}, resistance: {3}, "
      "friction: {4}, voltage: u{0}}}\n",
      number, motor.torque_constant, motor.back_emf_constant, motor.resistance, motor.damping);
  }
  fmt::format_to(
    out,
    "shafts:\n{}joints:\n"
    "  o1: {{type: revolute, between: [O1, link_1.origin]}}\n"
    "  elbow_1: {{type: revolute, between: [link_1.tip, link_2.origin]}}\n"
    "  p: {{type: revolute, between: [link_2.tip, link_3.tip]}}\n"
    "  elbow_4: {{type: revolute, between: [link_4.tip, link_3.origin]}}\n"
    "  o4: {{type: revolute, between: [O4, link_4.origin]}}\n"
    "{}frictions:\n{}inputs:                    # V\n{}motors:\n{}",
    shafts, gears, frictions, inputs, motors);
}

}  // namespace

MechanismMotion sample_motion(const RobotModel & robot)
{
  MechanismMotion motion;
  motion.start = robot.home_state();
  motion.duration = 0.5;
  motion.voltages.assign(6, Eigen::Vector2d(0.5, 0.5));
  return motion;
}

std::string mechanism_of(const RobotModel & robot, const MechanismMotion & motion)
{
  const Physics<double> & physics = robot.physics();
  std::string text = fmt::format(
    "gravity: [{}, {}]\nduration: {}\nstep: {}\nformulation: hamilton\n", physics.gravity[0],
    physics.gravity[1], motion.duration, motion.step);
  add_links(robot, motion, text);
  add_drives(robot, motion, text);
  text += "initial:\n  hold:\n";
  for (int i = 0; i < 2; ++i)
  {
    fmt::format_to(
      std::back_inserter(text),
      "    phi{0}: {{coordinate: link_{0}.angle, position: {1}, velocity: {2}}}\n", i == 0 ? 1 : 4,
      motion.start[i], motion.start[i + 2]);
  }
  text +=
    "independent: [link_1.angle, link_4.angle]\n"
    "parameters: [inputs.u1, inputs.u4]\n"
    "costs:                     # where P is at the end, m\n"
    "  x: [{of: link_2.tip, axis: x, power: 1, when: end}]\n"
    "  y: [{of: link_2.tip, axis: y, power: 1, when: end}]\n";
  return text;
}

}  // namespace fivebar_control
