// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/multibody/trajectory.hpp"

namespace fivebar_control::multibody
{

/// v+ after an event.
template <class S>
Vector<S> velocity_after(const Event & event, const System & next, const Point<S> & before);

/// The jump of sensitivities. `event` is null where only the coordinates of the form change.
Jump linearise_jump(
  const Problem & problem, const VectorD & rho, const Event * event, const Form & before,
  const Response<double> & response_before, const VectorD & y_before, const Form & after,
  const Response<double> & response_after, double t);

/// Derivatives of terminal costs (and of the end time, if an event ends the motion).
void linearise_end(
  const Problem & problem, const Form & form, const VectorD & y, const Response<double> & response,
  double t, Trajectory & trajectory);

}  // namespace fivebar_control::multibody
