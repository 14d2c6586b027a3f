// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/simulation/live_robot.hpp"

#include <algorithm>

namespace fivebar_control
{
namespace
{

constexpr double index_distance = 0.2;  // rad from the start

}  // namespace

LiveRobot::LiveRobot(
  std::unique_ptr<PlantEngine> engine, const PlantParameters & plant, const Eigen::Vector2d & start)
: plant_(std::move(engine), plant, start, plant.start.value_or(start))
{
}

void LiveRobot::advance_to(std::int64_t time_ns)
{
  const Eigen::Vector2d before = angle();
  if (time_ns_ != 0 && time_ns > time_ns_)
  {
    plant_.advance(volts_, static_cast<double>(time_ns - time_ns_) * 1e-9, hand_);
  }
  time_ns_ = std::max(time_ns_, time_ns);
  for (int i = 0; i < 2; ++i)
  {
    const int encoder = plant_.encoder_read_by(i);
    const double mark = plant_.start()[encoder] + index_distance;
    if ((before[encoder] < mark) != (angle()[encoder] < mark))
    {
      index_[i] = static_cast<std::int32_t>(plant_.counts_at(mark, i));
    }
  }
}

void LiveRobot::set_volts(const Eigen::Vector2d & volts) { volts_ = plant_.supplied(volts); }

std::array<std::int32_t, 2> LiveRobot::counts()
{
  const auto wide = plant_.read_counts();
  return {static_cast<std::int32_t>(wide[0]), static_cast<std::int32_t>(wide[1])};
}

}  // namespace fivebar_control
