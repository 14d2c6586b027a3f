// SPDX-License-Identifier: Apache-2.0
#include "dense.hpp"
#include "fivebar_control/multibody/sensitivity.hpp"
#include "stages.hpp"

namespace fivebar_control::multibody
{
namespace
{

/// lambda = d(psi)/dy (one column per cost) and the gradient collected so far (one row per cost),
/// carried backwards (Corner 3.21-3.22, 3.29).
class AdjointModel
{
public:
  AdjointModel(const Problem & problem, const Trajectory & trajectory)
  : problem_(problem),
    trajectory_(trajectory),
    lambda(trajectory.terminal_state.transpose()),
    gradient(trajectory.terminal_parameters)
  {
  }

  /// Runge-Kutta backwards on lambda' = -f_y^T lambda - g_y^T, with the motion's state in the
  /// middle of the step by interpolation.
  void rk4(const Form & form, const Node & left, const Node & right)
  {
    const double h = right.t - left.t;
    const double middle_t = 0.5 * (left.t + right.t);
    const Linearisation & end = right_end(form, right);
    const Linearisation middle =
      linearise(problem_, form, trajectory_.rho, middle_t, interpolate(left, right, 0.5), left.q);
    Linearisation begin = linearise(problem_, form, trajectory_.rho, left.t, left.y, left.q);
    const MatrixD k1 = -rate(end, lambda);
    const MatrixD l2 = lambda - 0.5 * h * k1;
    const MatrixD k2 = -rate(middle, l2);
    const MatrixD l3 = lambda - 0.5 * h * k2;
    const MatrixD k3 = -rate(middle, l3);
    const MatrixD l4 = lambda - h * k3;
    const MatrixD k4 = -rate(begin, l4);
    collect(end, right.t, lambda, h / 6.0);
    collect(middle, middle_t, 0.5 * (l2 + l3), 2.0 * h / 3.0);
    collect(begin, left.t, l4, h / 6.0);
    lambda -= h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    keep(left, std::move(begin));
  }

  void trapezoidal(const Form & form, const Node & left, const Node & right)
  {
    const double h = right.t - left.t;
    const Linearisation & end = right_end(form, right);
    Linearisation begin = linearise(problem_, form, trajectory_.rho, left.t, left.y, left.q);
    const Eigen::Index ny = form.size();
    collect(end, right.t, lambda, 0.5 * h);
    const MatrixD right_side =
      lambda + 0.5 * h * rate(end, lambda) + 0.5 * h * begin.g_slope.leftCols(ny).transpose();
    lambda =
      Lu<double>(MatrixD::Identity(ny, ny) - 0.5 * h * begin.tangent.rate.leftCols(ny).transpose())
        .solve(right_side);
    collect(begin, left.t, lambda, 0.5 * h);
    keep(left, std::move(begin));
  }

  /// The transpose of the tangent of one Runge-Kutta step.
  void discrete_rk4(const Form & form, const Node & left, const Node & right)
  {
    const double h = right.t - left.t;
    const auto stages = rk4_stages(problem_, form, trajectory_.rho, left, right);
    const std::array<double, 4> weight{h / 6.0, h / 3.0, h / 3.0, h / 6.0};
    const std::array<double, 4> offset{0.5 * h, 0.5 * h, h, 0.0};
    MatrixD total = lambda;
    MatrixD stage_lambda = MatrixD::Zero(lambda.rows(), lambda.cols());
    for (std::size_t i = 4; i-- > 0;)
    {
      const MatrixD kappa = weight[i] * lambda + offset[i] * stage_lambda;
      const Linearisation & at = stages[i].at;
      const Eigen::Index ny = lambda.rows();
      const Eigen::Index np = at.theta.size();
      stage_lambda = at.tangent.rate.leftCols(ny).transpose() * kappa +
                     weight[i] * at.g_slope.leftCols(ny).transpose();
      total += stage_lambda;
      problem_.add_global(
        stages[i].t,
        kappa.transpose() * at.tangent.rate.rightCols(np) + weight[i] * at.g_slope.rightCols(np),
        gradient);
    }
    lambda = total;
  }

  /// The transpose of the tangent of one trapezoidal step (with trapezoidal quadrature).
  void discrete_trapezoidal(const Form & form, const Node & left, const Node & right)
  {
    const double h = right.t - left.t;
    const Linearisation & end = right_end(form, right);
    Linearisation begin = linearise(problem_, form, trajectory_.rho, left.t, left.y, left.q);
    const Eigen::Index ny = form.size();
    const MatrixD kappa =
      Lu<double>(MatrixD::Identity(ny, ny) - 0.5 * h * end.tangent.rate.leftCols(ny).transpose())
        .solve(MatrixD(lambda + 0.5 * h * end.g_slope.leftCols(ny).transpose()));
    collect(end, right.t, kappa, 0.5 * h);
    collect(begin, left.t, kappa, 0.5 * h);
    lambda = kappa + 0.5 * h * rate(begin, kappa);
    keep(left, std::move(begin));
  }

  /// The transpose of the tangent of a form's own step.
  void discrete_own_step(const Form & form, const Node & left, const Node & right)
  {
    const double h = right.t - left.t;
    const Linearisation & end = right_end(form, right);
    Linearisation begin = linearise(problem_, form, trajectory_.rho, left.t, left.y, left.q);
    const auto tangent = form.scheme()->linearise_step(left.t, left.y, h, right.y, end.theta);
    const Eigen::Index ny = form.size();
    const Eigen::Index np = end.theta.size();
    MatrixD by_theta = 0.5 * h * end.g_slope.rightCols(np);
    lambda = tangent->backward(lambda + 0.5 * h * end.g_slope.leftCols(ny).transpose(), by_theta);
    problem_.add_global(right.t, by_theta, gradient);
    lambda += 0.5 * h * begin.g_slope.leftCols(ny).transpose();
    problem_.add_global(left.t, 0.5 * h * begin.g_slope.rightCols(np), gradient);
    keep(left, std::move(begin));
  }

  void jump(const Jump & jump)
  {
    gradient += lambda.transpose() * jump.parameters + jump.cost_parameters;
    lambda = (jump.state.transpose() * lambda + jump.cost_state.transpose()).eval();
  }

  void finish() { gradient += lambda.transpose() * trajectory_.initial; }
  /// The nodes that were passed are gone.
  void forget() { kept_node_ = nullptr; }

private:
  const Problem & problem_;
  const Trajectory & trajectory_;
  Linearisation kept_;
  const Node * kept_node_ = nullptr;

  /// The right end of a step is the left end of the step before it (going backwards).
  const Linearisation & right_end(const Form & form, const Node & right)
  {
    if (kept_node_ != &right)
    {
      kept_ = linearise(problem_, form, trajectory_.rho, right.t, right.y, right.q);
      kept_node_ = &right;
    }
    return kept_;
  }
  void keep(const Node & left, Linearisation && at)
  {
    kept_ = std::move(at);
    kept_node_ = &left;
  }

  static MatrixD rate(const Linearisation & at, const MatrixD & l)
  {
    return at.tangent.rate.leftCols(l.rows()).transpose() * l +
           at.g_slope.leftCols(l.rows()).transpose();
  }
  void collect(const Linearisation & at, double t, const MatrixD & l, double weight)
  {
    const Eigen::Index np = at.theta.size();
    problem_.add_global(
      t, weight * (l.transpose() * at.tangent.rate.rightCols(np) + at.g_slope.rightCols(np)),
      gradient);
  }

public:
  MatrixD lambda, gradient;
};

/// Walks backwards through a motion, of which either all nodes are stored or checkpoints.
template <class Step>
Gradient backwards(
  const Problem & problem, const Settings & settings, const Trajectory & trajectory, Step && step)
{
  AdjointModel model(problem, trajectory);
  Gradient result;
  result.costs = trajectory.costs;
  std::size_t checkpoints = 0, longest = 0;
  const auto walk = [&](const Phase & phase, const std::vector<Node> & nodes) {
    longest = std::max(longest, nodes.size());
    for (std::size_t k = nodes.size() - 1; k-- > 0;)
    {
      step(model, *phase.form, nodes[k], nodes[k + 1]);
    }
    model.forget();
  };
  for (std::size_t p = trajectory.phases.size(); p-- > 0;)
  {
    const Phase & phase = trajectory.phases[p];
    if (p + 1 < trajectory.phases.size())
    {
      model.jump(phase.jump);
    }
    result.all_states += phase.length;
    checkpoints += phase.checkpoints.size();
    if (trajectory.stride == 0)
    {
      walk(phase, phase.nodes);
    }
    for (std::size_t c = phase.checkpoints.size(); c-- > 0;)
    {
      walk(phase, replay(problem, settings, trajectory, phase, c));
    }
  }
  model.finish();
  result.gradient = model.gradient;
  result.stored_states = trajectory.stride == 0 ? result.all_states : checkpoints + longest;
  return result;
}

Gradient adjoint_along(
  const Problem & problem, const Settings & settings, const Trajectory & trajectory)
{
  return backwards(
    problem, settings, trajectory,
    [&](AdjointModel & model, const Form & form, const Node & left, const Node & right) {
      settings.integrator == Integrator::trapezoidal ? model.trapezoidal(form, left, right)
                                                     : model.rk4(form, left, right);
    });
}

}  // namespace

MatrixD adjoint_of(
  const Problem & problem, const Settings & settings, const Trajectory & trajectory)
{
  return adjoint_along(problem, settings, trajectory).gradient;
}

Gradient adjoint(const Problem & problem, const Settings & settings, const VectorD & rho)
{
  return adjoint_along(problem, settings, simulate(problem, settings, rho));
}

Gradient discrete_adjoint(const Problem & problem, const Settings & settings, const VectorD & rho)
{
  const Trajectory trajectory = simulate(problem, settings, rho);
  return backwards(
    problem, settings, trajectory,
    [&](AdjointModel & model, const Form & form, const Node & left, const Node & right) {
      if (form.scheme() != nullptr)
      {
        model.discrete_own_step(form, left, right);
      }
      else if (settings.integrator == Integrator::trapezoidal)
      {
        model.discrete_trapezoidal(form, left, right);
      }
      else
      {
        model.discrete_rk4(form, left, right);
      }
    });
}

}  // namespace fivebar_control::multibody
