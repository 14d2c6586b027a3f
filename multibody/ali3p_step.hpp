// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/multibody/form.hpp"
#include "kkt.hpp"

namespace fivebar_control::multibody
{

/// The parts of ALI3-P's state y = (q, v, a, lambda).
template <class S>
struct Ali3pState
{
  Vector<S> q, v, a, lambda;

  Ali3pState() = default;
  Ali3pState(const System & system, const Vector<S> & y)
  {
    const Eigen::Index n = system.coordinates();
    q = y.head(n);
    v = y.segment(n, n);
    a = y.segment(2 * n, n);
    lambda = y.tail(system.constraints());
  }
  Vector<S> stacked() const
  {
    Vector<S> y(3 * q.size() + lambda.size());
    y << q, v, a, lambda;
    return y;
  }
};

/// Newmark with beta = 1/4 and gamma = 1/2: v* = 2/h q + v_history, a* = 4/h^2 q + a_history.
template <class S>
struct NewmarkHistory
{
  double h = 0.0;
  S v, a;

  NewmarkHistory(double step, const S & q, const S & v_before, const S & a_before)
  : h(step), v(-(2.0 / h * q + v_before)), a(-(4.0 / (h * h) * q + 4.0 / h * v_before + a_before))
  {
  }
  S velocity(const S & q) const { return 2.0 / h * q + v; }
  S acceleration(const S & q) const { return 4.0 / (h * h) * q + a; }
};

/// The derivatives of a step that led from `from` to `to` (López Varela 5.37-5.50
/// forward, 5.113-5.128 backward, corrected).
std::unique_ptr<StepTangent> ali3p_step_tangent(
  const System & system, const Ali3pState<double> & from, const Ali3pState<double> & to,
  const Point<double> & end, double h, double projection_compliance);

}  // namespace fivebar_control::multibody
