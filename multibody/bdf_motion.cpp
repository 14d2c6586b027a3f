// SPDX-License-Identifier: Apache-2.0
#include "bdf.hpp"
#include "constraint_slopes.hpp"
#include "fivebar_control/multibody/trajectory.hpp"
#include "ida.hpp"
#include "kkt.hpp"

namespace fivebar_control::multibody
{
namespace
{

/// Stabilised index-1 equations of the motion, w = (chi, psi, v, q, z) (Schaffer 4.20, after
/// Anantharaman and Hiller):
///   q' - v + Phi_q^T chi' = 0,  M v' + Phi_q^T psi' = Q,  Phi_q v + Phi_t = 0,  Phi = 0,
///   z' = g(q, v, v', psi').
/// The solution has chi' = 0 and psi' = lambda: positions and velocities both stay on the
/// constraints.
class StabilisedMotion final : public BdfMotion, private IdaEquations
{
public:
  StabilisedMotion(
    const Problem & problem, const Settings & settings, const VectorD & rho, const System & system)
  : problem_(problem),
    rho_(rho),
    system_(system),
    n_(system.coordinates()),
    m_(system.constraints()),
    costs_(static_cast<Eigen::Index>(problem.costs.size())),
    ida_(*this, 2 * (n_ + m_) + costs_, settings.tolerance)
  {
  }

  End advance(double t, const VectorD & q, const VectorD & v, double h) override
  {
    const bool goes_on =
      q_.size() == n_ && q == q_ && v == v_ && std::abs(t - t_) <= 1e-12 * (1.0 + std::abs(t));
    if (!goes_on)
    {
      begin(t, q, v);
    }
    if (h <= 0.0)
    {
      return {q, v, VectorD::Zero(costs_)};
    }
    const VectorD before = w_.tail(costs_);
    ida_.advance(t + h, w_, rate_);
    t_ = t + h;
    q_ = w_.segment(2 * m_ + n_, n_);
    v_ = w_.segment(2 * m_, n_);
    return {q_, v_, w_.tail(costs_) - before};
  }

private:
  void begin(double t, const VectorD & q, const VectorD & v)
  {
    const VectorD theta = problem_.local(t, rho_);
    Terms<double> terms;
    system_.evaluate({t, q, v, theta}, terms);
    VectorD right(n_ + m_);
    right << terms.Q, -terms.acceleration_bias(v);
    const VectorD a_lambda = kkt_factors(terms).solve(right);
    const VectorD a = a_lambda.head(n_), lambda = a_lambda.tail(m_);
    w_ = rate_ = VectorD::Zero(2 * (n_ + m_) + costs_);
    w_.segment(2 * m_, n_) = v;
    w_.segment(2 * m_ + n_, n_) = q;
    rate_.segment(m_, m_) = lambda;
    rate_.segment(2 * m_, n_) = a;
    rate_.segment(2 * m_ + n_, n_) = v;
    rate_.tail(costs_) = running({t, q, v, a, lambda, theta});
    ida_.start(t, w_, rate_);
  }

  VectorD running(const Motion<double> & motion) const
  {
    VectorD g(costs_);
    for (Eigen::Index i = 0; i < costs_; ++i)
    {
      g(i) = problem_.costs[static_cast<std::size_t>(i)]->running(motion);
    }
    return g;
  }

  /// What the equations see at (w, w').
  Motion<double> motion(double t, const VectorD & w, const VectorD & rate) const
  {
    return {
      t,
      w.segment(2 * m_ + n_, n_),
      w.segment(2 * m_, n_),
      rate.segment(2 * m_, n_),
      rate.segment(m_, m_),
      problem_.local(t, rho_)};
  }

  void residual(double t, const VectorD & w, const VectorD & rate, VectorD & value) const override
  {
    const Motion<double> at = motion(t, w, rate);
    Terms<double> terms;
    system_.evaluate({t, at.q, at.v, at.theta}, terms);
    const VectorD chi_rate = rate.head(m_);
    value << rate.segment(2 * m_ + n_, n_) - at.v + terms.Phi_q.transpose() * chi_rate,
      terms.M * at.a + terms.Phi_q.transpose() * at.lambda - terms.Q,
      terms.Phi_q * at.v + terms.Phi_t, terms.Phi, rate.tail(costs_) - running(at);
  }

  /// Schaffer (4.23) without the product with chi', which is zero on the solution.
  MatrixD jacobian(double t, double shift, const VectorD & w, const VectorD & rate) const override
  {
    const Motion<double> at = motion(t, w, rate);
    const Point<double> point{t, at.q, at.v, at.theta};
    Terms<double> terms;
    system_.evaluate(point, terms);
    const MotionSlopes slopes(system_, point, at.a, at.lambda);
    const ConstraintRateSlopes rates(system_, point, at.a);
    const Eigen::Index size = 2 * (n_ + m_) + costs_;
    const Eigen::Index psi = m_, v = 2 * m_, q = 2 * m_ + n_, z = 2 * (n_ + m_);
    MatrixD J = MatrixD::Zero(size, size);
    J.block(0, 0, n_, m_) = shift * terms.Phi_q.transpose();
    J.block(0, v, n_, n_) = -MatrixD::Identity(n_, n_);
    J.block(0, q, n_, n_) = shift * MatrixD::Identity(n_, n_);
    J.block(n_, psi, n_, m_) = shift * terms.Phi_q.transpose();
    J.block(n_, v, n_, n_) = shift * terms.M + slopes.C();
    J.block(n_, q, n_, n_) = slopes.K();
    J.block(2 * n_, v, m_, n_) = terms.Phi_q;
    J.block(2 * n_, q, m_, n_) = rates.rate.leftCols(n_);
    J.block(2 * n_ + m_, q, m_, n_) = terms.Phi_q;

    const MatrixD all = MatrixD::Identity(3 * n_ + m_, 3 * n_ + m_ + at.theta.size());
    const MatrixD g = cost_slopes(
      problem_, t, at.theta, {at.q, at.v, at.a, at.lambda, {}},
      {all.topRows(n_),
       all.middleRows(n_, n_),
       all.middleRows(2 * n_, n_),
       all.bottomRows(m_),
       {}});
    J.block(z, psi, costs_, m_) = -shift * g.middleCols(3 * n_, m_);
    J.block(z, v, costs_, n_) = -g.middleCols(n_, n_) - shift * g.middleCols(2 * n_, n_);
    J.block(z, q, costs_, n_) = -g.leftCols(n_);
    J.block(z, z, costs_, costs_) = shift * MatrixD::Identity(costs_, costs_);
    return J;
  }

  const Problem & problem_;
  const VectorD & rho_;
  const System & system_;
  Eigen::Index n_, m_, costs_;
  Ida ida_;
  double t_ = 0.0;
  VectorD q_, v_, w_, rate_;
};

}  // namespace

bool bdf_available() { return true; }

std::unique_ptr<BdfMotion> make_bdf_motion(
  const Problem & problem, const Settings & settings, const VectorD & rho, const System & system)
{
  return std::make_unique<StabilisedMotion>(problem, settings, rho, system);
}

}  // namespace fivebar_control::multibody
