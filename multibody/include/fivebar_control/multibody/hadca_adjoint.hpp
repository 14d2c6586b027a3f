// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/multibody/sensitivity.hpp"

namespace fivebar_control::multibody
{

/// The Hamiltonian adjoint of an open chain by divide and conquer (Maciąg 4.5): the work grows with
/// the number of bodies, not with its cube. Parameters are nodes of inputs.
struct HadcaAdjoint
{
  struct Node
  {
    double t = 0.0;
    VectorD xi, eta;  ///< of the first cost, in the mechanism's coordinates
    VectorD density;  ///< dJ/du of each input per second
  };
  Gradient gradient;
  std::vector<Node> nodes;  ///< in order of time
};

/// Why it cannot be used, or nothing.
std::string hadca_obstacle(const Problem & problem);

/// Throws MechanismError where it cannot be used.
HadcaAdjoint hadca_adjoint(const Problem & problem, const Settings & settings, const VectorD & rho);

}  // namespace fivebar_control::multibody
