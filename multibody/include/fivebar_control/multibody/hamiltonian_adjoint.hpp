// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/multibody/sensitivity.hpp"

namespace fivebar_control::multibody
{

/// The Hamiltonian adjoint (Maciąg, chapter 4), in absolute coordinates or in joint space.
struct HamiltonianAdjoint
{
  Gradient gradient;
  /// How well the adjoint keeps its own constraints, the largest over time (Maciąg,
  /// figures 5.2, 5.16).
  double velocity_drift = 0.0;      ///< |Phi_q xi|                (4.27)
  double acceleration_drift = 0.0;  ///< |Phi_q eta + Phi_q' xi|   (4.10b)
  struct Node
  {
    double t = 0.0;
    VectorD xi, eta;  ///< of the first cost, in the mechanism's coordinates
  };
  std::vector<Node> nodes;  ///< in order of time
};

enum class AdjointSpace
{
  absolute,  ///< xi, eta, mu (4.11)
  joint,     ///< xi^, eta^ with xi = R xi^ (4.29); parameters must not enter the constraints
};

HamiltonianAdjoint hamiltonian_adjoint(
  const Problem & problem, const Settings & settings, const VectorD & rho, AdjointSpace space);

}  // namespace fivebar_control::multibody
