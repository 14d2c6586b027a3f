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

/// A stretch of motion with one set of equations in one set of coordinates.
struct Phase
{
  std::shared_ptr<const Form> form;
  int mode = 0;
  std::vector<Node> nodes;
  Jump jump;  ///< to the next phase; empty in the last one
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

  double end_time() const { return phases.back().nodes.back().t; }
};

/// Runs the motion and keeps what the sensitivity methods need.
Trajectory simulate(const Problem & problem, const Settings & settings, const VectorD & rho);

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
