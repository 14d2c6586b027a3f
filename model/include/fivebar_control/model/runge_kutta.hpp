// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/model/dynamics.hpp"

namespace fivebar_control
{

/// One classical Runge-Kutta step of length h with the input going linearly from u0 to u1.
/// Templated like the dynamics; the planner's transcription is exactly this map.
template <class S>
inline Vector4<S> runge_kutta_step(
  const DynamicsConstants<S> & k, const Vector4<S> & x, const Vector2<S> & u0,
  const Vector2<S> & u1, double h)
{
  const Vector2<S> middle = S(0.5) * (u0 + u1);
  const Vector4<S> k1 = state_derivative<S>(k, x, u0);
  const Vector4<S> k2 = state_derivative<S>(k, x + S(0.5 * h) * k1, middle);
  const Vector4<S> k3 = state_derivative<S>(k, x + S(0.5 * h) * k2, middle);
  const Vector4<S> k4 = state_derivative<S>(k, x + S(h) * k3, u1);
  return x + S(h / 6.0) * (k1 + S(2.0) * (k2 + k3) + k4);
}

}  // namespace fivebar_control
