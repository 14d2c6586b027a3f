// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/core.h>

#include <cmath>

#include "fivebar_control/multibody/form.hpp"
#include "kkt.hpp"

namespace fivebar_control::multibody
{

/// One node of the discrete motion. A star marks velocities and accelerations before projection.
template <class S>
struct AliNode
{
  S t{};
  Vector<S> q, v, a, v_star, a_star, lambda;
  Vector<S> sigma, kappa;  ///< impulses of the two projections
};

/// Derivatives of one step's equations at its solution. Columns q (n), v (n), theta.
struct AliSlopes
{
  Terms<double> terms;  ///< at (q, v)
  MatrixD motion;       ///< M a* + Phi_q^T lambda - Q(q, v*): the equations of motion
  MatrixD Phi_theta;
  MatrixD velocity_top, velocity_bottom;          ///< velocity projection
  MatrixD acceleration_top, acceleration_bottom;  ///< acceleration projection
};

class Ali3p
{
public:
  Ali3p(const Problem & problem, const Settings & settings)
  : problem_(problem),
    settings_(settings),
    system_(*problem.modes.front()),
    start_form_(make_acceleration_form(
      problem.modes.front(), 1.0 / settings.penalty, settings.penalty_damping,
      settings.penalty_frequency)),
    steps_(std::max(1L, std::lround(std::ceil(problem.duration / settings.step - 1e-9)))),
    h_(problem.duration / static_cast<double>(steps_)),
    projection_compliance_(1.0 / (settings.projection * settings.penalty))
  {
  }

  long steps() const { return steps_; }
  double h() const { return h_; }
  const Form & start_form() const { return *start_form_; }
  const System & system() const { return system_; }
  /// Weights of the trapezoidal quadrature.
  double weight(long i) const { return i == 0 || i == steps_ ? 0.5 * h_ : h_; }

  template <class S>
  AliNode<S> start(const Vector<S> & rho) const
  {
    const Vector<S> theta = problem_.local(S(0.0), rho);
    const InitialState<S> initial = assemble<S>(system_, *problem_.initial, theta);
    Vector<S> y(2 * initial.q.size());
    y << initial.q, initial.v;
    Response<S> response;
    start_form_->respond(S(0.0), y, theta, VectorD(), response);
    AliNode<S> node;
    node.t = S(0.0);
    node.q = initial.q;
    node.v = node.v_star = initial.v;
    node.a = node.a_star = response.a;
    node.lambda = response.lambda;
    return node;
  }

  /// Newmark with beta = 1/4, gamma = 1/2; Newton on the bordered (augmented Lagrangian) equations;
  /// projections with the mass matrix (002: 3.32-3.40 with the signs of docs/sensitivity.md).
  template <class S>
  AliNode<S> step(const AliNode<S> & from, long index, const Vector<S> & rho) const
  {
    const Eigen::Index n = system_.coordinates();
    const Eigen::Index m = system_.constraints();
    AliNode<S> node;
    node.t = S(h_ * static_cast<double>(index));
    const Vector<S> theta = problem_.local(node.t, rho);
    node.q = from.q + h_ * from.v + 0.5 * h_ * h_ * from.a;
    node.lambda = from.lambda;
    const Vector<S> v_history = -(2.0 / h_ * from.q + from.v);
    const Vector<S> a_history = -(4.0 / (h_ * h_) * from.q + 4.0 / h_ * from.v + from.a);

    Terms<S> terms;
    int extra = 2;
    for (int i = 0; extra > 0; ++i)
    {
      node.v_star = 2.0 / h_ * node.q + v_history;
      node.a_star = 4.0 / (h_ * h_) * node.q + a_history;
      Point<S> at{node.t, node.q, node.v_star, theta};
      system_.evaluate(at, terms);
      const MatrixD tangent = newton_matrix(node, at);
      const double scale = 0.25 * h_ * h_;
      Vector<S> residual(n + m);
      residual << scale * (terms.M * node.a_star + terms.Phi_q.transpose() * node.lambda - terms.Q),
        terms.Phi;
      const Vector<S> correction = Lu<S>(tangent.template cast<S>()).solve(residual);
      node.q -= correction.head(n);
      node.lambda -= correction.tail(m) / scale;
      const double size = correction.head(n).norm();
      extra -= size < settings_.tolerance * (1.0 + node.q.norm()) ? 1 : 0;
      if (i == 50 || !(size < 1e6))
      {
        throw MechanismError(fmt::format(
          "the ALI3-P step at t = {:.6g} s does not converge; a smaller step may help",
          real_part(from.t)));
      }
    }
    node.v_star = 2.0 / h_ * node.q + v_history;
    node.a_star = 4.0 / (h_ * h_) * node.q + a_history;

    Point<S> at{node.t, node.q, node.v_star, theta};
    system_.evaluate(at, terms);
    const Lu<S> projection = kkt_factors(terms, projection_compliance_);
    Vector<S> right(n + m);
    right << terms.M * node.v_star, -terms.Phi_t;
    Vector<S> solution = projection.solve(right);
    node.v = solution.head(n);
    node.sigma = solution.tail(m);
    at.v = node.v;
    system_.evaluate(at, terms);
    right << terms.M * node.a_star, -terms.acceleration_bias(node.v);
    solution = projection.solve(right);
    node.a = solution.head(n);
    node.kappa = solution.tail(m);
    return node;
  }

  template <class S>
  Vector<S> running(const AliNode<S> & node, const Vector<S> & rho) const
  {
    const Motion<S> motion{node.t, node.q,      node.v,
                           node.a, node.lambda, problem_.local(node.t, rho)};
    Vector<S> g(static_cast<Eigen::Index>(problem_.costs.size()));
    for (std::size_t c = 0; c < problem_.costs.size(); ++c)
    {
      g(static_cast<Eigen::Index>(c)) = problem_.costs[c]->running(motion);
    }
    return g;
  }

  template <class S>
  Vector<S> terminal(const AliNode<S> & node, const Vector<S> & rho) const
  {
    const Motion<S> motion{node.t, node.q, node.v, {}, {}, problem_.local(node.t, rho)};
    Vector<S> w(static_cast<Eigen::Index>(problem_.costs.size()));
    for (std::size_t c = 0; c < problem_.costs.size(); ++c)
    {
      w(static_cast<Eigen::Index>(c)) = problem_.costs[c]->terminal(motion);
    }
    return w;
  }

  AliSlopes slopes(const AliNode<double> & node, const VectorD & rho) const
  {
    const Eigen::Index n = system_.coordinates();
    const Eigen::Index m = system_.constraints();
    const VectorD theta = problem_.local(node.t, rho);
    Directions along(system_, 2 * n + theta.size());
    along.q.leftCols(n).setIdentity();
    along.v.middleCols(n, n).setIdentity();
    along.theta.rightCols(theta.size()).setIdentity();
    AliSlopes result;
    result.motion.resize(n, along.count());
    MatrixD Phi(m, along.count());
    differentiate(
      system_, {node.t, node.q, node.v_star, theta}, along,
      [&](const Point<DualD> &, const Terms<DualD> & dual, Eigen::Index first, int count) {
        Vector<DualD> residual = times(dual.M, node.a_star);
        residual += transpose_times(dual.Phi_q, node.lambda);
        residual -= dual.Q;
        store_slopes(residual, 0, first, count, result.motion);
        store_slopes(dual.Phi, 0, first, count, Phi);
      });
    result.Phi_theta = Phi.rightCols(theta.size());

    const Point<double> at{node.t, node.q, node.v, theta};
    system_.evaluate(at, result.terms);
    result.velocity_top = result.acceleration_top = MatrixD(n, along.count());
    result.velocity_bottom = result.acceleration_bottom = MatrixD(m, along.count());
    const VectorD v_change = node.v - node.v_star;
    const VectorD a_change = node.a - node.a_star;
    differentiate(
      system_, at, along,
      [&](const Point<DualD> & point, const Terms<DualD> & dual, Eigen::Index first, int count) {
        Vector<DualD> top = times(dual.M, v_change);
        top += transpose_times(dual.Phi_q, node.sigma);
        store_slopes(top, 0, first, count, result.velocity_top);
        Vector<DualD> bottom = times(dual.Phi_q, node.v);
        bottom += dual.Phi_t;
        store_slopes(bottom, 0, first, count, result.velocity_bottom);
        top = times(dual.M, a_change);
        top += transpose_times(dual.Phi_q, node.kappa);
        store_slopes(top, 0, first, count, result.acceleration_top);
        bottom = times(dual.Phi_q, node.a);
        bottom += dual.acceleration_bias(point.v);
        store_slopes(bottom, 0, first, count, result.acceleration_bottom);
      });
    return result;
  }

  /// [4/h^2 M + 2/h C + K Phi_q^T; Phi_q 0], exact.
  MatrixD step_matrix(const AliSlopes & at) const
  {
    const Eigen::Index n = system_.coordinates();
    MatrixD matrix = kkt_matrix(at.terms.M, at.terms.Phi_q);
    matrix.topLeftCorner(n, n) =
      4.0 / (h_ * h_) * at.terms.M + 2.0 / h_ * at.motion.middleCols(n, n) + at.motion.leftCols(n);
    return matrix;
  }
  Lu<double> projection(const AliSlopes & at) const
  {
    return kkt_factors(at.terms, projection_compliance_);
  }

  /// Slopes of running (or terminal) costs; columns q, v, a, lambda, theta.
  MatrixD cost_matrix(const AliNode<double> & node, const VectorD & rho, bool terminal) const
  {
    const Eigen::Index n = system_.coordinates();
    const Eigen::Index m = system_.constraints();
    const VectorD theta = problem_.local(node.t, rho);
    const Eigen::Index columns = 3 * n + m + theta.size();
    VectorD all(columns);
    all << node.q, node.v, node.a, node.lambda, theta;
    const MatrixD identity = MatrixD::Identity(columns, columns);
    MatrixD result(static_cast<Eigen::Index>(problem_.costs.size()), columns);
    Vector<DualD> dual;
    for (Eigen::Index first = 0; first < columns; first += dual_width)
    {
      const int count = static_cast<int>(std::min<Eigen::Index>(dual_width, columns - first));
      seed(all, identity, first, count, dual);
      const Motion<DualD> motion{DualD(node.t),          dual.head(n),
                                 dual.segment(n, n),     dual.segment(2 * n, n),
                                 dual.segment(3 * n, m), dual.tail(theta.size())};
      for (std::size_t c = 0; c < problem_.costs.size(); ++c)
      {
        const DualD value =
          terminal ? problem_.costs[c]->terminal(motion) : problem_.costs[c]->running(motion);
        for (int d = 0; d < count; ++d)
        {
          result(static_cast<Eigen::Index>(c), first + d) = value[d];
        }
      }
    }
    return result;
  }

private:
  /// The scaled Newton matrix at the real part; exact there, so that imaginary parts converge too.
  template <class S>
  MatrixD newton_matrix(const AliNode<S> & node, const Point<S> & at) const
  {
    const Eigen::Index n = system_.coordinates();
    const Point<double> real{real_part(at.t), at.q.real(), at.v.real(), at.theta.real()};
    const VectorD a_star = node.a_star.real();
    const VectorD lambda = node.lambda.real();
    Directions along(system_, 2 * n);
    along.q.leftCols(n).setIdentity();
    along.v.rightCols(n).setIdentity();
    MatrixD residual(n, 2 * n);
    differentiate(
      system_, real, along,
      [&](const Point<DualD> &, const Terms<DualD> & dual, Eigen::Index first, int count) {
        Vector<DualD> value = times(dual.M, a_star);
        value += transpose_times(dual.Phi_q, lambda);
        value -= dual.Q;
        store_slopes(value, 0, first, count, residual);
      });
    Terms<double> terms;
    system_.evaluate(real, terms);
    const double scale = 0.25 * h_ * h_;
    MatrixD matrix = kkt_matrix(terms.M, terms.Phi_q, 1.0 / (settings_.penalty * scale));
    matrix.topLeftCorner(n, n) += 0.5 * h_ * residual.rightCols(n) + scale * residual.leftCols(n);
    return matrix;
  }

  const Problem & problem_;
  const Settings & settings_;
  const System & system_;
  std::unique_ptr<Form> start_form_;
  long steps_;
  double h_;
  double projection_compliance_;
};

}  // namespace fivebar_control::multibody
