// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/simulation/simulated_plant.hpp"

#include <cmath>
#include <numbers>

namespace fivebar_control
{

SimulatedPlant::SimulatedPlant(
  std::unique_ptr<PlantEngine> engine, const PlantParameters & plant, const Eigen::Vector2d & start,
  const Eigen::Vector2d & zero)
: plant_(plant), engine_(std::move(engine)), start_(plant.start.value_or(start)), zero_(zero)
{
  reset();
}

void SimulatedPlant::reset()
{
  random_.seed(plant_.seed);
  noise_ = std::normal_distribution<double>(0.0, 1.0);
  state_ << start_, 0.0, 0.0;
  engine_->reset(state_);
  jammed_ = false;
  motor_volts_.setZero();
}

Eigen::Vector2d SimulatedPlant::supplied(const Eigen::Vector2d & volts) const
{
  return volts.cwiseMax(-plant_.supply_voltage).cwiseMin(plant_.supply_voltage);
}

void SimulatedPlant::advance(
  const Eigen::Vector2d & volts, double duration, const Eigen::Vector2d & hand)
{
  motor_volts_ = supplied(volts);
  engine_->advance(motor_volts_ + hand, duration);
  const Eigen::Vector4d state = engine_->state();
  if (!state.allFinite())
  {
    jammed_ = true;
    state_.tail<2>().setZero();
    engine_->reset(state_);
    return;
  }
  state_ = state;
  stop_at_ends();
}

void SimulatedPlant::stop_at_ends()
{
  if (!plant_.end_stops)
  {
    return;
  }
  const auto & [lowest, highest] = *plant_.end_stops;
  const Eigen::Vector2d inside = state_.head<2>().cwiseMax(lowest).cwiseMin(highest);
  if (inside == state_.head<2>())
  {
    return;
  }
  for (int i = 0; i < 2; ++i)
  {
    if (inside[i] != state_[i])
    {
      state_[i] = inside[i];
      state_[i + 2] = 0.0;
    }
  }
  engine_->reset(state_);
}

std::int64_t SimulatedPlant::counts_at(double angle, int joint) const
{
  const double turns = (angle - zero_[joint]) / (2.0 * std::numbers::pi);
  return std::llround(turns * plant_.counts_per_turn);
}

std::array<std::int64_t, 2> SimulatedPlant::read_counts()
{
  std::array<std::int64_t, 2> counts{};
  for (int i = 0; i < 2; ++i)
  {
    const double noise = plant_.angle_noise > 0.0 ? plant_.angle_noise * noise_(random_) : 0.0;
    counts[static_cast<std::size_t>(i)] = counts_at(state_[i] + noise, i);
  }
  return counts;
}

}  // namespace fivebar_control
