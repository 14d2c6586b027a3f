// SPDX-License-Identifier: Apache-2.0
#include "jump.hpp"

#include <cmath>

#include "kkt.hpp"

namespace fivebar_control::multibody
{
namespace
{

/// The directions of a form's response (state, theta) and one more: time itself.
Directions with_time(
  const System & system, const ResponseTangent & tangent, const Response<double> & response,
  const VectorD & theta_rate)
{
  const Eigen::Index columns = tangent.q.cols();
  Directions along(system, columns + 1);
  along.q << tangent.q, response.v;
  along.v << tangent.v, response.a;
  along.theta.middleCols(columns - theta_rate.size(), theta_rate.size()).setIdentity();
  along.theta.col(columns) = theta_rate;
  along.t(columns) = 1.0;
  return along;
}

VectorD event_slopes(
  const EventFunction & function, const Point<double> & at, const Directions & along)
{
  VectorD slopes(along.count());
  for (Eigen::Index first = 0; first < along.count(); first += dual_width)
  {
    const int count = static_cast<int>(std::min<Eigen::Index>(dual_width, along.count() - first));
    const DualD value = function.value(seeded(at, along, first, count));
    for (int d = 0; d < count; ++d)
    {
      slopes(first + d) = value[d];
    }
  }
  return slopes;
}

/// dt_e along all directions but the last, which is time (Corner 2.33).
Eigen::RowVectorXd event_time_slopes(const VectorD & slopes)
{
  const Eigen::Index columns = slopes.size() - 1;
  const double rate = slopes(columns);
  if (std::abs(rate) < 1e-10)
  {
    throw MechanismError(
      "an event is reached with zero speed (grazing): the motion is not differentiable there");
  }
  return -slopes.head(columns).transpose() / rate;
}

/// Slopes of v+ = h(t, q, v-, theta) along `along` (the h terms of 2.38 of Corner, and of 2.94 read
/// as a function of v-).
MatrixD velocity_slopes(
  const Event & event, const System & next, const Point<double> & before, const VectorD & v_after,
  const Directions & along)
{
  const Eigen::Index n = next.coordinates();
  const Eigen::Index m = next.constraints();
  Terms<double> terms;
  next.evaluate(before, terms);
  if (event.law == JumpLaw::given_velocities)
  {
    MatrixD matrix = MatrixD::Zero(n, n);
    MatrixD residual(n, along.count());
    matrix.topRows(m) = terms.Phi_q;
    for (std::size_t i = 0; i < event.factors.size(); ++i)
    {
      const auto [coordinate, factor] = event.factors[i];
      matrix(m + static_cast<Eigen::Index>(i), coordinate) = 1.0;
      residual.row(m + static_cast<Eigen::Index>(i)) = -factor * along.v.row(coordinate);
    }
    differentiate(
      next, before, along,
      [&](const Point<DualD> &, const Terms<DualD> & dual, Eigen::Index first, int count) {
        Vector<DualD> value = times(dual.Phi_q, v_after);
        value += dual.Phi_t;
        store_slopes(value, 0, first, count, residual);
      });
    return -Lu<double>(matrix).solve(residual);
  }
  // [M Phi_q^T; Phi_q 0] [v+; impulse] = [M v-; -Phi_t]   (Corner 2.85)
  const Lu<double> factors = kkt_factors(terms);
  VectorD right(n + m);
  right << terms.M * before.v, -terms.Phi_t;
  const VectorD impulse = factors.solve(right).tail(m);
  MatrixD residual(n + m, along.count());
  differentiate(
    next, before, along,
    [&](const Point<DualD> & point, const Terms<DualD> & dual, Eigen::Index first, int count) {
      Vector<DualD> change(n);
      for (Eigen::Index i = 0; i < n; ++i)
      {
        change(i) = v_after(i) - point.v(i);
      }
      Vector<DualD> top = times(dual.M, change);
      top += transpose_times(dual.Phi_q, impulse);
      Vector<DualD> bottom = times(dual.Phi_q, v_after);
      bottom += dual.Phi_t;
      store_slopes(top, 0, first, count, residual);
      store_slopes(bottom, n, first, count, residual);
    });
  return -factors.solve(residual).topRows(n);
}

}  // namespace

template <class S>
Vector<S> velocity_after(const Event & event, const System & next, const Point<S> & before)
{
  const Eigen::Index n = next.coordinates();
  const Eigen::Index m = next.constraints();
  if (event.law == JumpLaw::none)
  {
    return before.v;
  }
  Terms<S> terms;
  next.evaluate(before, terms);
  if (event.law == JumpLaw::given_velocities)
  {
    Matrix<S> matrix = Matrix<S>::Zero(n, n);
    Vector<S> right(n);
    matrix.topRows(m) = terms.Phi_q;
    right.head(m) = -terms.Phi_t;
    for (std::size_t i = 0; i < event.factors.size(); ++i)
    {
      const auto [coordinate, factor] = event.factors[i];
      matrix(m + static_cast<Eigen::Index>(i), coordinate) = S(1.0);
      right(m + static_cast<Eigen::Index>(i)) = factor * before.v(coordinate);
    }
    return Lu<S>(matrix).solve(right);
  }
  Vector<S> right(n + m);
  right << terms.M * before.v, -terms.Phi_t;
  return kkt_factors(terms).solve(right).head(n);
}

template Vector<double> velocity_after(const Event &, const System &, const Point<double> &);
template Vector<Complex> velocity_after(const Event &, const System &, const Point<Complex> &);

Jump linearise_jump(
  const Problem & problem, const VectorD & rho, const Event * event, const Form & before,
  const Response<double> & response_before, const VectorD & y_before, const Form & after,
  const Response<double> & response_after, double t)
{
  const VectorD theta = problem.local(t, rho);
  const VectorD theta_rate = problem.local_rate(t, rho);
  const ResponseTangent tangent = before.linearise(t, y_before, theta, response_before);
  const Eigen::Index state = before.size();
  const Eigen::Index columns = tangent.q.cols();
  const Point<double> at{t, response_before.q, response_before.v, theta};

  Directions landing(after.system(), columns);
  landing.theta.rightCols(theta.size()).setIdentity();
  landing.q = tangent.q;
  landing.v = tangent.v;
  MatrixD cost = MatrixD::Zero(static_cast<Eigen::Index>(problem.costs.size()), columns);
  if (event != nullptr)
  {
    const Directions along = with_time(before.system(), tangent, response_before, theta_rate);
    const Eigen::RowVectorXd time = event_time_slopes(event_slopes(*event->function, at, along));
    landing.q -= (response_after.v - response_before.v) * time;  // (2.35)
    const MatrixD h = event->law == JumpLaw::none
                        ? along.v
                        : velocity_slopes(*event, after.system(), at, response_after.v, along);
    landing.v = h.leftCols(columns) + (h.col(columns) - response_after.a) * time;  // (2.38)
    const Point<double> at_after{t, response_after.q, response_after.v, theta};
    for (std::size_t c = 0; c < problem.costs.size(); ++c)
    {
      const Cost & running = *problem.costs[c];
      const Motion<double> from{
        t, response_before.q, response_before.v, response_before.a, response_before.lambda, theta};
      const Motion<double> to{
        t, response_after.q, response_after.v, response_after.a, response_after.lambda, theta};
      cost.row(static_cast<Eigen::Index>(c)) =
        -(running.running(to) - running.running(from)) * time;  // (2.49)
    }
  }
  const Point<double> at_after{t, response_after.q, response_after.v, theta};
  const MatrixD next = after.state_tangent(at_after, landing);
  Jump jump;
  jump.state = next.leftCols(state);
  jump.parameters = problem.to_global(t, next.rightCols(theta.size()));
  jump.cost_state = cost.leftCols(state);
  jump.cost_parameters = problem.to_global(t, cost.rightCols(theta.size()));
  return jump;
}

void linearise_end(
  const Problem & problem, const Form & form, const VectorD & y, const Response<double> & response,
  double t, Trajectory & trajectory)
{
  const VectorD theta = problem.local(t, trajectory.rho);
  const ResponseTangent tangent = form.linearise(t, y, theta, response);
  const Eigen::Index state = form.size();
  const Eigen::Index columns = tangent.q.cols();
  const Point<double> at{t, response.q, response.v, theta};
  const Directions along =
    with_time(form.system(), tangent, response, problem.local_rate(t, trajectory.rho));

  MatrixD slopes(static_cast<Eigen::Index>(problem.costs.size()), columns + 1);
  for (Eigen::Index first = 0; first <= columns; first += dual_width)
  {
    const int count = static_cast<int>(std::min<Eigen::Index>(dual_width, columns + 1 - first));
    const Point<DualD> point = seeded(at, along, first, count);
    const Motion<DualD> motion{point.t, point.q, point.v, {}, {}, point.theta};
    for (std::size_t c = 0; c < problem.costs.size(); ++c)
    {
      const DualD value = problem.costs[c]->terminal(motion);
      for (int d = 0; d < count; ++d)
      {
        slopes(static_cast<Eigen::Index>(c), first + d) = value[d];
      }
    }
  }
  MatrixD total = slopes.leftCols(columns);
  if (problem.end)
  {
    // The end time moves: d psi += (g + dw/dt) dt_end  (Schaffer 5.140).
    const Eigen::RowVectorXd time = event_time_slopes(event_slopes(*problem.end, at, along));
    for (std::size_t c = 0; c < problem.costs.size(); ++c)
    {
      const Motion<double> motion{t, response.q, response.v, response.a, response.lambda, theta};
      const auto row = static_cast<Eigen::Index>(c);
      total.row(row) += (problem.costs[c]->running(motion) + slopes(row, columns)) * time;
    }
  }
  trajectory.terminal_state = total.leftCols(state);
  trajectory.terminal_parameters = problem.to_global(t, total.rightCols(theta.size()));
}

}  // namespace fivebar_control::multibody
