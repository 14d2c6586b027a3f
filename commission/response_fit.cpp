// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/commission/response_fit.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "fivebar_control/model/runge_kutta.hpp"

namespace fivebar_control::commission
{
namespace
{

// Wider than that of a robot file, so that steps of a millisecond are stable; far below the speeds
// of the motion.
constexpr double coulomb_width = 0.02;  // rad/s
constexpr double longest_step = 1e-3;   // s

using Parameters = Eigen::Vector4d;  // inertia scale, damping, coulomb, delay

JointResponse response_of(const Parameters & p) { return {p[0], p[1], p[2], p[3], 0.0, false}; }

Parameters limited(const Parameters & p)
{
  return {
    std::clamp(p[0], 0.02, 50.0), std::clamp(p[1], 1e-4, 10.0), std::clamp(p[2], 0.0, 10.0),
    std::clamp(p[3], 0.0, 0.05)};
}

double seconds(std::int64_t from_ns, std::int64_t to_ns)
{
  return 1e-9 * static_cast<double>(to_ns - from_ns);
}

/// Mean volts of the joint over [from, to] s of the track, each written value lasting until the
/// next one. `first` is a point that was written before `from`; it moves on with time.
double mean_volts(const Track & track, int joint, double from, double to, std::size_t & first)
{
  const std::vector<TrackPoint> & points = track.points;
  const auto written = [&](std::size_t i) {
    return seconds(points.front().time_ns, points[i].written_ns);
  };
  while (first + 1 < points.size() && written(first + 1) <= from)
  {
    ++first;
  }
  double sum = 0.0;
  for (std::size_t i = first; i < points.size() && written(i) < to; ++i)
  {
    const double begin = std::max(from, written(i));
    const double end = i + 1 < points.size() ? std::min(to, written(i + 1)) : to;
    sum += points[i].volts[joint] * std::max(0.0, end - begin);
  }
  return sum / (to - from);
}

}  // namespace

Eigen::VectorXd predict(
  const RobotModel & robot, const Track & track, std::size_t joint, const JointResponse & response)
{
  const auto j = static_cast<int>(joint);
  DynamicsConstants<double> constants = robot.constants();
  constants.torque_gain[j] /= response.inertia_scale;
  constants.damping[j] = response.damping / response.inertia_scale;
  constants.coulomb[j] = response.coulomb / response.inertia_scale;
  constants.inverse_coulomb_velocity.setConstant(1.0 / coulomb_width);
  constants.has_coulomb = true;

  const std::vector<TrackPoint> & points = track.points;
  Eigen::VectorXd angles = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(points.size()));
  Eigen::Vector4d x;
  x << points.front().angle, 0.0, 0.0;
  std::size_t first = 0;
  for (std::size_t i = 1; i < points.size(); ++i)
  {
    double time = seconds(points.front().time_ns, points[i - 1].time_ns);
    const double end = seconds(points.front().time_ns, points[i].time_ns);
    const int steps = std::max(1, static_cast<int>(std::ceil((end - time) / longest_step - 1e-6)));
    const double step = (end - time) / steps;
    for (int s = 0; s < steps && step > 0.0; ++s, time += step)
    {
      Eigen::Vector2d volts = Eigen::Vector2d::Zero();
      volts[j] = mean_volts(track, j, time - response.delay, time + step - response.delay, first);
      x = runge_kutta_step<double>(constants, x, volts, volts, step);
    }
    angles[static_cast<Eigen::Index>(i)] = x[j] - points.front().angle[j];
  }
  return angles;
}

JointResponse fit_response(const RobotModel & robot, const Track & track, std::size_t joint)
{
  const auto j = static_cast<int>(joint);
  const auto count = static_cast<Eigen::Index>(track.points.size());
  if (count < 10)
  {
    return {};
  }
  Eigen::VectorXd measured(count);
  for (Eigen::Index i = 0; i < count; ++i)
  {
    const auto k = static_cast<std::size_t>(i);
    measured[i] = track.points[k].angle[j] - track.points.front().angle[j];
  }
  const auto residual = [&](const Parameters & p) -> Eigen::VectorXd {
    const Eigen::VectorXd error = measured - predict(robot, track, joint, response_of(p));
    return error.allFinite() ? error : Eigen::VectorXd::Constant(count, 1e3);
  };
  const double motor = robot.constants().damping[j];
  const Parameters steps(1e-4, 1e-4 * motor, 1e-5, 1e-5);
  Parameters p(1.0, motor, 0.01, 1e-3);
  Eigen::VectorXd error = residual(p);
  double marquardt = 1e-3;
  bool converged = false;
  for (int iteration = 0; iteration < 60 && !converged; ++iteration)
  {
    Eigen::MatrixXd jacobian(count, 4);
    for (int k = 0; k < 4; ++k)
    {
      Parameters shifted = p;
      shifted[k] += steps[k];
      jacobian.col(k) = (residual(shifted) - error) / steps[k];
    }
    const Eigen::Matrix4d normal = jacobian.transpose() * jacobian;
    const Eigen::Vector4d gradient = jacobian.transpose() * error;
    bool better = false;
    for (int attempt = 0; attempt < 12 && !better; ++attempt)
    {
      Eigen::Matrix4d damped = normal;
      damped.diagonal() *= 1.0 + marquardt;
      damped.diagonal().array() += 1e-12;
      const Parameters candidate = limited(p - Parameters(damped.ldlt().solve(gradient)));
      const Eigen::VectorXd candidate_error = residual(candidate);
      better = candidate_error.squaredNorm() < error.squaredNorm();
      marquardt *= better ? 0.2 : 5.0;
      if (better)
      {
        converged =
          error.squaredNorm() - candidate_error.squaredNorm() < 1e-8 * error.squaredNorm();
        p = candidate;
        error = candidate_error;
      }
    }
    converged = converged || !better;
  }
  JointResponse response = response_of(p);
  response.residual = std::sqrt(error.squaredNorm() / static_cast<double>(count));
  response.converged = converged;
  return response;
}

}  // namespace fivebar_control::commission
