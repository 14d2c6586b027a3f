// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/multibody/form.hpp"

namespace fivebar_control::multibody
{

/// Coefficients of the generalised-alpha family (Chung and Hulbert 1993; for constrained systems
/// Arnold and Brüls 2007), of which Hilber, Hughes and Taylor's is the member with alpha_m = 0:
///   (1 - alpha_m) s+ + alpha_m s = (1 - alpha_f) a+ + alpha_f a,
///   q+ = q + h v + h^2 ((1/2 - beta) s + beta s+),  v+ = v + h ((1 - gamma) s + gamma s+),
/// where a satisfies the equations of motion and s is an average of it that only the scheme knows.
struct AlphaMethod
{
  double alpha_m = 0.0, alpha_f = 0.0;
  double gamma() const { return 0.5 + alpha_f - alpha_m; }
  double beta() const { return 0.25 * (0.5 + gamma()) * (0.5 + gamma()); }
  const char * name() const { return alpha_m == 0.0 ? "HHT" : "generalised-alpha"; }

  /// `radius`: what is left of the highest frequencies after a step, 1 (all) to 0 (nothing).
  static AlphaMethod generalised(double radius)
  {
    return {(2.0 * radius - 1.0) / (radius + 1.0), radius / (radius + 1.0)};
  }
  static AlphaMethod of(const Settings & settings)
  {
    return settings.hht > 0.0 ? AlphaMethod{0.0, settings.hht}
                              : generalised(settings.spectral_radius);
  }
};

/// A method with its step; how the end depends on the acceleration there.
struct AlphaStep
{
  AlphaMethod method;
  double h = 0.0;

  double average_by_a() const { return (1.0 - method.alpha_f) / (1.0 - method.alpha_m); }
  double velocity_by_a() const { return h * method.gamma() * average_by_a(); }
  double position_by_a() const { return h * h * method.beta() * average_by_a(); }
};

/// The parts of the state y = (q, v, a, lambda, average), or of directions of it.
template <class S, class Part = Vector<S>>
struct AlphaState
{
  Part q, v, a, lambda, average;

  AlphaState() = default;
  AlphaState(Eigen::Index n, Eigen::Index m, const Part & y)
  : q(y.topRows(n)),
    v(y.middleRows(n, n)),
    a(y.middleRows(2 * n, n)),
    lambda(y.middleRows(3 * n, m)),
    average(y.bottomRows(n))
  {
  }
  Part stacked() const
  {
    Part y(4 * q.rows() + lambda.rows(), q.cols());
    y << q, v, a, lambda, average;
    return y;
  }
};

/// What the end of a step would be without acceleration there.
template <class Part>
struct AlphaHistory
{
  Part q, v, average;

  AlphaHistory(
    const AlphaStep & step, const Part & q0, const Part & v0, const Part & a0,
    const Part & average0)
  {
    const AlphaMethod & c = step.method;
    const double h = step.h;
    average = 1.0 / (1.0 - c.alpha_m) * (c.alpha_f * a0 - c.alpha_m * average0);
    q = q0 + h * v0 + h * h * ((0.5 - c.beta()) * average0 + c.beta() * average);
    v = v0 + h * ((1.0 - c.gamma()) * average0 + c.gamma() * average);
  }
  void apply(
    const AlphaStep & step, const Part & a, Part & to_q, Part & to_v, Part & to_average) const
  {
    to_q = q + step.position_by_a() * a;
    to_v = v + step.velocity_by_a() * a;
    to_average = average + step.average_by_a() * a;
  }
};

/// The transpose of AlphaHistory.
inline void transpose_history(
  const AlphaStep & step, const MatrixD & q, const MatrixD & v, const MatrixD & average,
  AlphaState<double, MatrixD> & from)
{
  const AlphaMethod & c = step.method;
  const double h = step.h;
  const MatrixD inner = average + h * h * c.beta() * q + h * c.gamma() * v;
  from.q = q;
  from.v = h * q + v;
  from.a = c.alpha_f / (1.0 - c.alpha_m) * inner;
  from.average = h * h * (0.5 - c.beta()) * q + h * (1.0 - c.gamma()) * v -
                 c.alpha_m / (1.0 - c.alpha_m) * inner;
}

}  // namespace fivebar_control::multibody
