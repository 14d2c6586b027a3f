// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/learning/model_check.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "fivebar_control/learning/identify.hpp"
#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{
namespace
{

constexpr double lowest_swing = 6.0;  // Hz
constexpr double telling_share = 0.1;

/// Power of both joints at each multiple of 1/duration, under a Hann window.
std::vector<double> spectrum(
  const std::vector<Eigen::Vector2d> & signal, std::size_t first, std::size_t last)
{
  const auto n = static_cast<double>(signal.size());
  Eigen::Vector2d mean = Eigen::Vector2d::Zero();
  for (const Eigen::Vector2d & value : signal)
  {
    mean += value / n;
  }
  std::vector<double> power;
  for (std::size_t k = first; k <= last; ++k)
  {
    const double angle = 2.0 * std::numbers::pi * static_cast<double>(k) / n;
    const std::complex<double> turn = std::polar(1.0, -angle);
    std::complex<double> at = 1.0;
    std::complex<double> sum_1 = 0.0;
    std::complex<double> sum_4 = 0.0;
    for (std::size_t i = 0; i < signal.size(); ++i, at *= turn)
    {
      const double window =
        0.5 - 0.5 * std::cos(2.0 * std::numbers::pi * static_cast<double>(i) / n);
      sum_1 += window * (signal[i][0] - mean[0]) * at;
      sum_4 += window * (signal[i][1] - mean[1]) * at;
    }
    power.push_back(std::norm(sum_1) + std::norm(sum_4));
  }
  return power;
}

}  // namespace

Swing strongest_swing(const std::vector<Eigen::Vector2d> & signal, double period)
{
  const double duration = period * static_cast<double>(signal.size());
  const auto last = std::max<std::size_t>(1, signal.size() / 4);
  const std::vector<double> power = spectrum(signal, 1, last);
  const auto frequency = [&](std::size_t i) { return static_cast<double>(i + 1) / duration; };
  double whole = 0.0;
  std::size_t peak = 0;
  for (std::size_t i = 0; i < power.size(); ++i)
  {
    whole += power[i];
    if (frequency(i) >= lowest_swing && (frequency(peak) < lowest_swing || power[i] > power[peak]))
    {
      peak = i;
    }
  }
  double near = 0.0;
  for (std::size_t i = 0; i < power.size(); ++i)
  {
    near += std::abs(frequency(i) - frequency(peak)) <= 0.2 * frequency(peak) ? power[i] : 0.0;
  }
  return {frequency(peak), whole > 0.0 ? near / whole : 0.0};
}

bool ModelCheck::is_resonance() const
{
  return misfit > hopeless_misfit && swing.share > telling_share;
}

std::optional<ModelCheck> check_model(const RobotModel & robot, const RunRecord & run)
{
  try
  {
    const RecordedMotion motion = recorded_motion(run, robot);
    IdentifyOptions as_it_is;
    as_it_is.extend = false;
    const Identification found = identify(robot, {motion}, as_it_is);
    std::vector<Eigen::Vector2d> left = predicted_readings(robot, {motion}, 0, found);
    for (std::size_t i = 0; i < left.size(); ++i)
    {
      left[i] = motion.angle[i] - left[i];
    }
    const double period =
      (motion.t.back() - motion.t.front()) / static_cast<double>(motion.size() - 1);
    return ModelCheck{found.reduced(), strongest_swing(left, period)};
  }
  catch (const InputError &)
  {
    return std::nullopt;  // a run from which nothing can be identified
  }
}

}  // namespace fivebar_control
