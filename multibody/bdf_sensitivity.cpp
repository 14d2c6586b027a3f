// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "bdf.hpp"
#include "constraint_slopes.hpp"
#include "ida.hpp"
#include "kkt.hpp"

namespace fivebar_control::multibody
{
namespace
{

/// A motion that was stored on a grid, with all that linear equations along it need at any time.
class StoredMotion
{
public:
  struct At
  {
    Linearisation linear;
    Terms<double> terms;
    MotionSlopes slopes;
    ConstraintRateSlopes constraint;
  };

  StoredMotion(const Problem & problem, const Trajectory & trajectory)
  : problem_(problem),
    trajectory_(trajectory),
    phase_(trajectory.phases.front()),
    n(phase_.form->system().coordinates()),
    m(phase_.form->system().constraints())
  {
  }

  /// Cubic Hermite interpolation of q and v; accelerations and multipliers follow from them.
  At at(double t) const
  {
    const std::vector<Node> & nodes = phase_.nodes;
    auto right = std::upper_bound(
      nodes.begin(), nodes.end(), t, [](double time, const Node & node) { return time < node.t; });
    right = std::clamp(right, nodes.begin() + 1, nodes.end() - 1);
    const Node & left = *(right - 1);
    const double fraction = (t - left.t) / (right->t - left.t);
    const Linearisation linear = linearise(
      problem_, *phase_.form, trajectory_.rho, t, interpolate(left, *right, fraction), left.q);
    const System & system = phase_.form->system();
    const Response<double> & r = linear.response;
    const Point<double> point{t, r.q, r.v, linear.theta};
    Terms<double> terms;
    system.evaluate(point, terms);
    return {
      linear, terms, MotionSlopes(system, point, r.a, r.lambda),
      ConstraintRateSlopes(system, point, r.a)};
  }
  /// d(theta)/d(rho).
  MatrixD theta_slopes(double t) const
  {
    const Eigen::Index np = problem_.local_parameters();
    return problem_.to_global(t, MatrixD::Identity(np, np));
  }
  /// Slopes of the running costs by q, v, a, lambda and theta themselves.
  MatrixD cost_slopes_at(double t, const At & here) const
  {
    const MatrixD all = MatrixD::Identity(3 * n + m, 3 * n + m + here.linear.theta.size());
    return cost_slopes(
      problem_, t, here.linear.theta, here.linear.response,
      {all.topRows(n), all.middleRows(n, n), all.middleRows(2 * n, n), all.bottomRows(m), {}});
  }

  const std::vector<Node> & nodes() const { return phase_.nodes; }

private:
  const Problem & problem_;
  const Trajectory & trajectory_;
  const Phase & phase_;

public:
  Eigen::Index n, m;
};

/// by_w w + by_rate w' + constant = 0.
struct LinearSystem
{
  MatrixD by_w, by_rate;
  VectorD constant;

  explicit LinearSystem(Eigen::Index size)
  : by_w(MatrixD::Zero(size, size)),
    by_rate(MatrixD::Zero(size, size)),
    constant(VectorD::Zero(size))
  {
  }
};

class LinearEquations : public IdaEquations
{
public:
  void residual(double t, const VectorD & w, const VectorD & rate, VectorD & value) const final
  {
    const LinearSystem s = system(t);
    value = s.by_w * w + s.by_rate * rate + s.constant;
  }
  MatrixD jacobian(double t, double shift, const VectorD & w, const VectorD & rate) const final
  {
    (void)w;
    (void)rate;
    const LinearSystem s = system(t);
    return s.by_w + shift * s.by_rate;
  }

protected:
  virtual LinearSystem system(double t) const = 0;
};

/// Stabilised index-1 direct differentiation for one parameter, w = (chi, psi, x_v, x_q, z)
/// (Schaffer 4.113 with 4.102-4.111).
class DirectEquations final : public LinearEquations
{
public:
  DirectEquations(const StoredMotion & motion, Eigen::Index parameter, Eigen::Index costs)
  : motion_(motion), parameter_(parameter), costs_(costs)
  {
  }

private:
  LinearSystem system(double t) const override
  {
    const Eigen::Index n = motion_.n, m = motion_.m;
    const Eigen::Index psi = m, v = 2 * m, q = 2 * m + n, z = 2 * (n + m);
    const StoredMotion::At at = motion_.at(t);
    const VectorD theta = motion_.theta_slopes(t).col(parameter_);
    const Eigen::Index np = theta.size();
    const MatrixD g = motion_.cost_slopes_at(t, at);
    LinearSystem s(z + costs_);
    s.by_rate.block(0, 0, n, m) = at.terms.Phi_q.transpose();
    s.by_rate.block(0, q, n, n).setIdentity();
    s.by_w.block(0, v, n, n) = -MatrixD::Identity(n, n);
    s.by_rate.block(n, psi, n, m) = at.terms.Phi_q.transpose();
    s.by_rate.block(n, v, n, n) = at.terms.M;
    s.by_w.block(n, v, n, n) = at.slopes.C();
    s.by_w.block(n, q, n, n) = at.slopes.K();
    s.constant.segment(n, n) = at.slopes.theta() * theta;
    s.by_w.block(2 * n, v, m, n) = at.terms.Phi_q;
    s.by_w.block(2 * n, q, m, n) = at.constraint.rate.leftCols(n);
    s.constant.segment(2 * n, m) = at.constraint.rate.rightCols(np) * theta;
    s.by_w.block(2 * n + m, q, m, n) = at.terms.Phi_q;
    s.constant.segment(2 * n + m, m) = at.slopes.Phi_theta() * theta;
    s.by_rate.block(z, z, costs_, costs_).setIdentity();
    s.by_w.block(z, q, costs_, n) = -g.leftCols(n);
    s.by_w.block(z, v, costs_, n) = -g.middleCols(n, n);
    s.by_rate.block(z, v, costs_, n) = -g.middleCols(2 * n, n);
    s.by_rate.block(z, psi, costs_, m) = -g.middleCols(3 * n, m);
    s.constant.segment(z, costs_) = -(g.rightCols(np) * theta);
    return s;
  }

  const StoredMotion & motion_;
  Eigen::Index parameter_, costs_;
};

/// The adjoint of one cost in time from the end, w = (chi, psi, mu1, mu2), stabilised like the
/// motion (Schaffer 4.194 in the variables of López Varela 5.86):
///   M mu2' + (M' - C^T) mu2 + mu1 + g_v^T + Phi_q^T chi' = 0,
///   mu1' - K^T mu2 - Phi_q^T psi' + g_q^T = 0,  Phi_q mu2 = 0,
/// and its derivative, s = 0 in [M Phi_q^T; Phi_q 0][mu2'; s] = [...; -Phi_q' mu2].
class AdjointEquations final : public LinearEquations
{
public:
  AdjointEquations(const StoredMotion & motion, Eigen::Index cost, double end)
  : motion_(motion), cost_(cost), end_(end)
  {
  }

  /// w and dw/dtau at the end of the motion, where the terminal cost has these slopes, and what
  /// the multipliers of position and velocity add to the gradient there.
  struct Start
  {
    VectorD w, rate, by_theta;
  };
  Start start(const VectorD & terminal_q, const VectorD & terminal_v) const
  {
    const Eigen::Index n = motion_.n, m = motion_.m;
    const StoredMotion::At at = motion_.at(end_);
    const VectorD g = gradient_of_cost(end_, at);
    const Lu<double> factors = kkt_factors(at.terms);
    VectorD right(n + m);
    right << terminal_v, VectorD::Zero(m);
    const VectorD first = factors.solve(right);
    const VectorD mu2 = first.head(n), eta = -first.tail(m);
    VectorD mu1 = terminal_q + at.constraint.rate.leftCols(n).transpose() * eta;
    right << at.slopes.C().transpose() * mu2 - at.terms.M_rate * mu2 - mu1 - g.segment(n, n),
      -(at.terms.Phi_q_rate * mu2);
    const VectorD second = factors.solve(right);
    const VectorD gamma = second.tail(m);
    mu1 += at.terms.Phi_q.transpose() * gamma;
    const Eigen::Index np = at.linear.theta.size();
    Start result;
    result.w.resize(2 * (n + m));
    result.w << VectorD::Zero(2 * m), mu1, mu2;
    result.rate.resize(2 * (n + m));
    result.rate << VectorD::Zero(2 * m), -(at.slopes.K().transpose() * mu2) + g.head(n),
      -second.head(n);
    add_reaction(at.terms, result);
    result.by_theta = at.constraint.rate.rightCols(np).transpose() * eta +
                      at.slopes.Phi_theta().transpose() * gamma;
    return result;
  }

private:
  /// mu_Phi at the end, from the derivative of s = 0, by differences of its coefficients.
  void add_reaction(const Terms<double> & terms, Start & start) const
  {
    const Eigen::Index n = motion_.n, m = motion_.m;
    const double delta = 1e-5 * end_;
    const LinearSystem here = system(0.0), there = system(delta);
    const MatrixD rows = here.by_w.bottomRows(m);
    const MatrixD change = 1.0 / delta * (there.by_w.bottomRows(m) - rows);
    const VectorD right = rows * start.rate + change * start.w +
                          1.0 / delta * (there.constant.tail(m) - here.constant.tail(m));
    const MatrixD matrix = rows.middleCols(2 * m, n) * MatrixD(terms.Phi_q.transpose());
    const VectorD reaction = Lu<double>(matrix).solve(right);
    start.rate.segment(m, m) = -reaction;
    start.rate.segment(2 * m, n) -= terms.Phi_q.transpose() * reaction;
  }

  VectorD gradient_of_cost(double t, const StoredMotion::At & at) const
  {
    return motion_.cost_slopes_at(t, at).row(cost_).transpose();
  }

  LinearSystem system(double tau) const override
  {
    const Eigen::Index n = motion_.n, m = motion_.m;
    const Eigen::Index psi = m, one = 2 * m, two = 2 * m + n, size = 2 * (n + m);
    const double t = std::max(end_ - tau, 0.0);
    const StoredMotion::At at = motion_.at(t);
    const VectorD g = gradient_of_cost(t, at);
    LinearSystem s(size);
    MatrixD coupling = at.terms.M_rate - at.slopes.C().transpose();
    s.by_rate.block(0, 0, n, m) = at.terms.Phi_q.transpose();
    s.by_rate.block(0, two, n, n) = at.terms.M;
    s.by_w.block(0, two, n, n) = coupling;
    s.by_w.block(0, one, n, n).setIdentity();
    s.constant.head(n) = g.segment(n, n);
    s.by_rate.block(n, one, n, n).setIdentity();
    s.by_rate.block(n, psi, n, m) = -at.terms.Phi_q.transpose();
    s.by_w.block(n, two, n, n) = -at.slopes.K().transpose();
    s.constant.segment(n, n) = g.head(n);
    s.by_w.block(2 * n, two, m, n) = at.terms.Phi_q;
    // s = lower(coupling mu2 + mu1 + g_v) + lower(Phi_q' mu2): rows of the inverse.
    const MatrixD rows = kkt_factors(at.terms).inverse().bottomRows(m);
    const MatrixD left = rows.leftCols(n), corner = rows.rightCols(m);
    s.by_w.block(2 * n + m, one, m, n) = left;
    s.by_w.block(2 * n + m, two, m, n) = left * coupling + corner * at.terms.Phi_q_rate;
    s.constant.tail(m) = left * VectorD(g.segment(n, n));
    s.by_rate *= -1.0;  // d/dtau = -d/dt
    return s;
  }

  const StoredMotion & motion_;
  Eigen::Index cost_;
  double end_;
};

}  // namespace

Gradient bdf_direct(const Problem & problem, const Settings & settings, const VectorD & rho)
{
  const Trajectory trajectory = simulate(problem, settings, rho);
  const StoredMotion motion(problem, trajectory);
  const Eigen::Index n = motion.n, m = motion.m, costs = trajectory.costs.size();
  const double end = trajectory.end_time();
  const StoredMotion::At first = motion.at(0.0);
  Gradient result{trajectory.costs, MatrixD(costs, rho.size())};
  for (Eigen::Index l = 0; l < rho.size(); ++l)
  {
    const VectorD x = trajectory.initial.col(l);
    const VectorD theta = motion.theta_slopes(0.0).col(l);
    const ResponseTangent & slopes = first.linear.tangent;
    const VectorD a = slopes.a.leftCols(2 * n) * x + slopes.a.rightCols(theta.size()) * theta;
    const VectorD lambda =
      slopes.lambda.leftCols(2 * n) * x + slopes.lambda.rightCols(theta.size()) * theta;
    const VectorD g = first.linear.g_slope.leftCols(2 * n) * x +
                      first.linear.g_slope.rightCols(theta.size()) * theta;
    VectorD w(2 * (n + m) + costs), rate(w.size());
    w << VectorD::Zero(2 * m), x.tail(n), x.head(n), VectorD::Zero(costs);
    rate << VectorD::Zero(m), lambda, a, x.tail(n), g;
    const DirectEquations equations(motion, l, costs);
    Ida ida(equations, w.size(), settings.tolerance);
    ida.start(0.0, w, rate);
    ida.advance(end, w, rate);
    VectorD state(2 * n);
    state << w.segment(2 * m + n, n), w.segment(2 * m, n);
    result.gradient.col(l) =
      w.tail(costs) + trajectory.terminal_state * state + trajectory.terminal_parameters.col(l);
  }
  return result;
}

Gradient bdf_adjoint(const Problem & problem, const Settings & settings, const VectorD & rho)
{
  const Trajectory trajectory = simulate(problem, settings, rho);
  const StoredMotion motion(problem, trajectory);
  const Eigen::Index n = motion.n, m = motion.m;
  const double end = trajectory.end_time();
  Gradient result{trajectory.costs, trajectory.terminal_parameters};
  for (Eigen::Index c = 0; c < trajectory.costs.size(); ++c)
  {
    const AdjointEquations equations(motion, c, end);
    const VectorD terminal = trajectory.terminal_state.row(c).transpose();
    auto [w, rate, by_theta] = equations.start(terminal.head(n), terminal.tail(n));
    MatrixD row = MatrixD::Zero(1, rho.size());
    problem.add_global(end, by_theta.transpose(), row);
    Ida ida(equations, w.size(), settings.tolerance);
    ida.start(0.0, w, rate);
    const auto collect =
      [&](double t, double weight, const VectorD & at_t, const VectorD & reaction) {
        const StoredMotion::At at = motion.at(t);
        const MatrixD mu2 = at_t.tail(n), mu_Phi = reaction;
        const MatrixD g = motion.cost_slopes_at(t, at).row(c).rightCols(at.linear.theta.size());
        problem.add_global(
          t,
          weight *
            (g - mu2.transpose() * at.slopes.theta() - mu_Phi.transpose() * at.slopes.Phi_theta()),
          row);
      };
    // Simpson's rule on each interval of the grid. mu_Phi = psi' is that of the parabola through
    // psi, which the integrator knows better than psi'.
    const std::vector<Node> & nodes = motion.nodes();
    for (std::size_t k = nodes.size() - 1; k-- > 0;)
    {
      const double h = nodes[k + 1].t - nodes[k].t;
      const VectorD right = w;
      ida.advance(end - nodes[k].t - 0.5 * h, w, rate);
      const VectorD middle = w;
      ida.advance(end - nodes[k].t, w, rate);
      const VectorD p0 = w.segment(m, m), p1 = middle.segment(m, m), p2 = right.segment(m, m);
      collect(nodes[k + 1].t, h / 6.0, right, (p0 - 4.0 * p1 + 3.0 * p2) / h);
      collect(nodes[k].t + 0.5 * h, 2.0 * h / 3.0, middle, (p2 - p0) / h);
      collect(nodes[k].t, h / 6.0, w, (-3.0 * p0 + 4.0 * p1 - p2) / h);
    }
    const VectorD mu1 = w.segment(2 * m, n), mu2 = w.tail(n);
    const VectorD momentum = motion.at(0.0).terms.M * mu2;
    result.gradient.row(c) += row + mu1.transpose() * trajectory.initial.topRows(n) +
                              momentum.transpose() * trajectory.initial.bottomRows(n);
  }
  return result;
}

}  // namespace fivebar_control::multibody
