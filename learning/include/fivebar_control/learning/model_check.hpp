// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "fivebar_control/model/robot_model.hpp"
#include "fivebar_control/runs/run_record.hpp"

namespace fivebar_control
{

/// The strongest swinging in a signal.
struct Swing
{
  double frequency = 0.0;  ///< Hz
  double share = 0.0;      ///< of the signal's power, within 20 % of this frequency
};
/// Looks from 6 Hz, which no curve and no cogging reaches, to a quarter of the sample rate.
Swing strongest_swing(const std::vector<Eigen::Vector2d> & signal, double period);

/// What a run says about whether the rigid model can carry an update.
struct ModelCheck
{
  double misfit = 0.0;  ///< chi square per reading of the best rigid robot
  Swing swing;          ///< of what it leaves

  /// The model is far off and what it misses is a resonance: learning would feed it.
  bool is_resonance() const;
};

/// Nothing where the run does not tell.
std::optional<ModelCheck> check_model(const RobotModel & robot, const RunRecord & run);

}  // namespace fivebar_control
