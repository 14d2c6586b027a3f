// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fivebar_control/planner/cost_quadrature.hpp"
#include "fivebar_control/planner/curve.hpp"
#include "fivebar_control/planner/methods/gradient.hpp"
#include "fivebar_control/planner/tracking_problem.hpp"

namespace fivebar_control
{

using NodeGradient = std::vector<Eigen::Vector2d>;

// One function per method of gradient.hpp; the trajectory has been rolled out.

NodeGradient direct_gradient(
  const TrackingProblem & problem, const Physics<double> & physics, AssemblyMode mode,
  const Trajectory & trajectory);

NodeGradient complex_step_gradient(
  const TrackingProblem & problem, const Physics<double> & physics, AssemblyMode mode,
  const Trajectory & trajectory);

NodeGradient finite_difference_gradient(
  const TrackingProblem & problem, const Trajectory & trajectory);

NodeGradient hamiltonian_joint_gradient(
  const TrackingProblem & problem, const Physics<double> & physics, AssemblyMode mode,
  const Curve & curve, const Trajectory & trajectory);

template <class S>
inline Output<S> output_of_state(const DynamicsConstants<S> & k, const Vector4<S> & x)
{
  const Terms<S> t = terms_at<S>(k, x[0], x[1]);
  return output_at<S>(k.geometry, t.pose, t.a, t.b, x[2], x[3]);
}

}  // namespace fivebar_control
