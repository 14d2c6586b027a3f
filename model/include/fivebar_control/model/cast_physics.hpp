// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fivebar_control/model/parameters.hpp"

namespace fivebar_control
{

/// The physical parameters with another scalar.
template <class S>
Physics<S> cast_physics(const Physics<double> & source)
{
  Physics<S> result;
  std::vector<double> values;
  visit_parameters(source, [&](const std::string &, double value) { values.push_back(value); });
  std::size_t i = 0;
  visit_parameters(result, [&](const std::string &, S & value) { value = S(values[i++]); });
  return result;
}

}  // namespace fivebar_control
