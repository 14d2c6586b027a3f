// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/planner/methods/gradient.hpp"

#include <array>
#include <complex>
#include <stdexcept>
#include <utility>

#include "fivebar_control/model/cast_physics.hpp"
#include "fivebar_control/model/runge_kutta.hpp"
#include "fivebar_control/planner/backward_sweep.hpp"
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
