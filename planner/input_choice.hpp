// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sweep_data.hpp"

namespace fivebar_control
{

/// What the recursion does to the two inputs of a node within their bounds. A template on the
/// instruction set, as all that the kernels share.
template <class Arch>
class InputChoice
{
public:
  explicit InputChoice(const SweepData & data) : data_(data) {}

  /// Q = [q0 q1; q1 q2] of ½ d' Q d + s' d, the cost of a change d of a node's two inputs.
  struct Curvature
  {
    double q0, q1, q2, determinant;
    bool is_positive() const { return q0 > 0.0 && q2 > 0.0 && determinant > 0.0; }
    double of(std::size_t j) const { return j == 0 ? q0 : q2; }
    void minimise(const double (&s)[2], double (&d)[2]) const
    {
      d[0] = (q1 * s[1] - q2 * s[0]) / determinant;
      d[1] = (q1 * s[0] - q0 * s[1]) / determinant;
    }
  };
  Curvature regularized(const double (&quu)[3]) const
  {
    const double q0 = quu[0] * (1.0 + data_.regularization);
    const double q2 = quu[2] * (1.0 + data_.regularization);
    return {q0, quu[1], q2, q0 * q2 - quu[1] * quu[1]};
  }

  /// The change d of a node's inputs, and which of them a bound holds: side -1, 0, +1. False if the
  /// cost has no minimum; nothing changes then.
  bool choose(
    std::size_t node, const Curvature & q, const double (&s)[2], double (&d)[2],
    int (&side)[2]) const
  {
    if (!q.is_positive())
    {
      d[0] = d[1] = 0.0;
      side[0] = side[1] = 1;
      return false;
    }
    if (data_.hold_blocked)
    {
      solve_unblocked(node, q, s, d, side);
      return true;
    }
    double low[2];
    double high[2];
    limits(node, low, high);
    solve_box(q, s, low, high, d, side);
    return true;
  }

  /// The bound at which an input stands and that dJ/du pushes it against: -1, +1, or 0 for none.
  int blocking_side(std::size_t node, std::size_t j, double gradient) const
  {
    const double u = data_.input[j][node];
    const double limit = data_.bounds.voltage * (1.0 - 1e-12);
    return u >= limit && gradient < 0.0 ? 1 : (u <= -limit && gradient > 0.0 ? -1 : 0);
  }

private:
  /// The minimum over the inputs that no bound blocks; the others stay.
  void solve_unblocked(
    std::size_t node, const Curvature & q, const double (&s)[2], double (&d)[2],
    int (&side)[2]) const
  {
    side[0] = blocking_side(node, 0, data_.gradient[0][node]);
    side[1] = blocking_side(node, 1, data_.gradient[1][node]);
    if (side[0] == 0 && side[1] == 0)
    {
      q.minimise(s, d);
      return;
    }
    for (std::size_t j = 0; j < 2; ++j)
    {
      d[j] = side[j] == 0 ? -s[j] / q.of(j) : 0.0;
    }
  }

  /// How far the inputs of a node may move from where they are.
  void limits(std::size_t node, double (&low)[2], double (&high)[2]) const
  {
    for (std::size_t j = 0; j < 2; ++j)
    {
      // A nominal voltage that round-off left just outside may stay where it is.
      const double u = data_.input[j][node];
      const double down = -data_.bounds.voltage - u;
      const double up = data_.bounds.voltage - u;
      low[j] = down < 0.0 ? down : 0.0;
      high[j] = up > 0.0 ? up : 0.0;
    }
  }

  /// The exact minimum in a box.
  static void solve_box(
    const Curvature & q, const double (&s)[2], const double (&low)[2], const double (&high)[2],
    double (&d)[2], int (&side)[2])
  {
    side[0] = side[1] = 0;
    q.minimise(s, d);
    if (d[0] >= low[0] && d[0] <= high[0] && d[1] >= low[1] && d[1] <= high[1])
    {
      return;
    }
    // The minimiser lies on the boundary: the best point of the four edges.
    double best = 0.0;
    bool found = false;
    for (int fixed = 0; fixed < 2; ++fixed)
    {
      const int other = 1 - fixed;
      for (int which = -1; which <= 1; which += 2)
      {
        const double held = which < 0 ? low[fixed] : high[fixed];
        double free = -(s[other] + q.q1 * held) / q.of(static_cast<std::size_t>(other));
        int free_side = 0;
        if (free <= low[other])
        {
          free = low[other];
          free_side = -1;
        }
        else if (free >= high[other])
        {
          free = high[other];
          free_side = 1;
        }
        const double d0 = fixed == 0 ? held : free;
        const double d1 = fixed == 0 ? free : held;
        const double objective =
          0.5 * (q.q0 * d0 * d0 + q.q2 * d1 * d1) + q.q1 * d0 * d1 + s[0] * d0 + s[1] * d1;
        if (!found || objective < best)
        {
          found = true;
          best = objective;
          d[0] = d0;
          d[1] = d1;
          side[fixed] = which;
          side[other] = free_side;
        }
      }
    }
  }

  const SweepData & data_;
};

}  // namespace fivebar_control
