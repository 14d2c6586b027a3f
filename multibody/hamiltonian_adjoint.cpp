// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "fivebar_control/multibody/hamiltonian_adjoint.hpp"

#include "hamiltonian_coefficients.hpp"

namespace fivebar_control::multibody
{
namespace
{

/// xi, eta, mu, one column per cost.
struct Adjoint
{
  MatrixD xi, eta, mu;
};

Adjoint advance(const Adjoint & from, double factor, const Adjoint & rate)
{
  return {from.xi + factor * rate.xi, from.eta + factor * rate.eta, from.mu + factor * rate.mu};
}

/// B.7.
MatrixD right_hand_side(const HamiltonianCoefficients & c, const MatrixD & xi, const MatrixD & eta)
{
  const MatrixD of_eta = c.momentum_q - c.terms.M_rate - c.f_v;
  const MatrixD of_xi = c.f_q - c.f_v_rate - c.reaction_q;
  return (c.h_q - c.h_v_rate).transpose() - of_eta.transpose() * eta - of_xi.transpose() * xi;
}

/// 4.11.
Adjoint absolute_rate(const HamiltonianCoefficients & c, const Adjoint & at)
{
  const Eigen::Index n = c.terms.M.rows();
  const Eigen::Index m = c.terms.Phi_q.rows();
  MatrixD right(n + m, at.xi.cols());
  right << -right_hand_side(c, at.xi, at.eta),
    -(2.0 * (c.terms.Phi_q_rate * at.eta) + c.Phi_q_second * at.xi);
  const MatrixD solution = c.kkt.solve(right);
  return {at.eta, solution.topRows(n), solution.bottomRows(m)};
}

/// H and its rates (R of the Maggi form; [S R]' = -[S R] [Phi_q'; 0] [S R]).
struct Subspace
{
  MatrixD H, H_rate, H_second;

  Subspace(const HamiltonianCoefficients & c, const std::vector<int> & independent)
  {
    const Eigen::Index n = c.terms.M.rows();
    const Eigen::Index m = c.terms.Phi_q.rows();
    MatrixD bordered = MatrixD::Zero(n, n);
    bordered.topRows(m) = c.terms.Phi_q;
    for (std::size_t i = 0; i < independent.size(); ++i)
    {
      bordered(m + static_cast<Eigen::Index>(i), independent[i]) = 1.0;
    }
    const MatrixD inverse = Lu<double>(bordered).inverse();
    const MatrixD S = inverse.leftCols(m);
    H = inverse.rightCols(n - m);
    H_rate = -(S * c.terms.Phi_q_rate * H);
    const MatrixD S_rate = -(S * c.terms.Phi_q_rate * S);
    H_second =
      -(S_rate * c.terms.Phi_q_rate * H) - S * c.Phi_q_second * H - S * c.terms.Phi_q_rate * H_rate;
  }

  /// 4.26.
  Adjoint absolute(const Adjoint & joint) const
  {
    return {H * joint.xi, H * joint.eta + H_rate * joint.xi, joint.mu};
  }
};

/// 4.29, with xi^ and eta^ in place of xi and eta.
Adjoint joint_rate(
  const HamiltonianCoefficients & c, const std::vector<int> & independent, const Adjoint & at)
{
  const Subspace space(c, independent);
  const Adjoint full = space.absolute(at);
  const MatrixD drift = 2.0 * (space.H_rate * at.eta) + space.H_second * at.xi;
  const MatrixD force = right_hand_side(c, full.xi, full.eta) + c.terms.M * drift;
  const MatrixD right = space.H.transpose() * force;
  const MatrixD mass = space.H.transpose() * c.terms.M * space.H;
  return {at.eta, -Ldlt(mass).solve(right), MatrixD::Zero(at.mu.rows(), at.mu.cols())};
}

/// Derivatives of the terminal costs with respect to q, v and theta.
struct TerminalSlopes
{
  MatrixD q, v, theta;
};

TerminalSlopes terminal_slopes(
  const Problem & problem, const Form & form, const VectorD & rho, const Node & last)
{
  const Eigen::Index n = form.system().coordinates();
  Response<double> response;
  const VectorD theta = problem.local(last.t, rho);
  form.respond(last.t, last.y, theta, last.q, response);
  Directions along(form.system(), 2 * n + theta.size());
  along.q.leftCols(n).setIdentity();
  along.v.middleCols(n, n).setIdentity();
  along.theta.rightCols(theta.size()).setIdentity();
  MatrixD slopes(static_cast<Eigen::Index>(problem.costs.size()), along.count());
  for (Eigen::Index first = 0; first < along.count(); first += dual_width)
  {
    const int count = static_cast<int>(std::min<Eigen::Index>(dual_width, along.count() - first));
    const Point<DualD> point = seeded({last.t, response.q, response.v, theta}, along, first, count);
    for (std::size_t k = 0; k < problem.costs.size(); ++k)
    {
      const DualD value =
        problem.costs[k]->terminal(Motion<DualD>{point.t, point.q, point.v, {}, {}, point.theta});
      for (int d = 0; d < count; ++d)
      {
        slopes(static_cast<Eigen::Index>(k), first + d) = value[d];
      }
    }
  }
  return {slopes.leftCols(n), slopes.middleCols(n, n), slopes.rightCols(theta.size())};
}

/// 4.13. The terms that the terminal equations (4.12) add to the gradient go to `gradient`; 4.15
/// leaves them out.
Adjoint final_adjoint(
  const Problem & problem, const HamiltonianCoefficients & c, const TerminalSlopes & S,
  MatrixD & gradient)
{
  const Eigen::Index n = c.terms.M.rows();
  const Eigen::Index m = c.terms.Phi_q.rows();
  MatrixD right = MatrixD::Zero(n + m, S.q.rows());
  right.topRows(n) = S.v.transpose();
  MatrixD solution = c.kkt.solve(right);
  const MatrixD nu = solution.topRows(n), epsilon = solution.bottomRows(m);
  Adjoint result;
  result.xi = -nu;
  const MatrixD of_xi = c.momentum_q - c.f_v;
  right.topRows(n) = (S.q + c.h_v).transpose() + of_xi.transpose() * result.xi -
                     c.terms.Phi_q_rate.transpose() * epsilon;
  right.bottomRows(m) = -(c.terms.Phi_q_rate * result.xi);
  solution = c.kkt.solve(right);
  result.eta = solution.topRows(n);
  result.mu = solution.bottomRows(m);
  problem.add_global(
    c.t, -(nu.transpose() * c.momentum_theta + epsilon.transpose() * c.constraint_rate_theta),
    gradient);
  return result;
}

/// Carries xi, eta, mu backwards along a motion and collects the gradient.
class BackwardSweep
{
public:
  BackwardSweep(const Problem & problem, const Trajectory & trajectory, const Settings & settings)
  : problem_(problem),
    trajectory_(trajectory),
    phase_(trajectory.phases.front()),
    equations_(problem, *phase_.form, trajectory.rho)
  {
    const Node & last = phase_.nodes.back();
    end_ = equations_.at(last.t, last.y);
    const TerminalSlopes terminal = terminal_slopes(problem, *phase_.form, trajectory.rho, last);
    result_.gradient.costs = trajectory.costs;
    result_.gradient.gradient = problem.to_global(last.t, terminal.theta);
    now_ = final_adjoint(problem, end_, terminal, result_.gradient.gradient);
    independent_ = settings.independent;
  }

  HamiltonianAdjoint run(AdjointSpace space)
  {
    joint_ = space == AdjointSpace::joint;
    if (joint_)
    {
      enter_joint_space();
    }
    keep(absolute(end_, now_));
    for (std::size_t k = phase_.nodes.size() - 1; k-- > 0;)
    {
      step(phase_.nodes[k], phase_.nodes[k + 1]);
    }
    start();
    std::reverse(result_.nodes.begin(), result_.nodes.end());
    return result_;
  }

private:
  /// 4.30.
  void enter_joint_space()
  {
    const System & system = phase_.form->system();
    if (static_cast<int>(independent_.size()) != system.freedom())
    {
      const Node & last = phase_.nodes.back();
      const Response<double> response = response_at(problem_, trajectory_, phase_, last);
      independent_ = choose_independent(
        system, {last.t, response.q, response.v, problem_.local(last.t, trajectory_.rho)});
    }
    const Subspace subspace(end_, independent_);
    const Ldlt factors(subspace.H.transpose() * subspace.H);
    const MatrixD xi = factors.solve(subspace.H.transpose() * now_.xi);
    now_.eta = factors.solve(subspace.H.transpose() * MatrixD(now_.eta - subspace.H_rate * xi));
    now_.xi = xi;
  }

  void step(const Node & left, const Node & right)
  {
    const double h = right.t - left.t;
    const HamiltonianCoefficients middle =
      equations_.at(0.5 * (left.t + right.t), interpolate(left, right, 0.5));
    HamiltonianCoefficients begin = equations_.at(left.t, left.y);
    const Adjoint k1 = rate(end_, now_);
    const Adjoint at2 = advance(now_, -0.5 * h, k1);
    const Adjoint k2 = rate(middle, at2);
    const Adjoint at3 = advance(now_, -0.5 * h, k2);
    const Adjoint k3 = rate(middle, at3);
    const Adjoint at4 = advance(now_, -h, k3);
    const Adjoint k4 = rate(begin, at4);
    collect(end_, now_, h / 6.0);
    collect(middle, at2, h / 3.0);
    collect(middle, at3, h / 3.0);
    collect(begin, at4, h / 6.0);
    now_ = advance(now_, -h / 6.0, k1);
    now_ = advance(now_, -h / 3.0, k2);
    now_ = advance(now_, -h / 3.0, k3);
    now_ = advance(now_, -h / 6.0, k4);
    end_ = std::move(begin);
    watch();
  }

  /// The boundary terms of the integration by parts (4.7) at t = 0, where sigma = 0.
  void start()
  {
    const Adjoint start = absolute(end_, now_);
    const Eigen::Index n = end_.terms.M.rows();
    const MatrixD of_position = start.eta.transpose() * end_.terms.M +
                                start.xi.transpose() * end_.f_v +
                                start.mu.transpose() * end_.terms.Phi_q - end_.h_v;
    MatrixD & gradient = result_.gradient.gradient;
    gradient += of_position * trajectory_.initial.topRows(n);
    gradient -= start.xi.transpose() * trajectory_.initial.bottomRows(n);
  }

  Adjoint rate(const HamiltonianCoefficients & c, const Adjoint & at) const
  {
    return joint_ ? joint_rate(c, independent_, at) : absolute_rate(c, at);
  }
  Adjoint absolute(const HamiltonianCoefficients & c, const Adjoint & at) const
  {
    return joint_ ? Subspace(c, independent_).absolute(at) : at;
  }
  /// 4.15.
  void collect(const HamiltonianCoefficients & c, const Adjoint & at, double weight)
  {
    const Adjoint full = absolute(c, at);
    problem_.add_global(
      c.t,
      weight *
        (c.h_theta - full.eta.transpose() * c.momentum_theta - full.xi.transpose() * c.force_theta -
         full.mu.transpose() * c.constraint_rate_theta),
      result_.gradient.gradient);
  }
  void keep(const Adjoint & full)
  {
    result_.nodes.push_back({end_.t, full.xi.col(0), full.eta.col(0)});
  }
  void watch()
  {
    const Adjoint full = absolute(end_, now_);
    const Terms<double> & terms = end_.terms;
    result_.velocity_drift = std::max(result_.velocity_drift, (terms.Phi_q * full.xi).norm());
    result_.acceleration_drift = std::max(
      result_.acceleration_drift, (terms.Phi_q * full.eta + terms.Phi_q_rate * full.xi).norm());
    keep(full);
  }

  const Problem & problem_;
  const Trajectory & trajectory_;
  const Phase & phase_;
  HamiltonianEquations equations_;
  HamiltonianCoefficients end_;  ///< at the right end of the step to be taken
  Adjoint now_;
  bool joint_ = false;
  std::vector<int> independent_;
  HamiltonianAdjoint result_;
};

}  // namespace

HamiltonianAdjoint hamiltonian_adjoint(
  const Problem & problem, const Settings & settings, const VectorD & rho, AdjointSpace space)
{
  Settings forward = settings;
  forward.formulation = Formulation::hamilton;
  const Trajectory trajectory = simulate(problem, forward, rho);
  return BackwardSweep(problem, trajectory, settings).run(space);
}

}  // namespace fivebar_control::multibody
