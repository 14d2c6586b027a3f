// SPDX-License-Identifier: Apache-2.0
#include "hamiltonian_coefficients.hpp"

namespace fivebar_control::multibody
{
namespace
{

Vector<DualD> constant(const VectorD & values) { return values.cast<DualD>(); }

DualDD moving(double value, double rate)
{
  DualDD result(value);
  result[0] = DualD(rate);
  return result;
}

/// Rows of slopes of the running costs along a seeded motion.
void store_cost_slopes(
  const Problem & problem, const Motion<DualD> & motion, Eigen::Index first, int count, MatrixD & h)
{
  for (std::size_t k = 0; k < problem.costs.size(); ++k)
  {
    const DualD value = problem.costs[k]->running(motion);
    for (int d = 0; d < count; ++d)
    {
      h(static_cast<Eigen::Index>(k), first + d) = value[d];
    }
  }
}

}  // namespace

HamiltonianCoefficients HamiltonianEquations::at(double t, const VectorD & y) const
{
  const VectorD theta = problem_.local(t, rho_);
  Response<double> response;
  form_.respond(t, y, theta, VectorD(), response);
  const Point<double> point{t, response.q, response.v, theta};
  const Eigen::Index n = system_.coordinates();
  const Eigen::Index m = system_.constraints();
  HamiltonianCoefficients c;
  c.t = t;
  system_.evaluate(point, c.terms);
  c.kkt = kkt_factors(c.terms);
  VectorD right(n + m);
  right << y.tail(n), -c.terms.Phi_t;
  const VectorD sigma = c.kkt.solve(right).tail(m);

  first_slopes(point, response, sigma, c);
  time_slopes(point, response, c);
  return c;
}

void HamiltonianEquations::first_slopes(
  const Point<double> & at, const Response<double> & response, const VectorD & sigma,
  HamiltonianCoefficients & c) const
{
  const Eigen::Index n = system_.coordinates();
  const Eigen::Index np = at.theta.size();
  const Eigen::Index columns = 2 * n + np + 1;  // q, v, theta, time
  Directions along(system_, columns);
  along.q.leftCols(n).setIdentity();
  along.v.middleCols(n, n).setIdentity();
  along.theta.middleCols(2 * n, np).setIdentity();
  along.q.col(columns - 1) = at.v;
  along.v.col(columns - 1) = response.a;
  along.theta.col(columns - 1) = problem_.local_rate(at.t, rho_);
  along.t(columns - 1) = 1.0;

  MatrixD force(n, columns), momentum(n, columns), reaction(n, columns), full_momentum(n, columns),
    full_force(n, columns), constraint_rate(system_.constraints(), columns);
  MatrixD h(static_cast<Eigen::Index>(problem_.costs.size()), columns);
  differentiate(
    system_, at, along,
    [&](const Point<DualD> & point, const Terms<DualD> & dual, Eigen::Index first, int count) {
      Vector<DualD> f = dual.Q;
      f += times(dual.M_rate, point.v);
      store_slopes(f, 0, first, count, force);
      f += transpose_times(dual.Phi_q_rate, sigma);
      store_slopes(f, 0, first, count, full_force);
      Vector<DualD> p = times(dual.M, at.v);
      store_slopes(p, 0, first, count, momentum);
      p += transpose_times(dual.Phi_q, sigma);
      store_slopes(p, 0, first, count, full_momentum);
      store_slopes(transpose_times(dual.Phi_q, response.lambda), 0, first, count, reaction);
      Vector<DualD> rate = times(dual.Phi_q, at.v);
      rate += dual.Phi_t;
      store_slopes(rate, 0, first, count, constraint_rate);
      const Motion<DualD> motion{
        point.t, point.q, point.v, constant(response.a), constant(response.lambda), point.theta};
      store_cost_slopes(problem_, motion, first, count, h);
      if (columns - 1 >= first && columns - 1 < first + count)
      {
        c.Phi_q_second = slope(dual.Phi_q_rate, static_cast<int>(columns - 1 - first));
      }
    });
  c.f_q = force.leftCols(n);
  c.f_v = force.middleCols(n, n);
  c.momentum_q = momentum.leftCols(n);
  c.reaction_q = reaction.leftCols(n);
  c.h_q = h.leftCols(n);
  c.h_v = h.middleCols(n, n);
  c.momentum_theta = full_momentum.middleCols(2 * n, np);
  c.force_theta = full_force.middleCols(2 * n, np);
  c.constraint_rate_theta = constraint_rate.middleCols(2 * n, np);
  c.h_theta = h.middleCols(2 * n, np);
}

void HamiltonianEquations::lift(
  const Point<double> & at, const Response<double> & response, Motion<DualDD> & motion) const
{
  const Eigen::Index n = system_.coordinates();
  const VectorD theta_rate = problem_.local_rate(at.t, rho_);
  motion.t = moving(at.t, 1.0);
  motion.q.resize(n);
  motion.v.resize(n);
  for (Eigen::Index i = 0; i < n; ++i)
  {
    motion.q(i) = moving(at.q(i), at.v(i));
  }
  motion.a = response.a.cast<DualDD>();
  motion.lambda = response.lambda.cast<DualDD>();
  motion.theta.resize(at.theta.size());
  for (Eigen::Index i = 0; i < at.theta.size(); ++i)
  {
    motion.theta(i) = moving(at.theta(i), theta_rate(i));
  }
}

/// d(f_v)/dt and d(h_v)/dt: velocity slopes inside, time outside.
void HamiltonianEquations::time_slopes(
  const Point<double> & at, const Response<double> & response, HamiltonianCoefficients & c) const
{
  const Eigen::Index n = system_.coordinates();
  c.f_v_rate.resize(n, n);
  c.h_v_rate.resize(static_cast<Eigen::Index>(problem_.costs.size()), n);
  Motion<DualDD> motion;
  lift(at, response, motion);
  Terms<DualDD> terms;
  for (Eigen::Index first = 0; first < n; first += dual_width)
  {
    const int count = static_cast<int>(std::min<Eigen::Index>(dual_width, n - first));
    for (Eigen::Index i = 0; i < n; ++i)
    {
      motion.v(i) = moving(at.v(i), response.a(i));
      if (i >= first && i < first + count)
      {
        motion.v(i).value[static_cast<int>(i - first)] = 1.0;
      }
    }
    system_.evaluate(Point<DualDD>{motion.t, motion.q, motion.v, motion.theta}, terms);
    Vector<DualDD> f = terms.Q;
    f += times(terms.M_rate, motion.v);
    for (int d = 0; d < count; ++d)
    {
      for (Eigen::Index i = 0; i < n; ++i)
      {
        c.f_v_rate(i, first + d) = f(i)[0][d];
      }
    }
    for (std::size_t k = 0; k < problem_.costs.size(); ++k)
    {
      const DualDD value = problem_.costs[k]->running(motion);
      for (int d = 0; d < count; ++d)
      {
        c.h_v_rate(static_cast<Eigen::Index>(k), first + d) = value[0][d];
      }
    }
  }
}

}  // namespace fivebar_control::multibody
