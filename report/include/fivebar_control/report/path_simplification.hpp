// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace fivebar_control
{

/// Rows to draw of a long path in the plane, in increasing order with the first and the last: the
/// polygon through them passes every row at no more than one and a half times `tolerance`. One pass
/// (a cone of directions from the last kept row narrows until a row falls out of it).
std::vector<std::size_t> rows_within(
  const std::vector<double> & x, const std::vector<double> & y, double tolerance);

/// All rows if there are at most `most`; else with the tolerance, from 1/5000 of the path's size
/// upwards, that leaves at most `most`.
std::vector<std::size_t> rows_of_path(
  const std::vector<double> & x, const std::vector<double> & y, std::size_t most);

}  // namespace fivebar_control
