// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <complex>

#include "fivebar_control/support/yaml_map.hpp"
#include "model/pendulums.hpp"

namespace fivebar_control
{
namespace
{

using Complex = std::complex<double>;
constexpr double tiny = 1e-40;

class PendulumOnEachRobot
: public testing::TestWithParam<std::tuple<const char *, PendulumAxes, bool>>
{
protected:
  RobotModel robot = load_robot(test::config_path(std::get<0>(GetParam())));
  PendulumParameters pendulum = std::get<2>(GetParam())
                                  ? test::uneven_pendulum(std::get<1>(GetParam()))
                                  : test::published_pendulum(std::get<1>(GetParam()));
  PendulumConstants<double> k = lump(robot, pendulum);
  test::RandomStates random{robot, 20261119};

  PendulumState<double> state()
  {
    const Eigen::Vector4d r = random.state();
    const auto angle = [this] { return random.uniform(-3.0, 3.0); };
    PendulumState<double> x;
    x << r.head<2>(), angle(), angle(), r.tail<2>(), 3.0 * angle(), 3.0 * angle();
    return x;
  }
};

INSTANTIATE_TEST_SUITE_P(
  Robots, PendulumOnEachRobot,
  testing::Combine(
    testing::Values("robot.yaml", "robots/unequal.yaml"),
    testing::Values(PendulumAxes::link_2, PendulumAxes::parallel), testing::Bool()));

double relative_error(const Eigen::MatrixXd & a, const Eigen::MatrixXd & b)
{
  return (a - b).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff();
}

void expect_acceleration(
  PendulumAxes axes, const Eigen::Vector2d & volts, const Eigen::Vector4d & expected)
{
  const RobotModel robot = test::default_robot();
  const Vector4<double> found = pendulum_acceleration<double>(
    lump(robot, test::published_pendulum(axes)), test::tilted(robot, -5.0, -5.0), volts);
  for (int i = 0; i < 4; ++i)
  {
    EXPECT_NEAR(found[i], expected[i], 1e-8 * std::abs(expected[i])) << i;
  }
}

/// Numerical derivative of any function of a state along a direction.
template <class Function>
auto slope(const PendulumState<double> & x, const PendulumState<double> & along, Function && f)
{
  PendulumState<Complex> moved;
  for (int i = 0; i < 8; ++i)
  {
    moved[i] = Complex(x[i], tiny * along[i]);
  }
  return f(moved);
}

}  // namespace

// The values come from a program of its own, which was compared with an absolute-coordinate model.
TEST(Pendulum, AccelerationsAreThoseOfAnIndependentProgram)
{
  const Eigen::Vector2d none(0.0, 0.0);
  const Eigen::Vector2d one(1.0, 0.0);
  expect_acceleration(
    PendulumAxes::parallel, none, {-3.08935026, -3.10121243, -7.07315078, -7.01956007});
  expect_acceleration(
    PendulumAxes::link_2, none, {3.1012251, -3.0857578, -6.80210257, -7.28853025});
  expect_acceleration(
    PendulumAxes::parallel, one, {31.55640986, -3.22333345, 17.81223582, -7.29597964});
  expect_acceleration(
    PendulumAxes::link_2, one, {37.74626772, -2.96380515, -6.72511647, -32.06907524});
}

TEST(Pendulum, MassMatrixAtHomeIsThatOfAnIndependentProgram)
{
  const RobotModel robot = test::default_robot();
  const auto e = pendulum_equations<double>(
    lump(robot, test::published_pendulum(PendulumAxes::parallel)), test::tilted(robot, -5.0, -5.0),
    Eigen::Vector2d::Zero());
  const auto expect = [&e](int r, int c, double value) {
    EXPECT_NEAR(e.mass(r, c), value, 5e-11) << r << c;
  };
  expect(0, 0, 0.0060227025);
  expect(1, 1, 0.0060227025);
  expect(0, 1, 0.0);
  expect(0, 2, -0.00265067974);
  expect(0, 3, 2.02890085e-5);
  expect(1, 2, 0.0);
  expect(1, 3, -0.00266080491);
  expect(2, 2, 0.00369031094);
  expect(2, 3, 0.0);
  expect(3, 3, 0.00371850781);
}

TEST(Pendulum, TiltsAreThoseOfTheSource)
{
  const RobotModel robot = test::default_robot();
  for (const PendulumAxes axes : {PendulumAxes::link_2, PendulumAxes::parallel})
  {
    const PendulumConstants<double> k = lump(robot, test::published_pendulum(axes));
    const auto tilt = [&](double a1, double a2) {
      const PendulumState<double> x = test::tilted(robot, a1, a2);
      const double angle = tilt_of(k, x);
      EXPECT_NEAR(tilt_vector<double>(pendulum_pose<double>(k, x)).norm(), angle, 1e-13);
      return angle / test::degrees(1.0);
    };
    EXPECT_NEAR(tilt(-5.0, -5.0), 7.066574, 1e-6);
    EXPECT_NEAR(tilt(-10.0, -10.0), 14.106044, 1e-6);
    EXPECT_NEAR(tilt(-10.0, -15.0), 17.963860, 1e-6);
    EXPECT_NEAR(tilt(160.0, 10.0), 157.731256, 1e-6);
  }
}

TEST(Pendulum, TiltFactorIsSmoothWhereItsFormulaChanges)
{
  for (const double cosine : {1.0, 1.0 - 1e-9, 1.0 - 0.999e-3, 1.0 - 1.001e-3, 0.5, -0.9})
  {
    const double angle = std::acos(cosine);
    const TiltFactor f = tilt_factor(cosine);
    EXPECT_NEAR(f.value, angle > 0.0 ? angle / std::sin(angle) : 1.0, 1e-11) << cosine;
    const double h = 1e-6;
    const double difference =
      (tilt_factor(std::min(1.0, cosine + h)).value - tilt_factor(cosine - h).value) /
      (std::min(1.0, cosine + h) - (cosine - h));
    EXPECT_NEAR(f.slope, difference, 1e-5 * std::abs(difference) + 1e-6) << cosine;
  }
  EXPECT_NEAR(tilt_factor(1.0 - 1.0000001e-3).slope, tilt_factor(1.0 - 0.9999999e-3).slope, 1e-9);
}

TEST_P(PendulumOnEachRobot, DerivativesEqualComplexStep)
{
  const PendulumConstants<Complex> kc = constants_as<Complex>(k);
  double worst = 0.0;
  for (int n = 0; n < 300; ++n)
  {
    const PendulumState<double> x = state();
    const Eigen::Vector2d u = random.voltages();
    const PendulumLinearization found = linearize(k, x, u);
    Eigen::Matrix<double, 4, 10> expected;
    for (int i = 0; i < 10; ++i)
    {
      PendulumState<Complex> xc = x.cast<Complex>();
      Vector2<Complex> uc = u.cast<Complex>();
      (i < 8 ? xc[i] : uc[i - 8]) += Complex(0.0, tiny);
      expected.col(i) = pendulum_acceleration<Complex>(kc, xc, uc).imag() / tiny;
    }
    Eigen::Matrix<double, 4, 10> all;
    all << found.by_state, found.by_input;
    for (int r = 0; r < 4; ++r)
    {
      worst = std::max(worst, relative_error(all.row(r), expected.row(r)));
    }
  }
  EXPECT_LT(worst, 1e-11);
}

TEST_P(PendulumOnEachRobot, HeldStepEqualsComplexStepAndItsOwnState)
{
  const PendulumConstants<Complex> kc = constants_as<Complex>(k);
  double worst = 0.0;
  for (int n = 0; n < 50; ++n)
  {
    const PendulumState<double> x = state();
    const Eigen::Vector2d u = random.voltages();
    const PendulumHeldStep step = held_step(k, x, u, 1e-3, 1);
    EXPECT_LT(relative_error(step.state, pendulum_step<double>(k, x, u, u, 1e-3)), 1e-13);
    for (int i = 0; i < 10; ++i)
    {
      PendulumState<Complex> xc = x.cast<Complex>();
      Vector2<Complex> uc = u.cast<Complex>();
      (i < 8 ? xc[i] : uc[i - 8]) += Complex(0.0, tiny);
      const Eigen::Matrix<double, 8, 1> expected =
        pendulum_step<Complex>(kc, xc, uc, uc, 1e-3).imag() / tiny;
      worst = std::max(
        worst, i < 8 ? relative_error(step.by_state.col(i), expected)
                     : relative_error(step.by_volts.col(i - 8), expected));
    }
  }
  EXPECT_LT(worst, 1e-11);
}

TEST_P(PendulumOnEachRobot, TheCentreMovesWithItsVelocity)
{
  const auto centre = [this](const PendulumState<Complex> & x) {
    const auto kk = constants_as<Complex>(k);
    const PendulumPose<Complex> p = pendulum_pose<Complex>(kk, x);
    const Vector2<Complex> end = end_effector<Complex>(kk.robot.geometry, p.terms.pose);
    Eigen::Matrix<Complex, 3, 1> place = k.body.center * p.axis;
    place[0] += end[0];
    place[1] += end[1];
    return place;
  };
  double worst = 0.0;
  for (int n = 0; n < 20; ++n)
  {
    const PendulumState<double> x = state();
    PendulumState<double> along = PendulumState<double>::Zero();
    along.head<4>() = x.tail<4>();
    const Eigen::Vector3d speed = slope(x, along, centre).imag() / tiny;
    const auto v = pendulum_velocity<double>(k, pendulum_pose<double>(k, x), x);
    worst = std::max(worst, relative_error(v.head<3>(), speed));
  }
  EXPECT_LT(worst, 1e-12);
}

TEST_P(PendulumOnEachRobot, PowerOfTheMotorsIsTheChangeOfEnergy)
{
  const PendulumConstants<Complex> kc = constants_as<Complex>(k);
  for (int n = 0; n < 200; ++n)
  {
    const PendulumState<double> x = state();
    const Eigen::Vector2d u = random.voltages();
    const PendulumState<double> rate = pendulum_rate<double>(k, x, u);
    const double change =
      slope(x, rate, [&](const auto & s) { return pendulum_energy<Complex>(kc, s); }).imag() / tiny;
    double power = -k.body.friction * (x[6] * x[6] + x[7] * x[7]);
    double scale = std::abs(power);
    for (int i = 0; i < 2; ++i)
    {
      const double of_motor = drive_torque<double>(k.robot, i, x[4 + i], u[i]) * x[4 + i];
      power += of_motor;
      scale += std::abs(of_motor);
    }
    EXPECT_NEAR(change, power, 1e-10 * (scale + 1.0));
  }
}

TEST(Pendulum, AFileMustDescribeARigidBody)
{
  const auto read = [](const std::string & text) {
    return read_pendulum(YamlMap::parse(text, "p.yaml"));
  };
  const std::string good = "length: 0.3\nmass: 0.1\n";
  EXPECT_EQ(read(good + "inertia: [1e-6, 1e-4, 1e-4]\n").body.center, 0.15);
  EXPECT_TRUE(pendulum_notes(read(good + "inertia: [1e-6, 7e-4, 7e-4]\n")).empty());
  EXPECT_EQ(pendulum_notes(read(good + "inertia: [1e-6, 1e-4, 1e-4]\n")).size(), 1u);
  EXPECT_THROW(read(good + "inertia: [1e-6, 1e-4, 3e-4]\n"), InputError);
  EXPECT_THROW(read(good + "inertia: [1e-6, 1e-4]\n"), InputError);
  EXPECT_THROW(read(good + "inertia: [1e-6, 1e-4, 1e-4]\ncentre: 0.1\n"), InputError);
  EXPECT_THROW(read(good + "inertia: [1e-6, 1e-4, 1e-4]\ncenter: 0.4\n"), InputError);
  EXPECT_THROW(read(good + "inertia: [1e-6, 1e-4, 1e-4]\naxes: link_3\n"), InputError);
}

TEST(Pendulum, TextAndFingerprintHoldEveryParameter)
{
  const RobotModel robot = test::default_robot();
  const PendulumParameters uneven = test::uneven_pendulum(PendulumAxes::parallel);
  const PendulumParameters again =
    read_pendulum(YamlMap::parse(pendulum_text(uneven), "again.yaml"));
  const std::string fingerprint = pendulum_fingerprint(robot, uneven);
  EXPECT_EQ(pendulum_fingerprint(robot, again), fingerprint);
  for (int i = 0; i < 8; ++i)
  {
    PendulumParameters other = uneven;
    int n = 0;
    visit_pendulum(other.body, [&](const char *, double & v) { v *= n++ == i ? 1.01 : 1.0; });
    EXPECT_NE(pendulum_fingerprint(robot, other), fingerprint) << i;
  }
  EXPECT_NE(pendulum_fingerprint(robot, test::uneven_pendulum()), fingerprint);
}

}  // namespace fivebar_control
