// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/controller/receding_horizon.hpp"

#include <algorithm>
#include <cmath>

// With e the error of the state and w the volts beside the feedforward plus the disturbance,
//   min sum e'Qe + r w'w + e_N' P e_N,  e+ = A e + B w,  |u_ff + w - d| <= U,
// where P is the cost to go of the time-varying regulator (LoopGains::horizon).

namespace fivebar_control
{

RecedingHorizon::RecedingHorizon(int cycles, int sweeps, double seconds)
: horizon_(std::clamp(cycles, 1, longest)),
  sweeps_(std::max(1, sweeps)),
  time_ns_(static_cast<std::int64_t>(1e9 * seconds))
{
}

bool RecedingHorizon::out_of_time(std::int64_t begun) const
{
  return clock_ != nullptr && clock_() - begun > time_ns_;
}

/// Limits of every stage; the set of the cycle before, moved on by the time that has passed.
void RecedingHorizon::begin(const LoopGains & gains, const Problem & problem)
{
  const auto cycle = static_cast<std::int64_t>(problem.cycle);
  const std::int64_t passed =
    last_ < 0 ? longest : std::clamp<std::int64_t>(cycle - last_, 0, longest);
  last_ = cycle;
  count_ = static_cast<int>(std::min<std::size_t>(
    static_cast<std::size_t>(horizon_), gains.horizon.size() - problem.cycle));
  for (int j = 0; j < count_; ++j)
  {
    Stage & s = stages_[static_cast<std::size_t>(j)];
    const std::int64_t before = j + passed;
    s.side = before < horizon_ ? stages_[static_cast<std::size_t>(before)].side : Side(0, 0);
    const Eigen::Vector2d & feedforward =
      gains.horizon[problem.cycle + static_cast<std::size_t>(j)].feedforward;
    s.lowest = (problem.offset - feedforward).array() - problem.voltage;
    s.highest = (problem.offset - feedforward).array() + problem.voltage;
  }
  for (int j = count_; j < horizon_; ++j)
  {
    stages_[static_cast<std::size_t>(j)].side.setZero();
  }
}

int RecedingHorizon::last_bounded() const
{
  for (int j = count_ - 1; j >= 0; --j)
  {
    const Side & side = stages_[static_cast<std::size_t>(j)].side;
    if (side[0] != 0 || side[1] != 0)
    {
      return j;
    }
  }
  return -1;
}

/// Behind the last stage at a limit the regulator's own gains and costs hold.
void RecedingHorizon::sweep_back(const LoopGains & gains, const Problem & problem)
{
  const int last = last_bounded();
  for (int j = last + 1; j < count_; ++j)
  {
    const std::size_t k = problem.cycle + static_cast<std::size_t>(j);
    Stage & s = stages_[static_cast<std::size_t>(j)];
    s.gain = gains.feedback[k];
    s.shift.setZero();
  }
  if (last < 0)
  {
    return;
  }
  Eigen::Matrix4d value = gains.horizon[problem.cycle + static_cast<std::size_t>(last)].value;
  Eigen::Vector4d slope = Eigen::Vector4d::Zero();
  for (int j = last; j >= 0; --j)
  {
    const HorizonCycle & c = gains.horizon[problem.cycle + static_cast<std::size_t>(j)];
    Stage & s = stages_[static_cast<std::size_t>(j)];
    s.value = value;
    s.slope = slope;
    const Eigen::Matrix<double, 4, 2> weighted = value * c.by_volts;
    Eigen::Matrix2d curvature = c.by_volts.transpose() * weighted;
    curvature.diagonal().array() += problem.volts_weight;
    const Eigen::Matrix<double, 2, 4> mixed = weighted.transpose() * c.by_state;
    const Eigen::Vector2d push = c.by_volts.transpose() * slope;
    const auto bound = [&s](int i) { return s.side[i] > 0 ? s.highest[i] : s.lowest[i]; };
    if (s.side[0] == 0 && s.side[1] == 0)
    {
      const double inverse =
        1.0 / (curvature(0, 0) * curvature(1, 1) - curvature(0, 1) * curvature(1, 0));
      Eigen::Matrix2d adjugate;
      adjugate << curvature(1, 1), -curvature(0, 1), -curvature(1, 0), curvature(0, 0);
      s.gain.noalias() = inverse * adjugate * mixed;
      s.shift.noalias() = inverse * adjugate * push;
    }
    else
    {
      for (int i = 0; i < 2; ++i)
      {
        s.gain.row(i).setZero();
        s.shift[i] = s.side[i] != 0 ? -bound(i) : 0.0;
      }
      for (int i = 0; i < 2; ++i)
      {
        if (s.side[i] == 0)
        {
          s.gain.row(i) = mixed.row(i) / curvature(i, i);
          s.shift[i] = (push[i] - curvature(i, 1 - i) * s.shift[1 - i]) / curvature(i, i);
        }
      }
    }
    const Eigen::Matrix4d closed = c.by_state - c.by_volts * s.gain;
    const Eigen::Vector4d behind = slope - value * (c.by_volts * s.shift);
    slope = closed.transpose() * behind + problem.volts_weight * (s.gain.transpose() * s.shift);
    const Eigen::Matrix4d now =
      closed.transpose() * (value * closed) + problem.volts_weight * (s.gain.transpose() * s.gain);
    value = 0.5 * (now + now.transpose());
    value.topLeftCorner<2, 2>() += c.weight;
  }
}

/// Takes what wants beyond a limit into the set, and lets go what wants back. True: nothing did.
bool RecedingHorizon::roll_forward(const LoopGains & gains, const Problem & problem)
{
  constexpr double slack = 1e-9;  // V
  bool settled = true;
  Eigen::Vector4d e = problem.error;
  for (int j = 0; j < count_; ++j)
  {
    const HorizonCycle & c = gains.horizon[problem.cycle + static_cast<std::size_t>(j)];
    Stage & s = stages_[static_cast<std::size_t>(j)];
    const Eigen::Vector2d w = -(s.gain * e) - s.shift;
    const Eigen::Vector4d next = c.by_state * e + c.by_volts * w;
    if (j == 0)
    {
      first_ = w;
    }
    for (int i = 0; i < 2; ++i)
    {
      int side = w[i] > s.highest[i] + slack ? 1 : (w[i] < s.lowest[i] - slack ? -1 : 0);
      if (s.side[i] != 0)
      {
        // Half of d(cost)/dw: a limit holds back only what pushes against it.
        const double slope =
          problem.volts_weight * w[i] + c.by_volts.col(i).dot(s.value * next + s.slope);
        side = slope * s.side[i] <= 0.0 ? s.side[i] : 0;
      }
      settled = settled && side == s.side[i];
      s.side[i] = side;
    }
    e = next;
  }
  return settled;
}

RecedingHorizon::Answer RecedingHorizon::solve(
  const LoopGains & gains, const Problem & problem) noexcept
{
  const std::int64_t begun = clock_ != nullptr ? clock_() : 0;
  begin(gains, problem);
  for (int sweep = 0; sweep < sweeps_; ++sweep)
  {
    if (sweep > 0 && out_of_time(begun))
    {
      break;
    }
    sweep_back(gains, problem);
    if (roll_forward(gains, problem))
    {
      return {first_ - problem.offset, last_bounded() < 0 ? End::free : End::bounded};
    }
  }
  return {Eigen::Vector2d(0.0, 0.0), End::unfinished};
}

}  // namespace fivebar_control
