// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/controller/settings.hpp"
#include "fivebar_control/support/yaml_map.hpp"

namespace fivebar_control
{
namespace
{

constexpr int schema_version = 1;

NumberRule duration() { return between(1e-3, 3600.0, "s"); }

FeedbackGains read_gains(const YamlMap & map)
{
  map.allow_only({"kp", "kd", "ki", "integral_limit"});
  FeedbackGains gains;
  gains.kp = map.number("kp", not_negative("V/rad"));
  gains.kd = map.number("kd", not_negative("V s/rad"));
  gains.ki = map.number_or("ki", not_negative("V/(rad s)"), gains.ki);
  gains.integral_limit = map.number_or("integral_limit", not_negative("V"), gains.integral_limit);
  return gains;
}

VelocitySettings read_velocity(const YamlMap & map)
{
  map.allow_only({"method", "cutoff"});
  VelocitySettings velocity;
  velocity.method = map.choice("method", {"filtered_difference", "tracking_observer"}) == 0
                      ? VelocityMethod::filtered_difference
                      : VelocityMethod::tracking_observer;
  velocity.cutoff = map.number("cutoff", positive("Hz"));
  return velocity;
}

StartSettings read_start(const YamlMap & map)
{
  map.allow_only({"tolerance", "alignment_speed", "settle_time", "alignment_timeout"});
  StartSettings start;
  start.tolerance = map.number("tolerance", positive("rad"));
  start.alignment_speed = map.number("alignment_speed", positive("rad/s"));
  start.settle_time = map.number("settle_time", duration());
  start.alignment_timeout = map.number("alignment_timeout", duration());
  return start;
}

EndSettings read_end(const YamlMap & map)
{
  map.allow_only({"stop_time", "settle_time", "hold_time", "relax_time"});
  EndSettings end;
  end.stop_time = map.number("stop_time", duration());
  end.settle_time = map.number("settle_time", duration());
  end.hold_time = map.number("hold_time", between(0.0, 3600.0, "s"));
  end.relax_time = map.number("relax_time", duration());
  return end;
}

GuardSettings read_guard(const YamlMap & map)
{
  map.allow_only(
    {"late_cycles_in_a_row", "following_band", "following_window", "frozen_voltage",
     "frozen_window", "jump_speed", "failures_in_a_row"});
  GuardSettings guard;
  guard.late_cycles_in_a_row = map.integer("late_cycles_in_a_row", 1, 1000);
  guard.following_band = map.number("following_band", positive("rad"));
  guard.following_window = map.number("following_window", between(0.0, 10.0, "s"));
  guard.frozen_voltage = map.number("frozen_voltage", positive("V"));
  guard.frozen_window = map.number("frozen_window", duration());
  guard.jump_speed = map.number("jump_speed", positive("rad/s"));
  guard.failures_in_a_row = map.integer("failures_in_a_row", 1, 1000);
  return guard;
}

ControllerSettings read_settings(const YamlMap & map)
{
  map.allow_only({"schema", "feedback", "velocity", "start", "end", "guard"});
  map.integer("schema", 1, schema_version);
  return {
    read_gains(map.map("feedback")), read_velocity(map.map("velocity")),
    read_start(map.map("start")), read_end(map.map("end")), read_guard(map.map("guard"))};
}

}  // namespace

const char * to_string(ControlMode mode)
{
  switch (mode)
  {
    case ControlMode::feedforward_and_feedback:
      return "feedforward+pd";
    case ControlMode::feedback_only:
      return "pd";
    case ControlMode::feedforward_only:
      return "feedforward";
  }
  return "unknown";
}

const char * to_string(VelocityMethod method)
{
  switch (method)
  {
    case VelocityMethod::filtered_difference:
      return "filtered_difference";
    case VelocityMethod::tracking_observer:
      return "tracking_observer";
  }
  return "unknown";
}

ControllerSettings load_controller_settings(const std::string & path)
{
  return read_settings(YamlMap::load(path));
}

ControllerSettings parse_controller_settings(const std::string & text, const std::string & name)
{
  return read_settings(YamlMap::parse(text, name));
}

}  // namespace fivebar_control
