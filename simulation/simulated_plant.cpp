// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/simulation/simulated_plant.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fivebar_control
{

SimulatedPlant::SimulatedPlant(
  std::unique_ptr<PlantEngine> engine, const PlantParameters & plant, const Eigen::Vector2d & start,
  const Eigen::Vector2d & zero)
: plant_(plant),
  engine_(std::move(engine)),
  start_(plant.start.value_or(start)),
  zero_(zero),
  faulty_encoders_(plant.faults.any_encoder()),
  conditions_(conditions_of(plant.effects.variation)),
  amplifiers_{Amplifier(engine_->drives()[0]), Amplifier(engine_->drives()[1])}
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
  driven_ = false;
  driven_time_ = 0.0;
  is_stuck_ = {};
  flicker_ = {};
  motor_volts_.setZero();
  amplifiers_[0].reset();
  amplifiers_[1].reset();
}

Eigen::Vector2d SimulatedPlant::supplied(const Eigen::Vector2d & volts) const
{
  return volts.cwiseMax(-plant_.supply_voltage).cwiseMin(plant_.supply_voltage);
}

/// What dead bands and the supply of this run leave of volts asked for.
Eigen::Vector2d SimulatedPlant::amplified(const Eigen::Vector2d & volts) const
{
  Eigen::Vector2d given = volts;
  if (!amplifiers_[0].is_ideal() || !amplifiers_[1].is_ideal())
  {
    given = {amplifiers_[0].settled(volts[0]), amplifiers_[1].settled(volts[1])};
  }
  const double factor = conditions_.supply + conditions_.drift * driven_time_;
  given = factor == 1.0 ? given : Eigen::Vector2d(factor * given);
  return given;
}

void SimulatedPlant::advance(
  const Eigen::Vector2d & volts, double duration, const Eigen::Vector2d & hand)
{
  driven_ = driven_ || !volts.isZero(0.0);
  motor_volts_ = wired(supplied(amplified(volts)));
  drive(hand, duration);
  driven_time_ += driven_ ? duration : 0.0;
  look_again();
}

void SimulatedPlant::look_again()
{
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

Eigen::Vector2d SimulatedPlant::wired(const Eigen::Vector2d & volts) const
{
  const Wiring & wiring = plant_.faults.wiring;
  const Eigen::Vector2d at = wiring.motors_swapped ? Eigen::Vector2d(volts[1], volts[0]) : volts;
  return {wiring.motor_inverted[0] ? -at[0] : at[0], wiring.motor_inverted[1] ? -at[1] : at[1]};
}

/// No current flows: the belt is lost, or the bridge opens.
bool SimulatedPlant::is_open(int motor) const
{
  const PlantFaults & faults = plant_.faults;
  return (faults.belt_lost[static_cast<std::size_t>(motor)] && driven_ &&
          driven_time_ >= faults.belt_lost_at) ||
         (faults.coasts && motor_volts_[motor] == 0.0);
}

void SimulatedPlant::drive(const Eigen::Vector2d & hand, double duration)
{
  const bool lags = amplifiers_[0].lag() > 0.0 || amplifiers_[1].lag() > 0.0;
  if (!is_open(0) && !is_open(1) && !lags)
  {
    engine_->advance(motor_volts_ + hand, duration);
    return;
  }
  // The volts of a motor without current are those that it generates, followed in short steps.
  const int steps = std::max(1, static_cast<int>(std::ceil(duration / 1e-4 - 1e-9)));
  const Eigen::Vector2d constants = engine_->back_emf_constants();
  Eigen::Vector2d volts = motor_volts_;
  for (int step = 0; step < steps; ++step)
  {
    const Eigen::Vector4d state = engine_->motor_state();
    for (int i = 0; i < 2; ++i)
    {
      const double given =
        amplifiers_[static_cast<std::size_t>(i)].follow(motor_volts_[i], duration / steps);
      volts[i] = is_open(i) ? constants[i] * state[i + 2] : given;
    }
    engine_->advance(volts + hand, duration / steps);
  }
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

int SimulatedPlant::encoder_read_by(int joint) const
{
  return plant_.faults.wiring.encoders_swapped ? 1 - joint : joint;
}

/// What channel `joint` takes for its angle when its encoder is at `angle`. A wrong encoder is
/// right where the robot stood at power-up: that is where its zero was set.
double SimulatedPlant::shown_angle(double angle, int joint) const
{
  const auto encoder = static_cast<std::size_t>(encoder_read_by(joint));
  const PlantFaults & faults = plant_.faults;
  const double sign = faults.wiring.encoder_inverted[encoder] ? -1.0 : 1.0;
  const double moved = angle - start_[encoder_read_by(joint)];
  const bool jumped = driven_ && driven_time_ >= faults.encoder.at;
  return start_[joint] + sign * faults.encoder.counts_factor[encoder] * moved +
         (jumped ? faults.encoder.jump[encoder] : 0.0);
}

std::int64_t SimulatedPlant::counts_at(double angle, int joint) const
{
  double shown = faulty_encoders_ ? shown_angle(angle, joint) : angle;
  if (plant_.effects.eccentricity != 0.0)
  {
    shown += plant_.effects.encoder_error(angle, start_[encoder_read_by(joint)]);
  }
  const double turns = (shown - zero_[joint]) / (2.0 * std::numbers::pi);
  return std::llround(turns * plant_.counts_per_turn);
}

std::int64_t SimulatedPlant::broken_count(std::int64_t count, int joint)
{
  const EncoderFaults & faults = plant_.faults.encoder;
  const auto encoder = static_cast<std::size_t>(encoder_read_by(joint));
  const bool broken = faults.stuck[encoder] || faults.toggle[encoder];
  if (!broken || !driven_ || driven_time_ < faults.at)
  {
    return count;
  }
  shown_[encoder] = is_stuck_[encoder] ? shown_[encoder] : count;
  is_stuck_[encoder] = true;
  flicker_[encoder] = faults.toggle[encoder] && !flicker_[encoder];
  return shown_[encoder] + (flicker_[encoder] ? 1 : 0);
}

std::array<std::int64_t, 2> SimulatedPlant::read_counts()
{
  std::array<std::int64_t, 2> counts{};
  const Eigen::Vector4d motors = engine_->motor_state();
  for (int i = 0; i < 2; ++i)
  {
    const double noise = plant_.angle_noise > 0.0 ? plant_.angle_noise * noise_(random_) : 0.0;
    const int encoder = encoder_read_by(i);
    const bool on_motor = engine_->drives()[static_cast<std::size_t>(encoder)].encoder_on_motor;
    const double angle = on_motor && !jammed_ ? motors[encoder] : state_[encoder];
    const std::int64_t count = counts_at(angle + noise, i);
    counts[static_cast<std::size_t>(i)] = faulty_encoders_ ? broken_count(count, i) : count;
  }
  return counts;
}

}  // namespace fivebar_control
