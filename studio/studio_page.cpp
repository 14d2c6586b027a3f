// SPDX-License-Identifier: Apache-2.0
#include "studio_page.hpp"

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "fivebar_control/daemon/compared_laws.hpp"
#include "fivebar_control/support/config_location.hpp"
#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/package_version.hpp"
#include "fivebar_control/support/page_parts.hpp"
#include "fivebar_control/support/text_file.hpp"
#include "json_text.hpp"
#include "page.hpp"
#include "reach_map.hpp"

namespace fivebar_control
{
namespace
{

using nlohmann::json;

constexpr int map_columns = 260;

void put(std::string & page, const std::string & mark, const std::string & content)
{
  const std::size_t at = page.find(mark);
  if (at == std::string::npos)
  {
    throw InternalError("the page of the studio has no place for " + mark);
  }
  page.replace(at, mark.size(), content);
}

json pair(const Eigen::Vector2d & v) { return {v[0], v[1]}; }

json robot_json(const RobotModel & robot)
{
  const Geometry<double> & g = robot.kinematics().geometry();
  const Limits & limits = robot.limits();
  return {
    {"name", robot.parameters().name},
    {"fingerprint", robot.fingerprint()},
    {"pivot1", pair(g.pivot_1)},
    {"pivot4", pair(g.pivot_4)},
    {"lengths", {g.l1, g.l2, g.l3, g.l4}},
    {"mode", g.mode},
    {"home", pair(robot.parameters().home)},
    {"limits",
     {{"voltage", limits.voltage},
      {"voltage_rate", limits.voltage_rate},
      {"speed", limits.joint_speed},
      {"phi1", {limits.joint_minimum[0], limits.joint_maximum[0]}},
      {"phi4", {limits.joint_minimum[1], limits.joint_maximum[1]}},
      {"parallel", limits.singularity_margin},
      {"serial", limits.serial_singularity_margin}}}};
}

json map_json(const RobotModel & robot)
{
  const ReachMap map = reach_map(robot, map_columns);
  return {
    {"low", pair(map.low)},
    {"cell", map.cell},
    {"columns", map.columns},
    {"rows", map.rows},
    {"obstacles", map.obstacles}};
}

/// Those of config/plants that are there.
json shipped_plants()
{
  json plants = json::array();
  for (const char * name : {"mismatched", "noisy", "outside/elastic_40_link", "outside/mixture"})
  {
    try
    {
      find_config(std::string("plants/") + name + ".yaml");
      plants.push_back(name);
    }
    catch (const InputError &)
    {
      // An installation may have fewer.
    }
  }
  return plants;
}

json laws_json(const Desk & desk)
{
  json laws = json::array();
  for (const ComparedLaw & law : laws_to_compare(desk.settings, Plan{}))
  {
    laws.push_back({{"key", law.key}, {"name", law.name}});
  }
  return laws;
}

}  // namespace

std::string studio_page()
{
  std::string script(page::charts_js);
  for (const std::string_view part :
       {page::tools_js, page::yaml_js, page::shapes_js, page::font_js, page::drawing_js,
        page::panels_js, page::results_js, page::play_js, page::files_js, page::robot_js,
        page::studio_js})
  {
    script += part;
  }
  std::string text(page::studio_html);
  put(text, "/*style*/", std::string(page::charts_css) + std::string(page::studio_css));
  put(text, "/*script*/", script);
  return text;
}

std::string answer_start(const Desk & desk, const std::string & hardware)
{
  return text_of(
    {{"robot", robot_json(desk.robot)},
     {"map", map_json(desk.robot)},
     {"plants", shipped_plants()},
     {"laws", laws_json(desk)},
     {"folder", desk.folder.root().filename().string()},
     {"hardware", hardware},
     {"options", shell_line(desk.robot_options)},
     {"version", package_version()},
     {"curve", read_text_file(find_config("curves/b_gentle.yaml"), 100'000)}});
}

}  // namespace fivebar_control
