#include "fivebar_control/multibody/ali3p.hpp"

#include <fmt/core.h>

#include <cmath>

#include "kkt.hpp"

namespace fivebar_control::multibody
{
namespace
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
  Terms<double> terms;         ///< at (q, v)
  MatrixD motion;              ///< M a* + Phi_q^T lambda - Q(q, v*): the equations of motion
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
      const Vector<S> correction = tangent.template cast<S>().partialPivLu().solve(residual);
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
    const Eigen::PartialPivLU<Matrix<S>> projection = kkt_factors(terms, projection_compliance_);
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
    const Motion<S> motion{
      node.t, node.q, node.v, node.a, node.lambda, problem_.local(node.t, rho)};
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
    matrix.topLeftCorner(n, n) = 4.0 / (h_ * h_) * at.terms.M +
                                 2.0 / h_ * at.motion.middleCols(n, n) + at.motion.leftCols(n);
    return matrix;
  }
  Eigen::PartialPivLU<MatrixD> projection(const AliSlopes & at) const
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
      const Motion<DualD> motion{DualD(node.t), dual.head(n), dual.segment(n, n),
        dual.segment(2 * n, n), dual.segment(3 * n, m), dual.tail(theta.size())};
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
    matrix.topLeftCorner(n, n) +=
      0.5 * h_ * residual.rightCols(n) + scale * residual.leftCols(n);
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

std::vector<AliNode<double>> run(const Ali3p & scheme, const VectorD & rho)
{
  std::vector<AliNode<double>> nodes{scheme.start<double>(rho)};
  for (long i = 1; i <= scheme.steps(); ++i)
  {
    nodes.push_back(scheme.step(nodes.back(), i, rho));
  }
  return nodes;
}

VectorD total_costs(
  const Ali3p & scheme, const std::vector<AliNode<double>> & nodes, const VectorD & rho)
{
  VectorD costs = scheme.terminal(nodes.back(), rho);
  for (long i = 0; i <= scheme.steps(); ++i)
  {
    costs += scheme.weight(i) * scheme.running(nodes[static_cast<std::size_t>(i)], rho);
  }
  return costs;
}

/// dq, dv, da, dlambda at the first node.
struct StartTangent
{
  InitialTangent initial;
  ResponseTangent response;  ///< columns q, v, theta
  VectorD theta;
};

StartTangent start_tangent(
  const Problem & problem, const Ali3p & scheme, const AliNode<double> & node, const VectorD & rho)
{
  StartTangent result;
  result.theta = problem.local(0.0, rho);
  result.initial =
    initial_tangent(scheme.system(), *problem.initial, {0.0, node.q, node.v, result.theta});
  VectorD y(2 * node.q.size());
  y << node.q, node.v;
  Response<double> response;
  scheme.start_form().respond(0.0, y, result.theta, VectorD(), response);
  result.response = scheme.start_form().linearise(0.0, y, result.theta, response);
  return result;
}

}  // namespace

template <class S>
Vector<S> ali3p_costs(const Problem & problem, const Settings & settings, const Vector<S> & rho)
{
  const Ali3p scheme(problem, settings);
  AliNode<S> node = scheme.start(rho);
  Vector<S> costs = scheme.weight(0) * scheme.running(node, rho);
  for (long i = 1; i <= scheme.steps(); ++i)
  {
    node = scheme.step(node, i, rho);
    costs += scheme.weight(i) * scheme.running(node, rho);
  }
  return costs + scheme.terminal(node, rho);
}
template Vector<double> ali3p_costs(const Problem &, const Settings &, const Vector<double> &);
template Vector<Complex> ali3p_costs(const Problem &, const Settings &, const Vector<Complex> &);

Gradient ali3p_direct(const Problem & problem, const Settings & settings, const VectorD & rho)
{
  const Ali3p scheme(problem, settings);
  const std::vector<AliNode<double>> nodes = run(scheme, rho);
  const Eigen::Index n = scheme.system().coordinates();
  const Eigen::Index m = scheme.system().constraints();
  const double h = scheme.h();
  const StartTangent start = start_tangent(problem, scheme, nodes.front(), rho);

  MatrixD Q = problem.to_global(0.0, start.initial.q);
  MatrixD V = problem.to_global(0.0, start.initial.v);
  const auto at_start = [&](const MatrixD & slopes) -> MatrixD {
    return slopes.leftCols(n) * Q + slopes.middleCols(n, n) * V +
           problem.to_global(0.0, slopes.rightCols(start.theta.size()));
  };
  MatrixD A = at_start(start.response.a);
  MatrixD L = at_start(start.response.lambda);
  Gradient result;
  result.costs = total_costs(scheme, nodes, rho);
  result.gradient = MatrixD::Zero(result.costs.size(), rho.size());
  const auto collect = [&](const AliNode<double> & node, double weight, bool terminal) {
    const MatrixD g = scheme.cost_matrix(node, rho, terminal);
    result.gradient += weight * (g.leftCols(n) * Q + g.middleCols(n, n) * V +
                                 g.middleCols(2 * n, n) * A + g.middleCols(3 * n, m) * L);
    problem.add_global(node.t, weight * g.rightCols(g.cols() - 3 * n - m), result.gradient);
  };
  collect(nodes.front(), scheme.weight(0), false);
  for (long i = 1; i <= scheme.steps(); ++i)
  {
    const AliNode<double> & node = nodes[static_cast<std::size_t>(i)];
    const AliSlopes at = scheme.slopes(node, rho);
    const Eigen::Index np = at.motion.cols() - 2 * n;
    const MatrixD v_history = -(2.0 / h * Q + V);
    const MatrixD a_history = -(4.0 / (h * h) * Q + 4.0 / h * V + A);
    MatrixD right(n + m, rho.size());
    right.topRows(n) = -at.terms.M * a_history - at.motion.middleCols(n, n) * v_history -
                       problem.to_global(node.t, at.motion.rightCols(np));
    right.bottomRows(m) = -problem.to_global(node.t, at.Phi_theta);
    MatrixD solution = scheme.step_matrix(at).partialPivLu().solve(right);
    Q = solution.topRows(n);
    L = solution.bottomRows(m);
    const MatrixD v_star = 2.0 / h * Q + v_history;
    const MatrixD a_star = 4.0 / (h * h) * Q + a_history;
    const auto along = [&](const MatrixD & slopes, bool velocities) -> MatrixD {
      MatrixD value = slopes.leftCols(n) * Q + problem.to_global(node.t, slopes.rightCols(np));
      if (velocities)
      {
        value += slopes.middleCols(n, n) * V;
      }
      return value;
    };
    const auto projection = scheme.projection(at);
    right.topRows(n) = at.terms.M * v_star - along(at.velocity_top, false);
    right.bottomRows(m) = -along(at.velocity_bottom, false);
    V = projection.solve(right).topRows(n);
    right.topRows(n) = at.terms.M * a_star - along(at.acceleration_top, false);
    right.bottomRows(m) = -along(at.acceleration_bottom, true);
    A = projection.solve(right).topRows(n);
    collect(node, scheme.weight(i), false);
  }
  collect(nodes.back(), 1.0, true);
  return result;
}

Gradient ali3p_adjoint(const Problem & problem, const Settings & settings, const VectorD & rho)
{
  const Ali3p scheme(problem, settings);
  const std::vector<AliNode<double>> nodes = run(scheme, rho);
  const Eigen::Index n = scheme.system().coordinates();
  const Eigen::Index m = scheme.system().constraints();
  const auto nc = static_cast<Eigen::Index>(problem.costs.size());
  const double h = scheme.h();
  Gradient result;
  result.costs = total_costs(scheme, nodes, rho);
  result.gradient = MatrixD::Zero(nc, rho.size());

  // Derivatives of the costs still to come with respect to q, v, a, lambda of the present node.
  MatrixD q = MatrixD::Zero(n, nc), v = q, a = q, lambda = MatrixD::Zero(m, nc);
  const auto collect = [&](const AliNode<double> & node, double weight, bool terminal) {
    const MatrixD g = weight * scheme.cost_matrix(node, rho, terminal).transpose();
    q += g.topRows(n);
    v += g.middleRows(n, n);
    a += g.middleRows(2 * n, n);
    lambda += g.middleRows(3 * n, m);
    problem.add_global(
      node.t, g.bottomRows(g.rows() - 3 * n - m).transpose(), result.gradient);
  };
  collect(nodes.back(), 1.0, true);
  for (long i = scheme.steps(); i > 0; --i)
  {
    const AliNode<double> & node = nodes[static_cast<std::size_t>(i)];
    collect(node, scheme.weight(i), false);
    const AliSlopes at = scheme.slopes(node, rho);
    const Eigen::Index np = at.motion.cols() - 2 * n;
    const auto projection = scheme.projection(at);
    MatrixD local = MatrixD::Zero(nc, np);
    MatrixD right = MatrixD::Zero(n + m, nc);

    // (a) acceleration projection; its matrix is symmetric.
    right.topRows(n) = a;
    MatrixD mu = projection.solve(right);
    const MatrixD a_star = at.terms.M.transpose() * mu.topRows(n);
    const auto subtract = [&](const MatrixD & top, const MatrixD & bottom, bool velocities) {
      q -= top.leftCols(n).transpose() * mu.topRows(n) +
           bottom.leftCols(n).transpose() * mu.bottomRows(m);
      local -= mu.topRows(n).transpose() * top.rightCols(np) +
               mu.bottomRows(m).transpose() * bottom.rightCols(np);
      if (velocities)
      {
        v -= bottom.middleCols(n, n).transpose() * mu.bottomRows(m);
      }
    };
    subtract(at.acceleration_top, at.acceleration_bottom, true);
    // (b) velocity projection.
    right.topRows(n) = v;
    mu = projection.solve(right);
    const MatrixD v_star = at.terms.M.transpose() * mu.topRows(n);
    subtract(at.velocity_top, at.velocity_bottom, false);
    // (c) the step itself.
    q += 2.0 / h * v_star + 4.0 / (h * h) * a_star;
    right << q, lambda;
    mu = scheme.step_matrix(at).transpose().partialPivLu().solve(right);
    // (d) parameters.
    local -= mu.topRows(n).transpose() * at.motion.rightCols(np) +
             mu.bottomRows(m).transpose() * at.Phi_theta;
    problem.add_global(node.t, local, result.gradient);
    // (e) Newmark's history terms carry the rest to the node before.
    const MatrixD v_history =
      v_star - at.motion.middleCols(n, n).transpose() * mu.topRows(n);
    const MatrixD a_history = a_star - at.terms.M.transpose() * mu.topRows(n);
    q = -(2.0 / h * v_history + 4.0 / (h * h) * a_history);
    v = -(v_history + 4.0 / h * a_history);
    a = -a_history;
    lambda.setZero();
  }
  collect(nodes.front(), scheme.weight(0), false);
  const StartTangent start = start_tangent(problem, scheme, nodes.front(), rho);
  const MatrixD to_state =
    start.response.a.transpose() * a + start.response.lambda.transpose() * lambda;
  q += to_state.topRows(n);
  v += to_state.middleRows(n, n);
  problem.add_global(
    0.0,
    MatrixD(
      to_state.bottomRows(start.theta.size()).transpose() + q.transpose() * start.initial.q +
      v.transpose() * start.initial.v),
    result.gradient);
  return result;
}

}  // namespace fivebar_control::multibody
