// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "fivebar_control/simulation/simulated_plant.hpp"

namespace fivebar_control
{

/// A plant in continuous time, for devices that are emulated on the real clock: they say what time
/// it is and which volts their bridges give. Counts are zero at power-up.
class LiveRobot
{
public:
  LiveRobot(
    std::unique_ptr<PlantEngine> engine, const PlantParameters & plant,
    const Eigen::Vector2d & start);

  /// Lets time pass to `time_ns` under the present volts; the first call sets the clock.
  void advance_to(std::int64_t time_ns);
  void set_volts(const Eigen::Vector2d & volts);
  /// Someone's hand on the links, as the voltage that would push as hard.
  void set_hand(const Eigen::Vector2d & volts) { hand_ = volts; }

  const Eigen::Vector2d & volts() const { return volts_; }
  Eigen::Vector2d angle() const { return plant_.state().head<2>(); }
  const SimulatedPlant & plant() const { return plant_; }
  std::array<std::int32_t, 2> counts();
  /// Counts at the last passage of the index mark, 0.2 rad from the start.
  std::optional<std::int32_t> index(int joint) const { return index_[joint]; }

private:
  SimulatedPlant plant_;
  Eigen::Vector2d volts_ = Eigen::Vector2d::Zero();
  Eigen::Vector2d hand_ = Eigen::Vector2d::Zero();
  std::optional<std::int32_t> index_[2];
  std::int64_t time_ns_ = 0;
};

}  // namespace fivebar_control
