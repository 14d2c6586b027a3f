// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "fivebar_control/planner/curve.hpp"
#include "fivebar_control/runs/path_error.hpp"
#include "fivebar_control/runs/run_record.hpp"

namespace fivebar_control
{

/// The figures of one run; those of playing cycles only, as `fivebar run` counts them.
struct RunScore
{
  PathError to_plan;
  PathError to_curve;                                         ///< zero without a nominal curve
  double feedforward_rms = 0.0;                               ///< V, over both motors
  double feedback_rms = 0.0;                                  ///< V, over both motors
  double largest_volts = 0.0;                                 ///< V
  std::array<double, 2> mean_error{}, largest_joint_error{};  ///< rad, reference - measured
  std::int64_t limited_cycles = 0;                            ///< slew or clamp changed the volts
  std::int64_t late_cycles = 0;  ///< of the whole run, by the controller's clock
  std::int64_t cycles = 0;       ///< playing
  double start = 0.0;            ///< s in the log when the plan began; 0 if it never did
};

/// `nominal` may be null.
RunScore score_of(const RunRecord & run, const Curve * nominal);

}  // namespace fivebar_control
