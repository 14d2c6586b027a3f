// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/support/number_rule.hpp"

#include <fmt/core.h>

namespace fivebar_control
{

NumberRule any_number(const std::string & unit)
{
  return {fmt::format("a finite number [{}]", unit)};
}

NumberRule positive(const std::string & unit)
{
  NumberRule rule{fmt::format("a positive number [{}]", unit)};
  rule.minimum = 0.0;
  rule.exclusive_minimum = true;
  return rule;
}

NumberRule not_negative(const std::string & unit)
{
  NumberRule rule{fmt::format("a number that is zero or positive [{}]", unit)};
  rule.minimum = 0.0;
  return rule;
}

NumberRule between(double minimum, double maximum, const std::string & unit)
{
  NumberRule rule{fmt::format("a number from {} to {} [{}]", minimum, maximum, unit)};
  rule.minimum = minimum;
  rule.maximum = maximum;
  return rule;
}

}  // namespace fivebar_control
