// SPDX-License-Identifier: Apache-2.0
#include "excitation_series.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{
namespace
{

/// 10 s³ - 15 s⁴ + 6 s⁵ with its first two derivatives by time.
Eigen::Vector3d smooth_step(double t, double length)
{
  const double s = std::clamp(t / length, 0.0, 1.0);
  return {
    s * s * s * (10.0 - 15.0 * s + 6.0 * s * s), 30.0 * s * s * (1.0 - s) * (1.0 - s) / length,
    60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / (length * length)};
}

}  // namespace

ExcitationSeries::Point ExcitationSeries::at(double t) const
{
  Eigen::Vector2d angle = Eigen::Vector2d::Zero(), speed = angle, acceleration = angle;
  for (std::size_t i = 0; i < angular.size(); ++i)
  {
    const double w = angular[i];
    const double s = std::sin(w * t), c = std::cos(w * t);
    const Eigen::Vector2d value = s * sine[i] + c * cosine[i];
    angle += value;
    speed += w * (c * sine[i] - s * cosine[i]);
    acceleration -= w * w * value;
  }
  Eigen::Vector3d fade = smooth_step(t, ramp);
  if (t > 0.5 * duration)
  {
    fade = smooth_step(duration - t, ramp);
    fade[1] = -fade[1];
  }
  Point point;
  point.x.head<2>() = center + fade[0] * angle;
  point.x.tail<2>() = fade[0] * speed + fade[1] * angle;
  point.acceleration = fade[0] * acceleration + 2.0 * fade[1] * speed + fade[2] * angle;
  return point;
}

ExcitationSeries ExcitationSeries::scaled(double factor) const
{
  ExcitationSeries result = *this;
  for (std::size_t i = 0; i < angular.size(); ++i)
  {
    result.sine[i] *= factor;
    result.cosine[i] *= factor;
  }
  return result;
}

ExcitationRoom::ExcitationRoom(const RobotModel & robot, const ExciteOptions & options)
: robot_(robot)
{
  const Limits & limits = robot.limits();
  const Eigen::Vector2d clearance(options.clearance, options.clearance);
  lowest_ = limits.joint_minimum + clearance;
  highest_ = limits.joint_maximum - clearance;
  speed_ = options.speed_share * limits.joint_speed;
  voltage_ = options.volts_share * limits.voltage;
  voltage_rate_ = options.volts_share * limits.voltage_rate;
  parallel_ = limits.singularity_margin + options.clearance;
  serial_ = limits.serial_singularity_margin + options.clearance;
}

double ExcitationRoom::clearance(const Eigen::Vector2d & phi) const
{
  const auto pose = robot_.kinematics().forward(phi);
  if (!pose)
  {
    return -std::numeric_limits<double>::infinity();
  }
  return std::min(
    {(phi - lowest_).minCoeff(), (highest_ - phi).minCoeff(), pose->margins.parallel - parallel_,
     pose->margins.serial_1 - serial_, pose->margins.serial_4 - serial_});
}

bool ExcitationRoom::reached_from_home(const Eigen::Vector2d & phi) const
{
  // Between home and the room there are only the robot's own limits.
  const Limits & limits = robot_.limits();
  const Eigen::Vector2d home = robot_.home_state().head<2>();
  constexpr int places = 40;
  for (int i = 0; i <= places; ++i)
  {
    const auto pose =
      robot_.kinematics().forward(Eigen::Vector2d(home + (phi - home) * i / places));
    if (
      !pose || pose->margins.parallel < limits.singularity_margin ||
      std::min(pose->margins.serial_1, pose->margins.serial_4) < limits.serial_singularity_margin)
    {
      return false;
    }
  }
  return true;
}

Eigen::Vector2d ExcitationRoom::widest_pose() const
{
  constexpr int places = 60;
  Eigen::Vector2d best = Eigen::Vector2d::Zero();
  double most = 0.0;
  for (int i = 1; i < places; ++i)
  {
    for (int j = 1; j < places; ++j)
    {
      const Eigen::Vector2d phi =
        lowest_ + Eigen::Vector2d(i, j).cwiseProduct(highest_ - lowest_) / places;
      const double found = clearance(phi);
      if (found > most && reached_from_home(phi))
      {
        most = found;
        best = phi;
      }
    }
  }
  if (!(most > 0.0))
  {
    throw InputError(
      "there is no room to move: no pose that a straight move from home reaches keeps the "
      "clearance from joint ranges and singularities; expected wider limits or a smaller "
      "--clearance");
  }
  return best;
}

bool ExcitationRoom::holds(const ExcitationSeries & series, double step) const
{
  const auto places = static_cast<int>(std::ceil(series.duration / step));
  const DynamicsConstants<double> & k = robot_.constants();
  Eigen::Vector2d before = Eigen::Vector2d::Zero();
  for (int i = 0; i <= places; ++i)
  {
    const ExcitationSeries::Point p = series.at(series.duration * i / places);
    if (!(clearance(p.x.head<2>()) >= 0.0) || !(p.x.tail<2>().cwiseAbs().maxCoeff() <= speed_))
    {
      return false;
    }
    const Eigen::Vector2d u = inverse_dynamics<double>(k, p.x, p.acceleration);
    const double rate =
      i == 0 ? 0.0 : (u - before).cwiseAbs().maxCoeff() * places / series.duration;
    if (!(u.cwiseAbs().maxCoeff() <= voltage_) || !(rate <= voltage_rate_))
    {
      return false;
    }
    before = u;
  }
  return true;
}

std::optional<double> ExcitationRoom::largest_scale(
  const ExcitationSeries & series, double step) const
{
  double low = 0.0, high = 4.0;
  if (!holds(series.scaled(low), series.duration / 2.0))
  {
    return std::nullopt;
  }
  constexpr double accuracy = 0.005;
  while (high - low > accuracy * high)
  {
    const double middle = low > 0.0 ? 0.5 * (low + high) : 0.25 * high;
    (holds(series.scaled(middle), step) ? low : high) = middle;
    if (high < 1e-3)
    {
      return std::nullopt;
    }
  }
  return low;
}

}  // namespace fivebar_control
