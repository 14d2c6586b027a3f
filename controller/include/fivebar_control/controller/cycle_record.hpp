// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "fivebar_control/controller/control_core.hpp"

namespace fivebar_control
{

/// All that is remembered of one control cycle; index 0 is driven link 1, index 1 driven link 4.
struct CycleRecord
{
  std::int64_t time_ns = 0;  ///< since the run's first cycle, homing and all
  double plan_time = 0.0;    ///< s
  Eigen::Vector2d feedforward = Eigen::Vector2d::Zero();      ///< V
  Eigen::Vector2d reference = Eigen::Vector2d::Zero();        ///< rad
  Eigen::Vector2d reference_speed = Eigen::Vector2d::Zero();  ///< rad/s
  Eigen::Vector2d lead = Eigen::Vector2d::Zero();  ///< rad, of reference and angle before the links
  Eigen::Vector2d feedback = Eigen::Vector2d::Zero();  ///< V
  Eigen::Vector2d volts = Eigen::Vector2d::Zero();     ///< V, to the motors
  Eigen::Vector2d angle = Eigen::Vector2d::Zero();     ///< rad, measured
  Eigen::Vector2d speed = Eigen::Vector2d::Zero();     ///< rad/s, measured
  std::optional<Eigen::Vector2d> true_point;  ///< m, where P truly is; simulated robots tell
  std::array<std::int64_t, 2> counts{};
  ControlState state = ControlState::idle;
  bool late = false;
  bool limited = false;
  bool read_good = true;
  bool write_good = true;
};

/// What the controller's output tells of a cycle; the counts and whether reading and writing were
/// good are the caller's to add.
CycleRecord record_of(std::int64_t time_ns, const ControlOutput & output) noexcept;

/// Takes the records of a run, one per cycle, from the real-time thread.
class RecordSink
{
public:
  virtual ~RecordSink() = default;
  virtual void take(const CycleRecord & record) noexcept = 0;
};

}  // namespace fivebar_control
