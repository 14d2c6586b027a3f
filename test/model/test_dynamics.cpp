// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <complex>

#include "fivebar_control/model/cast_physics.hpp"
#include "fivebar_control/model/dynamics_derivatives.hpp"
#include "fivebar_control/support/dual.hpp"
#include "model/robots.hpp"

namespace fivebar_control
{
namespace
{

using Complex = std::complex<double>;
constexpr double tiny = 1e-40;  // complex step: the error is of order tiny squared

class DynamicsOfEachRobot : public testing::TestWithParam<const char *>
{
protected:
  RobotModel robot = load_robot(test::config_path(GetParam()));
  test::RandomStates random{robot, 20261116};
  const DynamicsConstants<double> & k = robot.constants();
};

INSTANTIATE_TEST_SUITE_P(
  Robots, DynamicsOfEachRobot, testing::Values("robot.yaml", "robots/unequal.yaml"),
  [](const auto & robot_file) { return robot_file.index == 0 ? "Default" : "Unequal"; });

/// |error| relative to the size of the row it stands in: entries that are zero by structure or
/// by cancellation are judged by their neighbours.
double relative_error(const Eigen::MatrixXd & a, const Eigen::MatrixXd & b)
{
  return (a - b).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff();
}

}  // namespace

TEST(Dynamics, MassMatrixAtHomeIsThePublishedOne)
{
  const RobotModel robot = test::default_robot();
  const Eigen::Matrix2d m = mass_matrix<double>(robot.constants(), 0.0, robot.parameters().home[1]);
  EXPECT_NEAR(m(0, 0), 0.0040065775, 1e-10);
  EXPECT_NEAR(m(1, 1), 0.0040065775, 1e-10);
  EXPECT_NEAR(m(0, 1), 0.0, 1e-15);
}

TEST_P(DynamicsOfEachRobot, StateAndInputDerivativesEqualComplexStep)
{
  const DynamicsConstants<Complex> kc =
    lump(cast_physics<Complex>(robot.physics()), robot.parameters().assembly_mode);
  double worst = 0.0;
  for (int n = 0; n < 1000; ++n)
  {
    const Eigen::Vector4d x = random.state();
    const Eigen::Vector2d u = random.voltages();
    const AccelerationJacobian<double> jacobian = linearize<double>(k, x, u);
    Eigen::Matrix<double, 2, 6> expected;
    for (int j = 0; j < 6; ++j)
    {
      Vector4<Complex> xc = x.cast<Complex>();
      Vector2<Complex> uc = u.cast<Complex>();
      (j < 4 ? xc[j] : uc[j - 4]) += Complex(0.0, tiny);
      expected.col(j) = forward_dynamics<Complex>(kc, xc, uc).imag() / tiny;
    }
    for (int j = 0; j < 4; ++j)
    {
      worst = std::max(worst, relative_error(jacobian.by_state.col(j), expected.col(j)));
    }
    worst = std::max(worst, relative_error(jacobian.by_input, expected.rightCols<2>()));
    EXPECT_LT(relative_error(jacobian.acceleration, forward_dynamics<double>(k, x, u)), 1e-14);
  }
  EXPECT_LT(worst, 1e-12);
}

TEST_P(DynamicsOfEachRobot, ParameterDerivativesEqualComplexStep)
{
  double worst = 0.0;
  std::string worst_name;
  for (int n = 0; n < 1000; ++n)
  {
    const Eigen::Vector4d x = random.state();
    const Eigen::Vector2d u = random.voltages();
    const Eigen::Vector2d acceleration = forward_dynamics<double>(k, x, u);
    const ParameterJacobian jacobian = acceleration_by_parameters(robot.physics(), k, x, u);
    for (int j = 0; j < parameter_count; ++j)
    {
      Physics<Complex> physics = cast_physics<Complex>(robot.physics());
      std::string name;
      double parameter = 0.0;
      int index = 0;
      visit_parameters(physics, [&](const std::string & parameter_name, Complex & value) {
        if (index++ == j)
        {
          parameter = value.real();
          value += Complex(0.0, tiny);
          name = parameter_name;
        }
      });
      ASSERT_EQ(index, parameter_count);
      const Eigen::Vector2d expected =
        forward_dynamics<Complex>(
          lump(physics, robot.parameters().assembly_mode), x.cast<Complex>(), u.cast<Complex>())
          .imag() /
        tiny;
      // Where large terms cancel (as in the gear ratio's), the natural scale is acceleration per
      // unit of the parameter.
      const double natural =
        parameter == 0.0 ? 0.0 : acceleration.cwiseAbs().maxCoeff() / std::abs(parameter);
      const double scale = std::max({expected.cwiseAbs().maxCoeff(), natural, 1e-30});
      const double error = (jacobian.col(j) - expected).cwiseAbs().maxCoeff() / scale;
      if (error > worst)
      {
        worst = error;
        worst_name = name;
      }
    }
  }
  EXPECT_LT(worst, 1e-12) << worst_name;
}

TEST_P(DynamicsOfEachRobot, MassMatrixDerivativeEqualsComplexStep)
{
  const DynamicsConstants<Complex> kc =
    lump(cast_physics<Complex>(robot.physics()), robot.parameters().assembly_mode);
  for (int n = 0; n < 1000; ++n)
  {
    const Eigen::Vector4d x = random.state();
    const auto derivative = mass_matrix_derivative<double>(k, terms_at<double>(k, x[0], x[1]));
    const Complex step(0.0, tiny);
    const Eigen::Matrix2d by_phi1 = mass_matrix<Complex>(kc, x[0] + step, x[1]).imag() / tiny;
    const Eigen::Matrix2d by_phi4 = mass_matrix<Complex>(kc, x[0], x[1] + step).imag() / tiny;
    EXPECT_LT(relative_error(derivative.by_phi1, by_phi1), 1e-12);
    EXPECT_LT(relative_error(derivative.by_phi4, by_phi4), 1e-12);
  }
}

TEST_P(DynamicsOfEachRobot, DualNumbersGiveTheSameDerivatives)
{
  using D = Dual<double, 4>;
  const DynamicsConstants<D> kd =
    lump(cast_physics<D>(robot.physics()), robot.parameters().assembly_mode);
  for (int n = 0; n < 100; ++n)
  {
    const Eigen::Vector4d x = random.state();
    const Eigen::Vector2d u = random.voltages();
    const Vector4<D> xd(D(x[0], 0), D(x[1], 1), D(x[2], 2), D(x[3], 3));
    const Vector2<D> a = forward_dynamics<D>(kd, xd, Vector2<D>(D(u[0]), D(u[1])));
    const AccelerationJacobian<double> jacobian = linearize<double>(k, x, u);
    for (int i = 0; i < 2; ++i)
    {
      for (int j = 0; j < 4; ++j)
      {
        EXPECT_NEAR(
          a[i][j], jacobian.by_state(i, j), 1e-12 * jacobian.by_state.col(j).cwiseAbs().maxCoeff());
      }
    }
  }
}

TEST_P(DynamicsOfEachRobot, InverseDynamicsUndoesForwardDynamics)
{
  for (int n = 0; n < 1000; ++n)
  {
    const Eigen::Vector4d x = random.state();
    const Eigen::Vector2d u = random.voltages();
    const Eigen::Vector2d a = forward_dynamics<double>(k, x, u);
    EXPECT_LT((inverse_dynamics<double>(k, x, a) - u).norm(), 1e-11);
  }
}

TEST_P(DynamicsOfEachRobot, HamiltonsEquationsAgreeWithTheAccelerations)
{
  // d/dt (M q') = dM/dt q' + M q'' must be the momentum rate of the Hamiltonian form.
  for (int n = 0; n < 1000; ++n)
  {
    const Eigen::Vector4d x = random.state();
    const Eigen::Vector2d u = random.voltages();
    const auto t = terms_at<double>(k, x[0], x[1]);
    const auto dm = mass_matrix_derivative<double>(k, t);
    const Eigen::Matrix2d rate = dm.by_phi1 * x[2] + dm.by_phi4 * x[3];
    const Eigen::Vector2d expected =
      rate * x.tail<2>() + mass_matrix<double>(k, x[0], x[1]) * forward_dynamics<double>(k, x, u);
    EXPECT_LT((momentum_rate<double>(k, x, u) - expected).norm(), 1e-12 * (1.0 + expected.norm()));
    Eigen::Vector4d y = x;
    y.tail<2>() = momenta<double>(k, x);
    EXPECT_LT((state_from_momenta<double>(k, y) - x).norm(), 1e-12 * x.norm());
  }
}

TEST_P(DynamicsOfEachRobot, KineticEnergyIsTheSumOverTheLinks)
{
  // Independent of the mass matrix: velocities of the centres of mass by differentiating positions.
  const auto & physics = robot.physics();
  for (int n = 0; n < 100; ++n)
  {
    const Eigen::Vector4d x = random.state();
    Motion2 driven;
    driven.position = x.head<2>();
    driven.velocity = x.tail<2>();
    const Motion2 passive = robot.kinematics().passive_motion(driven);
    const double angles[4] = {x[0], passive.position[0], passive.position[1], x[1]};
    const double speeds[4] = {x[2], passive.velocity[0], passive.velocity[1], x[3]};
    const auto direction = [](double angle) {
      return Eigen::Vector2d(std::cos(angle), std::sin(angle));
    };
    double energy = 0.0;
    for (std::size_t i = 0; i < 4; ++i)
    {
      const Link<double> & link = physics.links[i];
      const Eigen::Vector2d e = direction(angles[i]);
      const Eigen::Vector2d normal(-e[1], e[0]);
      Eigen::Vector2d velocity = speeds[i] * (link.center[0] * normal - link.center[1] * e);
      if (i == 1 || i == 2)
      {
        const std::size_t carrier = i == 1 ? 0 : 3;
        const Eigen::Vector2d ec = direction(angles[carrier]);
        velocity +=
          speeds[carrier] * physics.links[carrier].length * Eigen::Vector2d(-ec[1], ec[0]);
      }
      energy +=
        0.5 * link.mass * velocity.squaredNorm() + 0.5 * link.inertia * speeds[i] * speeds[i];
    }
    for (std::size_t i = 0; i < 2; ++i)
    {
      const double rotor = physics.motors[i].gear_ratio * x[2 + static_cast<int>(i)];
      energy += 0.5 * physics.motors[i].rotor_inertia * rotor * rotor;
    }
    EXPECT_NEAR(kinetic_energy<double>(k, x), energy, 1e-12 * (1.0 + energy));
  }
}

TEST(Dynamics, RefusesNothingButReportsNotANumberOutsideTheWorkspace)
{
  const RobotModel robot = test::default_robot();
  // Elbows further apart than links 2 and 3 reach.
  const Eigen::Vector4d x(3.14, 0.0, 0.0, 0.0);
  EXPECT_FALSE(forward_dynamics<double>(robot.constants(), x, Eigen::Vector2d::Zero()).allFinite());
}

}  // namespace fivebar_control
