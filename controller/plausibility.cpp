// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/controller/plausibility.hpp"

#include <algorithm>
#include <cmath>

namespace fivebar_control
{
namespace
{

constexpr double observer_rate = 80.0;  // rad/s: fast enough for a fault, slow enough for noise
constexpr double peak_memory = 0.04;    // s, for which high volts excuse what comes after them
constexpr double gift = 0.3;         // of scale_voltage, where the motion has more than the volts
constexpr double at_rest = 1e-3;     // rad/s of the reference, below which a joint is held
constexpr double longest_gap = 0.1;  // s without a measurement, after which it begins anew

}  // namespace

Plausibility::Plausibility(const RobotModel & robot, const GuardSettings & settings, double period)
: model_(robot.constants()), settings_(settings), scale_(settings), period_(period)
{
  // A triple pole, mapped to the sampling.
  const double pole = std::exp(-observer_rate * period);
  angle_gain_ = 1.0 - pole * pole * pole;
  speed_gain_ = 1.5 * (1.0 - pole) * (1.0 - pole) * (1.0 + pole) / period;
  force_gain_ = (1.0 - pole) * (1.0 - pole) * (1.0 - pole) / (period * period);
  peak_decay_ = std::exp(-period / peak_memory);
  set(settings);
}

void Plausibility::set(const GuardSettings & settings)
{
  settings_ = settings;
  scale_.set(settings);
  average_gain_ = 1.0 - std::exp(-period_ / settings.scale_window);
}

void Plausibility::reset(const Eigen::Vector2d & speed)
{
  speed_ = speed;
  acceleration_.setZero();
  unexplained_.setZero();
  peak_volts_.setZero();
  mean_applied_.setZero();
  mean_needed_.setZero();
  outside_.setZero();
  scale_.reset();
  since_scale_ = 0.0;
  begins_ = true;
  until_refresh_ = 0;
}

void Plausibility::refresh(const Pose<double> & pose)
{
  const Terms<double> terms = terms_at<double>(model_, pose);
  bias_ = bias_force<double>(model_, terms, speed_[0], speed_[1]);
  if (model_.has_gravity)
  {
    holding_ = bias_force<double>(model_, terms, 0.0, 0.0).cwiseQuotient(model_.torque_gain);
  }
  mass_ = {terms.m11, terms.m14, terms.m44};
  const double determinant = terms.m11 * terms.m44 - terms.m14 * terms.m14;
  inverse_ = Eigen::Vector3d(terms.m44, -terms.m14, terms.m11) / determinant;
}

void Plausibility::predict(const Eigen::Vector2d & volts, double step)
{
  Eigen::Vector2d torque =
    model_.torque_gain.cwiseProduct(volts) - model_.damping.cwiseProduct(speed_) - bias_;
  if (model_.has_coulomb)
  {
    for (int i = 0; i < 2; ++i)
    {
      torque[i] -=
        model_.coulomb[i] * std::clamp(speed_[i] * model_.inverse_coulomb_velocity[i], -1.0, 1.0);
    }
  }
  const Eigen::Vector2d acceleration = Eigen::Vector2d(
                                         inverse_[0] * torque[0] + inverse_[1] * torque[1],
                                         inverse_[1] * torque[0] + inverse_[2] * torque[1]) +
                                       acceleration_;
  angle_ += step * speed_ + (0.5 * step * step) * acceleration;
  speed_ += step * acceleration;
}

Finding Plausibility::update(
  const Eigen::Vector2d & angle, const Pose<double> & pose, const Eigen::Vector2d & volts,
  const Eigen::Vector2d & reference_speed, double elapsed)
{
  if (until_refresh_-- <= 0)
  {
    until_refresh_ = refresh_every - 1;
    refresh(pose);
  }
  if (begins_ || elapsed > longest_gap)
  {
    angle_ = angle;
    begins_ = false;
    return {};
  }
  const int steps = elapsed == period_ ? 1 : std::max(1, static_cast<int>(elapsed / period_ + 0.5));
  for (int step = 0; step < steps; ++step)
  {
    predict(volts, elapsed / steps);
  }
  const Eigen::Vector2d error = angle - angle_;
  const double largest = settings_.jump_distance * steps;
  for (int i = 0; i < 2; ++i)
  {
    if (std::abs(error[i]) > largest && settings_.is_on(Reason::encoder_jump))
    {
      return {Reason::encoder_jump, i, error[i], largest};
    }
  }
  angle_ += angle_gain_ * error;
  speed_ += speed_gain_ * error;
  acceleration_ += force_gain_ * error;
  unexplained_ = Eigen::Vector2d(
                   mass_[0] * acceleration_[0] + mass_[1] * acceleration_[1],
                   mass_[1] * acceleration_[0] + mass_[2] * acceleration_[1])
                   .cwiseQuotient(model_.torque_gain);
  peak_volts_ = volts.cwiseAbs().cwiseMax(peak_decay_ * peak_volts_);
  since_scale_ += elapsed;
  if (until_refresh_ == scale_after)
  {
    const Eigen::Vector2d moving = volts - holding_;
    const Finding finding =
      scale_.update(reference_speed, speed_, moving, moving + unexplained_, holding_, since_scale_);
    since_scale_ = 0.0;
    if (finding)
    {
      return finding;
    }
  }
  const Finding finding = judge_force(elapsed);
  return finding ? finding : judge_scale(volts, reference_speed, elapsed);
}

Finding Plausibility::judge_force(double elapsed)
{
  for (int i = 0; i < 2; ++i)
  {
    const double found = std::abs(unexplained_[i]);
    const double allowed =
      settings_.unexplained_voltage + settings_.unexplained_share * std::max(peak_volts_[i], found);
    outside_[i] = found > allowed ? outside_[i] + elapsed : 0.0;
    if (outside_[i] > settings_.unexplained_window && settings_.is_on(Reason::implausible_motion))
    {
      return {Reason::implausible_motion, i, unexplained_[i], allowed};
    }
  }
  return {};
}

Finding Plausibility::judge_scale(
  const Eigen::Vector2d & volts, const Eigen::Vector2d & reference_speed, double elapsed)
{
  const double gain =
    elapsed == period_ ? average_gain_ : std::min(1.0, average_gain_ * elapsed / period_);
  // Volts against gravity move nothing, and are the same whatever the counts are worth.
  const Eigen::Vector2d moving = volts - holding_;
  for (int i = 0; i < 2; ++i)
  {
    if (std::abs(reference_speed[i]) < at_rest)
    {
      continue;  // dry friction may hold the link a little beside its place
    }
    mean_applied_[i] += gain * (std::abs(moving[i]) - mean_applied_[i]);
    mean_needed_[i] += gain * (std::abs(moving[i] + unexplained_[i]) - mean_needed_[i]);
    // Friction takes volts that the model does not know; nothing gives any.
    const bool too_weak =
      mean_applied_[i] > settings_.scale_ratio * mean_needed_[i] + settings_.scale_voltage;
    const bool too_strong =
      mean_needed_[i] > settings_.scale_ratio * mean_applied_[i] + gift * settings_.scale_voltage;
    if ((too_weak || too_strong) && settings_.is_on(Reason::implausible_scale))
    {
      return {
        Reason::implausible_scale, i, mean_needed_[i] / mean_applied_[i],
        too_weak ? 1.0 / settings_.scale_ratio : settings_.scale_ratio};
    }
  }
  return {};
}

}  // namespace fivebar_control
