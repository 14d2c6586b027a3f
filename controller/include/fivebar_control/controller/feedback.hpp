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

  /// Goes over to other gains within `time` seconds, in a straight line; at once if that is 0.
  void change(const FeedbackGains & gains, double time)
  {
    from_ = gains_;
    to_ = gains;
    left_ = 1.0;
    change_rate_ = time > 0.0 ? 1.0 / time : 0.0;
    if (change_rate_ == 0.0)
    {
      left_ = 0.0;
      gains_ = gains;
    }
  }
  /// Time goes on by `elapsed` seconds.
  void advance(double elapsed)
  {
    if (left_ > 0.0)
    {
      left_ = std::max(0.0, left_ - elapsed * change_rate_);
      const auto between = [this](double from, double to) { return to + left_ * (from - to); };
      gains_.kp = between(from_.kp, to_.kp);
      gains_.kd = between(from_.kd, to_.kd);
      gains_.ki = between(from_.ki, to_.ki);
      gains_.integral_limit = between(from_.integral_limit, to_.integral_limit);
    }
  }
  const FeedbackGains & gains() const { return gains_; }

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
  FeedbackGains gains_, from_, to_;
  double left_ = 0.0;                                   ///< of a change, from 1 to 0
  double change_rate_ = 0.0;                            ///< 1/s
  Eigen::Vector2d integral_ = Eigen::Vector2d::Zero();  ///< V
};

}  // namespace fivebar_control
