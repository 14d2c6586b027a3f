// SPDX-License-Identifier: Apache-2.0
#include "hands.hpp"

#include <gz/sim/EntityComponentManager.hh>
#include <gz/sim/components/Joint.hh>
#include <gz/sim/components/JointForceCmd.hh>
#include <gz/sim/components/JointPosition.hh>
#include <gz/sim/components/JointPositionReset.hh>
#include <gz/sim/components/JointVelocity.hh>
#include <gz/sim/components/JointVelocityReset.hh>
#include <gz/sim/components/Name.hh>

#include "fivebar_control/simulation/outside_plant.hpp"

namespace fivebar_control
{

namespace parts = gz::sim::components;

void Hands::Configure(
  const gz::sim::Entity &, const std::shared_ptr<const sdf::Element> &,
  gz::sim::EntityComponentManager & components, gz::sim::EventManager &)
{
  components_ = &components;
  find(components);
}

void Hands::PreUpdate(
  const gz::sim::UpdateInfo & info, gz::sim::EntityComponentManager & components)
{
  find(components);
  if (!found)
  {
    return;
  }
  if (to_be_put)
  {
    for (std::size_t i = 0; i < joints_.size(); ++i)
    {
      components.SetComponentData<parts::JointPositionReset>(joints_[i], {angle[i]});
      components.SetComponentData<parts::JointVelocityReset>(joints_[i], {speed[i]});
    }
    to_be_put = false;
  }
  for (int i = 0; i < 2 && !info.paused; ++i)
  {
    const auto joint = static_cast<std::size_t>(i);
    const double torque =
      torque_gain[i] * volts[i] + cogging_torque(cogging, home[i] + angle[joint]);
    components.SetComponentData<parts::JointForceCmd>(joints_[joint], {torque});
  }
}

void Hands::look()
{
  for (std::size_t i = 0; found && i < joints_.size(); ++i)
  {
    const auto * position = components_->Component<parts::JointPosition>(joints_[i]);
    const auto * velocity = components_->Component<parts::JointVelocity>(joints_[i]);
    if (!position->Data().empty() && !velocity->Data().empty())
    {
      angle[i] = position->Data()[0];
      speed[i] = velocity->Data()[0];
    }
  }
}

void Hands::find(gz::sim::EntityComponentManager & components)
{
  for (std::size_t i = 0; !found && i < joints_.size(); ++i)
  {
    joints_[i] =
      components.EntityByComponents(parts::Joint(), parts::Name(std::string(joint_names[i])));
    if (joints_[i] == gz::sim::kNullEntity)
    {
      return;
    }
    components.CreateComponent(joints_[i], parts::JointPosition());
    components.CreateComponent(joints_[i], parts::JointVelocity());
  }
  found = true;
}

}  // namespace fivebar_control
