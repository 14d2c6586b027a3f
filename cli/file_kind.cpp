// SPDX-License-Identifier: Apache-2.0
#include "file_kind.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/sealed_table.hpp"
#include "fivebar_control/support/text_file.hpp"
#include "fivebar_control/support/yaml_map.hpp"

namespace fivebar_control::cli
{
namespace
{

struct YamlKind
{
  FileKind kind;
  std::vector<std::string> keys;  ///< of its first level; `schema` and `name` tell nothing
};

const std::vector<YamlKind> & yaml_kinds()
{
  static const std::vector<YamlKind> kinds{
    {FileKind::robot,
     {"gravity", "pivots", "assembly_mode", "home", "links", "motors", "friction", "limits"}},
    {FileKind::curve,
     {"curve", "placement", "ramp", "time_step", "start", "cost", "stages", "limits", "solver"}},
    {FileKind::controller, {"feedback", "velocity", "start", "end", "guard"}},
    {FileKind::plant,
     {"scale", "friction", "supply_voltage", "encoder", "delay_cycles", "integration_step",
      "watchdog_time", "start", "end_stops"}},
    {FileKind::hardware, {"joint_1", "joint_4", "homing", "serial", "hil", "comedi"}},
    {FileKind::mechanism,
     {"gravity", "duration", "step",   "formulation", "integrator",      "ground",     "points",
      "rods",    "bodies",   "joints", "springs",     "torsion_springs", "frictions",  "inputs",
      "loads",   "motors",   "shafts", "modes",       "initial",         "events",     "parameters",
      "bounds",  "pendula",  "stages", "pendulum",    "costs",           "independent"}},
    {FileKind::balance, {"robot", "pendulum", "start", "plan", "control"}},
    {FileKind::fault_script, {"faults"}}};
  return kinds;
}

InputError unknown(const std::string & name)
{
  return InputError(fmt::format(
    "{}: not a file that fivebar knows: expected a robot, curve, controller, plant, hardware, "
    "mechanism or balance file, a fault script, a plan, a run log, a response, or voltages",
    name));
}

bool is_ros_parameters(const YamlMap & map)
{
  const std::vector<std::string> nodes = map.keys();
  return !nodes.empty() && std::all_of(nodes.begin(), nodes.end(), [&](const std::string & node) {
    try
    {
      return map.map(node).has("ros__parameters");
    }
    catch (const InputError &)
    {
      return false;  // not even a mapping
    }
  });
}

/// The kind whose keys the file has most of: a misspelled key must not hide what a file is.
FileKind yaml_kind(const YamlMap & map, const std::string & name)
{
  const std::vector<std::string> keys = map.keys();
  std::optional<FileKind> best;
  std::ptrdiff_t most = 0;
  for (const YamlKind & candidate : yaml_kinds())
  {
    const auto known =
      std::count_if(keys.begin(), keys.end(), [&candidate](const std::string & key) {
        return std::find(candidate.keys.begin(), candidate.keys.end(), key) != candidate.keys.end();
      });
    if (known > most)
    {
      best = candidate.kind;
      most = known;
    }
    else if (known == most)
    {
      best.reset();  // two kinds are equally likely
    }
  }
  if (!best)
  {
    throw unknown(name);
  }
  return *best;
}

std::string_view first_line_without_comment(std::string_view text)
{
  while (!text.empty() && (text.front() == '#' || text.front() == '\n' || text.front() == '\r'))
  {
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  return text.substr(0, text.find('\n'));
}

bool has_column(std::string_view names, std::string_view name)
{
  const std::string all = fmt::format(",{},", names);
  return all.find(fmt::format(",{},", name)) != std::string::npos;
}

}  // namespace

const char * to_string(FileKind kind)
{
  switch (kind)
  {
    case FileKind::robot:
      return "robot";
    case FileKind::curve:
      return "curve";
    case FileKind::controller:
      return "controller";
    case FileKind::plant:
      return "plant";
    case FileKind::hardware:
      return "hardware";
    case FileKind::mechanism:
      return "mechanism";
    case FileKind::balance:
      return "balance file";
    case FileKind::fault_script:
      return "fault script";
    case FileKind::ros_parameters:
      return "ROS 2 parameters";
    case FileKind::plan:
      return "plan";
    case FileKind::run_log:
      return "run log";
    case FileKind::response:
      return "response";
    case FileKind::voltages:
      return "voltages";
  }
  return "unknown";
}

FileKind kind_of(const std::string & text, const std::string & name)
{
  if (const std::string content = sealed_content(text); !content.empty())
  {
    for (const FileKind kind : {FileKind::plan, FileKind::run_log, FileKind::response})
    {
      if (content == to_string(kind))
      {
        return kind;
      }
    }
    throw unknown(name);
  }
  const std::string_view line = first_line_without_comment(text);
  if (line.find(':') == std::string_view::npos && line.find(',') != std::string_view::npos)
  {
    std::string names(line.substr(0, line.find('\r')));
    names.erase(std::remove(names.begin(), names.end(), ' '), names.end());
    if (!has_column(names, "t") && !has_column(names, "u1") && !has_column(names, "u4"))
    {
      throw unknown(name);
    }
    return FileKind::voltages;
  }
  const YamlMap map = YamlMap::parse(text, name);
  return is_ros_parameters(map) ? FileKind::ros_parameters : yaml_kind(map, name);
}

Plan load_plan_to_play(const std::string & path)
{
  const std::string text = read_text_file(path, plan_kind.largest_file);
  FileKind kind = FileKind::plan;
  try
  {
    kind = kind_of(text, path);
  }
  catch (const InputError &)
  {
    // Whatever it is: parse_plan() says what is wrong with it as a plan.
  }
  if (kind == FileKind::curve)
  {
    throw InputError(
      {path}, fmt::format("this is a curve, not a plan: plan it first, 'fivebar plan {}'", path));
  }
  if (kind != FileKind::plan)
  {
    throw InputError(
      {path},
      fmt::format(
        "this is a {}, not a plan: expected a file that 'fivebar plan' wrote", to_string(kind)));
  }
  return parse_plan(text, path);
}

}  // namespace fivebar_control::cli
