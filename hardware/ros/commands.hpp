// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <hardware_interface/handle.hpp>
#include <hardware_interface/hardware_info.hpp>
#include <string>
#include <vector>

#include "fivebar_control/ros/compatibility.hpp"

namespace fivebar_control
{

enum class CommandKind
{
  voltage = 0,  ///< V at the motors
  effort = 1,   ///< N m at the links
};

/// What controllers command: volts or efforts, never both. Set and read without waiting.
class Commands
{
public:
  using Names = std::vector<std::string>;

  /// What is wanted in this cycle.
  struct Wanted
  {
    CommandKind kind = CommandKind::voltage;
    Eigen::Vector2d value = Eigen::Vector2d::Zero();
    /// False if a value was locked by somebody in the cycle before as well. Once, the value before
    /// is taken again.
    bool was_read = true;
    /// Joints whose effort is commanded by nobody.
    std::array<bool, 2> unclaimed{};
  };

  void name(const hardware_interface::HardwareInfo & info);
#if FIVEBAR_FRAMEWORK_OWNS_VALUES
  void find(const std::vector<hardware_interface::CommandInterface::SharedPtr> & handles);
#else
  std::vector<hardware_interface::CommandInterface> exported();
#endif

  /// Whether volts and efforts stay apart if controllers start and stop with these interfaces.
  bool may_switch(const Names & start, const Names & stop) const;
  /// Whatever starts or stops is commanded zero. True if any of these starts.
  bool perform_switch(const Names & start, const Names & stop);
  bool starts_efforts(const Names & start) const;

  void clear();
  /// Whether a controller has claimed any of them.
  bool are_claimed() const;
  Wanted take();

private:
  using Claims = std::array<std::array<bool, 2>, 2>;  ///< [kind][joint]
  Claims after(const Names & start, const Names & stop) const;

  using Value = compatibility::Value<hardware_interface::CommandInterface>;
  std::array<std::string, 2> joints_;
  std::array<Names, 2> names_;  ///< [kind][joint]; empty if the description has none
  std::array<std::array<Value, 2>, 2> values_;
  Claims claims_{};
  Eigen::Vector2d last_ = Eigen::Vector2d::Zero();
  int locked_cycles_ = 0;
};

}  // namespace fivebar_control
