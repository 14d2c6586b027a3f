// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/model/robot_model.hpp"

#include <fmt/core.h>

#include <cmath>
#include <stdexcept>
#include <utility>

#include "fivebar_control/support/checksum.hpp"

namespace fivebar_control
{
namespace
{

RobotParameters checked(RobotParameters parameters)
{
  const ParameterDefect defect = find_defect(parameters);
  if (!defect.message.empty())
  {
    throw InputError::of(defect.key, defect.message);
  }
  return parameters;
}

std::string fingerprint_of(const RobotParameters & p)
{
  Checksum checksum;
  const auto add = [&checksum](const std::string & name, double value) {
    checksum.add(fmt::format("{}={:.17g}\n", name, value + 0.0));  // + 0.0 makes -0 the same as 0
  };
  visit_parameters(p.physics, add);
  add("assembly_mode", static_cast<double>(p.assembly_mode));
  add("home.phi1", p.home[0]);
  add("home.phi4", p.home[1]);
  for (std::size_t i = 0; i < 2; ++i)
  {
    // Ideal drives leave the fingerprint as it was before there were others.
    if (p.drives[i] != Drive{})
    {
      visit_drive(p.drives[i], [&](const char * name, double value) {
        add(fmt::format("drives.drive_{}.{}", i == 0 ? 1 : 4, name), value);
      });
      add("encoder_on_motor", p.drives[i].encoder_on_motor ? 1.0 : 0.0);
    }
  }
  return checksum.hex();
}

ParameterDefect drive_defect(const RobotParameters & p)
{
  for (std::size_t i = 0; i < 2; ++i)
  {
    const Drive & drive = p.drives[i];
    const std::string key = fmt::format("drives.drive_{}", i == 0 ? 1 : 4);
    if (!drive.is_rigid() && !(p.physics.motors[i].rotor_inertia > 0.0))
    {
      return {key, "a drive that yields needs a rotor_inertia above zero"};
    }
    if (drive.stribeck > 0.0 && !(drive.stribeck_velocity > 0.0))
    {
      return {key, "stribeck needs a stribeck_velocity above zero, rad/s"};
    }
  }
  return {};
}

}  // namespace

ParameterDefect find_defect(const RobotParameters & p)
{
  const auto & physics = p.physics;
  for (std::size_t i = 0; i < 4; ++i)
  {
    const Link<double> & link = physics.links[i];
    if (!(link.length > 0.0) || !(link.mass > 0.0) || !(link.inertia > 0.0))
    {
      return {fmt::format("links.link_{}", i + 1), "length, mass and inertia must be positive"};
    }
  }
  if (const ParameterDefect defect = drive_defect(p); !defect.message.empty())
  {
    return defect;
  }
  const Kinematics kinematics(geometry_of(physics, p.assembly_mode));
  const auto home = kinematics.forward(p.home);
  if (!home)
  {
    const auto & g = kinematics.geometry();
    const Eigen::Vector2d elbow_1 =
      g.pivot_1 + g.l1 * Eigen::Vector2d(std::cos(p.home[0]), std::sin(p.home[0]));
    const Eigen::Vector2d elbow_4 =
      g.pivot_4 + g.l4 * Eigen::Vector2d(std::cos(p.home[1]), std::sin(p.home[1]));
    return {
      "home", fmt::format(
                "the home pose cannot be assembled: the elbows are {:.6g} m apart, links 2 and 3 "
                "need {:.6g} m to {:.6g} m",
                (elbow_4 - elbow_1).norm(), std::abs(g.l2 - g.l3), g.l2 + g.l3)};
  }
  if (home->margins.parallel < p.limits.singularity_margin)
  {
    return {
      "home",
      fmt::format(
        "the home pose is too near a singularity: links 2 and 3 have |sin| = {:.4g}, the limit "
        "singularity_margin is {:.4g}",
        home->margins.parallel, p.limits.singularity_margin)};
  }
  for (int i = 0; i < 2; ++i)
  {
    const auto index = static_cast<std::size_t>(i);
    if (!(p.limits.joint_minimum[index] < p.limits.joint_maximum[index]))
    {
      return {i == 0 ? "limits.phi1" : "limits.phi4", "the lower limit must be below the upper"};
    }
    if (p.home[i] < p.limits.joint_minimum[index] || p.home[i] > p.limits.joint_maximum[index])
    {
      return {
        i == 0 ? "home.phi1" : "home.phi4",
        fmt::format(
          "the home pose lies outside the joint limits {:.6g} to {:.6g} rad",
          p.limits.joint_minimum[index], p.limits.joint_maximum[index])};
    }
  }
  return {};
}

RobotModel::RobotModel(RobotParameters parameters)
: parameters_(checked(std::move(parameters))),
  constants_(lump(parameters_.physics, parameters_.assembly_mode)),
  kinematics_(constants_.geometry),
  working_mode_(kinematics_.working_mode(parameters_.home)),
  fingerprint_(fingerprint_of(parameters_))
{
}

Eigen::Vector4d RobotModel::home_state() const
{
  return {parameters_.home[0], parameters_.home[1], 0.0, 0.0};
}

}  // namespace fivebar_control
