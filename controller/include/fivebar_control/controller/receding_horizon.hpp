// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>

#include "fivebar_control/controller/loop_gains.hpp"

namespace fivebar_control
{

/// ns, on a clock that never goes back.
using ReadClock = std::int64_t (*)() noexcept;

/// feedback.method mpc: the volts of the next cycles that make the error of P small within the
/// voltage limit, to first order about the plan, with the regulator's own cost beyond the horizon.
/// Where no limit is in the way this is the time-varying regulator. Primal-dual active set on
/// Riccati sweeps, begun with the set of the cycle before. No allocation, no exception.
class RecedingHorizon
{
public:
  static constexpr int longest = 100;  ///< cycles

  /// What the problem of one cycle is about.
  struct Problem
  {
    std::size_t cycle = 0;    ///< of the plan
    Eigen::Vector4d error;    ///< state less reference
    Eigen::Vector2d offset;   ///< V, the disturbance that acts beside the volts
    double voltage = 0.0;     ///< V, limit either way
    double volts_weight = 0;  ///< m²/V²
  };

  enum class End
  {
    free,        ///< no limit is in the way
    bounded,     ///< some are, and the best volts are known
    unfinished,  ///< neither the sweeps nor the time sufficed; the answer is not to be used
  };

  struct Answer
  {
    Eigen::Vector2d volts;  ///< V beside the feedforward
    End end = End::free;
  };

  RecedingHorizon(int cycles, int sweeps, double seconds);

  /// Without a clock there is no deadline but the number of sweeps.
  void set_clock(ReadClock clock) { clock_ = clock; }
  /// Forgets the cycle before.
  void reset() { last_ = -1; }
  Answer solve(const LoopGains & gains, const Problem & problem) noexcept;

private:
  /// At a limit: -1 the lower, 1 the upper, 0 neither.
  using Side = Eigen::Matrix<int, 2, 1>;
  struct Stage
  {
    Side side = Side::Zero();
    Eigen::Matrix<double, 2, 4> gain;
    Eigen::Vector2d shift;  ///< V; w = -gain e - shift
    Eigen::Matrix4d value;  ///< cost to go from the next stage on: e' value e + 2 slope' e
    Eigen::Vector4d slope;
    Eigen::Vector2d lowest, highest;  ///< V, of w
  };

  void begin(const LoopGains & gains, const Problem & problem);
  int last_bounded() const;
  void sweep_back(const LoopGains & gains, const Problem & problem);
  bool roll_forward(const LoopGains & gains, const Problem & problem);
  bool out_of_time(std::int64_t begun) const;

  int horizon_;
  int sweeps_;
  std::int64_t time_ns_;
  ReadClock clock_ = nullptr;
  std::int64_t last_ = -1;  ///< cycle of the problem before
  int count_ = 0;           ///< stages that the plan has left
  Eigen::Vector2d first_ = Eigen::Vector2d::Zero();
  std::array<Stage, longest> stages_;
};

}  // namespace fivebar_control
