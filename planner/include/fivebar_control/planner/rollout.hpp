// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "fivebar_control/planner/tracking_problem.hpp"

namespace fivebar_control
{

/// cos and sin of both driven angles at the four Runge-Kutta stages of every interval, kept from
/// the rollout so that the linearisation needs no trigonometry: channel 4 s + (0..3) is (cos phi1,
/// sin phi1, cos phi4, sin phi4) of stage s.
using StageDirections = Channels<16>;

/// Affine feedback of one node: du = alpha * feedforward + feedback * (dx, du) of the node before.
/// At the first node only the feedforward counts.
struct NodeGain
{
  double feedforward[2];
  double feedback[2][6];
};

/// Simulates from problem.start with the voltages that stand in result.input, computes the cost and
/// fills `directions`. False if the motion leaves the workspace or grows beyond all bounds; the
/// result is then not to be used.
bool roll_out(const TrackingProblem & problem, Trajectory & result, StageDirections & directions);

/// The same with voltages nominal + alpha * feedforward + feedback * deviation, clamped to
/// `bounds`.
bool roll_out(
  const TrackingProblem & problem, const InputBounds & bounds, const Trajectory & nominal,
  const std::vector<NodeGain> & gains, double alpha, Trajectory & result,
  StageDirections & directions);

/// The barrier of one motor's voltage change d over an interval, |d| < reach: zero at d = 0.
inline double rate_barrier(double weight, double d, double reach)
{
  const double share = d / reach;
  return -weight * std::log1p(-share * share);
}

inline double clamp_voltage(const InputBounds & bounds, double value)
{
  return value > bounds.voltage ? bounds.voltage
                                : (value < -bounds.voltage ? -bounds.voltage : value);
}

}  // namespace fivebar_control
