// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/multibody/scalar.hpp"

namespace fivebar_control::multibody
{

/// A number of the mechanism: a constant, or an entry of theta.
struct Value
{
  double constant = 0.0;
  int parameter = -1;

  Value() = default;
  Value(double number) : constant(number) {}  // NOLINT(google-explicit-constructor)
  static Value of_parameter(int index)
  {
    Value value;
    value.parameter = index;
    return value;
  }
  template <class S>
  S at(const Vector<S> & theta) const
  {
    return parameter < 0 ? S(constant) : theta(parameter);
  }
};

/// A point that things can be attached to.
struct Anchor
{
  enum class Kind
  {
    ground,  ///< fixed at (x, y, z)
    point,   ///< a moving point whose coordinates are q[index], q[index + 1]
    body,    ///< fixed to the body with this number, at (x, y, z) in its frame
  };
  Kind kind = Kind::ground;
  int index = 0;    ///< first coordinate of the point, or number of the body
  Value x, y, z{};  ///< z in spatial mechanisms only
};

}  // namespace fivebar_control::multibody
