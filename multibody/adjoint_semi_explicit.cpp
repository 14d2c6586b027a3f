// SPDX-License-Identifier: Apache-2.0
#include "dense.hpp"
#include "fivebar_control/multibody/maggi_form.hpp"
#include "fivebar_control/multibody/sensitivity.hpp"

namespace fivebar_control::multibody
{
namespace
{

/// mu' = A mu + b and the integrand of the gradient at one instant (Dopico et al. 75, 77-83).
struct SemiExplicit
{
  double t = 0.0;
  MatrixD A, b;         ///< b has one column per cost
  MatrixD mass;         ///< Mhat = diag(I, M_bar)
  MatrixD force_slope;  ///< d(Qhat - Mhat y')/dtheta
  MatrixD cost_slope;   ///< dg/dtheta
};

SemiExplicit semi_explicit(
  const Problem & problem, const MaggiForm & form, const VectorD & rho, double t, const VectorD & y,
  const VectorD & hint)
{
  const Linearisation at = linearise(problem, form, rho, t, y, hint);
  const MaggiTerms terms = form.maggi_terms(t, at.theta, problem.local_rate(t, rho), at.response);
  const Eigen::Index d = form.size() / 2;
  const Eigen::Index np = at.theta.size();
  SemiExplicit result;
  result.t = t;
  result.mass = MatrixD::Identity(2 * d, 2 * d);
  result.mass.bottomRightCorner(d, d) = terms.M_bar;

  // (Mhat_y y' - Qhat_y - Mhat')
  MatrixD matrix = MatrixD::Zero(2 * d, 2 * d);
  matrix.topRightCorner(d, d) = -MatrixD::Identity(d, d);
  matrix.bottomRows(d) = -terms.Q_bar_slope.leftCols(2 * d);
  for (Eigen::Index i = 0; i < 2 * d; ++i)
  {
    matrix.col(i).tail(d) += terms.M_bar_slope[static_cast<std::size_t>(i)] * terms.z_acceleration;
  }
  matrix.bottomRightCorner(d, d) -= terms.M_bar_rate;
  const Lu<double> factors(result.mass.transpose());
  result.A = factors.solve(MatrixD(matrix.transpose()));
  result.b = -factors.solve(MatrixD(at.g_slope.leftCols(2 * d).transpose()));

  result.force_slope = MatrixD::Zero(2 * d, np);
  result.force_slope.bottomRows(d) = terms.Q_bar_slope.rightCols(np);
  for (Eigen::Index i = 0; i < np; ++i)
  {
    result.force_slope.col(i).tail(d) -=
      terms.M_bar_slope[static_cast<std::size_t>(2 * d + i)] * terms.z_acceleration;
  }
  result.cost_slope = at.g_slope.rightCols(np);
  return result;
}

}  // namespace

Gradient adjoint_semi_explicit(
  const Problem & problem, const Settings & settings, const VectorD & rho)
{
  const Trajectory trajectory = simulate(problem, settings, rho);
  MatrixD gradient = trajectory.terminal_parameters;
  MatrixD lambda = trajectory.terminal_state.transpose();  // Mhat^T mu, continuous in meaning

  for (std::size_t p = trajectory.phases.size(); p-- > 0;)
  {
    const Phase & phase = trajectory.phases[p];
    const auto & form = static_cast<const MaggiForm &>(*phase.form);
    if (p + 1 < trajectory.phases.size())
    {
      gradient += lambda.transpose() * phase.jump.parameters + phase.jump.cost_parameters;
      lambda = (phase.jump.state.transpose() * lambda + phase.jump.cost_state.transpose()).eval();
    }
    const auto collect = [&](const SemiExplicit & at, const MatrixD & mu, double weight) {
      problem.add_global(
        at.t, weight * (mu.transpose() * at.force_slope + at.cost_slope), gradient);
    };
    const Node & last = phase.nodes.back();
    SemiExplicit end = semi_explicit(problem, form, rho, last.t, last.y, last.q);
    MatrixD mu = Lu<double>(end.mass.transpose()).solve(lambda);
    for (std::size_t k = phase.nodes.size() - 1; k-- > 0;)
    {
      const Node & left = phase.nodes[k];
      const Node & right = phase.nodes[k + 1];
      const double h = right.t - left.t;
      SemiExplicit begin = semi_explicit(problem, form, rho, left.t, left.y, left.q);
      if (settings.integrator == Integrator::trapezoidal)
      {
        collect(end, mu, 0.5 * h);
        const MatrixD identity = MatrixD::Identity(mu.rows(), mu.rows());
        const MatrixD right_side = (identity - 0.5 * h * end.A) * mu - 0.5 * h * (end.b + begin.b);
        mu = Lu<double>(identity + 0.5 * h * begin.A).solve(right_side);
        collect(begin, mu, 0.5 * h);
      }
      else
      {
        const SemiExplicit middle = semi_explicit(
          problem, form, rho, 0.5 * (left.t + right.t), interpolate(left, right, 0.5), left.q);
        const MatrixD k1 = end.A * mu + end.b;
        const MatrixD mu2 = mu - 0.5 * h * k1;
        const MatrixD k2 = middle.A * mu2 + middle.b;
        const MatrixD mu3 = mu - 0.5 * h * k2;
        const MatrixD k3 = middle.A * mu3 + middle.b;
        const MatrixD mu4 = mu - h * k3;
        const MatrixD k4 = begin.A * mu4 + begin.b;
        collect(end, mu, h / 6.0);
        collect(middle, 0.5 * (mu2 + mu3), 2.0 * h / 3.0);
        collect(begin, mu4, h / 6.0);
        mu -= h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
      }
      end = std::move(begin);
    }
    lambda = end.mass.transpose() * mu;
  }
  gradient += lambda.transpose() * trajectory.initial;  // (81)
  return {trajectory.costs, gradient};
}

}  // namespace fivebar_control::multibody
