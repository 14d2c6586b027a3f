// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "dense.hpp"
#include "fivebar_control/multibody/optimise.hpp"
#include "optimise_bounds.hpp"
#include "stages.hpp"

namespace fivebar_control::multibody
{
namespace
{

/// The inputs whose nodes are parameters; they share one grid.
struct ControlGrid
{
  std::vector<std::size_t> inputs;
  Eigen::Index nodes = 0;
  double step = 0.0;

  explicit ControlGrid(const Problem & problem)
  {
    for (std::size_t i = 0; i < problem.inputs.size(); ++i)
    {
      if (problem.inputs[i].first_parameter >= 0)
      {
        inputs.push_back(i);
        nodes = problem.inputs[i].nodes.size();
        step = problem.inputs[i].step;
      }
    }
  }
  Eigen::Index count() const { return static_cast<Eigen::Index>(inputs.size()); }
};

/// One interval between nodes: y+ = F (y, a, b) with a and b the inputs at its ends, and the model
/// of its cost, g^T (y, a, b) + (y, a, b)^T H (y, a, b) / 2.
struct IntervalModel
{
  MatrixD F, H;
  VectorD g;
};

/// The whole motion, linearised.
struct MotionModel
{
  std::vector<IntervalModel> intervals;
  MatrixD end_H;  ///< of the terminal cost, columns (y, b) at the end
  VectorD end_g;
};

class Lineariser
{
public:
  Lineariser(const Problem & problem, const ControlGrid & grid, const VectorD & rho)
  : problem_(problem), grid_(grid), rho_(rho)
  {
  }

  MotionModel model(const Trajectory & trajectory) const
  {
    const Phase & phase = trajectory.phases.front();
    const Form & form = *phase.form;
    const auto steps = static_cast<Eigen::Index>(phase.nodes.size()) - 1;
    const Eigen::Index per_interval = steps / (grid_.nodes - 1);
    MotionModel result;
    for (Eigen::Index k = 0; k + 1 < grid_.nodes; ++k)
    {
      result.intervals.push_back(interval(form, phase.nodes, k, per_interval));
    }
    const Node & last = phase.nodes.back();
    const Linearisation at = linearise(problem_, form, rho_, last.t, last.y, last.q);
    const Residuals r = residual_slopes(problem_, last.t, at, true);
    const Eigen::Index ny = form.size();
    MatrixD slopes(r.values.size(), ny + grid_.count());
    slopes << r.slopes.leftCols(ny), input_columns(r.slopes, ny);
    result.end_H = 2.0 * slopes.transpose() * slopes;
    result.end_g = 2.0 * slopes.transpose() * r.values;
    return result;
  }

private:
  /// Columns of the inputs among those of theta.
  MatrixD input_columns(const MatrixD & slopes, Eigen::Index ny) const
  {
    MatrixD result(slopes.rows(), grid_.count());
    for (Eigen::Index i = 0; i < grid_.count(); ++i)
    {
      result.col(i) = slopes.col(
        ny + problem_.structural +
        static_cast<Eigen::Index>(grid_.inputs[static_cast<std::size_t>(i)]));
    }
    return result;
  }

  IntervalModel interval(
    const Form & form, const std::vector<Node> & nodes, Eigen::Index k, Eigen::Index steps) const
  {
    const Eigen::Index ny = form.size();
    const Eigen::Index m = grid_.count();
    const Eigen::Index columns = ny + 2 * m;
    IntervalModel result;
    result.H = MatrixD::Zero(columns, columns);
    result.g = VectorD::Zero(columns);
    MatrixD X = MatrixD::Identity(ny, columns);
    for (Eigen::Index i = 0; i < steps; ++i)
    {
      const auto index = static_cast<std::size_t>(k * steps + i);
      step(form, nodes[index], nodes[index + 1], grid_.step * static_cast<double>(k), X, result);
    }
    result.F = X;
    return result;
  }

  /// One Runge-Kutta step with its sensitivities and residuals.
  void step(
    const Form & form, const Node & left, const Node & right, double begin, MatrixD & X,
    IntervalModel & result) const
  {
    const Eigen::Index ny = form.size();
    const Eigen::Index m = grid_.count();
    const double h = right.t - left.t;
    const auto stages = rk4_stages(problem_, form, rho_, left, right);
    const std::array<double, 4> offset{0.5 * h, 0.5 * h, h, 0.0};
    const std::array<double, 4> weight{h / 6.0, h / 3.0, h / 3.0, h / 6.0};
    MatrixD stage_X = X;
    MatrixD next = X;
    for (std::size_t i = 0; i < 4; ++i)
    {
      const double share = (stages[i].t - begin) / grid_.step;
      const auto along = [&](const MatrixD & slopes) -> MatrixD {
        MatrixD by = slopes.leftCols(ny) * stage_X;
        const MatrixD by_input = input_columns(slopes, ny);
        by.middleCols(ny, m) += (1.0 - share) * by_input;
        by.rightCols(m) += share * by_input;
        return by;
      };
      const MatrixD K = along(stages[i].at.tangent.rate);
      const Residuals r = residual_slopes(problem_, stages[i].t, stages[i].at, false);
      const MatrixD slopes = along(r.slopes);
      result.H += 2.0 * weight[i] * slopes.transpose() * slopes;
      result.g += 2.0 * weight[i] * slopes.transpose() * r.values;
      next += weight[i] * K;
      stage_X = X + offset[i] * K;
    }
    X = next;
  }

  const Problem & problem_;
  const ControlGrid & grid_;
  const VectorD & rho_;
};

/// Everything about the linearised motion that has the structure of a chain in time.
class TimeRecursion
{
public:
  TimeRecursion(const MotionModel & model, Eigen::Index states, Eigen::Index inputs)
  : model_(model), ny_(states), m_(inputs)
  {
  }

  Eigen::Index nodes() const { return static_cast<Eigen::Index>(model_.intervals.size()) + 1; }

  /// The gradient at the nodes, one row per node, and the diagonal of the Gauss-Newton matrix.
  void gradient(MatrixD & by_node, MatrixD & diagonal) const
  {
    by_node.resize(nodes(), m_);
    diagonal.resize(nodes(), m_);
    VectorD s = model_.end_g;
    MatrixD S = model_.end_H;
    for (Eigen::Index k = nodes() - 1; k-- > 0;)
    {
      const IntervalModel & interval = model_.intervals[static_cast<std::size_t>(k)];
      const MatrixD F = transition(interval);
      const VectorD q = interval.g + F.transpose() * s;
      const MatrixD Q = interval.H + F.transpose() * MatrixD(S * F);
      by_node.row(k + 1) = q.tail(m_).transpose();
      diagonal.row(k + 1) = Q.bottomRightCorner(m_, m_).diagonal().transpose();
      s = q.head(ny_ + m_);
      S = Q.topLeftCorner(ny_ + m_, ny_ + m_);
    }
    by_node.row(0) = s.tail(m_).transpose();
    diagonal.row(0) = S.bottomRightCorner(m_, m_).diagonal().transpose();
  }

  /// Minimises model + damping |step|^2 / 2 over the nodes that are not held.
  MatrixD step(double damping, const MatrixD & held) const
  {
    const auto count = model_.intervals.size();
    std::vector<MatrixD> gains(count);
    std::vector<VectorD> offsets(count);
    MatrixD P = model_.end_H;
    VectorD p = model_.end_g;
    for (std::size_t k = count; k-- > 0;)
    {
      const IntervalModel & interval = model_.intervals[k];
      const MatrixD F = transition(interval);
      MatrixD Q = interval.H + F.transpose() * MatrixD(P * F);
      VectorD q = interval.g + F.transpose() * p;
      hold(held.row(static_cast<Eigen::Index>(k) + 1), damping, Q, q);
      const Eigen::Index n = ny_ + m_;
      MatrixD right(m_, n + 1);
      right << Q.bottomLeftCorner(m_, n), q.tail(m_);
      const MatrixD solution = -Ldlt(MatrixD(Q.bottomRightCorner(m_, m_))).solve(right);
      gains[k] = solution.leftCols(n);
      offsets[k] = solution.col(n);
      P = Q.topLeftCorner(n, n) + Q.topRightCorner(n, m_) * gains[k];
      p = q.head(n) + Q.topRightCorner(n, m_) * offsets[k];
    }
    hold(held.row(0), damping, P, p);
    MatrixD steps(nodes(), m_);
    VectorD z = VectorD::Zero(ny_ + m_);
    const VectorD first = -Ldlt(MatrixD(P.bottomRightCorner(m_, m_))).solve(VectorD(p.tail(m_)));
    z.tail(m_) = first;
    steps.row(0) = first.transpose();
    for (std::size_t k = 0; k < count; ++k)
    {
      VectorD all(ny_ + 2 * m_);
      all << z, gains[k] * z + offsets[k];
      z << model_.intervals[k].F * all, all.tail(m_);
      steps.row(static_cast<Eigen::Index>(k) + 1) = all.tail(m_).transpose();
    }
    return steps;
  }

private:
  /// (y, a, b) to the next (y, a).
  MatrixD transition(const IntervalModel & interval) const
  {
    MatrixD F = MatrixD::Zero(ny_ + m_, ny_ + 2 * m_);
    F.topRows(ny_) = interval.F;
    F.bottomRightCorner(m_, m_).setIdentity();
    return F;
  }
  /// Damps the inputs that were just met, the last ones of Q, and fixes those that bounds hold.
  void hold(const Eigen::RowVectorXd & held, double damping, MatrixD & Q, VectorD & q) const
  {
    const Eigen::Index first = Q.rows() - m_;
    for (Eigen::Index i = 0; i < m_; ++i)
    {
      Q(first + i, first + i) += damping;
      if (held(i) != 0.0)
      {
        Q.row(first + i).setZero();
        Q.col(first + i).setZero();
        Q(first + i, first + i) = 1.0;
        q(first + i) = 0.0;
      }
    }
  }

  const MotionModel & model_;
  Eigen::Index ny_, m_;
};

class LevenbergMarquardt
{
public:
  LevenbergMarquardt(
    const Problem & problem, const Settings & settings, const OptimisationLimits & limits)
  : problem_(problem), settings_(settings), limits_(limits), grid_(problem)
  {
  }

  Optimisation run()
  {
    result_.rho = clamped(problem_, problem_.rho);
    Trajectory motion = simulate(problem_, settings_, result_.rho);
    result_.evaluations = 1;
    result_.cost = motion.costs(0);
    double damping = 1.0;  // relative to the largest curvature
    while (true)
    {
      const MotionModel model = Lineariser(problem_, grid_, result_.rho).model(motion);
      const TimeRecursion recursion(model, motion.phases.front().form->size(), grid_.count());
      if (!look(recursion) || !descend(recursion, damping, motion))
      {
        break;
      }
      ++result_.iterations;
    }
    result_.converged = result_.end == OptimisationEnd::converged;
    return result_;
  }

private:
  /// Notes where we are; false if that is the end.
  bool look(const TimeRecursion & recursion)
  {
    MatrixD diagonal;
    recursion.gradient(by_node_, diagonal);
    curvature_ = diagonal.maxCoeff();
    VectorD gradient(result_.rho.size());
    held_ = MatrixD::Zero(by_node_.rows(), by_node_.cols());
    for_each_node([&](Eigen::Index k, Eigen::Index i, Eigen::Index parameter) {
      gradient(parameter) = by_node_(k, i);
      held_(k, i) = is_held(problem_, result_.rho, gradient, parameter) ? 1.0 : 0.0;
    });
    result_.gradient = free_size(problem_, result_.rho, gradient);
    result_.history.push_back({result_.cost, result_.rho});
    if (limits_.progress)
    {
      limits_.progress(result_.iterations, result_.cost, result_.gradient);
    }
    if (result_.gradient <= limits_.gradient || result_.cost <= limits_.cost || last_move_small_)
    {
      result_.end = OptimisationEnd::converged;
      return false;
    }
    result_.end = OptimisationEnd::iterations;
    return result_.evaluations < limits_.evaluations;
  }

  /// Takes a step that lowers the cost, with more damping as long as there is none.
  bool descend(const TimeRecursion & recursion, double & damping, Trajectory & motion)
  {
    while (result_.evaluations < limits_.evaluations)
    {
      const MatrixD steps = recursion.step(damping * curvature_, held_);
      VectorD next = result_.rho;
      for_each_node([&](Eigen::Index k, Eigen::Index i, Eigen::Index parameter) {
        next(parameter) += steps(k, i);
      });
      next = clamped(problem_, next);
      const double moved = (next - result_.rho).norm();
      ++result_.evaluations;
      if (try_to(next, motion))
      {
        damping = std::max(0.1 * damping, 1e-15);
        last_move_small_ = moved <= limits_.relative_step * (1.0 + next.norm());
        return true;
      }
      if (moved <= 1e-9 * (1.0 + next.norm()))
      {
        // The cost does not fall any more, however short the step.
        result_.end = OptimisationEnd::converged;
        return false;
      }
      damping *= 10.0;
      if (damping > 1e12)
      {
        result_.end = OptimisationEnd::stalled;
        return false;
      }
    }
    return false;
  }

  bool try_to(const VectorD & next, Trajectory & motion)
  {
    try
    {
      Trajectory tried = simulate(problem_, settings_, next);
      if (!(tried.costs(0) < result_.cost))
      {
        return false;
      }
      motion = std::move(tried);
    }
    catch (const MechanismError &)
    {
      return false;  // a step too far: more damping
    }
    result_.rho = next;
    result_.cost = motion.costs(0);
    return true;
  }

  template <class Use>
  void for_each_node(Use && use) const
  {
    for (Eigen::Index i = 0; i < grid_.count(); ++i)
    {
      const Input & input = problem_.inputs[grid_.inputs[static_cast<std::size_t>(i)]];
      for (Eigen::Index k = 0; k < grid_.nodes; ++k)
      {
        use(k, i, input.first_parameter + k);
      }
    }
  }

  const Problem & problem_;
  const Settings & settings_;
  const OptimisationLimits & limits_;
  ControlGrid grid_;
  MatrixD by_node_, held_;
  double curvature_ = 0.0;
  bool last_move_small_ = false;
  Optimisation result_;
};

}  // namespace

std::string riccati_obstacle(const Problem & problem, const Settings & settings)
{
  if (!problem.costs.front()->is_sum_of_squares())
  {
    return "Gauss-Newton needs a first cost that is a sum of squares";
  }
  if (problem.structural > 0)
  {
    return "parameters that are no inputs act at all times";
  }
  if (!problem.events.empty() || problem.end)
  {
    return "the motion has events";
  }
  if (traits(settings.formulation).scheme != nullptr || settings.integrator != Integrator::rk4)
  {
    return "the steps must be those of rk4";
  }
  const ControlGrid grid(problem);
  if (grid.nodes < 2)
  {
    return "no input's nodes are parameters";
  }
  for (const std::size_t i : grid.inputs)
  {
    if (problem.inputs[i].step != grid.step || problem.inputs[i].nodes.size() != grid.nodes)
    {
      return "the inputs have different nodes";
    }
  }
  const double intervals = static_cast<double>(grid.nodes - 1);
  const double steps = std::ceil(problem.duration / settings.step - 1e-9);
  const bool fits = std::abs(grid.step * intervals - problem.duration) < 1e-9 * problem.duration &&
                    std::abs(std::remainder(steps, intervals)) < 1e-9;
  return fits ? "" : "the nodes do not fill the duration in whole steps";
}

Optimisation riccati_gauss_newton(
  const Problem & problem, const Settings & settings, const OptimisationLimits & limits)
{
  const std::string reason = riccati_obstacle(problem, settings);
  if (!reason.empty())
  {
    throw MechanismError("the structure in time cannot be used: " + reason);
  }
  return LevenbergMarquardt(problem, settings, limits).run();
}

}  // namespace fivebar_control::multibody
