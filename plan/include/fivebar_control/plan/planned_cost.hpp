// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

namespace fivebar_control
{

/// Weights of the cost (Maciąg, eqs. 7.2 and 7.4, and a rate term of our own):
/// J = (1 - alpha) int (|r - r*|² + beta |v - v*|²) dt + alpha |r - r*|²(tf)
///   + gamma int sum ½ max(|u| - soft_voltage, 0)² dt + rho int |u'|² dt.
struct CostWeights
{
  double alpha = 0.05;
  double beta = 1.0;          ///< s²
  double gamma = 0.0;         ///< m²/V²
  double soft_voltage = 0.0;  ///< V
  double rho = 0.0;           ///< m² s²/V²
};

inline constexpr double unbounded = std::numeric_limits<double>::infinity();

/// Hard bounds on the inputs at the nodes (and so, the input being linear between them,
/// everywhere).
struct InputBounds
{
  double voltage = unbounded;       ///< V, |u|
  double voltage_rate = unbounded;  ///< V/s, |u'|
  /// m², weight of the logarithmic barrier by which the solver keeps the rate inside; set by it.
  double rate_barrier = 0.0;
};

}  // namespace fivebar_control
