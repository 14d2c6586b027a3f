// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <algorithm>

#include "fivebar_control/controller/player.hpp"
#include "fivebar_control/controller/settings.hpp"

namespace fivebar_control
{

/// u_fb = kp (phi_ref - phi) + kd (phi_ref' - phi'_estimated) + ki int (phi_ref - phi) dt, each
/// joint by itself (Maciąg, section 7.4; the integral is our own and off by default).
class Feedback
{
public:
  explicit Feedback(const FeedbackGains & gains) : gains_(gains) {}
  void reset() { integral_.setZero(); }

  Eigen::Vector2d volts(
    const Reference & reference, const Eigen::Vector2d & angle, const Eigen::Vector2d & speed) const
  {
    return gains_.kp * (reference.phi - angle) + gains_.kd * (reference.speed - speed) + integral_;
  }

  /// After the output is known. `excess` is what the limits cut off the wanted volts: while it has
  /// the sign of the error, integrating on would only wind up.
  void integrate(const Eigen::Vector2d & error, const Eigen::Vector2d & excess, double elapsed)
  {
    for (int i = 0; i < 2; ++i)
    {
      if (excess[i] * error[i] <= 0.0)
      {
        integral_[i] = std::clamp(
          integral_[i] + gains_.ki * error[i] * elapsed, -gains_.integral_limit,
          gains_.integral_limit);
      }
    }
  }

private:
  FeedbackGains gains_;
  Eigen::Vector2d integral_ = Eigen::Vector2d::Zero();  ///< V
};

}  // namespace fivebar_control
