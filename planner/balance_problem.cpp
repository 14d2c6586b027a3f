// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/planner/balance_problem.hpp"

namespace fivebar_control
{
namespace
{

constexpr std::array<double, 4> simpson{1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};

template <class S>
Vector2<S> point(const PendulumConstants<S> & k, const PendulumState<S> & x)
{
  return end_effector<S>(k.robot.geometry, pose_at<S>(k.robot.geometry, x[0], x[1]));
}

/// Adds weight/2 r² with its derivatives.
template <int N, class Gradient, class Curvature>
void add_square(
  const Dual<double, N> & r, double weight, Gradient & gradient, Curvature & curvature)
{
  const Eigen::Map<const Eigen::Matrix<double, N, 1>> slope(r.slope.data());
  gradient += weight * r.value * slope;
  curvature.noalias() += weight * slope * slope.transpose();
}

/// Everything that is squared at the end, with its weight.
template <class S, class Use>
void visit_end(
  const PendulumConstants<S> & k, const BalanceWeights & weights, const Eigen::Vector2d & home,
  const PendulumState<S> & x, Use && use)
{
  const PendulumPose<S> pose = pendulum_pose<S>(k, x);
  const Vector2<S> tilt = tilt_vector<S>(pose);
  const Vector2<S> p = end_effector<S>(k.robot.geometry, pose.terms.pose);
  for (int i = 0; i < 2; ++i)
  {
    use(tilt[i], weights.tilt);
    if (weights.end_position != 0.0)
    {
      use(S(p[i] - S(home[i])), weights.end_position);
    }
  }
  if (weights.velocity != 0.0)
  {
    const Eigen::Matrix<S, 6, 1> v = pendulum_velocity<S>(k, pose, x);
    for (int i = 0; i < 6; ++i)
    {
      use(v[i], weights.velocity);
    }
  }
}

}  // namespace

BalanceProblem::BalanceProblem(
  const PendulumConstants<double> & constants, const State & start, std::size_t intervals,
  double time_step, const BalanceWeights & weights, double bound)
: constants_(constants),
  start_(start),
  intervals_(intervals),
  time_step_(time_step),
  weights_(weights),
  bound_(bound),
  home_(point<double>(constants, start))
{
}

Eigen::Vector2d BalanceProblem::displacement(const State & x) const
{
  return point<double>(constants_, x) - home_;
}

BalanceProblem::State BalanceProblem::advance(
  std::size_t, const State & x, const Eigen::Vector2d & u0, const Eigen::Vector2d & u1,
  double & cost) const
{
  const State next =
    pendulum_step<double>(constants_, x, u0, u1, time_step_, [&](int stage, const State & at) {
      cost += 0.5 * weights_.position * time_step_ * simpson[static_cast<std::size_t>(stage)] *
              displacement(at).squaredNorm();
    });
  cost += weights_.volts * time_step_ / 6.0 * (u0.squaredNorm() + u0.dot(u1) + u1.squaredNorm());
  return next;
}

BalanceProblem::Interval BalanceProblem::interval(
  std::size_t, const State & x, const Eigen::Vector2d & u0, const Eigen::Vector2d & u1) const
{
  using Variable = Dual<double, Interval::variables>;
  const PendulumConstants<Variable> k = constants_as<Variable>(constants_);
  PendulumState<Variable> state;
  for (int i = 0; i < states; ++i)
  {
    state[i] = Variable(x[i], i);
  }
  const Vector2<Variable> before(Variable(u0[0], states), Variable(u0[1], states + 1));
  const Vector2<Variable> after(Variable(u1[0], states + 2), Variable(u1[1], states + 3));
  Interval result;
  result.gradient.setZero();
  result.curvature.setZero();
  const auto look = [&](int stage, const PendulumState<Variable> & at) {
    const Vector2<Variable> p = point<Variable>(k, at);
    const double weight = weights_.position * time_step_ * simpson[static_cast<std::size_t>(stage)];
    for (int i = 0; i < 2; ++i)
    {
      add_square(p[i] - home_[i], weight, result.gradient, result.curvature);
    }
  };
  const PendulumState<Variable> next =
    pendulum_step<Variable>(k, state, before, after, time_step_, look);
  for (int r = 0; r < states; ++r)
  {
    for (int c = 0; c < Interval::variables; ++c)
    {
      result.by(r, c) = next[r][c];
    }
  }
  const double sixth = weights_.volts * time_step_ / 6.0;
  for (int i = 0; i < inputs; ++i)
  {
    const int a = states + i;
    const int b = states + inputs + i;
    result.gradient[a] += sixth * (2.0 * u0[i] + u1[i]);
    result.gradient[b] += sixth * (2.0 * u1[i] + u0[i]);
    result.curvature(a, a) += 2.0 * sixth;
    result.curvature(b, b) += 2.0 * sixth;
    result.curvature(a, b) += sixth;
    result.curvature(b, a) += sixth;
  }
  return result;
}

double BalanceProblem::end_cost(const State & x) const
{
  double cost = 0.0;
  visit_end<double>(constants_, weights_, home_, x, [&cost](double r, double weight) {
    cost += 0.5 * weight * r * r;
  });
  return cost;
}

ShootingEnd<BalanceProblem::states> BalanceProblem::end(const State & x) const
{
  using Variable = Dual<double, states>;
  PendulumState<Variable> state;
  for (int i = 0; i < states; ++i)
  {
    state[i] = Variable(x[i], i);
  }
  ShootingEnd<states> result;
  result.gradient.setZero();
  result.curvature.setZero();
  visit_end<Variable>(
    constants_as<Variable>(constants_), weights_, home_, state,
    [&result](const Variable & r, double weight) {
      add_square(r, weight, result.gradient, result.curvature);
    });
  return result;
}

}  // namespace fivebar_control
