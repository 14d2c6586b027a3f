// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "fivebar_control/report/path_simplification.hpp"

namespace fivebar_control
{
namespace
{

struct Path
{
  std::vector<double> x, y;
};

/// A Lissajous figure with noise, `rows` long.
Path figure(std::size_t rows, double noise, unsigned seed)
{
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal(0.0, noise);
  Path path;
  for (std::size_t i = 0; i < rows; ++i)
  {
    const double t = 1e-3 * static_cast<double>(i);
    path.x.push_back(0.0508 * std::sin(2.5 * t) + normal(generator));
    path.y.push_back(0.0508 * std::sin(3.75 * t) + normal(generator));
  }
  return path;
}

/// Largest distance of any row from the piece of the polygon that stands for it.
double largest_deviation(const Path & path, const std::vector<std::size_t> & rows)
{
  double largest = 0.0;
  for (std::size_t k = 1; k < rows.size(); ++k)
  {
    const double ax = path.x[rows[k - 1]], ay = path.y[rows[k - 1]];
    const double dx = path.x[rows[k]] - ax, dy = path.y[rows[k]] - ay;
    for (std::size_t i = rows[k - 1]; i <= rows[k]; ++i)
    {
      const double square = dx * dx + dy * dy;
      const double along = ((path.x[i] - ax) * dx + (path.y[i] - ay) * dy);
      const double s = square > 0.0 ? std::clamp(along / square, 0.0, 1.0) : 0.0;
      largest = std::max(largest, std::hypot(path.x[i] - ax - s * dx, path.y[i] - ay - s * dy));
    }
  }
  return largest;
}

}  // namespace

TEST(PathSimplification, StaysWithinItsToleranceWithFewPoints)
{
  for (const double tolerance : {1e-5, 1e-4, 1e-3})
  {
    for (unsigned seed = 0; seed < 5; ++seed)
    {
      const Path path = figure(20000, seed % 2 == 0 ? 0.0 : 5e-6, seed);
      const auto rows = rows_within(path.x, path.y, tolerance);
      EXPECT_EQ(rows.front(), 0u);
      EXPECT_EQ(rows.back(), 19999u);
      EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
      EXPECT_LE(largest_deviation(path, rows), 1.5 * tolerance);
      EXPECT_LT(rows.size(), 6000u);
    }
  }
}

TEST(PathSimplification, KeepsACornerAndAWayBack)
{
  const std::vector<double> x{0, 1, 2, 3, 2, 1, 1, 1};
  const std::vector<double> y{0, 0, 0, 0, 0, 0, 1, 2};
  EXPECT_THAT(rows_within(x, y, 0.01), testing::ElementsAre(0u, 3u, 5u, 7u));
}

TEST(PathSimplification, KeepsShortPathsWholeAndLongOnesBelowTheBound)
{
  const Path small = figure(3000, 1e-6, 1);
  EXPECT_EQ(rows_of_path(small.x, small.y, 8000).size(), 3000u);
  const Path noisy = figure(200000, 1e-3, 2);
  const auto rows = rows_of_path(noisy.x, noisy.y, 8000);
  EXPECT_LE(rows.size(), 8000u);
  EXPECT_GT(rows.size(), 100u);
}

TEST(PathSimplification, TakesARobotThatStandsStill)
{
  const std::vector<double> still(20000, 0.1);
  EXPECT_LE(rows_of_path(still, still, 8000).size(), 2u);
  EXPECT_TRUE(rows_of_path({}, {}, 8000).empty());
}

}  // namespace fivebar_control
