// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <random>

#include "fivebar_control/simulation/plant_engine.hpp"

namespace fivebar_control
{

/// A robot as its plant file describes it: an engine for the mechanics, amplifiers, end stops and
/// encoders. The simulated robot of the control loop and the one behind the emulated board are this
/// one. Deterministic; advance() does not allocate.
class SimulatedPlant
{
public:
  /// Counts are zero at the angles `zero`.
  SimulatedPlant(
    std::unique_ptr<PlantEngine> engine, const PlantParameters & plant,
    const Eigen::Vector2d & start, const Eigen::Vector2d & zero);

  /// At rest where it starts; the noise begins anew.
  void reset();

  /// Lets `duration` seconds pass with these volts asked of the amplifiers, and a hand on the links
  /// that pushes as hard as `hand` volts would.
  void advance(
    const Eigen::Vector2d & volts, double duration,
    const Eigen::Vector2d & hand = Eigen::Vector2d::Zero());
  /// Takes over where the engine stands, which somebody else may have moved.
  void look_again();
  /// What the amplifiers make of volts asked of them.
  Eigen::Vector2d supplied(const Eigen::Vector2d & volts) const;
  /// V at each motor for what the amplifiers give: cables may be wrong.
  Eigen::Vector2d wired(const Eigen::Vector2d & volts) const;

  /// What the encoders show, once per call: noise is drawn for it.
  std::array<std::int64_t, 2> read_counts();
  /// What channel `joint` would show with its encoder at `angle`, but for what breaks on the way.
  std::int64_t counts_at(double angle, int joint) const;
  /// The joint whose encoder channel `joint` reads.
  int encoder_read_by(int joint) const;

  /// The true state (phi1, phi4, w1, w4).
  const Eigen::Vector4d & state() const { return state_; }
  /// V at the motors in the last advance().
  const Eigen::Vector2d & motor_volts() const { return motor_volts_; }
  /// Whether the linkage has been in a singularity and jammed there: a plant whose links could not
  /// close stays where it was, at rest.
  bool has_jammed() const { return jammed_; }
  const Eigen::Vector2d & start() const { return start_; }
  const PlantParameters & parameters() const { return plant_; }
  const PlantEngine & engine() const { return *engine_; }

private:
  Eigen::Vector2d amplified(const Eigen::Vector2d & volts) const;
  void stop_at_ends();
  void drive(const Eigen::Vector2d & hand, double duration);
  bool is_open(int motor) const;
  double shown_angle(double angle, int joint) const;
  std::int64_t broken_count(std::int64_t count, int joint);

  PlantParameters plant_;
  std::unique_ptr<PlantEngine> engine_;
  Eigen::Vector2d start_, zero_;
  Eigen::Vector4d state_ = Eigen::Vector4d::Zero();
  Eigen::Vector2d motor_volts_ = Eigen::Vector2d::Zero();
  bool jammed_ = false;
  bool faulty_encoders_ = false;
  RunConditions conditions_;
  std::array<Amplifier, 2> amplifiers_;
  bool driven_ = false;                  ///< the motors have had volts
  double driven_time_ = 0.0;             ///< s since then
  std::array<std::int64_t, 2> shown_{};  ///< counts when an encoder got stuck
  std::array<bool, 2> is_stuck_{}, flicker_{};
  std::mt19937_64 random_;
  std::normal_distribution<double> noise_;
};

}  // namespace fivebar_control
