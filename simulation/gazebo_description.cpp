// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/simulation/gazebo_description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "fivebar_control/simulation/outside_plant.hpp"

namespace fivebar_control
{
namespace
{

constexpr double thickness = 0.008;  // m, of the links that are shown

/// As text between tags.
std::string escaped(const std::string & text)
{
  std::string result;
  for (const char c : text)
  {
    result += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  }
  return result;
}

/// DetachableJoint always listens for a wish to detach. The loop is never to be opened, so it
/// listens where nobody calls who wants to detach or attach something.
std::string loop_topics()
{
  std::string topics;
  for (const char * tag : {"detach_topic", "attach_topic", "output_topic"})
  {
    topics += fmt::format("<{0}>/fivebar/loop_stays_closed/{0}</{0}>", tag);
  }
  return topics;
}

class UrdfWriter
{
public:
  UrdfWriter(const RobotModel & robot, const GazeboOptions & options)
  : robot_(robot), options_(options)
  {
    add("<?xml version=\"1.0\"?>\n<robot name=\"fivebar\">\n");
  }

  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments &&... arguments)
  {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
  }

  /// Three equal inertias: only the one about z matters, and they satisfy the triangle rule.
  void add_inertial(const Eigen::Vector2d & center, double mass, double inertia)
  {
    add(
      "<inertial><origin xyz=\"{0:.17g} {1:.17g} 0\"/><mass value=\"{2:.17g}\"/>"
      "<inertia ixx=\"{3:.17g}\" iyy=\"{3:.17g}\" izz=\"{3:.17g}\" ixy=\"0\" ixz=\"0\" "
      "iyz=\"0\"/></inertial>\n",
      center.x(), center.y(), mass, inertia);
  }

  void add_link(std::size_t number, double added_inertia, double height, const char * color)
  {
    const Link<double> & link = robot_.physics().links[number - 1];
    add("<link name=\"link_{}\">\n", number);
    add_inertial(link.center, link.mass, link.inertia + added_inertia);
    add(
      "<visual><origin xyz=\"{:.17g} 0 {}\"/><geometry><box size=\"{:.17g} {} {}\"/></geometry>"
      "<material name=\"link_{}\"><color rgba=\"{}\"/></material></visual>\n</link>\n",
      0.5 * link.length, height, link.length, 2.0 * thickness, thickness, number, color);
  }

  void add_joint(
    const char * name, const char * type, const char * parent, const char * child,
    const Eigen::Vector2d & at, double angle, const std::string & dynamics)
  {
    add(
      "<joint name=\"{}\" type=\"{}\"><parent link=\"{}\"/><child link=\"{}\"/>"
      "<origin xyz=\"{:.17g} {:.17g} 0\" rpy=\"0 0 {:.17g}\"/><axis xyz=\"0 0 1\"/>{}</joint>\n",
      name, type, parent, child, at.x(), at.y(), angle, dynamics);
  }

  std::string driven_dynamics(int motor) const
  {
    const auto index = static_cast<std::size_t>(motor);
    const Limits & limits = robot_.limits();
    const double home = robot_.parameters().home[motor];
    const double volts = std::max(limits.voltage, options_.plant.supply_voltage);
    return fmt::format(
      "<limit lower=\"{:.17g}\" upper=\"{:.17g}\" velocity=\"{:.17g}\" effort=\"{:.17g}\"/>"
      "<dynamics damping=\"{:.17g}\" friction=\"{:.17g}\"/>",
      limits.joint_minimum[index] - home, limits.joint_maximum[index] - home, limits.joint_speed,
      robot_.constants().torque_gain[motor] * volts, robot_.constants().damping[motor],
      robot_.physics().friction[index].coulomb);
  }

  void add_control()
  {
    const bool volts = options_.interface == GazeboInterface::volts;
    add(
      "<ros2_control name=\"fivebar\" type=\"system\">\n<hardware><plugin>{}</plugin>",
      volts ? "fivebar_control/GazeboMotors" : "gz_ros2_control/GazeboSimSystem");
    if (volts)
    {
      add(
        "<param name=\"robot\">{}</param><param name=\"plant\">{}</param>",
        escaped(options_.robot_file), escaped(options_.plant_file));
    }
    add("</hardware>\n");
    for (const char * joint : {"joint_1", "joint_4"})
    {
      add_states(
        joint,
        volts ? "<command_interface name=\"voltage\"/>" : "<command_interface name=\"effort\"/>");
    }
    for (const char * joint : {"joint_2", "joint_3"})
    {
      add_states(joint, "");
    }
    if (volts)
    {
      add("<gpio name=\"motor_board\">");
      for (const char * state : {"sample_time", "status", "simulated", "armed", "arm_count"})
      {
        add("<state_interface name=\"{}\"/>", state);
      }
      add("</gpio>\n");
    }
    // Held joints would be locked until a controller moves them, the passive ones for ever.
    add(
      "</ros2_control>\n<gazebo><plugin filename=\"gz_ros2_control-system\" "
      "name=\"gz_ros2_control::GazeboSimROS2ControlPlugin\"><parameters>{}</parameters>"
      "<hold_joints>false</hold_joints></plugin></gazebo>\n",
      escaped(options_.controllers_file));
  }

  void add_states(const char * joint, const char * command)
  {
    add(
      "<joint name=\"{}\">{}<state_interface name=\"position\"/><state_interface "
      "name=\"velocity\"/></joint>\n",
      joint, command);
  }

  std::string take() { return std::move(text_ += "</robot>\n"); }

private:
  const RobotModel & robot_;
  const GazeboOptions & options_;
  std::string text_;
};

}  // namespace

std::string gazebo_urdf_of(const RobotModel & planned, const GazeboOptions & options)
{
  require_gazebo_plant(planned, options.plant);
  const RobotModel robot = plant_model(planned, options.plant);
  const Physics<double> & physics = robot.physics();
  const Eigen::Vector2d home = robot.parameters().home;
  const LinkagePose pose = robot.kinematics().forward(home).value();
  const auto rotor = [&](std::size_t i) {
    const Motor<double> & motor = physics.motors[i];
    return motor.gear_ratio * motor.gear_ratio * motor.rotor_inertia;
  };
  UrdfWriter urdf(robot, options);
  urdf.add("<link name=\"world\"/>\n<link name=\"base_link\">\n");
  urdf.add_inertial(Eigen::Vector2d::Zero(), 1.0, 1e-2);
  urdf.add("</link>\n");
  urdf.add_link(1, rotor(0), 0.0, "0.85 0.33 0.10 1");
  urdf.add_link(2, 0.0, thickness, "0.00 0.45 0.74 1");
  urdf.add_link(3, 0.0, -thickness, "0.00 0.45 0.74 1");
  urdf.add_link(4, rotor(1), 0.0, "0.85 0.33 0.10 1");
  urdf.add("<link name=\"end_effector\">\n");
  urdf.add_inertial(Eigen::Vector2d::Zero(), gazebo_tip_mass, gazebo_tip_inertia);
  urdf.add(
    "<visual><geometry><cylinder radius=\"{}\" length=\"{}\"/></geometry></visual>\n</link>\n",
    thickness, 4.0 * thickness);
  urdf.add_joint("world_joint", "fixed", "world", "base_link", {0.0, 0.0}, 0.0, "");
  urdf.add_joint(
    "joint_1", "revolute", "base_link", "link_1", physics.pivot_1, home[0],
    urdf.driven_dynamics(0));
  urdf.add_joint(
    "joint_4", "revolute", "base_link", "link_4", physics.pivot_4, home[1],
    urdf.driven_dynamics(1));
  urdf.add_joint(
    "joint_2", "continuous", "link_1", "link_2", {physics.links[0].length, 0.0},
    pose.phi2 - home[0], "");
  urdf.add_joint(
    "joint_3", "continuous", "link_4", "link_3", {physics.links[3].length, 0.0},
    pose.phi3 - home[1], "");
  urdf.add_joint(
    "end_effector_joint", "continuous", "link_2", "end_effector", {physics.links[1].length, 0.0},
    0.0, "");
  urdf.add(
    "<gazebo reference=\"world_joint\"><preserveFixedJoint>true</preserveFixedJoint></gazebo>\n"
    "<gazebo><plugin filename=\"gz-sim-detachable-joint-system\" "
    "name=\"gz::sim::systems::DetachableJoint\"><parent_link>link_3</parent_link>"
    "<child_model>__model__</child_model><child_link>end_effector</child_link>{}</plugin></"
    "gazebo>\n",
    loop_topics());
  if (!options.controllers_file.empty())
  {
    urdf.add_control();
  }
  return urdf.take();
}

/// What a window and tools need of a world.
constexpr const char * for_others =
  R"(<plugin filename="gz-sim-user-commands-system" name="gz::sim::systems::UserCommands"/>
<plugin filename="gz-sim-scene-broadcaster-system" name="gz::sim::systems::SceneBroadcaster"/>
)";

std::string gazebo_world_of(const RobotModel & robot, const GazeboOptions & options)
{
  const Eigen::Vector2d gravity = plant_physics(robot, options.plant).gravity;
  const std::string model =
    options.model_file.empty()
      ? ""
      : fmt::format(
          "<include><name>fivebar</name><uri>{}</uri></include>\n", escaped(options.model_file));
  return fmt::format(
    R"(<?xml version="1.0"?>
<sdf version="1.9">
<world name="fivebar">
<physics name="dart_pgs" type="dart">
<max_step_size>{:.17g}</max_step_size>
<real_time_factor>{}</real_time_factor>
<dart><solver><solver_type>pgs</solver_type></solver></dart>
</physics>
<gravity>{:.17g} {:.17g} 0</gravity>
<plugin filename="gz-sim-physics-system" name="gz::sim::systems::Physics"/>
{}{}<light name="sun" type="directional">
<pose>0 0 3 0 0 0</pose>
<direction>-0.3 0.2 -1</direction>
<diffuse>0.9 0.9 0.9 1</diffuse>
</light>
</world>
</sdf>
)",
    options.time_step, options.watched ? 1 : 0, gravity.x(), gravity.y(),
    options.watched ? for_others : "", model);
}

}  // namespace fivebar_control
