#pragma once

#include <optional>
#include <random>

#include "fivebar_control/hardware/plant.hpp"
#include "fivebar_control/model/simulation.hpp"

namespace fivebar_control
{

/// The robot's dynamics in continuous time, for devices that are emulated on the real clock: they
/// say what time it is and which volts their bridges give. Counts are zero at power-up.
class LiveRobot
{
public:
  LiveRobot(const RobotModel & robot, const PlantParameters & plant, const Eigen::Vector2d & start);

  /// Lets time pass to `time_ns` under the present volts; the first call sets the clock.
  void advance_to(std::int64_t time_ns);
  void set_volts(const Eigen::Vector2d & volts);
  /// Someone's hand on the links, as the voltage that would push as hard.
  void set_hand(const Eigen::Vector2d & volts) { hand_ = volts; }

  const Eigen::Vector2d & volts() const { return volts_; }
  Eigen::Vector2d angle() const { return state_.head<2>(); }
  std::int32_t counts(int joint);
  /// Counts at the last passage of the index mark, 0.2 rad from the start.
  std::optional<std::int32_t> index(int joint) const { return index_[joint]; }

private:
  void step(double duration);
  std::int32_t counts_at(double angle, int joint) const;

  PlantParameters plant_;
  DynamicsConstants<double> constants_;
  Eigen::Vector2d lowest_, highest_;  ///< rad, end stops: the robot's joint ranges
  Eigen::Vector2d start_;
  Eigen::Vector4d state_;
  Eigen::Vector2d volts_ = Eigen::Vector2d::Zero();
  Eigen::Vector2d hand_ = Eigen::Vector2d::Zero();
  std::optional<std::int32_t> index_[2];
  std::int64_t time_ns_ = 0;
  std::mt19937_64 random_;
  std::normal_distribution<double> noise_{0.0, 1.0};
};

}  // namespace fivebar_control
