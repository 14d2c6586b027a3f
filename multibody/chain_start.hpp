// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/multibody/form.hpp"

namespace fivebar_control::multibody
{

/// The state where a chain starts: Newton on the joint coordinates alone, whose Jacobian is as
/// small as the number of bodies and is not needed at all where the estimate meets the conditions.
VectorD chain_start(const Problem & problem, const Form & form, const VectorD & theta);

}  // namespace fivebar_control::multibody
