// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace fivebar_control
{

// What stands between the control law and the motors: the sum of feedforward and feedback is
// checked finite, limited in rate, clamped. Pure functions.

struct OutputLimits
{
  double voltage = 0.0;         ///< V
  double voltage_change = 0.0;  ///< V per period
};

inline bool is_finite(const Eigen::Vector2d & volts)
{
  return std::isfinite(volts[0]) && std::isfinite(volts[1]);
}

inline double limit_rate(double wanted, double before, double largest_change)
{
  return std::clamp(wanted, before - largest_change, before + largest_change);
}

inline double clamp_magnitude(double wanted, double limit)
{
  return std::clamp(wanted, -limit, limit);
}

/// `sum` must be finite, `before` within the limits; then the result is both within the voltage
/// limit and within the change allowed from `before`.
inline Eigen::Vector2d limit_output(
  const Eigen::Vector2d & sum, const Eigen::Vector2d & before, const OutputLimits & limits)
{
  return {
    clamp_magnitude(limit_rate(sum[0], before[0], limits.voltage_change), limits.voltage),
    clamp_magnitude(limit_rate(sum[1], before[1], limits.voltage_change), limits.voltage)};
}

}  // namespace fivebar_control
