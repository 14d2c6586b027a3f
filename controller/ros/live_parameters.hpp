// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <fivebar_control/feedforward_controller_parameters.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <rclcpp_lifecycle/lifecycle_node.hpp>
#include <string>
#include <vector>

#include "fivebar_control/controller/settings.hpp"
#include "handover.hpp"

namespace fivebar_control
{

/// The controller's settings as the node's parameters say them.
ControllerSettings settings_of(const rclcpp_lifecycle::LifecycleNode & node);

/// Parameters that are set while the controller is configured: refuses, with a reason, what would
/// be dangerous now and what is read while configuring only, and passes on the rest to the
/// real-time side. Lives from configuring to cleaning up.
class LiveParameters : public std::enable_shared_from_this<LiveParameters>
{
public:
  LiveParameters(
    rclcpp_lifecycle::LifecycleNode::SharedPtr node,
    std::shared_ptr<feedforward_controller::ParamListener> listener,
    std::shared_ptr<Handover> handover);

  using OnChange = std::function<void(const ControllerSettings & settings)>;

  /// After construction, because the callbacks hold weak pointers to this object. `on_change` is
  /// called with the settings whenever they have changed.
  void start(OnChange on_change);
  /// Tells the real-time side if parameters have changed. Called after every change where the
  /// distribution offers that (not Humble), and now and then by whoever watches.
  void refresh();
  ControllerSettings settings() const { return settings_of(*node_); }

private:
  using SetResult = rcl_interfaces::msg::SetParametersResult;
  SetResult judge(const std::vector<rclcpp::Parameter> & parameters);

  rclcpp_lifecycle::LifecycleNode::SharedPtr node_;
  std::shared_ptr<feedforward_controller::ParamListener> listener_;
  std::shared_ptr<Handover> handover_;
  feedforward_controller::Params seen_;
  OnChange on_change_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point changed_{};  ///< gains, last
  rclcpp_lifecycle::LifecycleNode::OnSetParametersCallbackHandle::SharedPtr callback_;
  std::shared_ptr<void> after_callback_;
};

}  // namespace fivebar_control
