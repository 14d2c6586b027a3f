// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/multibody/ali3p.hpp"

#include "ali3p_scheme.hpp"

namespace fivebar_control::multibody
{
namespace
{

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
    right.topRows(n) = -(at.terms.M * a_history) - at.motion.middleCols(n, n) * v_history -
                       problem.to_global(node.t, at.motion.rightCols(np));
    right.bottomRows(m) = -problem.to_global(node.t, at.Phi_theta);
    MatrixD solution = Lu<double>(scheme.step_matrix(at)).solve(right);
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
    problem.add_global(node.t, g.bottomRows(g.rows() - 3 * n - m).transpose(), result.gradient);
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
      q -= top.leftCols(n).transpose() * mu.topRows(n);
      q -= bottom.leftCols(n).transpose() * mu.bottomRows(m);
      local -= mu.topRows(n).transpose() * top.rightCols(np);
      local -= mu.bottomRows(m).transpose() * bottom.rightCols(np);
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
    mu = Lu<double>(scheme.step_matrix(at).transpose()).solve(right);
    // (d) parameters.
    local -= mu.topRows(n).transpose() * at.motion.rightCols(np);
    local -= mu.bottomRows(m).transpose() * at.Phi_theta;
    problem.add_global(node.t, local, result.gradient);
    // (e) Newmark's history terms carry the rest to the node before.
    const MatrixD v_history = v_star - at.motion.middleCols(n, n).transpose() * mu.topRows(n);
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
