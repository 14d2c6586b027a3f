// SPDX-License-Identifier: Apache-2.0
#include "constraint_slopes.hpp"
#include "dense.hpp"
#include "fivebar_control/multibody/sensitivity.hpp"

namespace fivebar_control::multibody
{
namespace
{

/// Adds weight * d(costs)/d(theta) at one instant to the gradient, one transposed solution per
/// level and cost: accelerations, velocities, positions (López Varela 5.25-5.29; before them the
/// forces).
class KinematicAdjoint
{
public:
  KinematicAdjoint(const Problem & problem, const Form & form, const VectorD & rho)
  : problem_(problem), form_(form), rho_(rho)
  {
  }

  void add(double t, const VectorD & hint, double weight, MatrixD & gradient) const
  {
    const VectorD theta = problem_.local(t, rho_);
    Response<double> at;
    form_.respond(t, VectorD(0), theta, hint, at);
    const Point<double> point{t, at.q, at.v, theta};
    const System & system = form_.system();
    const Eigen::Index n = system.coordinates();
    const Eigen::Index np = theta.size();
    Terms<double> terms;
    system.evaluate(point, terms);
    const MotionSlopes forces(system, point, at.a, at.lambda);
    const ConstraintRateSlopes rates(system, point, at.a);
    const MatrixD g = cost_slopes(problem_, t, theta, at, identity(n, np)).transpose();

    const Lu<double> transposed(terms.Phi_q.transpose());
    const MatrixD mu_force = Lu<double>(terms.Phi_q).solve(MatrixD(g.middleRows(3 * n, n)));
    const MatrixD mu_a =
      transposed.solve(MatrixD(g.middleRows(2 * n, n) - terms.M.transpose() * mu_force));
    const MatrixD mu_v = transposed.solve(MatrixD(
      g.middleRows(n, n) - rates.second.middleCols(n, n).transpose() * mu_a -
      forces.C().transpose() * mu_force));
    const MatrixD mu_q = transposed.solve(MatrixD(
      g.topRows(n) - rates.rate.leftCols(n).transpose() * mu_v -
      rates.second.leftCols(n).transpose() * mu_a - forces.K().transpose() * mu_force));
    const MatrixD by_theta = g.bottomRows(np).transpose() - mu_q.transpose() * forces.Phi_theta() -
                             mu_v.transpose() * rates.rate.rightCols(np) -
                             mu_a.transpose() * rates.second.rightCols(np) -
                             mu_force.transpose() * forces.theta();
    problem_.add_global(t, weight * by_theta, gradient);
  }

private:
  /// Directions of q, v, a, lambda and theta themselves.
  static ResponseTangent identity(Eigen::Index n, Eigen::Index np)
  {
    const MatrixD all = MatrixD::Identity(4 * n, 4 * n + np);
    return {all.topRows(n), all.middleRows(n, n), all.middleRows(2 * n, n), all.bottomRows(n), {}};
  }

  const Problem & problem_;
  const Form & form_;
  const VectorD & rho_;
};

}  // namespace

Gradient kinematic_adjoint(const Problem & problem, const Settings & settings, const VectorD & rho)
{
  const Trajectory trajectory = simulate(problem, settings, rho);
  const Phase & phase = trajectory.phases.front();
  const KinematicAdjoint adjoint(problem, *phase.form, trajectory.rho);
  MatrixD gradient = trajectory.terminal_parameters;
  for (std::size_t k = 0; k + 1 < phase.nodes.size(); ++k)
  {
    // Simpson's rule, which is what the Runge-Kutta step makes of a cost without a state.
    const Node & left = phase.nodes[k];
    const Node & right = phase.nodes[k + 1];
    const double h = right.t - left.t;
    adjoint.add(left.t, left.q, h / 6.0, gradient);
    adjoint.add(left.t + 0.5 * h, left.q, 2.0 * h / 3.0, gradient);
    adjoint.add(right.t, left.q, h / 6.0, gradient);
  }
  return {trajectory.costs, gradient};
}

}  // namespace fivebar_control::multibody
