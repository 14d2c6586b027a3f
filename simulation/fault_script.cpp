// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/simulation/fault_script.hpp"

#include <array>

#include "fivebar_control/support/yaml_map.hpp"

namespace fivebar_control
{
namespace
{

constexpr std::array<const char *, 15> names = {
  "lose",           "duplicate",    "reorder",      "corrupt",       "delay",
  "hang",           "reboot",       "over_current", "under_voltage", "emergency_stop",
  "freeze_encoder", "jump_encoder", "limit_output", "unplug",        "hand"};

Fault read_fault(const YamlMap & map)
{
  map.allow_only(
    {"at", "since", "fault", "duration", "direction", "unit", "share", "delay", "joint", "counts",
     "volts"});
  Fault fault;
  fault.kind = static_cast<FaultKind>(
    map.choice("fault", std::vector<std::string>(names.begin(), names.end())));
  fault.at = map.number("at", not_negative("s"));
  fault.since_start = map.has("since") && map.choice("since", {"armed", "start"}) == 1;
  fault.duration = map.number_or("duration", positive("s"), fault.duration);
  if (map.has("direction"))
  {
    fault.direction =
      static_cast<LineDirection>(map.choice("direction", {"both", "to_board", "to_host"}));
  }
  fault.whole_frames = map.has("unit") && map.choice("unit", {"byte", "frame"}) == 1;
  fault.share = map.number_or("share", between(0.0, 1.0, "share"), fault.share);
  fault.delay = map.number_or("delay", between(0.0, 10.0, "s"), 0.0);
  if (map.has("joint"))
  {
    fault.joint = static_cast<int>(map.choice("joint", {"1", "4"}));
  }
  fault.counts = map.integer_or("counts", -1000000, 1000000, 0);
  fault.volts = map.number_or("volts", between(-10.0, 10.0, "V"), 0.0);
  if (fault.kind == FaultKind::delay && fault.delay <= 0.0)
  {
    map.fail("", "a delay needs 'delay' in s");
  }
  if (fault.kind == FaultKind::limit_output && fault.volts <= 0.0)
  {
    map.fail("", "a limit of the output needs 'volts' above 0");
  }
  if (fault.kind == FaultKind::jump_encoder && fault.counts == 0)
  {
    map.fail("", "a jump needs 'counts'");
  }
  return fault;
}

std::vector<Fault> read_faults(const YamlMap & map)
{
  map.allow_only({"schema", "faults"});
  map.integer("schema", 1, 1);
  std::vector<Fault> faults;
  for (const YamlMap & entry : map.maps("faults"))
  {
    faults.push_back(read_fault(entry));
  }
  return faults;
}

}  // namespace

const char * to_string(FaultKind kind) { return names[static_cast<std::size_t>(kind)]; }

std::vector<FaultKind> all_faults()
{
  std::vector<FaultKind> kinds;
  for (std::size_t i = 0; i < names.size(); ++i)
  {
    kinds.push_back(static_cast<FaultKind>(i));
  }
  return kinds;
}

std::vector<Fault> load_faults(const std::string & path)
{
  return read_faults(YamlMap::load(path));
}

std::vector<Fault> parse_faults(const std::string & text, const std::string & name)
{
  return read_faults(YamlMap::parse(text, name));
}

}  // namespace fivebar_control
