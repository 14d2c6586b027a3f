#include "fivebar_control/hardware/live_robot.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fivebar_control
{
namespace
{

constexpr double index_distance = 0.2;  // rad from the start

}  // namespace

LiveRobot::LiveRobot(
  const RobotModel & robot, const PlantParameters & plant, const Eigen::Vector2d & start)
: plant_(plant),
  constants_(lump(plant_physics(robot, plant), robot.parameters().assembly_mode)),
  lowest_(robot.limits().joint_minimum[0], robot.limits().joint_minimum[1]),
  highest_(robot.limits().joint_maximum[0], robot.limits().joint_maximum[1]),
  start_(plant.start.value_or(start)),
  random_(plant.seed)
{
  state_ << start_, 0.0, 0.0;
}

void LiveRobot::advance_to(std::int64_t time_ns)
{
  const double duration = static_cast<double>(time_ns - time_ns_) * 1e-9;
  if (time_ns_ != 0 && duration > 0.0)
  {
    const int steps = std::max(1, static_cast<int>(std::ceil(duration / plant_.integration_step)));
    for (int i = 0; i < steps; ++i)
    {
      step(duration / steps);
    }
  }
  time_ns_ = std::max(time_ns_, time_ns);
}

void LiveRobot::step(double duration)
{
  const Eigen::Vector4d before = state_;
  const Eigen::Vector2d drive = volts_ + hand_;
  state_ = runge_kutta_step<double>(constants_, state_, drive, drive, duration);
  if (!state_.allFinite())
  {
    state_ << before.head<2>(), 0.0, 0.0;  // jammed where the linkage cannot close
  }
  for (int i = 0; i < 2; ++i)
  {
    const double angle = std::clamp(state_[i], lowest_[i], highest_[i]);
    state_[i + 2] = angle == state_[i] ? state_[i + 2] : 0.0;  // an end stop, without a rebound
    state_[i] = angle;
    const double mark = start_[i] + index_distance;
    if ((before[i] < mark) != (state_[i] < mark))
    {
      index_[i] = counts_at(mark, i);
    }
  }
}

void LiveRobot::set_volts(const Eigen::Vector2d & volts)
{
  volts_ = volts.cwiseMax(-plant_.supply_voltage).cwiseMin(plant_.supply_voltage);
}

std::int32_t LiveRobot::counts_at(double angle, int joint) const
{
  const double turns = (angle - start_[joint]) / (2.0 * std::numbers::pi);
  return static_cast<std::int32_t>(std::lround(turns * plant_.counts_per_turn));
}

std::int32_t LiveRobot::counts(int joint)
{
  double angle = state_[joint];
  if (plant_.angle_noise > 0.0)
  {
    angle += plant_.angle_noise * noise_(random_);
  }
  return counts_at(angle, joint);
}

}  // namespace fivebar_control
