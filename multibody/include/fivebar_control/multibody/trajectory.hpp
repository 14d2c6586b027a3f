// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "fivebar_control/multibody/form.hpp"

namespace fivebar_control::multibody
{

/// One stored instant of a motion.
struct Node
{
  double t = 0.0;
  VectorD y, rate;  ///< state of the phase's form and its time derivative
  VectorD q;        ///< configuration, as a hint for forms that must solve for it
};

/// How sensitivities pass from one phase to the next: X+ = state X- + parameters,
/// Z+ = Z- + cost_state X- + cost_parameters (Corner 2.33-2.49, corrected as docs/sensitivity.md
/// says; the adjoint takes the transposes, 3.27-3.29).
struct Jump
{
  MatrixD state, parameters, cost_state, cost_parameters;
};

/// From where a stretch of motion can be run again, to the same bits.
struct Checkpoint
{
  std::size_t index = 0;  ///< of the node in its phase
  Node node;
  double t = 0.0;  ///< the time from which the next step starts: the grid's, not the node's sum
  Response<double> response;
  long count = 0;  ///< steps of the grid before it
};

/// A stretch of motion with one set of equations in one set of coordinates.
struct Phase
{
  std::shared_ptr<const Form> form;
  int mode = 0;
  std::vector<Node> nodes;
  Jump jump;  ///< to the next phase; empty in the last one

  // With checkpoints, `nodes` holds only the first and the last one; the others are run again.
  std::vector<Checkpoint> checkpoints;
  std::size_t length = 0;  ///< how many nodes the phase has
  double origin = 0.0;     ///< of the grid of times
  double step = 0.0;       ///< of the grid
  double last_step = 0.0;  ///< shorter where an event ended the phase
};

struct Trajectory
{
  VectorD rho;
  std::vector<Phase> phases;
  VectorD costs;
  MatrixD initial;              ///< dy(0)/drho
  MatrixD terminal_state;       ///< d(terminal cost)/dy at the end, with the end time's share
  MatrixD terminal_parameters;  ///< the same with respect to rho
  std::vector<double> event_times;
  std::size_t stride = 0;  ///< nodes from checkpoint to checkpoint; 0: every node is stored

  double end_time() const { return phases.back().nodes.back().t; }
};

/// Runs the motion and keeps what the sensitivity methods need.
Trajectory simulate(const Problem & problem, const Settings & settings, const VectorD & rho);

/// Nodes from checkpoint to checkpoint that the settings ask for; 0: every node is stored.
std::size_t checkpoint_stride(const Problem & problem, const Settings & settings);

/// The nodes from checkpoint `which` of a phase to the next one, or to the phase's end, run again.
std::vector<Node> replay(
  const Problem & problem, const Settings & settings, const Trajectory & trajectory,
  const Phase & phase, std::size_t which);

/// What the mechanism does at a node of the motion.
Response<double> response_at(
  const Problem & problem, const Trajectory & trajectory, const Phase & phase, const Node & node);

/// Only the costs, for finite differences and complex steps.
template <class S>
Vector<S> simulate_costs(const Problem & problem, const Settings & settings, const Vector<S> & rho);

/// A response, its derivatives and those of the running costs at one state. Columns: y, then theta.
struct Linearisation
{
  Response<double> response;
  ResponseTangent tangent;
  VectorD theta, g;
  MatrixD g_slope;
};

Linearisation linearise(
  const Problem & problem, const Form & form, const VectorD & rho, double t, const VectorD & y,
  const VectorD & hint);

/// Running costs and their slopes along given columns of a response.
MatrixD cost_slopes(
  const Problem & problem, double t, const VectorD & theta, const Response<double> & response,
  const ResponseTangent & tangent);

/// Residuals of the first cost, a sum of squares, and their slopes; columns as in a Linearisation.
struct Residuals
{
  VectorD values;
  MatrixD slopes;
};
Residuals residual_slopes(
  const Problem & problem, double t, const Linearisation & at, bool of_terminal);

/// A state between two nodes by cubic Hermite interpolation.
VectorD interpolate(const Node & left, const Node & right, double fraction);

}  // namespace fivebar_control::multibody
