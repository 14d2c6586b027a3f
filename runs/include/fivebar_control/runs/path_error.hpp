// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>

namespace fivebar_control
{

/// Distance of P from a wanted path while the plan was playing.
struct PathError
{
  double ise = 0.0;           ///< m² s, eq. 7.3
  double largest = 0.0;       ///< m
  double largest_time = 0.0;  ///< s since the plan's start
  std::size_t largest_row = 0;
};

/// Integrates a squared distance by trapezoids and remembers its peak; one add() per playing cycle.
class PathErrorSum
{
public:
  void add(double time, double plan_time, double square, std::size_t row) noexcept
  {
    error_.ise += has_before_ ? 0.5 * (square + square_before_) * (time - time_before_) : 0.0;
    has_before_ = true;
    time_before_ = time;
    square_before_ = square;
    if (std::sqrt(square) > error_.largest)
    {
      error_.largest = std::sqrt(square);
      error_.largest_time = plan_time;
      error_.largest_row = row;
    }
  }
  const PathError & error() const { return error_; }

private:
  PathError error_;
  bool has_before_ = false;
  double time_before_ = 0.0;
  double square_before_ = 0.0;
};

}  // namespace fivebar_control
