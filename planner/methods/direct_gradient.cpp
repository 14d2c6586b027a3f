// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/model/cast_physics.hpp"
#include "fivebar_control/model/runge_kutta.hpp"
#include "fivebar_control/support/dual.hpp"
#include "gradient_methods.hpp"

namespace fivebar_control
{
namespace
{

// Derivatives of the step by (x, u0, u1) and of the outputs by x come from dual numbers.
using Step = Dual<double, 8>;
using Observe = Dual<double, 4>;
using Sensitivity = Eigen::Matrix<double, 4, Eigen::Dynamic>;

/// Outputs (r, r') of a state.
struct Observed
{
  Eigen::Vector4d value;
  Eigen::Matrix4d by_state;
};

Observed observe(const DynamicsConstants<Observe> & k, const Eigen::Vector4d & x)
{
  const Output<Observe> y = output_of_state<Observe>(
    k, Vector4<Observe>(Observe(x[0], 0), Observe(x[1], 1), Observe(x[2], 2), Observe(x[3], 3)));
  Observed result;
  for (int r = 0; r < 4; ++r)
  {
    const Observe & component = r < 2 ? y.r[r] : y.v[r - 2];
    result.value[r] = component.value;
    for (int c = 0; c < 4; ++c)
    {
      result.by_state(r, c) = component[c];
    }
  }
  return result;
}

Eigen::Matrix<double, 4, 8> step_jacobian(
  const DynamicsConstants<Step> & k, const Trajectory & trajectory, std::size_t i, double h)
{
  const Eigen::Vector4d x = trajectory.x(i);
  const Eigen::Vector2d u0 = trajectory.u(i);
  const Eigen::Vector2d u1 = trajectory.u(i + 1);
  const Vector4<Step> next = runge_kutta_step<Step>(
    k, Vector4<Step>(Step(x[0], 0), Step(x[1], 1), Step(x[2], 2), Step(x[3], 3)),
    Vector2<Step>(Step(u0[0], 4), Step(u0[1], 5)), Vector2<Step>(Step(u1[0], 6), Step(u1[1], 7)),
    h);
  Eigen::Matrix<double, 4, 8> jacobian;
  for (int r = 0; r < 4; ++r)
  {
    for (int c = 0; c < 8; ++c)
    {
      jacobian(r, c) = next[r][c];
    }
  }
  return jacobian;
}

/// Derivatives of an interval's cost (with its right node) by the outputs at both ends.
class IntervalCost
{
public:
  explicit IntervalCost(const TrackingProblem & problem) : problem_(problem)
  {
    const double position = 1.0 - problem.weights.alpha;
    const double velocity = position * problem.weights.beta;
    weight_ << position, position, velocity, velocity;
    // The middle's outputs are linear in those of both ends (hermite_middle).
    const double h = problem.step;
    const Eigen::Matrix2d one = Eigen::Matrix2d::Identity();
    first_share_ << 0.5 * one, h / 8.0 * one, -1.5 / h * one, -0.25 * one;
    second_share_ << 0.5 * one, -h / 8.0 * one, 1.5 / h * one, -0.25 * one;
  }

  struct Slopes
  {
    Eigen::Vector4d left, right;
  };
  Slopes at(std::size_t i, const Eigen::Vector4d & left, const Eigen::Vector4d & right) const
  {
    const double h = problem_.step;
    const Eigen::Vector4d middle_error =
      first_share_ * left + second_share_ * right - reference(problem_.middle_reference, i);
    const Eigen::Vector4d middle = 4.0 / 3.0 * h * weight_.cwiseProduct(middle_error);
    const bool last = i + 1 == problem_.intervals;
    const Eigen::Vector4d error = right - reference(problem_.node_reference, i + 1);
    Eigen::Vector4d node = (last ? h / 3.0 : 2.0 * h / 3.0) * weight_.cwiseProduct(error);
    if (last)
    {
      node.head<2>() += 2.0 * problem_.weights.alpha * error.head<2>();
    }
    return {first_share_.transpose() * middle, second_share_.transpose() * middle + node};
  }

private:
  static Eigen::Vector4d reference(const Channels<4> & channels, std::size_t i)
  {
    return {channels[0][i], channels[1][i], channels[2][i], channels[3][i]};
  }

  const TrackingProblem & problem_;
  Eigen::Vector4d weight_;
  Eigen::Matrix4d first_share_, second_share_;
};

}  // namespace

NodeGradient direct_gradient(
  const TrackingProblem & problem, const Physics<double> & physics, AssemblyMode mode,
  const Trajectory & trajectory)
{
  const DynamicsConstants<Step> step_constants = lump(cast_physics<Step>(physics), mode);
  const DynamicsConstants<Observe> output_constants = lump(cast_physics<Observe>(physics), mode);
  const IntervalCost cost(problem);
  const auto variables = static_cast<Eigen::Index>(2 * problem.nodes());
  // Two columns per node; the part that is not zero grows with time.
  Sensitivity sensitivity = Eigen::MatrixXd::Zero(4, variables);
  Eigen::RowVectorXd total = Eigen::RowVectorXd::Zero(variables);
  Observed before = observe(output_constants, trajectory.x(0));
  for (std::size_t i = 0; i < problem.intervals; ++i)
  {
    const auto jacobian = step_jacobian(step_constants, trajectory, i, problem.step);
    const auto columns = static_cast<Eigen::Index>(2 * (i + 2));
    const Eigen::MatrixXd earlier = before.by_state * sensitivity.leftCols(columns);
    Eigen::MatrixXd moved = jacobian.leftCols<4>() * sensitivity.leftCols(columns);
    moved.rightCols<4>() += jacobian.rightCols<4>();
    sensitivity.leftCols(columns) = moved;

    const Observed after = observe(output_constants, trajectory.x(i + 1));
    const Eigen::MatrixXd later = after.by_state * moved;
    const IntervalCost::Slopes slopes = cost.at(i, before.value, after.value);
    total.leftCols(columns) += slopes.left.transpose() * earlier + slopes.right.transpose() * later;
    before = after;
  }
  NodeGradient gradient(problem.nodes());
  for (std::size_t i = 0; i < problem.nodes(); ++i)
  {
    const auto column = static_cast<Eigen::Index>(2 * i);
    gradient[i] = {total[column], total[column + 1]};
  }
  add_input_cost_gradient(problem, trajectory, gradient);
  return gradient;
}

}  // namespace fivebar_control
