// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <complex>

#include "fivebar_control/learning/output_error.hpp"
#include "fivebar_control/model/robot_file_text.hpp"
#include "learning/lab.hpp"

namespace fivebar_control::test
{
namespace
{

using Complex = std::complex<double>;
constexpr double tiny = 1e-40;  // complex step: the error is of order tiny squared

/// Lumps away from the robot's own, with everything switched on.
LumpValues<double> strange_lumps(const LumpModel & model, RandomStates & random)
{
  LumpValues<double> v = model.nominal();
  for (int i = 0; i < lump_count; ++i)
  {
    v[i] += 0.2 * model.scale()[i] * random.uniform(-1.0, 1.0);
  }
  v[index_of(Lump::coulomb_1)] = random.uniform(0.003, 0.03);
  v[index_of(Lump::coulomb_4)] = random.uniform(0.003, 0.03);
  return v;
}

TEST(LumpModel, AtItsNominalValuesIsTheRobot)
{
  for (const RobotModel & robot : {default_robot(), unequal_robot()})
  {
    const double width = robot.physics().friction[0].coulomb_velocity;
    const LumpModel model(robot, width);
    const DynamicsConstants<double> k = model.constants<double>(model.nominal());
    RandomStates random(robot, 3);
    for (int i = 0; i < 50; ++i)
    {
      const Eigen::Vector4d x = random.state();
      const Eigen::Vector2d u = random.voltages();
      const Eigen::Vector2d expected = forward_dynamics<double>(model.robot().constants(), x, u);
      EXPECT_NEAR(
        (forward_dynamics<double>(k, x, u) - expected).norm(), 0.0, 1e-9 * expected.norm());
    }
  }
}

TEST(LumpModel, DerivativesEqualComplexStep)
{
  for (const RobotModel & robot : {default_robot(), unequal_robot()})
  {
    const LumpModel model(robot, 0.3);
    RandomStates random(robot, 4);
    for (int n = 0; n < 50; ++n)
    {
      const LumpValues<double> v = strange_lumps(model, random);
      const Eigen::Vector4d x = random.state();
      const Eigen::Vector2d u = random.voltages();
      const auto by = model.acceleration_by_lumps(model.constants<double>(v), x, u);
      for (int i = 0; i < moving_lumps; ++i)
      {
        LumpValues<Complex> w = v.cast<Complex>();
        w[i] += Complex(0.0, tiny);
        const Vector2<Complex> a = forward_dynamics<Complex>(
          model.constants<Complex>(w), x.cast<Complex>(), u.cast<Complex>());
        const Eigen::Vector2d step(a[0].imag() / tiny, a[1].imag() / tiny);
        EXPECT_NEAR((by.col(i) - step).norm(), 0.0, 1e-9 * std::max(1.0, step.norm()))
          << to_string(static_cast<Lump>(i));
      }
    }
  }
}

TEST(LumpModel, APointMassAtPMayMoveFromOneChainToTheOther)
{
  // The direction that no motion shows: gravity off, any lengths.
  const RobotModel robot = unequal_robot();
  DynamicsConstants<double> k = robot.constants();
  k.has_gravity = false;
  DynamicsConstants<double> moved = k;
  const Geometry<double> & g = k.geometry;
  constexpr double mass = 0.01;
  moved.inertia_1 += mass * g.l1 * g.l1;
  moved.inertia_2 += mass * g.l2 * g.l2;
  moved.coupling_2[0] += mass * g.l1 * g.l2;
  moved.inertia_4 -= mass * g.l4 * g.l4;
  moved.inertia_3 -= mass * g.l3 * g.l3;
  moved.coupling_3[0] -= mass * g.l4 * g.l3;
  RandomStates random(robot, 5);
  for (int i = 0; i < 20; ++i)
  {
    const Eigen::Vector4d x = random.state();
    const Eigen::Vector2d u = random.voltages();
    const Eigen::Vector2d a = forward_dynamics<double>(k, x, u);
    EXPECT_NEAR((forward_dynamics<double>(moved, x, u) - a).norm(), 0.0, 1e-9 * a.norm());
  }
}

TEST(OutputError, GradientEqualsDifferencesOfTheSumOfSquares)
{
  const RobotModel robot = default_robot();
  const RunRecord run = played(robot, plan_of(robot, "b"), mismatched());
  RecordedMotion motion = recorded_motion(run, robot);
  motion.t.resize(600);
  const LumpModel model(robot, 0.02);
  RandomStates random(robot, 6);
  LumpValues<double> v = model.nominal();
  v += 0.02 * (strange_lumps(model, random) - v);
  v[index_of(Lump::coulomb_1)] = v[index_of(Lump::coulomb_4)] = 0.01;
  const Eigen::Vector2d start = motion.angle.front();
  for (const double pull : {0.0, 2.0})
  {
    const Prediction prediction{1, pull};
    const OutputError error = output_error(model, v, start, motion, prediction);
    EXPECT_NEAR(
      error.chi_square, chi_square(model, v, start, motion, prediction), 1e-6 * error.chi_square);
    const int unknowns = pull > 0.0 ? moving_lumps : OutputError::unknowns;
    for (int i = 0; i < unknowns; ++i)
    {
      const double h = 1e-5 * (i < lump_count ? model.scale()[i] : 0.01);
      const auto at = [&](double step) {
        LumpValues<double> w = v;
        Eigen::Vector2d s = start;
        (i < lump_count ? w[i] : s[i - lump_count]) += step;
        return chi_square(model, w, s, motion, prediction);
      };
      const double slope = (at(h) - at(-h)) / (2.0 * h);
      const double expected = -2.0 * error.gradient[i];
      EXPECT_NEAR(slope, expected, 2e-3 * std::abs(expected) + 1e-9 * error.chi_square / h)
        << i << " pull " << pull;
    }
  }
}

TEST(RobotFileText, ReadsBackToTheLastBit)
{
  for (const RobotModel & robot : {default_robot(), unequal_robot()})
  {
    const RobotModel again =
      parse_robot(robot_file_text(robot.parameters(), "Two lines\nof comment"), "again.yaml");
    EXPECT_EQ(again.fingerprint(), robot.fingerprint());
    EXPECT_EQ(again.parameters().name, robot.parameters().name);
    EXPECT_EQ(again.limits().voltage, robot.limits().voltage);
    EXPECT_EQ(again.limits().joint_maximum, robot.limits().joint_maximum);
  }
}

}  // namespace
}  // namespace fivebar_control::test
