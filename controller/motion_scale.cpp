// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/controller/motion_scale.hpp"

#include <algorithm>
#include <cmath>

namespace fivebar_control
{
namespace
{

constexpr double memory = 2.0;              // s of motion after which it is forgotten
constexpr double least_time = 0.3;          // s of motion before anything is judged
constexpr double least_speed = 0.1;         // rad/s of the reference that count as motion
constexpr double share_of_speed = 0.4;      // of it that the joint must have; else it sticks
constexpr double least_share = 1.0 / 15.0;  // of scale_voltage, that must be left unexplained
constexpr double share_of_weight = 0.1;     // of the holding volts, which are the model's, too

}  // namespace

void MotionScale::set(const GuardSettings & settings)
{
  ratio_ = settings.scale_ratio;
  least_ = least_share * settings.scale_voltage;
  is_on_ = settings.is_on(Reason::implausible_scale);
}

void MotionScale::reset() { sums_ = {}; }

Finding MotionScale::update(
  const Eigen::Vector2d & reference_speed, const Eigen::Vector2d & speed,
  const Eigen::Vector2d & applied, const Eigen::Vector2d & needed, const Eigen::Vector2d & holding,
  double elapsed)
{
  const double kept = std::max(0.0, 1.0 - elapsed / memory);
  for (int i = 0; i < 2; ++i)
  {
    const double w = std::abs(reference_speed[i]);
    const double sign = reference_speed[i] > 0.0 ? 1.0 : -1.0;
    if (w < least_speed || sign * speed[i] < share_of_speed * w)
    {
      continue;
    }
    Sums & sums = sums_[static_cast<std::size_t>(i)];
    const double n = sign * needed[i], u = sign * applied[i];
    sums.time = kept * sums.time + elapsed;
    sums.w = kept * sums.w + elapsed * w;
    sums.ww = kept * sums.ww + elapsed * w * w;
    sums.n = kept * sums.n + elapsed * n;
    sums.wn = kept * sums.wn + elapsed * w * n;
    sums.u = kept * sums.u + elapsed * u;
    sums.wu = kept * sums.wu + elapsed * w * u;
    if (sums.time > least_time && is_on_)
    {
      const double least = least_ + share_of_weight * std::abs(holding[i]);
      if (const Finding finding = judge(i, sums, least))
      {
        return finding;
      }
    }
  }
  return {};
}

Finding MotionScale::judge(int joint, const Sums & s, double least) const
{
  // Root mean square of the speed, and of its part that friction cannot look like.
  const double mean = s.w / s.time;
  const double all = std::sqrt(s.time * s.ww);
  const double apart = std::sqrt(s.time * std::max(s.ww - mean * s.w, 1e-9 * s.ww));
  const double too_many = std::min(
    (s.wu - ratio_ * s.wn) / all, (s.wu - mean * s.u - ratio_ * (s.wn - mean * s.n)) / apart);
  if (too_many > least)
  {
    return {Reason::implausible_scale, joint, s.wn / s.wu, 1.0 / ratio_};
  }
  // Friction takes volts and gives none: half of it is enough.
  const double too_few = (s.wn / ratio_ - s.wu) / all;
  if (too_few > 0.5 * least)
  {
    return {Reason::implausible_scale, joint, s.wn / s.wu, ratio_};
  }
  return {};
}

}  // namespace fivebar_control
