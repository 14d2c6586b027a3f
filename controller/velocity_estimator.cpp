// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/controller/velocity_estimator.hpp"

#include <cmath>
#include <numbers>

namespace fivebar_control
{

VelocityEstimator::VelocityEstimator(const VelocitySettings & settings, double period)
: settings_(settings), period_(period)
{
  if (settings_.method == VelocityMethod::kalman)
  {
    settings_.method = VelocityMethod::filtered_difference;  // where there is no plan to observe
  }
  nominal_ = coefficients(settings_, period);
}

VelocityEstimator::Coefficients VelocityEstimator::coefficients(
  const VelocitySettings & settings, double elapsed)
{
  // Pole of the low-pass, or double pole of the observer, mapped exactly to the sampling.
  const double pole = std::exp(-2.0 * std::numbers::pi * settings.cutoff * elapsed);
  if (settings.method != VelocityMethod::tracking_observer)
  {
    return {0.0, 1.0 - pole};
  }
  return {1.0 - pole * pole, (1.0 - pole) * (1.0 - pole) / elapsed};
}

void VelocityEstimator::reset(const Eigen::Vector2d & angle)
{
  angle_ = angle;
  speed_.setZero();
}

void VelocityEstimator::update(const Eigen::Vector2d & angle, double elapsed)
{
  const Coefficients c = elapsed == period_ ? nominal_ : coefficients(settings_, elapsed);
  if (settings_.method == VelocityMethod::filtered_difference)
  {
    speed_ += c.speed * ((angle - angle_) / elapsed - speed_);
    angle_ = angle;
  }
  else
  {
    angle_ += elapsed * speed_;
    const Eigen::Vector2d error = angle - angle_;
    angle_ += c.position * error;
    speed_ += c.speed * error;
  }
  // At rest the speed decays for ever; denormal numbers would make the update slow.
  speed_ = (speed_.array().abs() < 1e-12).select(0.0, speed_);
}

}  // namespace fivebar_control
