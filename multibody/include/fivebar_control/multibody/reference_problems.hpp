// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/multibody/problem.hpp"

namespace fivebar_control::multibody
{

/// The five-bar with springs of Dopico et al., López Varela, Maciąg and Corner: A = (0, 0), B = (1,
/// 0), rods A-1, 1-2, 2-3, 3-B in natural coordinates (x1, y1, x2, y2, x3, y3), springs B-1 and
/// B-2, released at rest.
struct FivebarOptions
{
  double gravity = 9.81;  ///< m/s^2
  double duration = 5.0;  ///< s
  double start_x = 0.5;   ///< of point 2, m
  double start_y = -2.0;
  double frame_shift = 0.0;  ///< x of A: -0.5 is the frame that Corner has
  /// rho = rest lengths of the springs; with `body_parameters` also mass, centre, length of rod A-1
  /// (its inertia held, the angles of A-1 and 1-2 held at the start: López Varela, section 7.1).
  bool body_parameters = false;
  /// Off: the rest lengths are constants and only force nodes are parameters.
  bool spring_parameters = true;
  /// The costs integral |r2 - r20|^2, |r2'|^2, |r2''|^2 (López Varela), or only the first.
  bool three_costs = false;
  /// Nodes of an actuator force in spring B-2, parameters beside the structural ones; 0: none.
  int force_nodes = 0;
};
Problem fivebar_springs(const FivebarOptions & options = {});

/// Point 2 bounces on y = -2.35: v_y2 -> -v_y2, v_x2 kept (Corner, section 2.6, in its frame).
/// Costs: integrals of v_y, a_y, a_y^2 + v_y^2, and y2 at the end.
Problem fivebar_bouncing(double start_x = 0.53029, double start_y = -2.10283);

/// Point 2 sticks to y = -2.35 (inelastic impact, new constraint). Costs: x2 and v_x2 at the end (1
/// s).
Problem fivebar_capture();

/// A cart on a rail with equal pendula in a chain, at rest, all at the same absolute angle: Maciąg,
/// section 5.4 and chapter 6. rho = nodes of the force on the cart, linear in between, all zero.
struct CartOptions
{
  int bodies = 4;  ///< with the cart
  double angle = 0.78539816339744830962;
  double duration = 2.0;  ///< s
  int force_nodes = 201;
  /// Costs: x^2 / 2, also at the end (5.5); or (5.4), upright at the end, with the rates' weight.
  bool upright = false;
  double rate_weight = 1.0;
  /// The cart is held by a constraint instead of the force.
  bool held = false;
  /// Also costs: what friction dissipates.
  bool dissipated = false;
};
Problem cart_with_pendula(const CartOptions & options);

/// The replacement reference problem for that of Schaffer: polar and Cartesian coordinates, mass
/// matrix and forces that depend on the motion, multipliers in the cost, terminal cost. With
/// `end_event` the motion ends where x = xe + (t - 1) / 20 and xe is the eighth parameter.
Problem schaffer_reference(bool end_event);

}  // namespace fivebar_control::multibody
