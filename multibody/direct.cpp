// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "dense.hpp"
#include "fivebar_control/multibody/sensitivity.hpp"
#include "stages.hpp"

namespace fivebar_control::multibody
{
namespace
{

/// X = dy/drho and Z = d(costs so far)/drho, carried along the motion.
class TangentModel
{
public:
  TangentModel(const Problem & problem, const Trajectory & trajectory, bool gauss_newton)
  : problem_(problem),
    trajectory_(trajectory),
    gauss_newton_(gauss_newton && problem.costs.front()->is_sum_of_squares()),
    X(trajectory.initial),
    Z(MatrixD::Zero(static_cast<Eigen::Index>(problem.costs.size()), problem.parameters())),
    normal(MatrixD::Zero(problem.parameters(), problem.parameters()))
  {
  }

  void step(const Form & form, const Settings & settings, const Node & left, const Node & right)
  {
    if (form.scheme() != nullptr)
    {
      own_step(form, left, right);
    }
    else if (settings.integrator == Integrator::trapezoidal)
    {
      trapezoidal(form, left, right);
    }
    else
    {
      rk4(form, left, right);
    }
  }

  /// The terminal cost's share of the normal matrix.
  void finish(const Stage & end) { collect_residuals(end, X, 1.0, true); }

  void jump(const Jump & jump)
  {
    Z += jump.cost_state * X + jump.cost_parameters;
    X = (jump.state * X + jump.parameters).eval();
  }

private:
  const Problem & problem_;
  const Trajectory & trajectory_;
  bool gauss_newton_;

  void own_step(const Form & form, const Node & left, const Node & right)
  {
    const double h = right.t - left.t;
    const Stage from{left.t, linearise(problem_, form, trajectory_.rho, left.t, left.y, left.q)};
    const Stage to{right.t, linearise(problem_, form, trajectory_.rho, right.t, right.y, right.q)};
    const auto tangent = form.scheme()->linearise_step(left.t, left.y, h, right.y, to.at.theta);
    collect(from, 0.5 * h);
    X = tangent->forward(X, theta_slopes(to));
    collect(to, 0.5 * h);
  }

  void rk4(const Form & form, const Node & left, const Node & right)
  {
    const double h = right.t - left.t;
    const auto stages = rk4_stages(problem_, form, trajectory_.rho, left, right);
    const std::array<double, 4> offset{0.5 * h, 0.5 * h, h, 0.0};
    const std::array<double, 4> weight{h / 6.0, h / 3.0, h / 3.0, h / 6.0};
    MatrixD stage_X = X;
    MatrixD next = X;
    for (std::size_t i = 0; i < 4; ++i)
    {
      const MatrixD K = rate_slopes(stages[i], stage_X);
      next += weight[i] * K;
      Z += weight[i] * cost_slopes_of(stages[i], stage_X);
      collect_residuals(stages[i], stage_X, weight[i]);
      stage_X = X + offset[i] * K;
    }
    X = next;
  }

  void trapezoidal(const Form & form, const Node & left, const Node & right)
  {
    const double h = right.t - left.t;
    const Stage from{left.t, linearise(problem_, form, trajectory_.rho, left.t, left.y, left.q)};
    const Stage to{right.t, linearise(problem_, form, trajectory_.rho, right.t, right.y, right.q)};
    const Eigen::Index ny = form.size();
    MatrixD right_side = X + 0.5 * h * rate_slopes(from, X);
    const MatrixD forcing =
      problem_.to_global(to.t, to.at.tangent.rate.rightCols(to.at.theta.size()));
    right_side += 0.5 * h * forcing;
    collect(from, 0.5 * h);
    X = Lu<double>(MatrixD::Identity(ny, ny) - 0.5 * h * to.at.tangent.rate.leftCols(ny))
          .solve(right_side);
    collect(to, 0.5 * h);
  }

  /// Adds to Z and to the normal matrix at one end of a step.
  void collect(const Stage & stage, double weight)
  {
    Z += weight * cost_slopes_of(stage, X);
    collect_residuals(stage, X, weight);
  }
  /// d(theta)/d(rho) at the stage's time.
  MatrixD theta_slopes(const Stage & stage) const
  {
    const Eigen::Index np = stage.at.theta.size();
    return problem_.to_global(stage.t, MatrixD::Identity(np, np));
  }
  MatrixD rate_slopes(const Stage & stage, const MatrixD & stage_X) const
  {
    return chain(stage, stage.at.tangent.rate, stage_X);
  }
  MatrixD cost_slopes_of(const Stage & stage, const MatrixD & stage_X) const
  {
    return chain(stage, stage.at.g_slope, stage_X);
  }
  MatrixD chain(const Stage & stage, const MatrixD & slopes, const MatrixD & stage_X) const
  {
    const Eigen::Index ny = stage_X.rows();
    MatrixD result = slopes.leftCols(ny) * stage_X;
    problem_.add_global(stage.t, slopes.rightCols(stage.at.theta.size()), result);
    return result;
  }

  /// 2 r_rho^T r_rho of the first cost's residuals r(t).
  void collect_residuals(
    const Stage & stage, const MatrixD & stage_X, double weight, bool of_terminal = false)
  {
    if (!gauss_newton_)
    {
      return;
    }
    const MatrixD slopes = residual_slopes(problem_, stage.t, stage.at, of_terminal).slopes;
    const MatrixD by_rho = chain(stage, slopes, stage_X);
    normal += 2.0 * weight * by_rho.transpose() * by_rho;
  }

public:
  MatrixD X, Z, normal;
};

}  // namespace

DirectResult direct_with_states(
  const Problem & problem, const Settings & settings, const VectorD & rho, bool gauss_newton)
{
  const Trajectory trajectory = simulate(problem, settings, rho);
  TangentModel model(problem, trajectory, gauss_newton);
  for (std::size_t p = 0; p < trajectory.phases.size(); ++p)
  {
    const Phase & phase = trajectory.phases[p];
    for (std::size_t k = 0; k + 1 < phase.nodes.size(); ++k)
    {
      model.step(*phase.form, settings, phase.nodes[k], phase.nodes[k + 1]);
    }
    if (p + 1 < trajectory.phases.size())
    {
      model.jump(phase.jump);
    }
  }
  const Phase & last = trajectory.phases.back();
  const Node & end = last.nodes.back();
  const Linearisation at = linearise(problem, *last.form, rho, end.t, end.y, end.q);
  const Eigen::Index ny = last.form->size();
  const auto full = [&](const MatrixD & slopes) -> MatrixD {
    return slopes.leftCols(ny) * model.X +
           problem.to_global(end.t, slopes.rightCols(at.theta.size()));
  };
  model.finish({end.t, at});
  DirectResult result;
  result.gradient.costs = trajectory.costs;
  result.gradient.gradient =
    model.Z + trajectory.terminal_state * model.X + trajectory.terminal_parameters;
  result.q = full(at.tangent.q);
  result.v = full(at.tangent.v);
  result.gauss_newton = model.normal;
  return result;
}

Gradient direct(const Problem & problem, const Settings & settings, const VectorD & rho)
{
  return direct_with_states(problem, settings, rho, false).gradient;
}

}  // namespace fivebar_control::multibody
