// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>

namespace fivebar_control
{

/// What a number must satisfy, and how that is said to the user.
struct NumberRule
{
  std::string expectation;  ///< completes "expected ...", with the unit
  double minimum = -std::numeric_limits<double>::max();
  double maximum = std::numeric_limits<double>::max();
  bool exclusive_minimum = false;
};

NumberRule any_number(const std::string & unit);
NumberRule positive(const std::string & unit);
NumberRule not_negative(const std::string & unit);
NumberRule between(double minimum, double maximum, const std::string & unit);

}  // namespace fivebar_control
