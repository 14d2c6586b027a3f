// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "fivebar_control/multibody/maggi_form.hpp"
#include "fivebar_control/multibody/sensitivity.hpp"

namespace fivebar_control::multibody
{
namespace
{

/// One interval of the coarse grid with its own independent coordinates, and what its integration
/// yields: lambda(begin) = homogeneous * lambda(end) + particular, and the same for the gradient
/// (Schaffer 5.39, 5.75, 5.138: Y0, v, T, tau).
struct Interval
{
  std::size_t phase = 0, first = 0, last = 0;  ///< nodes of the phase
  std::unique_ptr<MaggiForm> form;
  MatrixD homogeneous, particular;
  MatrixD gradient_homogeneous, gradient_particular;  ///< rows: columns of lambda, costs
};

Point<double> full_point(
  const Problem & problem, const VectorD & rho, const Form & form, const Node & node)
{
  Response<double> response;
  const VectorD theta = problem.local(node.t, rho);
  form.respond(node.t, node.y, theta, node.q, response);
  return {node.t, response.q, response.v, theta};
}

class IntervalIntegration
{
public:
  IntervalIntegration(const Problem & problem, const Trajectory & trajectory, Interval & interval)
  : problem_(problem),
    trajectory_(trajectory),
    interval_(interval),
    phase_(trajectory.phases[interval.phase])
  {
  }

  void run()
  {
    const Node & end = phase_.nodes[interval_.last];
    // The partition is chosen where the interval's integration starts (Schaffer 5.9).
    const Point<double> at = full_point(problem_, trajectory_.rho, *phase_.form, end);
    interval_.form = std::make_unique<MaggiForm>(
      phase_.form->shared_system(), choose_independent(phase_.form->system(), at));
    const Eigen::Index ny = interval_.form->size();
    const auto nc = static_cast<Eigen::Index>(problem_.costs.size());
    MatrixD lambda = MatrixD::Zero(ny, ny + nc);
    lambda.leftCols(ny).setIdentity();
    MatrixD gradient = MatrixD::Zero(ny + nc, problem_.parameters());

    Node right = node(interval_.last);
    Linearisation end_at = linearise_node(right);
    for (std::size_t k = interval_.last; k-- > interval_.first;)
    {
      const Node left = node(k);
      const double h = right.t - left.t;
      Node middle;
      middle.t = 0.5 * (left.t + right.t);
      middle.y = interpolate(left, right, 0.5);
      middle.q = left.q;
      const Linearisation middle_at = linearise_node(middle);
      Linearisation begin_at = linearise_node(left);
      const MatrixD k1 = -rate(end_at, lambda);
      const MatrixD l2 = lambda - 0.5 * h * k1;
      const MatrixD k2 = -rate(middle_at, l2);
      const MatrixD l3 = lambda - 0.5 * h * k2;
      const MatrixD k3 = -rate(middle_at, l3);
      const MatrixD l4 = lambda - h * k3;
      const MatrixD k4 = -rate(begin_at, l4);
      collect(end_at, right.t, lambda, h / 6.0, gradient);
      collect(middle_at, middle.t, 0.5 * (l2 + l3), 2.0 * h / 3.0, gradient);
      collect(begin_at, left.t, l4, h / 6.0, gradient);
      lambda -= h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
      right = left;
      end_at = std::move(begin_at);
    }
    interval_.homogeneous = lambda.leftCols(ny);
    interval_.particular = lambda.rightCols(nc);
    interval_.gradient_homogeneous = gradient.topRows(ny);
    interval_.gradient_particular = gradient.bottomRows(nc);
  }

private:
  /// The motion's node in the interval's own coordinates.
  Node node(std::size_t k) const
  {
    const Node & stored = phase_.nodes[k];
    const Point<double> at = full_point(problem_, trajectory_.rho, *phase_.form, stored);
    Node result{stored.t, interval_.form->state(at), {}, at.q};
    Response<double> response;
    interval_.form->respond(result.t, result.y, at.theta, at.q, response);
    result.rate = response.rate;
    return result;
  }
  Linearisation linearise_node(const Node & at) const
  {
    return linearise(problem_, *interval_.form, trajectory_.rho, at.t, at.y, at.q);
  }
  /// The costs act only on the particular solution, the last columns.
  static MatrixD rate(const Linearisation & at, const MatrixD & lambda)
  {
    MatrixD result = at.tangent.rate.leftCols(lambda.rows()).transpose() * lambda;
    result.rightCols(at.g.size()) += at.g_slope.leftCols(lambda.rows()).transpose();
    return result;
  }
  void collect(
    const Linearisation & at, double t, const MatrixD & lambda, double weight,
    MatrixD & gradient) const
  {
    MatrixD local = lambda.transpose() * at.tangent.rate.rightCols(at.theta.size());
    local.bottomRows(at.g.size()) += at.g_slope.rightCols(at.theta.size());
    problem_.add_global(t, weight * local, gradient);
  }

  const Problem & problem_;
  const Trajectory & trajectory_;
  Interval & interval_;
  const Phase & phase_;
};

std::vector<Interval> divide(const Trajectory & trajectory, int wanted)
{
  std::size_t steps = 0;
  for (const Phase & phase : trajectory.phases)
  {
    steps += phase.nodes.size() - 1;
  }
  const std::size_t length = std::max<std::size_t>(
    1, (steps + static_cast<std::size_t>(wanted) - 1) / static_cast<std::size_t>(wanted));
  std::vector<Interval> intervals;
  for (std::size_t p = 0; p < trajectory.phases.size(); ++p)
  {
    const std::size_t last = trajectory.phases[p].nodes.size() - 1;
    for (std::size_t first = 0; first < last; first += length)
    {
      Interval interval;
      interval.phase = p;
      interval.first = first;
      interval.last = std::min(last, first + length);
      intervals.push_back(std::move(interval));
    }
  }
  return intervals;
}

/// Runs all intervals on `count` threads; the first exception is passed on.
void integrate_all(
  const Problem & problem, const Trajectory & trajectory, std::vector<Interval> & intervals,
  int count)
{
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex guard;
  const auto work = [&]() {
    try
    {
      for (std::size_t i = next++; i < intervals.size(); i = next++)
      {
        IntervalIntegration(problem, trajectory, intervals[i]).run();
      }
    }
    catch (...)
    {
      const std::lock_guard<std::mutex> lock(guard);
      failure = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < count; ++i)
  {
    threads.emplace_back(work);
  }
  work();
  for (std::thread & thread : threads)
  {
    thread.join();
  }
  if (failure)
  {
    std::rethrow_exception(failure);
  }
}

/// lambda belongs to the state of `from`; returns the one that belongs to the state of `to`. The
/// explicit dependence on parameters of the change of coordinates goes to the gradient. Chaining
/// intervals without this map is wrong wherever the partition changes.
MatrixD change_coordinates(
  const Problem & problem, const VectorD & rho, const Form & from, const Form & to,
  const Point<double> & at, const MatrixD & lambda, MatrixD & gradient)
{
  const VectorD y = to.state(at);
  const Linearisation linear = linearise(problem, to, rho, at.t, y, at.q);
  Directions along(to.system(), linear.tangent.q.cols());
  along.q = linear.tangent.q;
  along.v = linear.tangent.v;
  along.theta.rightCols(linear.theta.size()).setIdentity();
  const MatrixD tangent = from.state_tangent(at, along);
  problem.add_global(at.t, lambda.transpose() * tangent.rightCols(linear.theta.size()), gradient);
  return tangent.leftCols(to.size()).transpose() * lambda;
}

}  // namespace

MatrixD piecewise_adjoint_of(
  const Problem & problem, const Settings & settings, const Trajectory & trajectory)
{
  std::vector<Interval> intervals = divide(trajectory, settings.intervals);
  integrate_all(problem, trajectory, intervals, std::max(1, settings.threads));

  MatrixD gradient = trajectory.terminal_parameters;
  MatrixD lambda = trajectory.terminal_state.transpose();
  const Form * coordinates = trajectory.phases.back().form.get();
  for (std::size_t i = intervals.size(); i-- > 0;)
  {
    const Interval & interval = intervals[i];
    const Phase & phase = trajectory.phases[interval.phase];
    if (i + 1 < intervals.size() && intervals[i + 1].phase != interval.phase)
    {
      gradient += lambda.transpose() * phase.jump.parameters + phase.jump.cost_parameters;
      lambda = (phase.jump.state.transpose() * lambda + phase.jump.cost_state.transpose()).eval();
      coordinates = phase.form.get();
    }
    const Point<double> end =
      full_point(problem, trajectory.rho, *phase.form, phase.nodes[interval.last]);
    lambda = change_coordinates(
      problem, trajectory.rho, *coordinates, *interval.form, end, lambda, gradient);
    gradient += lambda.transpose() * interval.gradient_homogeneous + interval.gradient_particular;
    lambda = (interval.homogeneous * lambda + interval.particular).eval();
    coordinates = interval.form.get();
    if (interval.first == 0)
    {
      const Point<double> begin =
        full_point(problem, trajectory.rho, *phase.form, phase.nodes.front());
      lambda = change_coordinates(
        problem, trajectory.rho, *coordinates, *phase.form, begin, lambda, gradient);
      coordinates = phase.form.get();
    }
  }
  gradient += lambda.transpose() * trajectory.initial;
  return gradient;
}

Gradient piecewise_adjoint(const Problem & problem, const Settings & settings, const VectorD & rho)
{
  const Trajectory trajectory = simulate(problem, settings, rho);
  return {trajectory.costs, piecewise_adjoint_of(problem, settings, trajectory)};
}

}  // namespace fivebar_control::multibody
