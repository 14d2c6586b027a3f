// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/planner/methods/gradient.hpp"

#include <array>
#include <complex>
#include <stdexcept>
#include <utility>

#include "fivebar_control/model/cast_physics.hpp"
#include "fivebar_control/model/runge_kutta.hpp"
#include "fivebar_control/planner/backward_sweep.hpp"
#include "fivebar_control/support/dual.hpp"
#include "gradient_methods.hpp"

namespace fivebar_control
{
namespace
{

constexpr std::array<std::pair<const char *, GradientMethod>, 5> methods{{
  {"discrete-adjoint", GradientMethod::discrete_adjoint},
  {"hamiltonian-joint", GradientMethod::hamiltonian_joint},
  {"direct", GradientMethod::direct},
  {"complex-step", GradientMethod::complex_step},
  {"finite-difference", GradientMethod::finite_difference},
}};

/// Cost from node `first` on (its own node included), with input(i) the voltages; for derivatives
/// by an input, what lies before does not count.
template <class S, class Input>
S cost_from(
  const TrackingProblem & problem, const DynamicsConstants<S> & k, std::size_t first, Vector4<S> x,
  Input && input)
{
  CostSum<S> cost(problem);
  Vector2<S> u0 = input(first);
  Output<S> y0 = output_of_state<S>(k, x);
  cost.add_node(first, y0);
  for (std::size_t i = first; i < problem.intervals; ++i)
  {
    const Vector2<S> u1 = input(i + 1);
    x = runge_kutta_step<S>(k, x, u0, u1, problem.step);
    const Output<S> y1 = output_of_state<S>(k, x);
    cost.add_node(i + 1, y1);
    cost.add_interval(i, y0, y1, u0, u1);
    u0 = u1;
    y0 = y1;
  }
  return cost.total();
}

}  // namespace

void add_input_cost_gradient(
  const TrackingProblem & problem, const Trajectory & trajectory, NodeGradient & gradient)
{
  const CostWeights & w = problem.weights;
  const double h = problem.step;
  for (std::size_t i = 0; i < problem.intervals; ++i)
  {
    for (int j = 0; j < 2; ++j)
    {
      const double u0 = trajectory.u(i)[j];
      const double u1 = trajectory.u(i + 1)[j];
      const double scale = w.gamma * h / 6.0;
      const double middle = 2.0 * soft_excess(0.5 * (u0 + u1), w.soft_voltage);
      const double rate = 2.0 * w.rho / h * (u1 - u0);
      gradient[i][j] += scale * (soft_excess(u0, w.soft_voltage) + middle) - rate;
      gradient[i + 1][j] += scale * (soft_excess(u1, w.soft_voltage) + middle) + rate;
    }
  }
}

NodeGradient complex_step_gradient(
  const TrackingProblem & problem, const Physics<double> & physics, AssemblyMode mode,
  const Trajectory & trajectory)
{
  using Complex = std::complex<double>;
  constexpr double tiny = 1e-40;
  const DynamicsConstants<Complex> k = lump(cast_physics<Complex>(physics), mode);
  NodeGradient gradient(problem.nodes());
  for (std::size_t node = 0; node < problem.nodes(); ++node)
  {
    const std::size_t first = node == 0 ? 0 : node - 1;
    for (int j = 0; j < 2; ++j)
    {
      const Complex cost = cost_from<Complex>(
        problem, k, first, trajectory.x(first).cast<Complex>(), [&](std::size_t i) {
          Vector2<Complex> u = trajectory.u(i).cast<Complex>();
          if (i == node)
          {
            u[j] += Complex(0.0, tiny);
          }
          return u;
        });
      gradient[node][j] = cost.imag() / tiny;
    }
  }
  return gradient;
}

NodeGradient finite_difference_gradient(
  const TrackingProblem & problem, const Trajectory & trajectory)
{
  NodeGradient gradient(problem.nodes());
  for (std::size_t node = 0; node < problem.nodes(); ++node)
  {
    const std::size_t first = node == 0 ? 0 : node - 1;
    for (int j = 0; j < 2; ++j)
    {
      const double step = 1e-4 * std::max(1.0, std::abs(trajectory.u(node)[j]));
      const auto moved = [&](double change) {
        return cost_from<double>(
          problem, problem.dynamics, first, trajectory.x(first), [&](std::size_t i) {
            Eigen::Vector2d u = trajectory.u(i);
            if (i == node)
            {
              u[j] += change;
            }
            return u;
          });
      };
      gradient[node][j] = (moved(step) - moved(-step)) / (2.0 * step);
    }
  }
  return gradient;
}

NodeGradient direct_gradient(
  const TrackingProblem & problem, const Physics<double> & physics, AssemblyMode mode,
  const Trajectory & trajectory)
{
  // Derivatives of the step by (x, u0, u1) and of the outputs by x come from dual numbers; the
  // sensitivity matrix has two columns per node and grows with time.
  using Step = Dual<double, 8>;
  using Observe = Dual<double, 4>;
  const DynamicsConstants<Step> k = lump(cast_physics<Step>(physics), mode);
  const DynamicsConstants<Observe> ko = lump(cast_physics<Observe>(physics), mode);
  const std::size_t nodes = problem.nodes();
  const double h = problem.step;
  const double position = 1.0 - problem.weights.alpha;
  const double velocity = position * problem.weights.beta;

  Eigen::Matrix<double, 4, Eigen::Dynamic> sensitivity =
    Eigen::MatrixXd::Zero(4, static_cast<Eigen::Index>(2 * nodes));
  Eigen::RowVectorXd total = Eigen::RowVectorXd::Zero(static_cast<Eigen::Index>(2 * nodes));

  struct Observed
  {
    Eigen::Vector4d value;
    Eigen::Matrix4d by_state;
  };
  const auto observe = [&](std::size_t i) {
    const Eigen::Vector4d x = trajectory.x(i);
    const Output<Observe> y = output_of_state<Observe>(
      ko, Vector4<Observe>(Observe(x[0], 0), Observe(x[1], 1), Observe(x[2], 2), Observe(x[3], 3)));
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
  };
  const auto reference = [](const Channels<4> & channels, std::size_t i) {
    return Eigen::Vector4d(channels[0][i], channels[1][i], channels[2][i], channels[3][i]);
  };
  const Eigen::Vector4d weight(position, position, velocity, velocity);
  // The middle's outputs are linear in those of both ends (hermite_middle).
  Eigen::Matrix4d first_share = Eigen::Matrix4d::Zero();
  Eigen::Matrix4d second_share = Eigen::Matrix4d::Zero();
  const Eigen::Matrix2d one = Eigen::Matrix2d::Identity();
  first_share << 0.5 * one, h / 8.0 * one, -1.5 / h * one, -0.25 * one;
  second_share << 0.5 * one, -h / 8.0 * one, 1.5 / h * one, -0.25 * one;

  Observed before = observe(0);
  for (std::size_t i = 0; i < problem.intervals; ++i)
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
    const auto columns = static_cast<Eigen::Index>(2 * (i + 2));
    const Eigen::MatrixXd earlier = before.by_state * sensitivity.leftCols(columns);
    Eigen::MatrixXd moved = jacobian.leftCols<4>() * sensitivity.leftCols(columns);
    moved.rightCols<4>() += jacobian.rightCols<4>();
    sensitivity.leftCols(columns) = moved;

    const Observed after = observe(i + 1);
    const Eigen::MatrixXd later = after.by_state * moved;
    const Eigen::Vector4d middle_error = first_share * before.value + second_share * after.value -
                                         reference(problem.middle_reference, i);
    const Eigen::Vector4d middle = 4.0 / 3.0 * h * weight.cwiseProduct(middle_error);
    const bool last = i + 1 == problem.intervals;
    const Eigen::Vector4d error = after.value - reference(problem.node_reference, i + 1);
    Eigen::Vector4d node = (last ? h / 3.0 : 2.0 * h / 3.0) * weight.cwiseProduct(error);
    if (last)
    {
      node.head<2>() += 2.0 * problem.weights.alpha * error.head<2>();
    }
    total.leftCols(columns) += (first_share.transpose() * middle).transpose() * earlier +
                               (second_share.transpose() * middle + node).transpose() * later;
    before = after;
  }
  NodeGradient gradient(nodes);
  for (std::size_t i = 0; i < nodes; ++i)
  {
    const auto column = static_cast<Eigen::Index>(2 * i);
    gradient[i] = {total[column], total[column + 1]};
  }
  add_input_cost_gradient(problem, trajectory, gradient);
  return gradient;
}

std::optional<GradientMethod> gradient_method(const std::string & name)
{
  for (const auto & [text, method] : methods)
  {
    if (name == text)
    {
      return method;
    }
  }
  return std::nullopt;
}

std::string to_string(GradientMethod method)
{
  for (const auto & [text, value] : methods)
  {
    if (value == method)
    {
      return text;
    }
  }
  return "unknown";
}

GradientResult compute_gradient(
  GradientMethod method, const TrackingProblem & problem, const Physics<double> & physics,
  AssemblyMode mode, const Curve & curve, Trajectory & trajectory)
{
  StageDirections directions;
  directions.resize(problem.nodes());
  if (!roll_out(problem, trajectory, directions))
  {
    throw LeavesWorkspace("the voltages lead out of the workspace or too near a singularity");
  }
  GradientResult result;
  result.cost = trajectory.cost.total();
  switch (method)
  {
    case GradientMethod::discrete_adjoint: {
      Channels<2> gradient;
      gradient.resize(problem.nodes());
      sweep_adjoint(problem, problem.bounds, trajectory, directions, gradient);
      for (std::size_t i = 0; i < problem.nodes(); ++i)
      {
        result.gradient.emplace_back(gradient[0][i], gradient[1][i]);
      }
      break;
    }
    case GradientMethod::hamiltonian_joint:
      result.gradient = hamiltonian_joint_gradient(problem, physics, mode, curve, trajectory);
      break;
    case GradientMethod::direct:
      result.gradient = direct_gradient(problem, physics, mode, trajectory);
      break;
    case GradientMethod::complex_step:
      result.gradient = complex_step_gradient(problem, physics, mode, trajectory);
      break;
    case GradientMethod::finite_difference:
      result.gradient = finite_difference_gradient(problem, trajectory);
      break;
  }
  return result;
}

}  // namespace fivebar_control
