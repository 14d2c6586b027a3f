// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"

#include <algorithm>

namespace fivebar_control
{
namespace
{

constexpr std::array<const char *, 2> interfaces = {"voltage", "effort"};

bool contains(const Commands::Names & names, const std::string & name)
{
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool any(const std::array<bool, 2> & claims) { return claims[0] || claims[1]; }

}  // namespace

void Commands::name(const hardware_interface::HardwareInfo & info)
{
  for (std::size_t kind = 0; kind < 2; ++kind)
  {
    names_[kind].clear();
    for (std::size_t joint = 0; joint < 2; ++joint)
    {
      const auto & described = info.joints[joint].command_interfaces;
      const bool exists = std::any_of(described.begin(), described.end(), [&](const auto & i) {
        return i.name == interfaces[kind];
      });
      joints_[joint] = info.joints[joint].name;
      names_[kind].push_back(exists ? joints_[joint] + "/" + interfaces[kind] : "");
    }
  }
}

#if FIVEBAR_FRAMEWORK_OWNS_VALUES
void Commands::find(const std::vector<hardware_interface::CommandInterface::SharedPtr> & handles)
{
  for (std::size_t kind = 0; kind < 2; ++kind)
  {
    for (std::size_t joint = 0; joint < 2; ++joint)
    {
      values_[kind][joint].find(names_[kind][joint], handles);
    }
  }
}
#else
std::vector<hardware_interface::CommandInterface> Commands::exported()
{
  std::vector<hardware_interface::CommandInterface> handles;
  for (std::size_t kind = 0; kind < 2; ++kind)
  {
    for (std::size_t joint = 0; joint < 2; ++joint)
    {
      if (!names_[kind][joint].empty())
      {
        values_[kind][joint].export_to(handles, joints_[joint], interfaces[kind]);
      }
    }
  }
  return handles;
}
#endif

Commands::Claims Commands::after(const Names & start, const Names & stop) const
{
  Claims claims = claims_;
  for (std::size_t kind = 0; kind < 2; ++kind)
  {
    for (std::size_t joint = 0; joint < 2; ++joint)
    {
      const std::string & name = names_[kind][joint];
      bool & claim = claims[kind][joint];
      claim = !name.empty() && ((claim && !contains(stop, name)) || contains(start, name));
    }
  }
  return claims;
}

bool Commands::may_switch(const Names & start, const Names & stop) const
{
  const Claims claims = after(start, stop);
  return !(any(claims[0]) && any(claims[1]));
}

bool Commands::starts_efforts(const Names & start) const
{
  const Names & efforts = names_[1];
  return (!efforts[0].empty() && contains(start, efforts[0])) ||
         (!efforts[1].empty() && contains(start, efforts[1]));
}

bool Commands::perform_switch(const Names & start, const Names & stop)
{
  claims_ = after(start, stop);
  bool any_started = false;
  for (std::size_t kind = 0; kind < 2; ++kind)
  {
    for (std::size_t joint = 0; joint < 2; ++joint)
    {
      const std::string & name = names_[kind][joint];
      const bool started = contains(start, name);
      any_started = any_started || started;
      if (started || contains(stop, name))
      {
        values_[kind][joint].set(0.0);
        last_[static_cast<Eigen::Index>(joint)] = 0.0;
      }
    }
  }
  return any_started;
}

void Commands::clear()
{
  for (auto & of_kind : values_)
  {
    for (Value & value : of_kind)
    {
      value.set(0.0);
    }
  }
  last_.setZero();
  locked_cycles_ = 0;
}

bool Commands::are_claimed() const { return any(claims_[0]) || any(claims_[1]); }

Commands::Wanted Commands::take()
{
  Wanted wanted;
  wanted.kind = any(claims_[1]) ? CommandKind::effort : CommandKind::voltage;
  const auto & values = values_[static_cast<std::size_t>(wanted.kind)];
  bool locked = false;
  for (std::size_t joint = 0; joint < 2; ++joint)
  {
    const std::optional<double> value = values[joint].get();
    last_[static_cast<Eigen::Index>(joint)] =
      value.value_or(last_[static_cast<Eigen::Index>(joint)]);
    locked = locked || !value.has_value();
    wanted.unclaimed[joint] = !claims_[1][joint];
  }
  locked_cycles_ = locked ? locked_cycles_ + 1 : 0;
  wanted.value = last_;
  wanted.was_read = locked_cycles_ <= 1;
  return wanted;
}

}  // namespace fivebar_control
