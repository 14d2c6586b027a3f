// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numbers>

#include "fivebar_control/planner/curve.hpp"

namespace fivebar_control
{
namespace
{

const Lissajous lissajous{{0.1, 0.2}, {0.03, 0.05}, {2.0, 3.0}, {0.3, -0.2}, 4.0};
const Polyline polyline{{{0.0, 0.0}, {0.1, 0.0}, {0.1, 0.1}, {0.0, 0.1}}, 0.05, 0.4};
const SplinePath spline{
  {1.0, 1.5, 2.5, 3.0}, {{0.0, 0.0}, {0.1, 0.05}, {0.05, 0.1}, {0.0, 0.02}}, true};

/// Velocity and acceleration must be the derivatives of the position, away from kinks.
void expect_consistent(const Curve & curve, const std::vector<double> & kinks = {})
{
  const double h = 1e-5;
  for (int i = 1; i < 400; ++i)
  {
    const double t = curve.duration() * i / 400.0;
    bool smooth = true;
    for (const double kink : kinks)
    {
      smooth = smooth && std::abs(t - kink) > 2 * h;
    }
    if (!smooth)
    {
      continue;
    }
    const Motion2 m = curve.at(t);
    const Motion2 after = curve.at(t + h);
    const Motion2 before = curve.at(t - h);
    EXPECT_LT(((after.position - before.position) / (2 * h) - m.velocity).norm(), 1e-8) << t;
    EXPECT_LT(((after.velocity - before.velocity) / (2 * h) - m.acceleration).norm(), 1e-7) << t;
  }
}

}  // namespace

TEST(Curve, LissajousIsThePublishedFormula)
{
  const CurvePointer curve = make_curve(lissajous);
  const Motion2 m = curve->at(1.7);
  EXPECT_NEAR(m.position[0], 0.1 + 0.03 * std::sin(2.0 * 1.7 + 0.3), 1e-15);
  EXPECT_NEAR(m.position[1], 0.2 + 0.05 * std::sin(3.0 * 1.7 - 0.2), 1e-15);
  expect_consistent(*curve);
}

TEST(Curve, CircleGoesRoundAtConstantSpeed)
{
  const CurvePointer curve = make_curve(Circle{{0.1, 0.2}, 0.03, 0.5, -2.0, 4.0});
  for (const double t : {0.0, 0.7, 4.0})
  {
    EXPECT_NEAR((curve->at(t).position - Eigen::Vector2d(0.1, 0.2)).norm(), 0.03, 1e-15);
    EXPECT_NEAR(curve->at(t).velocity.norm(), 0.03 * std::numbers::pi, 1e-15);
  }
  EXPECT_NEAR(curve->at(0.0).position[0], 0.1 + 0.03 * std::cos(0.5), 1e-15);
  EXPECT_NEAR(curve->at(0.0).position[1], 0.2 + 0.03 * std::sin(0.5), 1e-15);
  EXPECT_LT(
    cross<double>(curve->at(0.0).position - Eigen::Vector2d(0.1, 0.2), curve->at(0.0).velocity),
    0.0)
    << "negative turns go clockwise";
  expect_consistent(*curve);
}

TEST(Curve, PolylineIsStraightBetweenItsBlends)
{
  const CurvePointer curve = make_curve(polyline);
  EXPECT_NEAR(curve->duration(), 6.0, 1e-12);
  EXPECT_NEAR(curve->at(1.0).velocity[0], 0.05, 1e-15);
  EXPECT_NEAR(curve->at(1.0).velocity[1], 0.0, 1e-15);
  EXPECT_LT((curve->at(6.0).position - polyline.points.back()).norm(), 1e-12);
  const double miss = (curve->at(2.0).position - polyline.points[1]).norm();
  EXPECT_NEAR(miss, 0.05 * 0.4 / 8.0 * std::sqrt(2.0), 1e-12) << "distance from the corner";
  expect_consistent(*curve, {1.8, 2.2, 3.8, 4.2});
}

TEST(Curve, PolylineRefusesLinesTooShortForTheirBlends)
{
  Polyline bad = polyline;
  bad.blend = 2.5;
  EXPECT_THROW(make_curve(bad), InputError);
}

TEST(Curve, SplinePassesItsPointsAtTheirTimesAndStartsAndEndsAtRest)
{
  const CurvePointer curve = make_curve(spline);
  EXPECT_NEAR(curve->duration(), 2.0, 1e-15);
  for (std::size_t i = 0; i < spline.times.size(); ++i)
  {
    EXPECT_LT((curve->at(spline.times[i] - 1.0).position - spline.points[i]).norm(), 1e-15);
  }
  EXPECT_LT(curve->at(0.0).velocity.norm(), 1e-15);
  EXPECT_LT(curve->at(2.0).velocity.norm(), 1e-15);
  expect_consistent(*curve, {0.5, 1.5});
  SplinePath natural = spline;
  natural.at_rest_at_ends = false;
  EXPECT_LT(make_curve(natural)->at(0.0).acceleration.norm(), 1e-15);
  natural.times = {1.0, 0.9, 2.5, 3.0};
  EXPECT_THROW(make_curve(natural), InputError);
}

TEST(Curve, PlacementScalesTurnsAndMoves)
{
  Placement placement;
  placement.about = {0.1, 0.2};
  placement.translate = {0.01, 0.02};
  placement.scale = 2.0;
  placement.rotate = std::numbers::pi / 2;
  const CurvePointer original = make_curve(lissajous);
  const CurvePointer placed = place(original, placement);
  const Eigen::Vector2d offset = original->at(1.0).position - placement.about;
  const Eigen::Vector2d expected =
    placement.about + 2.0 * Eigen::Vector2d(-offset[1], offset[0]) + placement.translate;
  EXPECT_LT((placed->at(1.0).position - expected).norm(), 1e-15);
  expect_consistent(*placed);
}

TEST(Curve, RampsStartAndEndAtRestAndKeepThePath)
{
  const CurvePointer original = make_curve(lissajous);
  const CurvePointer ramped = ramp(original, 1.0, 0.6);
  EXPECT_NEAR(ramped->duration(), 4.8, 1e-12);
  for (const double t : {0.0, 4.8})
  {
    EXPECT_LT(ramped->at(t).velocity.norm(), 1e-12);
    EXPECT_LT(ramped->at(t).acceleration.norm(), 1e-12);
  }
  EXPECT_LT((ramped->at(2.5).position - original->at(2.0).position).norm(), 1e-12);
  EXPECT_LT((ramped->at(4.8).position - original->at(4.0).position).norm(), 1e-12);
  expect_consistent(*ramped, {1.0, 4.2});
}

}  // namespace fivebar_control
