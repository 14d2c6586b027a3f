// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <functional>
#include <vector>

#include "fivebar_control/plan/verdict.hpp"
#include "fivebar_control/planner/box_step.hpp"

namespace fivebar_control
{

// A small general solver beside the planner's own (docs/planning.md): any number of states and
// inputs, inputs linear between nodes and within hard bounds, costs that are sums of squares.
// Gauss-Newton steps by a Riccati recursion over (state, input), as in the planner: an input acts
// on the interval before its node and on the one after. The step of each node is the exact minimum
// within the bounds (an active set over its few inputs); the recursion's gains lead the trial
// motion, so that an unstable system stays near the motion that was linearised.

/// What the solver wants to know of one interval, to first order and with the curvature of its cost
/// as Gauss and Newton see it; the variables are (state, input before, input after).
template <int States, int Inputs>
struct ShootingInterval
{
  static constexpr int variables = States + 2 * Inputs;
  Eigen::Matrix<double, States, variables> by;
  Eigen::Matrix<double, variables, 1> gradient;
  Eigen::Matrix<double, variables, variables> curvature;
};

template <int States>
struct ShootingEnd
{
  Eigen::Matrix<double, States, 1> gradient;
  Eigen::Matrix<double, States, States> curvature;
};

/// The motion and its inputs at the nodes.
template <int States, int Inputs>
struct ShootingMotion
{
  std::vector<Eigen::Matrix<double, States, 1>> states;
  std::vector<Eigen::Matrix<double, Inputs, 1>> inputs;
  double cost = 0.0;
};

struct ShootingOptions
{
  int max_iterations = 300;
  double gradient = 1e-10;   ///< norm of the projected gradient that is small enough, or ...
  double tolerance = 1e-13;  ///< ... relative change of the cost in three steps running
};

struct ShootingReport
{
  Verdict verdict = Verdict::stalled;
  int iterations = 0;
  double gradient = 0.0;  ///< projected norm at the result
  std::size_t active_bounds = 0;
};

struct ShootingIteration
{
  int number = 0;
  double cost = 0.0;
  double gradient = 0.0;
};

/// Problem: `states`, `inputs`; intervals(), bound() (of every input, either way);
///   start() -> state
///   advance(k, x, u0, u1, cost&) -> state       cost of the interval added
///   interval(k, x, u0, u1) -> ShootingInterval
///   end_cost(x) -> double, end(x) -> ShootingEnd
template <class Problem>
class ShootingSolver
{
public:
  static constexpr int states = Problem::states;
  static constexpr int inputs = Problem::inputs;
  static constexpr int both = states + inputs;
  using State = Eigen::Matrix<double, states, 1>;
  using Input = Eigen::Matrix<double, inputs, 1>;
  using Motion = ShootingMotion<states, inputs>;
  using Interval = ShootingInterval<states, inputs>;
  using Progress = std::function<bool(const ShootingIteration &)>;

  explicit ShootingSolver(const Problem & problem) : problem_(problem) {}

  /// The motion of these inputs, which are clamped to the bounds. False if it is not finite.
  bool roll_out(Motion & motion) const
  {
    const std::size_t n = problem_.intervals();
    motion.states.assign(n + 1, problem_.start());
    motion.cost = 0.0;
    for (std::size_t k = 0; k <= n; ++k)
    {
      motion.inputs[k] = clamped(motion.inputs[k]);
      if (k > 0)
      {
        motion.states[k] = problem_.advance(
          k - 1, motion.states[k - 1], motion.inputs[k - 1], motion.inputs[k], motion.cost);
      }
    }
    motion.cost += problem_.end_cost(motion.states[n]);
    return std::isfinite(motion.cost);
  }

  using Gain = Eigen::Matrix<double, inputs, both>;

  /// Gains of the inputs by (state, input before) about a motion: how the optimum answers when it
  /// is pushed off. Empty where the motion has none.
  std::vector<Gain> gains_about(const Motion & motion)
  {
    linearise(motion);
    return sweep(motion, 0.0) || sweep(motion, least_damping) ? gains_ : std::vector<Gain>{};
  }

  /// The motion from this problem's start that the gains keep near another problem's motion.
  bool lead(const Motion & along, const std::vector<Gain> & gains, Motion & motion) const
  {
    const std::vector<Input> steps(along.inputs.size(), Input::Zero());
    return follow(along, steps, gains, motion);
  }

  /// dJ/du at the nodes: the discrete adjoint.
  std::vector<Input> gradient(const Motion & motion)
  {
    linearise(motion);
    return adjoint();
  }

  ShootingReport solve(
    Motion & motion, const ShootingOptions & options = {}, const Progress & progress = {})
  {
    ShootingReport report;
    int small = 0;
    linearise(motion);
    double damping = first_damping();
    for (;; ++report.iterations)
    {
      look(motion, report);
      if (progress && !progress({report.iterations, motion.cost, report.gradient}))
      {
        report.verdict = Verdict::cancelled;
        return report;
      }
      if (report.gradient <= options.gradient || small >= 3)
      {
        report.verdict = Verdict::converged;
        return report;
      }
      if (report.iterations >= options.max_iterations)
      {
        report.verdict = Verdict::iteration_limit;
        return report;
      }
      const double before = motion.cost;
      if (!descend(motion, damping))
      {
        // Nothing lowers the cost: at round-off that is the minimum.
        report.verdict = last_promise_ <= 1e-11 * before ? Verdict::converged : Verdict::stalled;
        return report;
      }
      small = before - motion.cost <= options.tolerance * before ? small + 1 : 0;
      linearise(motion);
    }
  }

private:
  static constexpr double most_damping = 1e8;
  static constexpr double least_damping = 1e-9;

  Input clamped(const Input & u) const
  {
    const double bound = problem_.bound();
    return u.cwiseMax(Input::Constant(-bound)).cwiseMin(Input::Constant(bound));
  }

  void linearise(const Motion & motion)
  {
    const std::size_t n = problem_.intervals();
    intervals_.resize(n);
    for (std::size_t k = 0; k < n; ++k)
    {
      intervals_[k] =
        problem_.interval(k, motion.states[k], motion.inputs[k], motion.inputs[k + 1]);
    }
    end_ = problem_.end(motion.states[n]);
  }

  std::vector<Input> adjoint() const
  {
    const std::size_t n = problem_.intervals();
    std::vector<Input> result(n + 1, Input::Zero());
    State costate = end_.gradient;
    for (std::size_t k = n; k-- > 0;)
    {
      const Interval & i = intervals_[k];
      const Eigen::Matrix<double, Interval::variables, 1> all =
        i.gradient + i.by.transpose() * costate;
      costate = all.template head<states>();
      result[k] += all.template segment<inputs>(states);
      result[k + 1] += all.template tail<inputs>();
    }
    return result;
  }

  /// The gradient of what the bounds leave free.
  void look(const Motion & motion, ShootingReport & report) const
  {
    const std::vector<Input> slope = adjoint();
    const double bound = problem_.bound();
    double sum = 0.0;
    report.active_bounds = 0;
    for (std::size_t k = 0; k < slope.size(); ++k)
    {
      for (int i = 0; i < inputs; ++i)
      {
        const double u = motion.inputs[k][i];
        const bool held = (u >= bound && slope[k][i] < 0.0) || (u <= -bound && slope[k][i] > 0.0);
        report.active_bounds += held ? 1U : 0U;
        sum += held ? 0.0 : slope[k][i] * slope[k][i];
      }
    }
    report.gradient = std::sqrt(sum);
  }

  /// Step and gain of each node, from the last to the first. False: more damping is needed.
  bool sweep(const Motion & motion, double damping)
  {
    constexpr int all = both + inputs;
    using Both = Eigen::Matrix<double, both, both>;
    const std::size_t n = problem_.intervals();
    steps_.resize(n + 1);
    gains_.resize(n + 1);
    promise_ = 0.0;
    Both value = Both::Zero();
    Eigen::Matrix<double, both, 1> slope = Eigen::Matrix<double, both, 1>::Zero();
    value.template topLeftCorner<states, states>() = end_.curvature;
    slope.template head<states>() = end_.gradient;
    for (std::size_t k = n; k-- > 0;)
    {
      const Interval & i = intervals_[k];
      Eigen::Matrix<double, both, all> next = Eigen::Matrix<double, both, all>::Zero();
      next.template topRows<states>() = i.by;
      next.template bottomRightCorner<inputs, inputs>().setIdentity();
      Eigen::Matrix<double, all, all> q = i.curvature + next.transpose() * value * next;
      const Eigen::Matrix<double, all, 1> g = i.gradient + next.transpose() * slope;
      if (!step_at(k + 1, motion, q, g, damping))
      {
        return false;
      }
      const auto & gain = gains_[k + 1];
      const Input & step = steps_[k + 1];
      const Eigen::Matrix<double, both, inputs> cross = q.template topRightCorner<both, inputs>();
      const Eigen::Matrix<double, inputs, inputs> own =
        q.template bottomRightCorner<inputs, inputs>();
      const Both after = q.template topLeftCorner<both, both>() + cross * gain +
                         gain.transpose() * cross.transpose() + gain.transpose() * own * gain;
      slope = (g.template head<both>() + cross * step +
               gain.transpose() * (own * step + g.template tail<inputs>()))
                .eval();
      value = 0.5 * (after + after.transpose());
    }
    return first_step(motion, value, slope, damping);
  }

  template <class Q, class G>
  bool step_at(std::size_t node, const Motion & motion, const Q & q, const G & g, double damping)
  {
    Eigen::Matrix<double, inputs, inputs> own = q.template bottomRightCorner<inputs, inputs>();
    const Input slope = g.template tail<inputs>();
    own.diagonal().array() += damping;
    const BoxStep<inputs> best = bounded_step(node, motion, own, slope);
    if (!best.found)
    {
      return false;
    }
    steps_[node] = best.step;
    gains_[node] = -best.inverse * q.template topRightCorner<both, inputs>().transpose();
    promise_ -= slope.dot(best.step) + 0.5 * best.step.dot(own * best.step);
    return true;
  }

  bool first_step(
    const Motion & motion, const Eigen::Matrix<double, both, both> & value,
    const Eigen::Matrix<double, both, 1> & slope, double damping)
  {
    Eigen::Matrix<double, inputs, inputs> own = value.template bottomRightCorner<inputs, inputs>();
    own.diagonal().array() += damping;
    const Input g = slope.template tail<inputs>();
    const BoxStep<inputs> best = bounded_step(0, motion, own, g);
    steps_[0] = best.step;
    promise_ -= g.dot(best.step) + 0.5 * best.step.dot(own * best.step);
    return best.found;
  }

  BoxStep<inputs> bounded_step(
    std::size_t node, const Motion & motion, const Eigen::Matrix<double, inputs, inputs> & own,
    const Input & slope) const
  {
    const Input bound = Input::Constant(problem_.bound());
    return box_step<inputs>(own, slope, -bound - motion.inputs[node], bound - motion.inputs[node]);
  }

  /// So much that no input moves by more than about one unit.
  double first_damping() const
  {
    double largest = 0.0;
    for (const Input & slope : adjoint())
    {
      largest = std::max(largest, slope.cwiseAbs().maxCoeff());
    }
    return largest;
  }

  /// A motion with less cost, by more and more damping (Levenberg, Marquardt).
  bool descend(Motion & motion, double & damping)
  {
    last_promise_ = 0.0;
    Motion next;
    for (; damping <= most_damping; damping = std::max(8.0 * damping, least_damping))
    {
      if (!sweep(motion, damping))
      {
        continue;
      }
      last_promise_ = std::max(last_promise_, promise_);
      if (follow(motion, steps_, gains_, next) && next.cost < motion.cost)
      {
        const double kept = (motion.cost - next.cost) / std::max(promise_, 1e-300);
        damping *= kept > 0.75 ? 0.1 : kept > 0.25 ? 0.5 : 4.0;
        damping = damping < least_damping ? 0.0 : damping;
        std::swap(motion, next);
        return true;
      }
    }
    damping = 0.0;
    return false;
  }

  /// The motion that steps and gains lead to.
  bool follow(
    const Motion & from, const std::vector<Input> & steps, const std::vector<Gain> & gains,
    Motion & to) const
  {
    const std::size_t n = problem_.intervals();
    to.states.assign(n + 1, problem_.start());
    to.inputs.assign(n + 1, Input::Zero());
    to.inputs[0] = clamped(from.inputs[0] + steps[0]);
    to.cost = 0.0;
    for (std::size_t k = 0; k < n; ++k)
    {
      Eigen::Matrix<double, both, 1> moved;
      moved << to.states[k] - from.states[k], to.inputs[k] - from.inputs[k];
      to.inputs[k + 1] = clamped(from.inputs[k + 1] + steps[k + 1] + gains[k + 1] * moved);
      to.states[k + 1] = problem_.advance(k, to.states[k], to.inputs[k], to.inputs[k + 1], to.cost);
    }
    to.cost += problem_.end_cost(to.states[n]);
    return std::isfinite(to.cost);
  }

  const Problem & problem_;
  std::vector<Interval> intervals_;
  ShootingEnd<states> end_;
  std::vector<Input> steps_;
  std::vector<Gain> gains_;
  double promise_ = 0.0;  ///< by how much the model says that the cost falls
  double last_promise_ = 0.0;
};

}  // namespace fivebar_control
