// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/model/dynamics_derivatives.hpp"
#include "fivebar_control/planner/cost_quadrature.hpp"
#include "pack.hpp"
#include "sweep_data.hpp"

namespace fivebar_control
{

// Linear-quadratic model of four neighbouring intervals at a time. The variables of an interval are
// z = (dx of its first node (4), du of its first node (2), du of its second node (2)).

/// Position and velocity of P at a node, minus their references, and the Jacobian by the state
/// [[jp, 0], [jv, jp]].
template <class P>
struct NodeModel
{
  P error[4];  // r - r*, v - v*
  P jp[2][2];
  P jv[2][2];
};

template <class P>
struct IntervalModel
{
  P transition[4][8];    // dx of the second node = transition * z
  P gradient_first[4];   // of the interval's tracking cost by the state of the first node ...
  P gradient_second[4];  // ... and of the second
  P hessian[8][8];       // Gauss-Newton, upper triangle
};

template <class P>
inline DynamicsConstants<P> broadcast(const DynamicsConstants<double> & k)
{
  DynamicsConstants<P> r;
  const auto two = [](const Vector2<double> & v) {
    return Vector2<P>(P(v.data()[0]), P(v.data()[1]));
  };
  r.geometry = {two(k.geometry.pivot_1), two(k.geometry.pivot_4), P(k.geometry.l1),
                P(k.geometry.l2),        P(k.geometry.l3),        P(k.geometry.l4),
                k.geometry.mode};
  r.inertia_1 = P(k.inertia_1);
  r.inertia_2 = P(k.inertia_2);
  r.inertia_3 = P(k.inertia_3);
  r.inertia_4 = P(k.inertia_4);
  r.coupling_2 = two(k.coupling_2);
  r.coupling_3 = two(k.coupling_3);
  r.moment_1 = two(k.moment_1);
  r.moment_2 = two(k.moment_2);
  r.moment_3 = two(k.moment_3);
  r.moment_4 = two(k.moment_4);
  r.gravity = two(k.gravity);
  r.torque_gain = two(k.torque_gain);
  r.damping = two(k.damping);
  r.coulomb = two(k.coulomb);
  r.inverse_coulomb_velocity = two(k.inverse_coulomb_velocity);
  r.has_gravity = k.has_gravity;
  r.has_coulomb = k.has_coulomb;
  return r;
}

template <class P>
inline Terms<P> stage_terms(
  const DynamicsConstants<P> & k, const SweepData & data, std::size_t stage, std::size_t i)
{
  const Vector2<P> e1(
    P::load(data.directions[4 * stage] + i), P::load(data.directions[4 * stage + 1] + i));
  const Vector2<P> e4(
    P::load(data.directions[4 * stage + 2] + i), P::load(data.directions[4 * stage + 3] + i));
  return terms_at<P>(k, close_linkage<P>(k.geometry, e1, e4));
}

template <class P>
inline NodeModel<P> node_model(
  const DynamicsConstants<P> & k, const SweepData & data, const Terms<P> & t, const P & w1,
  const P & w4, std::size_t i)
{
  const Geometry<P> & g = k.geometry;
  const Pose<P> & p = t.pose;
  NodeModel<P> node;
  const Output<P> y = output_at<P>(g, p, t.a, t.b, w1, w4);
  node.error[0] = y.r[0] - P::load(data.node_reference[0] + i);
  node.error[1] = y.r[1] - P::load(data.node_reference[1] + i);
  node.error[2] = y.v[0] - P::load(data.node_reference[2] + i);
  node.error[3] = y.v[1] - P::load(data.node_reference[3] + i);

  const P inverse = P(1.0) / (g.l2 * g.l3 * p.s23);
  const P i2 = g.l3 * inverse;
  const P i3 = g.l2 * inverse;
  const MapTangent<P> m1 = map_tangent<false, P>(g, t, i2, i3, along_phi1<P>(t));
  const MapTangent<P> m4 = map_tangent<false, P>(g, t, i2, i3, along_phi4<P>(t));
  const P w2 = t.a * w1 + t.b * w4;
  const P slope1 = g.l2 * (m1.a * w1 + m1.b * w4);  // l2 dw2/dphi1
  const P slope4 = g.l2 * (m4.a * w1 + m4.b * w4);
  const P turn1 = g.l2 * w2 * t.a;
  const P turn4 = g.l2 * w2 * t.b;
  const P la = g.l2 * t.a;
  const P lb = g.l2 * t.b;
  node.jp[0][0] = -(g.l1 * p.e1[1] + la * p.e2[1]);
  node.jp[1][0] = g.l1 * p.e1[0] + la * p.e2[0];
  node.jp[0][1] = -(lb * p.e2[1]);
  node.jp[1][1] = lb * p.e2[0];
  node.jv[0][0] = -(g.l1 * w1 * p.e1[0] + slope1 * p.e2[1] + turn1 * p.e2[0]);
  node.jv[1][0] = slope1 * p.e2[0] - g.l1 * w1 * p.e1[1] - turn1 * p.e2[1];
  node.jv[0][1] = -(slope4 * p.e2[1] + turn4 * p.e2[0]);
  node.jv[1][1] = slope4 * p.e2[0] - turn4 * p.e2[1];
  return node;
}

/// Derivative of the Runge-Kutta map: chain rule through its four stages.
template <class P>
struct StageChain
{
  P offset[4][8];  // d(stage state)/dz
  P rate[2][8];    // d(stage acceleration)/dz

  /// Needs `offset`; u0 and u1 are the shares of the two nodes' inputs in the stage's input.
  void differentiate(const AccelerationJacobian<P> & jacobian, double u0, double u1)
  {
    for (int r = 0; r < 2; ++r)
    {
      for (int c = 0; c < 8; ++c)
      {
        rate[r][c] =
          jacobian.by_state(r, 0) * offset[0][c] + jacobian.by_state(r, 1) * offset[1][c] +
          jacobian.by_state(r, 2) * offset[2][c] + jacobian.by_state(r, 3) * offset[3][c];
      }
      for (int c = 0; c < 2; ++c)
      {
        rate[r][4 + c] += P(u0) * jacobian.by_input(r, c);
        rate[r][6 + c] += P(u1) * jacobian.by_input(r, c);
      }
    }
  }

  /// This stage's state = first state + length * derivative at the stage before.
  void advance(const StageChain & before, double length)
  {
    for (int c = 0; c < 8; ++c)
    {
      for (int r = 0; r < 2; ++r)
      {
        offset[r][c] = P(length) * before.offset[2 + r][c];
        offset[2 + r][c] = P(length) * before.rate[r][c];
      }
    }
    for (int r = 0; r < 4; ++r)
    {
      offset[r][r] += P(1.0);
    }
  }
};

/// Linearises the dynamics of intervals i ... i + 3; returns the model of their first nodes too.
template <class P>
inline NodeModel<P> linearize_dynamics(
  const DynamicsConstants<P> & k, const SweepData & data, std::size_t i, P (&transition)[4][8])
{
  const double h = data.step;
  const P w1 = P::load(data.state[2] + i);
  const P w4 = P::load(data.state[3] + i);
  const Vector2<P> u0(P::load(data.input[0] + i), P::load(data.input[1] + i));
  const Vector2<P> u1(P::load(data.input[0] + i + 1), P::load(data.input[1] + i + 1));
  const Vector2<P> middle(P(0.5) * (u0[0] + u1[0]), P(0.5) * (u0[1] + u1[1]));

  StageChain<P> chain[2];
  for (int r = 0; r < 4; ++r)
  {
    for (int c = 0; c < 8; ++c)
    {
      chain[0].offset[r][c] = P(r == c ? 1.0 : 0.0);
      transition[r][c] = P(r == c ? 1.0 : 0.0);
    }
  }
  const auto accumulate = [&](const StageChain<P> & stage, double weight) {
    for (int c = 0; c < 8; ++c)
    {
      for (int r = 0; r < 2; ++r)
      {
        transition[r][c] += P(weight) * stage.offset[2 + r][c];
        transition[2 + r][c] += P(weight) * stage.rate[r][c];
      }
    }
  };

  const Terms<P> first = stage_terms<P>(k, data, 0, i);
  const NodeModel<P> node = node_model<P>(k, data, first, w1, w4, i);
  AccelerationJacobian<P> jacobian = linearize_terms<P>(k, first, w1, w4, u0);
  chain[0].differentiate(jacobian, 1.0, 0.0);
  accumulate(chain[0], h / 6.0);

  const double lengths[3] = {0.5 * h, 0.5 * h, h};
  const double weights[3] = {h / 3.0, h / 3.0, h / 6.0};
  for (std::size_t s = 1; s < 4; ++s)
  {
    const double length = lengths[s - 1];
    const P w1s = w1 + P(length) * jacobian.acceleration[0];
    const P w4s = w4 + P(length) * jacobian.acceleration[1];
    const bool last = s == 3;
    jacobian = linearize_terms<P>(k, stage_terms<P>(k, data, s, i), w1s, w4s, last ? u1 : middle);
    StageChain<P> & now = chain[s % 2];
    now.advance(chain[(s + 1) % 2], length);
    now.differentiate(jacobian, last ? 0.0 : 0.5, last ? 1.0 : 0.5);
    accumulate(now, weights[s - 1]);
  }
  return node;
}

/// Gradient by the state of C^T (gr, gv) for a node.
template <class P>
inline void add_output_gradient(const NodeModel<P> & node, const P (&g)[4], P (&out)[4])
{
  for (int c = 0; c < 2; ++c)
  {
    out[c] +=
      node.jp[0][c] * g[0] + node.jp[1][c] * g[1] + node.jv[0][c] * g[2] + node.jv[1][c] * g[3];
    out[2 + c] += node.jp[0][c] * g[2] + node.jp[1][c] * g[3];
  }
}

/// Gradients of the interval's tracking cost: the middle's, and the first node's with both its
/// shares (an interior node belongs to two intervals).
template <class P>
inline void cost_gradients(
  const SweepData & data, std::size_t i, const NodeModel<P> & first, const NodeModel<P> & second,
  IntervalModel<P> & model)
{
  const double h = data.step;
  const double position = 1.0 - data.weights.alpha;
  const double velocity = position * data.weights.beta;
  P by_first[4];
  P by_second[4];
  for (int c = 0; c < 2; ++c)
  {
    const auto channel = static_cast<std::size_t>(c);
    const P r0 = first.error[c] + P::load(data.node_reference[channel] + i);
    const P r1 = second.error[c] + P::load(data.node_reference[channel] + i + 1);
    const P v0 = first.error[2 + c] + P::load(data.node_reference[2 + channel] + i);
    const P v1 = second.error[2 + c] + P::load(data.node_reference[2 + channel] + i + 1);
    const P er =
      P(0.5) * (r0 + r1) + P(h / 8.0) * (v0 - v1) - P::load(data.middle_reference[channel] + i);
    const P ev = P(1.5 / h) * (r1 - r0) - P(0.25) * (v0 + v1) -
                 P::load(data.middle_reference[2 + channel] + i);
    const P gr = P(4.0 / 3.0 * h * position) * er;
    const P gv = P(4.0 / 3.0 * h * velocity) * ev;
    by_first[c] = P(0.5) * gr - P(1.5 / h) * gv + P(2.0 / 3.0 * h * position) * first.error[c];
    by_first[2 + c] =
      P(h / 8.0) * gr - P(0.25) * gv + P(2.0 / 3.0 * h * velocity) * first.error[2 + c];
    by_second[c] = P(0.5) * gr + P(1.5 / h) * gv;
    by_second[2 + c] = -(P(h / 8.0) * gr) - P(0.25) * gv;
  }
  for (int r = 0; r < 4; ++r)
  {
    model.gradient_first[r] = P(0.0);
    model.gradient_second[r] = P(0.0);
  }
  add_output_gradient<P>(first, by_first, model.gradient_first);
  add_output_gradient<P>(second, by_second, model.gradient_second);
}

/// Gauss-Newton Hessian of the same terms, upper triangle.
template <class P>
inline void cost_hessian(
  const SweepData & data, const NodeModel<P> & first, const NodeModel<P> & second,
  IntervalModel<P> & model)
{
  const double h = data.step;
  const double position = 1.0 - data.weights.alpha;
  const double velocity = position * data.weights.beta;
  P row[4][8];  // of the middle's residuals (position x, y, velocity x, y)
  for (int c = 0; c < 8; ++c)
  {
    const P t0 = model.transition[0][c];
    const P t1 = model.transition[1][c];
    const P t2 = model.transition[2][c];
    const P t3 = model.transition[3][c];
    for (int a = 0; a < 2; ++a)
    {
      const P r1 = second.jp[a][0] * t0 + second.jp[a][1] * t1;
      const P v1 =
        second.jv[a][0] * t0 + second.jv[a][1] * t1 + second.jp[a][0] * t2 + second.jp[a][1] * t3;
      row[a][c] = P(0.5) * r1 - P(h / 8.0) * v1;
      row[2 + a][c] = P(1.5 / h) * r1 - P(0.25) * v1;
    }
  }
  for (int a = 0; a < 2; ++a)
  {
    for (int c = 0; c < 2; ++c)
    {
      row[a][c] += P(0.5) * first.jp[a][c] + P(h / 8.0) * first.jv[a][c];
      row[a][2 + c] += P(h / 8.0) * first.jp[a][c];
      row[2 + a][c] -= P(1.5 / h) * first.jp[a][c] + P(0.25) * first.jv[a][c];
      row[2 + a][2 + c] -= P(0.25) * first.jp[a][c];
    }
  }
  const P wr(4.0 / 3.0 * h * position);
  const P wv(4.0 / 3.0 * h * velocity);
  for (int r = 0; r < 8; ++r)
  {
    const P a = wr * row[0][r];
    const P b = wr * row[1][r];
    const P d = wv * row[2][r];
    const P e = wv * row[3][r];
    for (int c = r; c < 8; ++c)
    {
      model.hessian[r][c] = a * row[0][c] + b * row[1][c] + d * row[2][c] + e * row[3][c];
    }
  }
  // The first node's own residuals.
  const P nr(2.0 / 3.0 * h * position);
  const P nv(2.0 / 3.0 * h * velocity);
  for (int r = 0; r < 2; ++r)
  {
    for (int c = r; c < 2; ++c)
    {
      const P pp = first.jp[0][r] * first.jp[0][c] + first.jp[1][r] * first.jp[1][c];
      const P vv = first.jv[0][r] * first.jv[0][c] + first.jv[1][r] * first.jv[1][c];
      model.hessian[r][c] += nr * pp + nv * vv;
      model.hessian[2 + r][2 + c] += nv * pp;
    }
    for (int c = 0; c < 2; ++c)
    {
      model.hessian[r][2 + c] +=
        nv * (first.jv[0][r] * first.jp[0][c] + first.jv[1][r] * first.jp[1][c]);
    }
  }
}

}  // namespace fivebar_control
