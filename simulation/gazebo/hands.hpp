// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <gz/sim/System.hh>
#include <memory>

#include "fivebar_control/model/drive_dynamics.hpp"

namespace fivebar_control
{

/// Our hands in Gazebo: efforts on the driven joints before a step, all joints after it.
///
/// Gazebo gives systems that look on after a step a thread each. This one has none: it looks when
/// it is asked, between the steps.
class Hands : public gz::sim::System,
              public gz::sim::ISystemConfigure,
              public gz::sim::ISystemPreUpdate
{
public:
  /// In the order of JointStates; the last one turns freely and is only there to be welded.
  static constexpr std::array<const char *, 5> joint_names{
    "joint_1", "joint_4", "joint_2", "joint_3", "end_effector_joint"};

  std::array<double, joint_names.size()> angle{}, speed{};  ///< from home
  Eigen::Vector2d torque_gain = Eigen::Vector2d::Zero();    ///< N m/V
  Eigen::Vector2d volts = Eigen::Vector2d::Zero();
  Eigen::Vector2d home = Eigen::Vector2d::Zero();  ///< rad
  Cogging cogging;
  bool to_be_put = false;  ///< where angle and speed are, before the next step
  bool found = false;      ///< the joints

  void Configure(
    const gz::sim::Entity & entity, const std::shared_ptr<const sdf::Element> & element,
    gz::sim::EntityComponentManager & components, gz::sim::EventManager & events) override;
  void PreUpdate(
    const gz::sim::UpdateInfo & info, gz::sim::EntityComponentManager & components) override;
  /// Takes angle and speed from Gazebo; not while it makes a step.
  void look();

private:
  void find(gz::sim::EntityComponentManager & components);

  std::array<gz::sim::Entity, joint_names.size()> joints_{};
  gz::sim::EntityComponentManager * components_ = nullptr;
};

}  // namespace fivebar_control
