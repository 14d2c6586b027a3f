// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/planner/backward_sweep.hpp"

namespace fivebar_control
{

/// Plain pointers to all that a sweep reads and writes. The kernels are compiled for several
/// instruction sets; they must not instantiate inline functions that other files share, or the
/// linker could pick a variant that the processor does not have. Hence no containers here.
struct SweepData
{
  const DynamicsConstants<double> * dynamics;
  const double * directions[16];
  const double * state[4];
  const double * input[2];
  const double * node_reference[4];
  const double * middle_reference[4];
  CostWeights weights;
  InputBounds bounds;
  double step;
  std::size_t intervals;
  double regularization;
  NodeGain * gains;  // null: gradient only
  double * gradient[2];
  bool hold_blocked = false;                    // see sweep_projected()
  double * input_step[2] = {nullptr, nullptr};  // through the linear model, if it is wanted
};

/// `gains` may be null for the gradient alone.
SweepData sweep_data(
  const TrackingProblem & problem, const InputBounds & bounds, const Trajectory & trajectory,
  const StageDirections & directions, double regularization, NodeGain * gains,
  Channels<2> & gradient);

using SweepKernel = SweepReport (*)(const SweepData &);

SweepReport sweep_portable(const SweepData & data);
SweepReport sweep_avx2(const SweepData & data);

}  // namespace fivebar_control
