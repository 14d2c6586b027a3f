// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>

#include "fivebar_control/model/kinematics.hpp"
#include "property/property.hpp"

namespace fivebar_control::test
{
namespace
{

constexpr double full_turn = 2.0 * std::numbers::pi;
/// Nearer to a singularity the round trips lose digits without bound.
constexpr double least_margin = 0.05;

Geometry<double> any_geometry(Random & random)
{
  const auto length = [&] { return random.uniform(0.05, 0.4); };
  Geometry<double> g;
  g.pivot_1 = {random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2)};
  const double angle = random.uniform(0.0, full_turn);
  g.pivot_4 =
    g.pivot_1 + random.uniform(0.02, 0.5) * Eigen::Vector2d(std::cos(angle), std::sin(angle));
  g.l1 = length();
  g.l2 = length();
  g.l3 = length();
  g.l4 = length();
  g.mode = random.chance(0.5) ? 1.0 : -1.0;
  return g;
}

struct Linkage
{
  Kinematics kinematics;
  Eigen::Vector2d phi;
  LinkagePose pose;
};

/// A random robot in a random pose that it can take.
Linkage any_linkage(Random & random)
{
  for (;;)
  {
    const Kinematics kinematics(any_geometry(random));
    const Eigen::Vector2d phi(random.uniform(-7.0, 7.0), random.uniform(-7.0, 7.0));
    const auto pose = kinematics.forward(phi);
    if (
      pose && std::min({pose->margins.parallel, pose->margins.serial_1, pose->margins.serial_4}) >
                least_margin)
    {
      return {kinematics, phi, *pose};
    }
  }
}

double distance_in_turns(double a, double b) { return std::abs(std::remainder(a - b, full_turn)); }

TEST(KinematicsProperty, InverseUndoesForwardInBothModes)
{
  for_all(60'000, [](Random & random) {
    const Linkage l = any_linkage(random);
    const WorkingMode mode = l.kinematics.working_mode(l.phi);
    const auto back = l.kinematics.inverse(l.pose.end_effector, mode);
    ASSERT_TRUE(back);
    ASSERT_LT(distance_in_turns(back->phi[0], l.phi[0]), 1e-11);
    ASSERT_LT(distance_in_turns(back->phi[1], l.phi[1]), 1e-11);
    ASSERT_EQ(static_cast<double>(back->assembly_mode), l.kinematics.geometry().mode);
    ASSERT_TRUE(l.kinematics.in_workspace(l.pose.end_effector, mode));
  });
}

TEST(KinematicsProperty, ForwardUndoesEverySolutionOfInverse)
{
  for_all(30'000, [](Random & random) {
    const Linkage l = any_linkage(random);
    const Kinematics::InverseSolutions all = l.kinematics.inverse_all(l.pose.end_effector);
    ASSERT_EQ(all.count, 4u);
    for (const InverseSolution & solution : all.list)
    {
      Geometry<double> geometry = l.kinematics.geometry();
      geometry.mode = static_cast<double>(solution.assembly_mode);
      const Kinematics assembled(geometry);
      const auto pose = assembled.forward(solution.phi);
      // The other solutions may be next to a parallel singularity, where forward is ill posed.
      if (pose && pose->margins.parallel > least_margin)
      {
        ASSERT_LT((pose->end_effector - l.pose.end_effector).norm(), 1e-12);
        ASSERT_EQ(assembled.working_mode(solution.phi), solution.working_mode);
      }
    }
  });
}

TEST(KinematicsProperty, PointsBeyondAnArmAreNotReached)
{
  for_all(20'000, [](Random & random) {
    const Kinematics kinematics(any_geometry(random));
    const Geometry<double> & g = kinematics.geometry();
    const bool first = random.chance(0.5);
    const double reach = first ? g.l1 + g.l2 : g.l4 + g.l3;
    const double hole = first ? std::abs(g.l1 - g.l2) : std::abs(g.l4 - g.l3);
    const double distance = random.chance(0.5) ? reach * random.uniform(1.0 + 1e-9, 3.0)
                                               : hole * random.uniform(0.0, 1.0 - 1e-9);
    const double angle = random.uniform(0.0, full_turn);
    const Eigen::Vector2d point = (first ? g.pivot_1 : g.pivot_4) +
                                  distance * Eigen::Vector2d(std::cos(angle), std::sin(angle));
    ASSERT_EQ(kinematics.inverse_all(point).count, 0u);
    ASSERT_FALSE(kinematics.in_workspace(point, {1, 1}));
    ASSERT_FALSE(kinematics.inverse_motion({point, {}, {}}, {1, 1}, {0.0, 0.0}));
  });
}

TEST(KinematicsProperty, VelocitiesAndAccelerationsComeBack)
{
  for_all(40'000, [](Random & random) {
    const Linkage l = any_linkage(random);
    const auto pair = [&](double size) {
      return Eigen::Vector2d(random.uniform(-size, size), random.uniform(-size, size));
    };
    const Motion2 driven{l.phi, pair(20.0), pair(200.0)};
    const Motion2 point = l.kinematics.forward_motion(driven);
    const auto back = l.kinematics.inverse_motion(point, l.kinematics.working_mode(l.phi), l.phi);
    ASSERT_TRUE(back);
    // Each map divides by a sine of at least 0.05 and multiplies by ratios of lengths up to 8.
    const double scale = 20.0 + 200.0 + point.acceleration.norm() / 0.05;
    ASSERT_LT((back->position - driven.position).norm(), 1e-11);
    ASSERT_LT((back->velocity - driven.velocity).norm(), 1e-10 * scale);
    ASSERT_LT((back->acceleration - driven.acceleration).norm(), 1e-9 * scale);
  });
}

TEST(KinematicsProperty, VelocityIsTheDerivativeOfThePosition)
{
  for_all(20'000, [](Random & random) {
    const Linkage l = any_linkage(random);
    const Eigen::Vector2d w(random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0));
    const double h = 1e-6;
    const auto after = l.kinematics.forward(l.phi + h * w);
    const auto before = l.kinematics.forward(l.phi - h * w);
    ASSERT_TRUE(after && before);
    const Eigen::Vector2d difference = (after->end_effector - before->end_effector) / (2.0 * h);
    const Motion2 point = l.kinematics.forward_motion({l.phi, w, {}});
    // The third derivative of the position grows with the fifth power of 1 / margin, times ratios
    // of lengths up to 8.
    ASSERT_LT(
      (difference - point.velocity).norm(), 1e-8 + 1e-10 / std::pow(l.pose.margins.parallel, 5));
  });
}

}  // namespace
}  // namespace fivebar_control::test
