// SPDX-License-Identifier: Apache-2.0
#include "ali3p_step.hpp"
#include "constraint_slopes.hpp"
#include "fivebar_control/multibody/sensitivity.hpp"

namespace fivebar_control::multibody
{
namespace
{

/// The adjoint equations of López Varela (5.86) at one node; columns are costs. With P = M they
/// read, for p = M (mu2 - mu_a),
///   p' = C^T mu2 - mu1 - M mu_v,
///   mu1' = K^T mu2 + Phi_q^T mu_Phi + Phi'_q^T y_v + Phi''_q^T y_a - g_q^T,
///   Phi_q mu2 = g_lambda^T,
/// where mu_a and mu_v belong to the projections (5.90c, d) and y = s alpha Phi_q mu. The products
/// with v* - v and a* - a are left out: they vanish with the square of the step.
struct AdjointNode
{
  double t;
  VectorD theta;
  Terms<double> terms;
  VectorD a, lambda;
  MotionSlopes slopes;
  ConstraintRateSlopes constraint;
  MatrixD g_q, g_lambda, g_theta;  ///< derivatives of the running costs, transposed but g_theta
  MatrixD mu_a, y_a, mu_v, y_v;

  AdjointNode(const System & system, const Linearisation & at, double time, double compliance)
  : t(time),
    theta(at.theta),
    terms(terms_at(system, point(at))),
    a(accelerations(terms, at.response.v).head(system.coordinates())),
    lambda(accelerations(terms, at.response.v).tail(system.constraints())),
    slopes(system, point(at), a, lambda),
    constraint(system, point(at), a)
  {
    const Eigen::Index n = system.coordinates();
    const Eigen::Index m = system.constraints();
    const MatrixD g = at.g_slope.transpose();
    g_q = g.topRows(n);
    g_lambda = g.middleRows(3 * n, m);
    g_theta = at.g_slope.rightCols(at.theta.size());
    const Lu<double> projection = kkt_factors(terms, compliance);
    MatrixD right = MatrixD::Zero(n + m, g.cols());
    right.topRows(n) = g.middleRows(2 * n, n);
    MatrixD solution = projection.solve(right);
    mu_a = solution.topRows(n);
    y_a = solution.bottomRows(m);
    right.topRows(n) = g.middleRows(n, n) - constraint.second.middleCols(n, n).transpose() * y_a;
    solution = projection.solve(right);
    mu_v = solution.topRows(n);
    y_v = solution.bottomRows(m);
  }

  static Terms<double> terms_at(const System & system, const Point<double> & at)
  {
    Terms<double> terms;
    system.evaluate(at, terms);
    return terms;
  }
  /// a and lambda that belong to q and v. The scheme's own lambda goes with its accelerations
  /// before the projection, which are only exact to the first power of the step.
  static VectorD accelerations(const Terms<double> & terms, const VectorD & v)
  {
    VectorD right(terms.M.rows() + terms.Phi.size());
    right << terms.Q, -terms.acceleration_bias(v);
    return kkt_factors(terms).solve(right);
  }
  Point<double> point(const Linearisation & at) const
  {
    return {t, at.response.q, at.response.v, theta};
  }
  MatrixD momentum_rate(const MatrixD & mu1, const MatrixD & mu2) const
  {
    return slopes.C().transpose() * mu2 - mu1 - terms.M * mu_v;
  }
  /// mu1' without the reaction Phi_q^T mu_Phi.
  MatrixD position_rate(const MatrixD & mu2) const
  {
    const Eigen::Index n = g_q.rows();
    return slopes.K().transpose() * mu2 + constraint.rate.leftCols(n).transpose() * y_v +
           constraint.second.leftCols(n).transpose() * y_a - g_q;
  }
  /// The integrand of the gradient (5.89) without the reaction's share, by theta.
  MatrixD by_theta(const MatrixD & mu2) const
  {
    const Eigen::Index np = theta.size();
    return g_theta - mu2.transpose() * slopes.theta() -
           y_v.transpose() * constraint.rate.rightCols(np) -
           y_a.transpose() * constraint.second.rightCols(np);
  }
};

/// Carries mu1, mu2 and the gradient backwards by the trapezoidal rule (5.95)-(5.100). The
/// reaction's adjoint is one value per step: as an unknown at the nodes it would alternate.
class Ali3pAdjoint
{
public:
  Ali3pAdjoint(const Problem & problem, const Settings & settings, const Trajectory & trajectory)
  : problem_(problem),
    trajectory_(trajectory),
    phase_(trajectory.phases.front()),
    n_(phase_.form->system().coordinates()),
    m_(phase_.form->system().constraints()),
    compliance_(1.0 / (settings.projection * settings.penalty)),
    gradient_(trajectory.terminal_parameters)
  {
  }

  MatrixD run()
  {
    std::size_t k = phase_.nodes.size() - 1;
    auto right = std::make_unique<AdjointNode>(node(k));
    finish(*right);
    while (k-- > 0)
    {
      auto left = std::make_unique<AdjointNode>(node(k));
      step(*left, *right);
      right = std::move(left);
    }
    const MatrixD & initial = trajectory_.initial;
    return gradient_ + mu1_.transpose() * initial.topRows(n_) +
           momentum_.transpose() * initial.middleRows(n_, n_);
  }

private:
  AdjointNode node(std::size_t k) const
  {
    const Node & at = phase_.nodes[k];
    return AdjointNode(
      phase_.form->system(), linearise(problem_, *phase_.form, trajectory_.rho, at.t, at.y, at.q),
      at.t, compliance_);
  }

  /// d(g_lambda)/dt at the end, from the last three nodes.
  MatrixD multiplier_cost_rate(const AdjointNode & end) const
  {
    const std::size_t last = phase_.nodes.size() - 1;
    const double h = end.t - phase_.nodes[last - 1].t;
    if (last < 2)
    {
      return 1.0 / h * (end.g_lambda - node(last - 1).g_lambda);
    }
    return 0.5 / h * (3.0 * end.g_lambda - 4.0 * node(last - 1).g_lambda + node(last - 2).g_lambda);
  }

  /// Conditions at the end (5.88), with a second multiplier gamma for the positions, as Schaffer
  /// (4.197)-(4.198) has: without it mu_Phi would be an impulse there.
  void finish(const AdjointNode & end)
  {
    const MatrixD by_state = trajectory_.terminal_state.transpose();
    const Lu<double> factors = kkt_factors(end.terms);
    MatrixD right(n_ + m_, by_state.cols());
    right << end.terms.M * end.mu_a + by_state.middleRows(n_, n_), end.g_lambda;
    const MatrixD first = factors.solve(right);
    mu2_ = first.topRows(n_);
    const MatrixD eta = -first.bottomRows(m_);
    mu1_ = by_state.topRows(n_) + end.constraint.rate.leftCols(n_).transpose() * eta;
    const MatrixD w = mu2_ - end.mu_a;
    right << end.momentum_rate(mu1_, mu2_) - end.terms.M_rate * w,
      multiplier_cost_rate(end) - end.terms.Phi_q_rate * w;
    const MatrixD gamma = factors.solve(right).bottomRows(m_);
    mu1_ += end.terms.Phi_q.transpose() * gamma;
    momentum_ = end.terms.M * w;
    const Eigen::Index np = end.theta.size();
    problem_.add_global(
      end.t,
      eta.transpose() * end.constraint.rate.rightCols(np) +
        gamma.transpose() * end.slopes.Phi_theta(),
      gradient_);
  }

  void step(const AdjointNode & left, const AdjointNode & right)
  {
    const double half = 0.5 * (right.t - left.t);
    const MatrixD p_known = momentum_ - half * right.momentum_rate(mu1_, mu2_) +
                            left.terms.M * left.mu_a + half * (left.terms.M * left.mu_v);
    const MatrixD zero = MatrixD::Zero(n_, mu2_.cols());
    const MatrixD mu1_known =
      mu1_ - half * right.position_rate(mu2_) - half * left.position_rate(zero);
    MatrixD matrix = kkt_matrix(left.terms.M, left.terms.Phi_q);
    matrix.topLeftCorner(n_, n_) += half * left.slopes.C().transpose();
    matrix.topLeftCorner(n_, n_) += half * half * left.slopes.K().transpose();
    const MatrixD Phi_q_sum = left.terms.Phi_q + right.terms.Phi_q;
    matrix.topRightCorner(n_, m_) = Phi_q_sum.transpose();
    MatrixD known(n_ + m_, mu2_.cols());
    known << p_known + half * mu1_known, left.g_lambda;
    const MatrixD solution = Lu<double>(matrix).solve(known);
    const MatrixD mu_Phi = 1.0 / (half * half) * solution.bottomRows(m_);

    problem_.add_global(
      right.t, half * (right.by_theta(mu2_) - mu_Phi.transpose() * right.slopes.Phi_theta()),
      gradient_);
    mu2_ = solution.topRows(n_);
    mu1_ = mu1_known - half * (left.slopes.K().transpose() * mu2_ + Phi_q_sum.transpose() * mu_Phi);
    momentum_ = left.terms.M * (mu2_ - left.mu_a);
    problem_.add_global(
      left.t, half * (left.by_theta(mu2_) - mu_Phi.transpose() * left.slopes.Phi_theta()),
      gradient_);
  }

  const Problem & problem_;
  const Trajectory & trajectory_;
  const Phase & phase_;
  Eigen::Index n_, m_;
  double compliance_;
  MatrixD mu1_, mu2_, momentum_, gradient_;
};

}  // namespace

Gradient ali3p_adjoint(const Problem & problem, const Settings & settings, const VectorD & rho)
{
  const Trajectory trajectory = simulate(problem, settings, rho);
  return {trajectory.costs, Ali3pAdjoint(problem, settings, trajectory).run()};
}

}  // namespace fivebar_control::multibody
