// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/controller/live_settings.hpp"

#include <fmt/core.h>

#include "fivebar_control/controller/control_core.hpp"

namespace fivebar_control
{
namespace
{

std::string why_not_gain(const char * key, double now, double wanted)
{
  const bool near = wanted <= now * largest_gain_factor && wanted * largest_gain_factor >= now;
  return near
           ? ""
           : fmt::format(
               "{} may change by a factor of {:g} at most while the robot moves: from {:g} to "
               "between {:g} and {:g}",
               key, largest_gain_factor, now, now / largest_gain_factor, now * largest_gain_factor);
}

std::string why_not_gains(const FeedbackGains & now, const FeedbackGains & wanted)
{
  std::string reason = why_not_gain("feedback.kp", now.kp, wanted.kp);
  reason = reason.empty() ? why_not_gain("feedback.kd", now.kd, wanted.kd) : reason;
  reason = reason.empty() ? why_not_gain("feedback.ki", now.ki, wanted.ki) : reason;
  return reason.empty()
           ? why_not_gain("feedback.integral_limit", now.integral_limit, wanted.integral_limit)
           : reason;
}

/// Name of the first number of the guard that differs; empty: none does.
std::string changed_guard_key(const GuardSettings & now, const GuardSettings & wanted)
{
  std::vector<double> values;
  visit_guard(now, [&](const char *, auto value) { values.push_back(static_cast<double>(value)); });
  std::size_t i = 0;
  std::string changed = now.switched_off == wanted.switched_off ? "" : "switched_off";
  visit_guard(wanted, [&](const char * key, auto value) {
    changed = values[i++] == static_cast<double>(value) ? changed : key;
  });
  return changed;
}

}  // namespace

std::string why_not_change(
  const ControllerSettings & now, const ControllerSettings & wanted, bool is_driving)
{
  if (
    now.gains.method != wanted.gains.method || now.velocity != wanted.velocity ||
    now.loop != wanted.loop)
  {
    return "methods, filters and what gains along a plan are made from are read while configuring";
  }
  if (!is_driving)
  {
    return "";
  }
  if (const std::string key = changed_guard_key(now.guard, wanted.guard); !key.empty())
  {
    return fmt::format("guard.{} cannot be changed while the robot moves: stop it first", key);
  }
  if (now.start != wanted.start || now.end != wanted.end)
  {
    return "start and end cannot be changed while the robot moves: stop it first";
  }
  return why_not_gains(now.gains, wanted.gains);
}

void ControlCore::change_settings(const ControllerSettings & settings)
{
  feedback_.change(settings.gains, is_driving() ? gain_change_time : 0.0);
  waiting_ = settings;
  settings_wait_ = true;
  if (!is_driving())
  {
    take_waiting_settings();
  }
}

void ControlCore::take_waiting_settings()
{
  settings_wait_ = false;
  settings_.start = waiting_.start;
  settings_.end = waiting_.end;
  settings_.guard = waiting_.guard;
  guard_.set(waiting_.guard);
  plausibility_.set(waiting_.guard);
  output_guard_.set(waiting_.guard);
}

}  // namespace fivebar_control
