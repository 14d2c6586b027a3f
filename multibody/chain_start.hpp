// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/multibody/form.hpp"

namespace fivebar_control::multibody
{

/// The state where a chain starts: Newton on the joint coordinates alone, whose Jacobian is as
/// small as the number of bodies and is not needed at all where the estimate meets the conditions.
VectorD chain_start(const Problem & problem, const Form & form, const VectorD & theta);

/// Whether the start moves with theta at all. If not, the dense work of finding out how is saved.
bool start_varies(
  const System & system, const InitialConditions & initial, const Point<double> & start);

}  // namespace fivebar_control::multibody
