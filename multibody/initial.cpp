// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/multibody/initial.hpp"

#include <fmt/core.h>

#include "dense.hpp"
#include "fivebar_control/multibody/problem.hpp"
#include "fivebar_control/support/random.hpp"

namespace fivebar_control::multibody
{
namespace
{

constexpr int max_iterations = 60;
/// Relative size of a pivot below which a matrix counts as singular.
constexpr double rank_threshold = 1e-9;

/// Jacobians of [Phi; h] with respect to q, and of [Phi_q v + Phi_t; h_rate] with respect to v.
struct StartJacobian
{
  MatrixD position, velocity;
};

StartJacobian start_jacobian(
  const System & system, const InitialConditions & initial, const Point<double> & at)
{
  const Eigen::Index n = system.coordinates();
  const Eigen::Index m = system.constraints();
  StartJacobian result{MatrixD(n, n), MatrixD(n, n)};
  Terms<double> terms;
  system.evaluate(at, terms);
  result.position.topRows(m) = terms.Phi_q;
  result.velocity.topRows(m) = terms.Phi_q;
  Directions along(system, 2 * n);
  along.q.leftCols(n).setIdentity();
  along.v.rightCols(n).setIdentity();
  MatrixD position(n - m, 2 * n), velocity(n - m, 2 * n);
  Vector<DualD> h, h_rate;
  for (Eigen::Index first = 0; first < 2 * n; first += dual_width)
  {
    const int count = static_cast<int>(std::min<Eigen::Index>(dual_width, 2 * n - first));
    initial.evaluate(seeded(at, along, first, count), h, h_rate);
    store_slopes(h, 0, first, count, position);
    store_slopes(h_rate, 0, first, count, velocity);
  }
  result.position.bottomRows(n - m) = position.leftCols(n);
  result.velocity.bottomRows(n - m) = velocity.rightCols(n);
  return result;
}

template <class S>
Point<double> real_point(const Point<S> & at)
{
  Point<double> result;
  result.t = real_part(at.t);
  const auto copy = [](const Vector<S> & from) {
    VectorD to(from.size());
    for (Eigen::Index i = 0; i < from.size(); ++i)
    {
      to(i) = real_part(from(i));
    }
    return to;
  };
  result.q = copy(at.q);
  result.v = copy(at.v);
  result.theta = copy(at.theta);
  return result;
}

template <class S>
Vector<S> stacked(const Vector<S> & top, const Vector<S> & bottom)
{
  Vector<S> result(top.size() + bottom.size());
  result << top, bottom;
  return result;
}

/// A configuration on the constraints a little away from q, found by least squares so that
/// redundant constraints do no harm.
VectorD nearby(const System & system, Point<double> at)
{
  Random random(1);
  for (Eigen::Index i = 0; i < at.q.size(); ++i)
  {
    at.q(i) += random.uniform(-1e-2, 1e-2) * (1.0 + std::abs(at.q(i)));
  }
  Terms<double> terms;
  for (int i = 0; i < max_iterations; ++i)
  {
    system.evaluate(at, terms);
    const VectorD correction = least_squares(terms.Phi_q, terms.Phi);
    at.q -= correction;
    if (correction.norm() < 1e-12)
    {
      break;
    }
  }
  return at.q;
}

}  // namespace

template <class S>
InitialState<S> assemble(
  const System & system, const InitialConditions & initial, const Vector<S> & theta)
{
  const Eigen::Index n = system.coordinates();
  Point<S> at;
  at.t = S(0.0);
  at.q = initial.estimate().template cast<S>();
  at.v = Vector<S>::Zero(n);
  at.theta = theta;

  Terms<S> terms;
  Vector<S> h, h_rate;
  bool converged = false;
  // Imaginary parts converge one iteration after the real ones: two more for safety.
  int extra = 2;
  double last = 0.0;
  for (int i = 0; i < max_iterations && extra > 0; ++i)
  {
    system.evaluate(at, terms);
    initial.evaluate(at, h, h_rate);
    const MatrixD jacobian = start_jacobian(system, initial, real_point(at)).position;
    const Vector<S> residual = stacked<S>(terms.Phi, h);
    Vector<S> correction = least_squares(jacobian, residual.real()).template cast<S>();
    if constexpr (!std::is_same_v<S, double>)
    {
      correction += S(0.0, 1.0) * least_squares(jacobian, residual.imag()).template cast<S>();
    }
    at.q -= correction;
    last = residual.norm();
    converged = correction.norm() <= 1e-11 * (1.0 + at.q.norm());
    extra -= converged ? 1 : 0;
  }
  if (!converged || !(last < 1e-7))
  {
    throw MechanismError(fmt::format(
      "the mechanism cannot be assembled: constraints and initial conditions still disagree by "
      "{:.3g} "
      "after {} iterations. They contradict each other, or the start positions are too far off.",
      last, max_iterations));
  }
  check_start(system, real_point(at));

  const MatrixD jacobian = start_jacobian(system, initial, real_point(at)).velocity;
  if (reciprocal_condition(jacobian) < 1e-12)
  {
    throw MechanismError(
      "the initial conditions do not fix the motion: they hold coordinates that the constraints "
      "already determine. Hold others.");
  }
  for (int i = 0; i < 2; ++i)
  {
    system.evaluate(at, terms);
    initial.evaluate(at, h, h_rate);
    Vector<S> velocity_residual = times(terms.Phi_q, at.v);
    velocity_residual += terms.Phi_t;
    // The residual is linear in v, but its matrix is real only for real q: hence two passes.
    at.v -= Lu<S>(jacobian.template cast<S>()).solve(stacked<S>(velocity_residual, h_rate));
  }
  return {at.q, at.v};
}

template InitialState<double> assemble(
  const System &, const InitialConditions &, const Vector<double> &);
template InitialState<Complex> assemble(
  const System &, const InitialConditions &, const Vector<Complex> &);

InitialTangent initial_tangent(
  const System & system, const InitialConditions & initial, const Point<double> & start)
{
  const Eigen::Index n = system.coordinates();
  const Eigen::Index m = system.constraints();
  const Eigen::Index p = system.parameters();
  const StartJacobian jacobian = start_jacobian(system, initial, start);
  InitialTangent tangent{MatrixD::Zero(n, p), MatrixD::Zero(n, p)};

  const auto residual_slopes = [&](const Directions & along, bool velocities) {
    MatrixD slopes(n, p);
    Vector<DualD> h, h_rate;
    differentiate(
      system, start, along,
      [&](const Point<DualD> & point, const Terms<DualD> & terms, Eigen::Index first, int count) {
        initial.evaluate(point, h, h_rate);
        if (!velocities)
        {
          store_slopes(terms.Phi, 0, first, count, slopes);
          store_slopes(h, m, first, count, slopes);
          return;
        }
        Vector<DualD> rate = times(terms.Phi_q, point.v);
        rate += terms.Phi_t;
        store_slopes(rate, 0, first, count, slopes);
        store_slopes(h_rate, m, first, count, slopes);
      });
    return slopes;
  };

  Directions along(system, p);
  along.theta.setIdentity();
  tangent.q = -Lu<double>(jacobian.position).solve(residual_slopes(along, false));
  along.q = tangent.q;
  tangent.v = -Lu<double>(jacobian.velocity).solve(residual_slopes(along, true));
  return tangent;
}

void check_start(const System & system, const Point<double> & start)
{
  const Eigen::Index m = system.constraints();
  Terms<double> terms;
  system.evaluate(start, terms);
  const Eigen::Index r = m == 0 ? 0 : rank(terms.Phi_q, rank_threshold);
  if (r < m)
  {
    Point<double> other = start;
    other.q = nearby(system, start);
    Terms<double> other_terms;
    system.evaluate(other, other_terms);
    const Eigen::Index other_rank = rank(other_terms.Phi_q, rank_threshold);
    if (other_rank < m)
    {
      throw MechanismError(fmt::format(
        "the constraints are redundant: of {} only {} are independent. Remove joints that repeat "
        "what "
        "others already enforce.",
        m, other_rank));
    }
    throw MechanismError(fmt::format(
      "the start is a singular configuration: only {} of {} constraints are independent there. "
      "Start from another position.",
      r, m));
  }
  if (m == system.coordinates())
  {
    return;
  }
  const MatrixD free = m == 0
                         ? MatrixD(MatrixD::Identity(system.coordinates(), system.coordinates()))
                         : kernel(terms.Phi_q);
  if (!is_positive_definite(free.transpose() * terms.M * free))
  {
    throw MechanismError(
      "the mass matrix is not positive for every possible motion: some part that can move has no "
      "mass or inertia.");
  }
}

}  // namespace fivebar_control::multibody
