// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "fivebar_control/multibody/system.hpp"

namespace fivebar_control::multibody
{

/// Rows of constraints that repeat what others enforce, wherever the mechanism is near `start`:
/// found by QR with pivoting, at two configurations that keep all constraints. Empty where there
/// are none, and where no such configuration is found.
std::vector<int> redundant_constraints(
  const System & system, const VectorD & start, const VectorD & theta);

/// The system without these rows.
std::shared_ptr<const System> without_constraints(
  std::shared_ptr<const System> system, const std::vector<int> & rows);

}  // namespace fivebar_control::multibody
