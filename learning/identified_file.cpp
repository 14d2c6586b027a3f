// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/learning/identified_file.hpp"

#include <fmt/core.h>

#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/model/robot_file_text.hpp"
#include "fivebar_control/support/package_version.hpp"

namespace fivebar_control
{

std::string verdict_of(const Identification & found)
{
  if (found.reduced() > hopeless_misfit)
  {
    return "ALARM: this model cannot explain the data; these numbers are no result";
  }
  if (found.reduced() > doubtful_misfit)
  {
    return "DOUBTFUL: the robot does something that the model does not know; intervals are too "
           "narrow";
  }
  return "the model explains the data";
}

namespace
{

/// Where a robot file comes from, as lines for its head.
std::string provenance(
  const RobotModel & robot, const std::vector<RecordedMotion> & motions,
  const Identification & found, double plan_coulomb_velocity)
{
  std::string text = fmt::format(
    "Identified by fivebar_control {} from measured motion; docs/learning.md says what of it is\n"
    "measured and what is kept from the robot file that it began with.\n"
    "from robot: '{}', fingerprint {}\n",
    package_version(), robot.parameters().name, robot.fingerprint());
  for (std::size_t i = 0; i < motions.size(); ++i)
  {
    text += fmt::format(
      "log: {}, {} rows, chi^2/N {:.3f}\n", motions[i].name, motions[i].size(),
      found.chi_square_by_log[i]);
  }
  text += fmt::format(
    "chi^2/N: {:.4f} ({})\ndelay: {} cycles\ndry friction: fitted with a width of {} rad/s, "
    "written with {} rad/s for the planner's steps\n",
    found.reduced(), verdict_of(found), found.delay, found.coulomb_velocity, plan_coulomb_velocity);
  for (const std::vector<Estimate> * estimates : {&found.base, &found.lumps, &found.drive_numbers})
  {
    for (const Estimate & e : *estimates)
    {
      text += fmt::format(
        "{} = {:.7g} +- {:.2g} {} (95 %)\n", e.name, e.value, e.half_interval(), e.unit);
    }
  }
  return text;
}

}  // namespace

std::string identified_robot_file(
  const RobotModel & robot, const std::vector<RecordedMotion> & motions,
  const Identification & found, const std::string & name, double plan_coulomb_velocity)
{
  const RobotParameters result = identified_robot(robot, found, plan_coulomb_velocity);
  std::string text =
    robot_file_text(result, provenance(robot, motions, found, plan_coulomb_velocity));
  parse_robot(text, name);  // what cannot be read back is not written
  return text;
}

}  // namespace fivebar_control
