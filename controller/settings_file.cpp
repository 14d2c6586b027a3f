// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/controller/receding_horizon.hpp"
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
  map.allow_only({"method", "kp", "kd", "ki", "integral_limit"});
  FeedbackGains gains;
  if (map.has("method"))
  {
    gains.method = static_cast<FeedbackMethod>(map.choice("method", {"pd", "tvlqr", "mpc"}));
  }
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
  velocity.method = static_cast<VelocityMethod>(
    map.choice("method", {"filtered_difference", "tracking_observer", "kalman"}));
  velocity.cutoff = map.number("cutoff", positive("Hz"));
  return velocity;
}

StartSettings read_start(const YamlMap & map)
{
  map.allow_only({"tolerance", "alignment_speed", "settle_time", "alignment_timeout"});
  StartSettings start;
  start.tolerance = map.number("tolerance", between(1e-6, 0.5, "rad"));
  start.alignment_speed = map.number("alignment_speed", between(1e-3, 100.0, "rad/s"));
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

/// Numbers beyond these bounds would switch a guard off without saying so; `switched_off` says so.
void read_bounds(const YamlMap & map, GuardSettings & guard)
{
  guard.late_cycles_in_a_row = map.integer("late_cycles_in_a_row", 1, 50);
  guard.following_band = map.number("following_band", between(1e-3, 1.0, "rad"));
  guard.following_window = map.number("following_window", between(0.0, 1.0, "s"));
  guard.frozen_voltage = map.number("frozen_voltage", between(1e-3, 24.0, "V"));
  guard.frozen_window = map.number("frozen_window", between(1e-3, 1.0, "s"));
  guard.jump_speed = map.number("jump_speed", between(1.0, 1000.0, "rad/s"));
  guard.failures_in_a_row = map.integer("failures_in_a_row", 1, 20);
  const auto number =
    [&map](const char * key, double low, double high, const char * unit, double & value) {
      value = map.number_or(key, between(low, high, unit), value);
    };
  number("jump_distance", 1e-4, 0.5, "rad", guard.jump_distance);
  number("unexplained_voltage", 0.01, 24.0, "V", guard.unexplained_voltage);
  number("unexplained_share", 0.0, 0.9, "of the volts", guard.unexplained_share);
  number("unexplained_window", 0.0, 1.0, "s", guard.unexplained_window);
  number("scale_ratio", 1.05, 10.0, "times", guard.scale_ratio);
  number("scale_voltage", 0.01, 24.0, "V", guard.scale_voltage);
  number("scale_window", 0.01, 5.0, "s", guard.scale_window);
  number("saturation_window", 0.01, 10.0, "s", guard.saturation_window);
  number("chatter_voltage", 0.1, 50.0, "V", guard.chatter_voltage);
  number("chatter_rate", 1.0, 150.0, "1/s", guard.chatter_rate);
  number("chatter_window", 0.01, 5.0, "s", guard.chatter_window);
  number("motor_current", 0.01, 100.0, "A", guard.motor_current);
  number("heating_time", 0.1, 1000.0, "s", guard.heating_time);
}

void read_switched_off(const YamlMap & map, GuardSettings & guard)
{
  for (const std::string & name : map.texts("switched_off", 0))
  {
    if (!switch_off({name}, guard))
    {
      std::string names;
      for (const Reason reason : reasons_to_switch_off())
      {
        names += (names.empty() ? "" : ", ") + std::string(to_string(reason));
      }
      map.fail("switched_off", "'" + name + "' cannot be switched off, expected some of " + names);
    }
  }
}

GuardSettings read_guard(const YamlMap & map)
{
  std::vector<std::string> keys{"switched_off"};
  GuardSettings guard;
  visit_guard(guard, [&keys](const char * key, const auto &) { keys.emplace_back(key); });
  map.allow_only(keys);
  read_bounds(map, guard);
  if (map.has("switched_off"))
  {
    read_switched_off(map, guard);
  }
  return guard;
}

LoopGainSettings read_loop(const YamlMap & map)
{
  map.allow_only(
    {"reading_noise", "disturbance_rate", "disturbance_limit", "volts_weight", "horizon",
     "horizon_sweeps", "horizon_time"});
  LoopGainSettings loop;
  loop.reading_noise =
    map.number_or("reading_noise", between(1e-9, 0.1, "rad"), loop.reading_noise);
  loop.disturbance_rate =
    map.number_or("disturbance_rate", between(0.0, 1.0, "V"), loop.disturbance_rate);
  loop.disturbance_limit =
    map.number_or("disturbance_limit", between(0.0, 10.0, "V"), loop.disturbance_limit);
  loop.volts_weight =
    map.number_or("volts_weight", between(1e-9, 1.0, "m^2/V^2"), loop.volts_weight);
  loop.horizon =
    map.has("horizon") ? map.integer("horizon", 1, RecedingHorizon::longest) : loop.horizon;
  loop.horizon_sweeps =
    map.has("horizon_sweeps") ? map.integer("horizon_sweeps", 1, 50) : loop.horizon_sweeps;
  loop.horizon_time = map.number_or("horizon_time", between(1e-6, 0.1, "s"), loop.horizon_time);
  return loop;
}

ControllerSettings read_settings(const YamlMap & map)
{
  map.allow_only({"schema", "feedback", "velocity", "start", "end", "guard", "along_plan"});
  map.integer("schema", 1, schema_version);
  return {
    read_gains(map.map("feedback")),
    read_velocity(map.map("velocity")),
    read_start(map.map("start")),
    read_end(map.map("end")),
    read_guard(map.map("guard")),
    map.has("along_plan") ? read_loop(map.map("along_plan")) : LoopGainSettings{}};
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
    case VelocityMethod::kalman:
      return "kalman";
  }
  return "unknown";
}

const char * to_string(FeedbackMethod method)
{
  switch (method)
  {
    case FeedbackMethod::pd:
      return "pd";
    case FeedbackMethod::tvlqr:
      return "tvlqr";
    case FeedbackMethod::mpc:
      return "mpc";
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
