// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/simulation/simulated_robot.hpp"

#include <algorithm>

namespace fivebar_control
{

SimulatedRobot::SimulatedRobot(
  const RobotModel & robot, const PlantParameters & plant, const Eigen::Vector2d & start,
  std::int64_t period_ns)
: SimulatedRobot(make_equations_engine(robot, plant), plant, start, period_ns)
{
}

SimulatedRobot::SimulatedRobot(
  std::unique_ptr<PlantEngine> engine, const PlantParameters & plant, const Eigen::Vector2d & start,
  std::int64_t period_ns)
: plant_(std::move(engine), plant, start, Eigen::Vector2d::Zero()), period_ns_(period_ns)
{
  under_way_.fill(Eigen::Vector2d::Zero());
}

HardwareError SimulatedRobot::open()
{
  plant_.reset();
  opened_ = true;
  passed_ = true;
  time_ns_ = 0;
  return HardwareError::none;
}

HardwareError SimulatedRobot::arm()
{
  if (!opened_)
  {
    return HardwareError::no_device;
  }
  armed_ = true;
  watchdog_tripped_ = false;
  silence_ns_ = 0;
  written_.setZero();
  under_way_.fill(Eigen::Vector2d::Zero());
  return HardwareError::none;
}

HardwareError SimulatedRobot::read(MotorSample & sample) noexcept
{
  if (!opened_)
  {
    return HardwareError::no_device;
  }
  let_period_pass();
  passed_ = false;
  sample.time_ns = time_ns_;
  sample.counts = plant_.read_counts();
  sample.status =
    (armed_ ? motor_status::armed : 0U) | (watchdog_tripped_ ? motor_status::watchdog_tripped : 0U);
  return HardwareError::none;
}

HardwareError SimulatedRobot::write(const Eigen::Vector2d & volts) noexcept
{
  if (!armed_)
  {
    return HardwareError::not_armed;
  }
  if (!volts.allFinite())
  {
    return HardwareError::bad_data;
  }
  written_ = volts;
  silence_ns_ = 0;
  return HardwareError::none;
}

HardwareError SimulatedRobot::disarm() noexcept
{
  armed_ = false;
  written_.setZero();
  under_way_.fill(Eigen::Vector2d::Zero());
  return HardwareError::none;
}

Encoder SimulatedRobot::encoder() const
{
  return {Eigen::Vector2d::Constant(plant_.parameters().counts_per_turn), Eigen::Vector2d::Zero()};
}

std::string SimulatedRobot::description() const
{
  return "simulated robot (" + plant_.engine().name() + ", plant '" + plant_.parameters().name +
         "')";
}

void SimulatedRobot::let_period_pass() noexcept
{
  if (!passed_)
  {
    pass_period();
    passed_ = true;
  }
}

void SimulatedRobot::pass_period()
{
  time_ns_ += period_ns_;
  silence_ns_ += period_ns_;
  const PlantParameters & parameters = plant_.parameters();
  if (armed_ && static_cast<double>(silence_ns_) * 1e-9 > parameters.watchdog_time)
  {
    watchdog_tripped_ = true;
  }
  std::rotate(under_way_.begin(), under_way_.end() - 1, under_way_.end());
  under_way_.front() = written_;
  const bool driven = armed_ && !watchdog_tripped_;
  const Eigen::Vector2d volts =
    driven ? under_way_[static_cast<std::size_t>(parameters.delay_cycles)] : Eigen::Vector2d(0, 0);
  plant_.advance(volts, static_cast<double>(period_ns_) * 1e-9);
}

}  // namespace fivebar_control
