// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/report/path_simplification.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace fivebar_control
{
namespace
{

/// Directions from a kept row that pass all rows since then near enough.
class Cone
{
public:
  Cone(double x, double y, double tolerance) : x_(x), y_(y), tolerance_(tolerance) {}

  /// False if a straight line from the kept row to this one would pass a row in between too far.
  bool admits(double x, double y)
  {
    const double distance = std::hypot(x - x_, y - y_);
    if (distance < farthest_ - tolerance_)
    {
      return false;  // it turned back
    }
    farthest_ = std::max(farthest_, distance);
    if (distance <= tolerance_)
    {
      return true;
    }
    const double direction = std::atan2(y - y_, x - x_);
    if (!has_axis_)
    {
      has_axis_ = true;
      axis_ = direction;
    }
    const double turn = std::remainder(direction - axis_, 2.0 * std::numbers::pi);
    if (turn < low_ || turn > high_)
    {
      return false;
    }
    const double half_width = std::asin(tolerance_ / distance);
    low_ = std::max(low_, turn - half_width);
    high_ = std::min(high_, turn + half_width);
    return true;
  }

private:
  double x_, y_, tolerance_;
  double farthest_ = 0.0;
  bool has_axis_ = false;
  double axis_ = 0.0;
  double low_ = -std::numbers::pi;
  double high_ = std::numbers::pi;
};

}  // namespace

std::vector<std::size_t> rows_within(
  const std::vector<double> & x, const std::vector<double> & y, double tolerance)
{
  std::vector<std::size_t> kept;
  if (x.empty())
  {
    return kept;
  }
  kept.push_back(0);
  Cone cone(x[0], y[0], tolerance);
  for (std::size_t i = 1; i < x.size(); ++i)
  {
    if (!cone.admits(x[i], y[i]))
    {
      kept.push_back(i - 1);
      cone = Cone(x[i - 1], y[i - 1], tolerance);
      cone.admits(x[i], y[i]);
    }
  }
  if (kept.back() + 1 < x.size())
  {
    kept.push_back(x.size() - 1);
  }
  return kept;
}

std::vector<std::size_t> rows_of_path(
  const std::vector<double> & x, const std::vector<double> & y, std::size_t most)
{
  if (x.size() <= most)
  {
    std::vector<std::size_t> all(x.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }
  const auto [low_x, high_x] = std::minmax_element(x.begin(), x.end());
  const auto [low_y, high_y] = std::minmax_element(y.begin(), y.end());
  double tolerance = std::hypot(*high_x - *low_x, *high_y - *low_y) / 5000.0;
  std::vector<std::size_t> rows = rows_within(x, y, tolerance);
  while (rows.size() > most && tolerance > 0.0)
  {
    tolerance *= 1.5;
    rows = rows_within(x, y, tolerance);
  }
  return rows;
}

}  // namespace fivebar_control
