#include "fivebar_control/hardware/simulated_robot.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

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
: plant_(plant),
  engine_(std::move(engine)),
  start_(plant.start.value_or(start)),
  period_ns_(period_ns),
  random_(plant.seed)
{
  under_way_.fill(Eigen::Vector2d::Zero());
}

HardwareError SimulatedRobot::open()
{
  random_.seed(plant_.seed);
  noise_ = std::normal_distribution<double>(0.0, 1.0);
  engine_->reset(start_);
  state_ = engine_->state();
  opened_ = true;
  first_read_ = true;
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
  if (!first_read_)
  {
    pass_period();
  }
  first_read_ = false;
  sample.time_ns = time_ns_;
  for (int i = 0; i < 2; ++i)
  {
    double measured = state_[i];
    if (plant_.angle_noise > 0.0)
    {
      measured += plant_.angle_noise * noise_(random_);
    }
    const double counts = std::round(measured / (2.0 * std::numbers::pi) * plant_.counts_per_turn);
    if (!std::isfinite(counts))
    {
      return HardwareError::bad_data;
    }
    sample.counts[static_cast<std::size_t>(i)] = static_cast<std::int64_t>(counts);
  }
  sample.status =
    (armed_ ? motor_status::armed : 0U) | (watchdog_tripped_ ? motor_status::watchdog_tripped : 0U);
  return HardwareError::none;
}

HardwareError SimulatedRobot::write(const std::array<double, 2> & volts) noexcept
{
  if (!armed_)
  {
    return HardwareError::not_armed;
  }
  if (!std::isfinite(volts[0]) || !std::isfinite(volts[1]))
  {
    return HardwareError::bad_data;
  }
  written_ = {volts[0], volts[1]};
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
  return {{plant_.counts_per_turn, plant_.counts_per_turn}, {0.0, 0.0}};
}

std::string SimulatedRobot::description() const
{
  return "simulated robot (" + engine_->name() + ", plant '" + plant_.name + "')";
}

void SimulatedRobot::pass_period()
{
  time_ns_ += period_ns_;
  silence_ns_ += period_ns_;
  if (armed_ && static_cast<double>(silence_ns_) * 1e-9 > plant_.watchdog_time)
  {
    watchdog_tripped_ = true;
  }
  std::rotate(under_way_.begin(), under_way_.end() - 1, under_way_.end());
  under_way_.front() = written_;
  const Eigen::Vector2d commanded = under_way_[static_cast<std::size_t>(plant_.delay_cycles)];
  const bool driven = armed_ && !watchdog_tripped_;
  for (int i = 0; i < 2; ++i)
  {
    motor_volts_[i] =
      driven ? std::clamp(commanded[i], -plant_.supply_voltage, plant_.supply_voltage) : 0.0;
  }
  engine_->advance(motor_volts_, static_cast<double>(period_ns_) * 1e-9);
  state_ = engine_->state();
}

}  // namespace fivebar_control
