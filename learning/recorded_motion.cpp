// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/learning/recorded_motion.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{
namespace
{

constexpr double shortest = 0.5;  // s

/// One behind the last row in which a plan or the way to its start was played.
std::size_t end_of_motion(const RunRecord & run)
{
  std::size_t end = 0;
  for (std::size_t i = 0; i < run.size(); ++i)
  {
    const ControlState state = run.state[i];
    if (
      state == ControlState::playing || state == ControlState::aligning ||
      state == ControlState::stopping)
    {
      end = i + 1;
    }
  }
  return end;
}

void require_use(const RunRecord & run, const RobotModel & robot, std::size_t end)
{
  if (run.robot_fingerprint != robot.fingerprint())
  {
    throw InputError(
      {run.file},
      fmt::format(
        "this run was of a plan for another robot file ('{}', fingerprint {}) than '{}' with "
        "fingerprint {}: give the one that was planned with (--robot)",
        run.robot_name, run.robot_fingerprint, robot.parameters().name, robot.fingerprint()));
  }
  if (run.lost_rows > 0)
  {
    throw InputError(
      {run.file},
      fmt::format(
        "the log lost {} rows: volts that nobody knows moved the robot; expected a whole log",
        run.lost_rows));
  }
  const double duration = end > 1 ? run.t[end - 1] - run.t[0] : 0.0;
  if (!(duration >= shortest))
  {
    throw InputError(
      {run.file}, fmt::format(
                    "too short: the plan was played for {:.3g} s, expected at least {:g} s",
                    duration, shortest));
  }
  std::size_t limited = 0;
  for (std::size_t i = 0; i < end; ++i)
  {
    limited += std::abs(run.applied[0][i]) > 0.999 * run.voltage_limit &&
                   std::abs(run.applied[1][i]) > 0.999 * run.voltage_limit
                 ? 1
                 : 0;
  }
  if (2 * limited > end)
  {
    throw InputError(
      {run.file},
      fmt::format(
        "both motors were at their limit of {:g} V in {} of {} cycles: expected a motion that the "
        "volts shape",
        run.voltage_limit, limited, end));
  }
}

/// rad², of the readings' noise before rounding, from their third differences, in which the motion
/// itself has vanished.
double noise_variance(const std::vector<Eigen::Vector2d> & angle, int joint, double rounding)
{
  constexpr double squares_of_third_difference = 20.0;  // 1 + 9 + 9 + 1
  double sum = 0.0;
  for (std::size_t i = 3; i < angle.size(); ++i)
  {
    const double d =
      angle[i][joint] - 3.0 * angle[i - 1][joint] + 3.0 * angle[i - 2][joint] - angle[i - 3][joint];
    sum += d * d;
  }
  const double variance =
    sum / (squares_of_third_difference * static_cast<double>(angle.size() - 3));
  // Rounding errors are not white: below its own size the noise cannot be told from them.
  return variance > 2.0 * rounding ? variance - rounding : 0.0;
}

/// rad, between one reading and the next where they differ least: one count, if the links were ever
/// slow. For logs of ROS 2, where the controller knows angles but no counts.
double smallest_step(const std::vector<double> & angle)
{
  constexpr double same = 1e-9;  // rad
  double smallest = 0.0;
  for (std::size_t i = 1; i < angle.size(); ++i)
  {
    const double step = std::abs(angle[i] - angle[i - 1]);
    smallest = step > same && (smallest == 0.0 || step < smallest) ? step : smallest;
  }
  return smallest;
}

}  // namespace

Eigen::Vector2d encoder_resolution(const RunRecord & run)
{
  Eigen::Vector2d resolution = Eigen::Vector2d::Zero();
  for (std::size_t j = 0; j < 2; ++j)
  {
    const auto & counts = run.counts[j];
    const auto & angle = run.angle[j];
    const auto [low, high] = std::minmax_element(counts.begin(), counts.end());
    double & found = resolution[static_cast<Eigen::Index>(j)];
    if (low != counts.end() && *low != *high)
    {
      const double travelled = angle[static_cast<std::size_t>(high - counts.begin())] -
                               angle[static_cast<std::size_t>(low - counts.begin())];
      found = std::abs(travelled) / static_cast<double>(*high - *low);
    }
    else
    {
      found = smallest_step(angle);
    }
  }
  return resolution;
}

RecordedMotion recorded_motion(const RunRecord & run, const RobotModel & robot, double noise)
{
  const std::size_t end = end_of_motion(run);
  require_use(run, robot, end);
  RecordedMotion motion;
  motion.name = run.file;
  motion.resolution = encoder_resolution(run);
  Eigen::Vector2d travel(0.0, 0.0);  // rad
  for (std::size_t i = 0; i < end; ++i)
  {
    motion.t.push_back(run.t[i]);
    motion.volts.emplace_back(run.applied[0][i], run.applied[1][i]);
    motion.angle.emplace_back(run.angle[0][i], run.angle[1][i]);
    motion.good.push_back(run.read_good[i]);
    travel += i == 0 ? Eigen::Vector2d(0.0, 0.0)
                     : Eigen::Vector2d((motion.angle[i] - motion.angle[i - 1]).cwiseAbs());
  }
  for (int j = 0; j < 2; ++j)
  {
    constexpr double least = 50.0;
    const double counts =
      motion.resolution[j] > 0.0 ? std::round(travel[j] / motion.resolution[j]) : 0.0;
    if (counts < least)
    {
      throw InputError(
        {run.file}, fmt::format(
                      "joint {} was at rest: it moved by {} counts, expected at least {}",
                      j == 0 ? 1 : 4, counts, least));
    }
  }
  for (int j = 0; j < 2; ++j)
  {
    const double rounding = motion.resolution[j] * motion.resolution[j] / 12.0;
    motion.variance[j] =
      rounding + (noise >= 0.0 ? noise * noise : noise_variance(motion.angle, j, rounding));
  }
  return motion;
}

}  // namespace fivebar_control
