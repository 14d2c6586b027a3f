// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/planner/backward_sweep.hpp"

#include "sweep_data.hpp"

namespace fivebar_control
{
namespace
{

SweepKernel best_kernel()
{
#ifdef FIVEBAR_HAS_AVX2_KERNEL
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
  {
    return sweep_avx2;
  }
#endif
  return sweep_portable;
}

SweepReport sweep(const SweepData & data)
{
  static const SweepKernel kernel = best_kernel();
  return kernel(data);
}

}  // namespace

SweepData sweep_data(
  const TrackingProblem & problem, const InputBounds & bounds, const Trajectory & trajectory,
  const StageDirections & directions, double regularization, NodeGain * gains,
  Channels<2> & gradient)
{
  SweepData data;
  data.dynamics = &problem.dynamics;
  for (std::size_t i = 0; i < 16; ++i)
  {
    data.directions[i] = directions[i];
  }
  for (std::size_t i = 0; i < 4; ++i)
  {
    data.state[i] = trajectory.state[i];
    data.node_reference[i] = problem.node_reference[i];
    data.middle_reference[i] = problem.middle_reference[i];
  }
  for (std::size_t i = 0; i < 2; ++i)
  {
    data.input[i] = trajectory.input[i];
    data.gradient[i] = gradient[i];
  }
  data.weights = problem.weights;
  data.bounds = bounds;
  data.step = problem.step;
  data.intervals = problem.intervals;
  data.regularization = regularization;
  data.gains = gains;
  return data;
}

SweepReport sweep_riccati(
  const TrackingProblem & problem, const InputBounds & bounds, const Trajectory & trajectory,
  const StageDirections & directions, double regularization, std::vector<NodeGain> & gains,
  Channels<2> & gradient)
{
  return sweep(
    sweep_data(problem, bounds, trajectory, directions, regularization, gains.data(), gradient));
}

SweepReport sweep_projected(
  const TrackingProblem & problem, const InputBounds & bounds, const Trajectory & trajectory,
  const StageDirections & directions, double regularization, std::vector<NodeGain> & gains,
  Channels<2> & gradient, Channels<2> & step)
{
  SweepData data =
    sweep_data(problem, bounds, trajectory, directions, regularization, gains.data(), gradient);
  data.hold_blocked = true;
  data.input_step[0] = step[0];
  data.input_step[1] = step[1];
  return sweep(data);
}

double sweep_adjoint(
  const TrackingProblem & problem, const InputBounds & bounds, const Trajectory & trajectory,
  const StageDirections & directions, Channels<2> & gradient)
{
  return sweep(sweep_data(problem, bounds, trajectory, directions, 0.0, nullptr, gradient))
    .projected_gradient;
}

}  // namespace fivebar_control
