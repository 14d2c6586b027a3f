// SPDX-License-Identifier: Apache-2.0
#include "live_parameters.hpp"

#include <fmt/core.h>

#include <set>
#include <type_traits>

#include "fivebar_control/controller/live_settings.hpp"

namespace fivebar_control
{
namespace
{

/// Calls visit(name, value) for each setting that may change while the controller is configured.
template <class Visit>
void visit_live(ControllerSettings & s, Visit && visit)
{
  visit("feedback.kp", s.gains.kp);
  visit("feedback.kd", s.gains.kd);
  visit("feedback.ki", s.gains.ki);
  visit("feedback.integral_limit", s.gains.integral_limit);
  visit("start.tolerance", s.start.tolerance);
  visit("start.alignment_speed", s.start.alignment_speed);
  visit("start.settle_time", s.start.settle_time);
  visit("start.alignment_timeout", s.start.alignment_timeout);
  visit("end.stop_time", s.end.stop_time);
  visit("end.settle_time", s.end.settle_time);
  visit("end.hold_time", s.end.hold_time);
  visit("end.relax_time", s.end.relax_time);
  visit_guard(s.guard, [&visit](const char * key, auto & value) {
    visit(fmt::format("guard.{}", key), value);
  });
}

/// The others, which are read while configuring.
template <class Visit>
void visit_fixed(ControllerSettings & s, Visit && visit)
{
  visit("velocity.cutoff", s.velocity.cutoff);
  visit("along_plan.reading_noise", s.loop.reading_noise);
  visit("along_plan.disturbance_rate", s.loop.disturbance_rate);
  visit("along_plan.disturbance_limit", s.loop.disturbance_limit);
  visit("along_plan.volts_weight", s.loop.volts_weight);
  visit("along_plan.horizon", s.loop.horizon);
  visit("along_plan.horizon_sweeps", s.loop.horizon_sweeps);
  visit("along_plan.horizon_time", s.loop.horizon_time);
}

/// Whether a parameter decides what is made while configuring.
bool is_fixed(const std::string & name)
{
  static const std::set<std::string> names{
    "joints",          "command_prefix",     "zero_is_home",   "motor_board",   "motor_board_arms",
    "robot",           "voltage_limit",      "plan",           "log_directory", "monitor_rate",
    "velocity.method", "state_publish_rate", "feedback.method"};
  bool found = names.count(name) > 0;
  ControllerSettings settings;
  visit_fixed(settings, [&](const char * key, auto &) { found = found || name == key; });
  return found;
}

template <class Number>
void take(const rclcpp::Parameter & parameter, Number & value)
{
  if constexpr (std::is_integral_v<Number>)
  {
    value = static_cast<Number>(parameter.as_int());
  }
  else
  {
    value = parameter.as_double();
  }
}

}  // namespace

ControllerSettings settings_of(const rclcpp_lifecycle::LifecycleNode & node)
{
  ControllerSettings settings;
  const auto read = [&node](const std::string & name, auto & value) {
    take(node.get_parameter(name), value);
  };
  visit_live(settings, read);
  visit_fixed(settings, read);
  const std::string feedback = node.get_parameter("feedback.method").as_string();
  for (const FeedbackMethod method :
       {FeedbackMethod::pd, FeedbackMethod::tvlqr, FeedbackMethod::mpc})
  {
    settings.gains.method = feedback == to_string(method) ? method : settings.gains.method;
  }
  const std::string velocity = node.get_parameter("velocity.method").as_string();
  for (const VelocityMethod method :
       {VelocityMethod::filtered_difference, VelocityMethod::tracking_observer,
        VelocityMethod::kalman})
  {
    settings.velocity.method = velocity == to_string(method) ? method : settings.velocity.method;
  }
  switch_off(node.get_parameter("guard.switched_off").as_string_array(), settings.guard);
  return settings;
}

LiveParameters::LiveParameters(
  rclcpp_lifecycle::LifecycleNode::SharedPtr node,
  std::shared_ptr<feedforward_controller::ParamListener> listener,
  std::shared_ptr<Handover> handover)
: node_(std::move(node)),
  listener_(std::move(listener)),
  handover_(std::move(handover)),
  seen_(listener_->get_params())
{
}

namespace
{

/// Nothing where the distribution has no such callback.
template <class Node, class Callback>
std::shared_ptr<void> after_setting(Node & node, Callback callback)
{
  if constexpr (requires { node.add_post_set_parameters_callback(callback); })
  {
    return node.add_post_set_parameters_callback(callback);
  }
  else
  {
    return nullptr;
  }
}

}  // namespace

void LiveParameters::start(OnChange on_change)
{
  on_change_ = std::move(on_change);
  const std::weak_ptr<LiveParameters> weak = weak_from_this();
  callback_ = node_->add_on_set_parameters_callback(
    [weak](const std::vector<rclcpp::Parameter> & parameters) {
      const auto self = weak.lock();
      SetResult good;
      good.successful = true;
      return self ? self->judge(parameters) : good;
    });
  after_callback_ = after_setting(*node_, [weak](const std::vector<rclcpp::Parameter> &) {
    if (const auto self = weak.lock())
    {
      self->refresh();
    }
  });
}

LiveParameters::SetResult LiveParameters::judge(const std::vector<rclcpp::Parameter> & parameters)
{
  const std::lock_guard lock(mutex_);
  const ControllerSettings now = settings_of(*node_);
  ControllerSettings wanted = now;
  SetResult result;
  for (const rclcpp::Parameter & parameter : parameters)
  {
    bool known = parameter.get_name() == "use_sim_time";
    const auto note = [&](const std::string & name, auto & value) {
      if (name == parameter.get_name())
      {
        known = true;
        take(parameter, value);
      }
    };
    visit_live(wanted, note);
    if (parameter.get_name() == "guard.switched_off")
    {
      known = true;
      wanted.guard.switched_off = 0;
      known = switch_off(parameter.as_string_array(), wanted.guard);
    }
    // Others, such as those of QoS overrides, are not ours to judge.
    if (
      !known && is_fixed(parameter.get_name()) &&
      parameter.get_parameter_value() !=
        node_->get_parameter(parameter.get_name()).get_parameter_value())
    {
      result.reason = fmt::format(
        "{} is read while configuring: clean the controller up first", parameter.get_name());
      return result;
    }
  }
  const bool driving = handover_->driving;
  result.reason = why_not_change(now, wanted, driving);
  const auto time = std::chrono::steady_clock::now();
  const bool gains_change = now.gains.kp != wanted.gains.kp || now.gains.kd != wanted.gains.kd ||
                            now.gains.ki != wanted.gains.ki ||
                            now.gains.integral_limit != wanted.gains.integral_limit;
  const bool on_their_way =
    driving && time - changed_ < std::chrono::duration<double>(gain_change_time);
  if (result.reason.empty() && gains_change && on_their_way)
  {
    result.reason = fmt::format("gains are still changing: wait {} s", gain_change_time);
  }
  result.successful = result.reason.empty();
  changed_ = result.successful && gains_change ? time : changed_;
  return result;
}

void LiveParameters::refresh()
{
  const std::lock_guard lock(mutex_);
  if (listener_->is_old(seen_))
  {
    seen_ = listener_->get_params();
    const ControllerSettings settings = settings_of(*node_);
    if (!handover_->settings.push(settings))
    {
      RCLCPP_ERROR(node_->get_logger(), "parameters changed faster than the loop can follow");
    }
    on_change_(settings);
  }
}

}  // namespace fivebar_control
