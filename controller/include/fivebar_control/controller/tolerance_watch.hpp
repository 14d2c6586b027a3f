// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <limits>

#include "fivebar_control/controller/control_core.hpp"

namespace fivebar_control
{

/// How far from its reference a run may be before whoever asked for it does not want it any more.
/// Tighter than the guard's band, and no fault: the run is stopped smoothly.
struct RunTolerances
{
  static constexpr double none = std::numeric_limits<double>::infinity();
  Eigen::Vector2d path = Eigen::Vector2d::Constant(none);        ///< rad, on the way
  Eigen::Vector2d path_speed = Eigen::Vector2d::Constant(none);  ///< rad/s, on the way
  Eigen::Vector2d goal = Eigen::Vector2d::Constant(none);        ///< rad, at the end
  Eigen::Vector2d goal_speed = Eigen::Vector2d::Constant(none);  ///< rad/s, at the end
  double goal_time = none;  ///< s after the end in which it must be there; none: while it is held
};

enum class ToleranceVerdict
{
  kept,
  path_left,    ///< further from the reference than allowed
  goal_missed,  ///< not at the end in time
};

/// Watches one run, cycle by cycle. No allocation.
class ToleranceWatch
{
public:
  explicit ToleranceWatch(const RunTolerances & tolerances = {}) : tolerances_(tolerances) {}

  ToleranceVerdict take(const ControlOutput & output, double elapsed)
  {
    const Eigen::Vector2d error = (output.reference.phi - output.angle).cwiseAbs();
    const Eigen::Vector2d speed_error = (output.reference.speed - output.speed).cwiseAbs();
    const auto within = [&](const Eigen::Vector2d & angle, const Eigen::Vector2d & speed) {
      return error[0] <= angle[0] && error[1] <= angle[1] && speed_error[0] <= speed[0] &&
             speed_error[1] <= speed[1];
    };
    if (verdict_ != ToleranceVerdict::kept)
    {
      return verdict_;
    }
    if (output.state == ControlState::playing)
    {
      played_ = true;
      verdict_ =
        within(tolerances_.path, tolerances_.path_speed) ? verdict_ : ToleranceVerdict::path_left;
    }
    else if (output.state == ControlState::holding && played_ && !reached_)
    {
      held_ += elapsed;
      reached_ = held_ <= tolerances_.goal_time && within(tolerances_.goal, tolerances_.goal_speed);
    }
    else if (output.state == ControlState::relaxing && played_ && !reached_)
    {
      verdict_ = ToleranceVerdict::goal_missed;
    }
    return verdict_;
  }

private:
  RunTolerances tolerances_;
  ToleranceVerdict verdict_ = ToleranceVerdict::kept;
  bool played_ = false;
  bool reached_ = false;
  double held_ = 0.0;  ///< s
};

}  // namespace fivebar_control
