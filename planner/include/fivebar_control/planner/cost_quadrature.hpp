// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/planner/tracking_problem.hpp"

namespace fivebar_control
{

// The running cost is integrated by Simpson's rule per interval. Position and velocity of P in the
// middle follow from those at the nodes by cubic Hermite interpolation, of fourth order in both
// (docs/planning.md, "Quadrature"), so that the cost depends on the states at the nodes only:
//   r_m = (r0 + r1)/2 + h/8 (v0 - v1),   v_m = 3/(2h) (r1 - r0) - (v0 + v1)/4.

/// Position and velocity of P.
template <class S>
struct Output
{
  Vector2<S> r, v;
};

template <class S>
inline Output<S> output_at(
  const Geometry<S> & g, const Pose<S> & p, const S & a, const S & b, const S & w1, const S & w4)
{
  const S w2 = a * w1 + b * w4;
  const S v1 = g.l1 * w1;
  const S v2 = g.l2 * w2;
  return {
    {g.pivot_1[0] + g.l1 * p.e1[0] + g.l2 * p.e2[0],
     g.pivot_1[1] + g.l1 * p.e1[1] + g.l2 * p.e2[1]},
    {-(v1 * p.e1[1] + v2 * p.e2[1]), v1 * p.e1[0] + v2 * p.e2[0]}};
}

/// Middle of an interval from its ends.
template <class S>
inline Output<S> hermite_middle(const Output<S> & y0, const Output<S> & y1, double h)
{
  Output<S> middle;
  for (int i = 0; i < 2; ++i)
  {
    middle.r[i] = S(0.5) * (y0.r[i] + y1.r[i]) + S(h / 8.0) * (y0.v[i] - y1.v[i]);
    middle.v[i] = S(1.5 / h) * (y1.r[i] - y0.r[i]) - S(0.25) * (y0.v[i] + y1.v[i]);
  }
  return middle;
}

/// Soft limit of one voltage: ½ max(|u| - limit, 0)² (eq. 7.4), and its derivatives.
inline double soft_excess(double u, double limit)
{
  return u > limit ? u - limit : (u < -limit ? u + limit : 0.0);
}

template <class S>
inline S soft_penalty(const S & u, double limit)
{
  using std::real;
  const double value = real(u);
  if (value > limit)
  {
    return S(0.5) * (u - S(limit)) * (u - S(limit));
  }
  if (value < -limit)
  {
    return S(0.5) * (u + S(limit)) * (u + S(limit));
  }
  return S(0.0);
}

/// Adds up the cost interval by interval, for any scalar.
template <class S>
class CostSum
{
public:
  explicit CostSum(const TrackingProblem & problem) : problem_(problem) {}

  void add_node(std::size_t i, const Output<S> & y)
  {
    const double h = problem_.step;
    const double share = (i == 0 || i == problem_.intervals) ? h / 6.0 : h / 3.0;
    const Channels<4> & reference = problem_.node_reference;
    add(y, reference, i, share);
    if (i == problem_.intervals)
    {
      terminal_ = squared(y.r[0] - S(reference[0][i])) + squared(y.r[1] - S(reference[1][i]));
    }
  }

  void add_interval(
    std::size_t i, const Output<S> & y0, const Output<S> & y1, const Vector2<S> & u0,
    const Vector2<S> & u1)
  {
    const double h = problem_.step;
    add(hermite_middle<S>(y0, y1, h), problem_.middle_reference, i, 2.0 / 3.0 * h);
    const CostWeights & weights = problem_.weights;
    if (weights.gamma > 0.0)
    {
      for (int j = 0; j < 2; ++j)
      {
        const double limit = weights.soft_voltage;
        soft_ += S(h / 6.0) * (soft_penalty<S>(u0[j], limit) + soft_penalty<S>(u1[j], limit) +
                               S(4.0) * soft_penalty<S>(S(0.5) * (u0[j] + u1[j]), limit));
      }
    }
    if (weights.rho > 0.0)
    {
      rate_ += S(1.0 / h) * (squared(u1[0] - u0[0]) + squared(u1[1] - u0[1]));
    }
  }

  S position() const { return S(1.0 - problem_.weights.alpha) * position_; }
  S velocity() const
  {
    return S((1.0 - problem_.weights.alpha) * problem_.weights.beta) * velocity_;
  }
  S terminal() const { return S(problem_.weights.alpha) * terminal_; }
  S soft() const { return S(problem_.weights.gamma) * soft_; }
  S rate() const { return S(problem_.weights.rho) * rate_; }
  S total() const { return position() + velocity() + terminal() + soft() + rate(); }

private:
  static S squared(const S & a) { return a * a; }

  void add(const Output<S> & y, const Channels<4> & reference, std::size_t i, double weight)
  {
    position_ +=
      S(weight) * (squared(y.r[0] - S(reference[0][i])) + squared(y.r[1] - S(reference[1][i])));
    velocity_ +=
      S(weight) * (squared(y.v[0] - S(reference[2][i])) + squared(y.v[1] - S(reference[3][i])));
  }

  const TrackingProblem & problem_;
  S position_{}, velocity_{}, terminal_{}, soft_{}, rate_{};
};

}  // namespace fivebar_control
