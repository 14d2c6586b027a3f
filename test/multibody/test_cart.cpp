// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "fivebar_control/multibody/mechanism_file.hpp"
#include "fivebar_control/multibody/optimise.hpp"
#include "multibody/gradients.hpp"

// Maciąg, section 5.4. It prints data but no results; figures are from independent programs
// (CasADi, numpy with complex steps): Runge-Kutta with 0.005 s, forces linear between nodes.

namespace fivebar_control::multibody
{
namespace
{

MechanismFile load(const std::string & name, const std::vector<MechanismOverride> & changes = {})
{
  return load_mechanism(
    std::string(FIVEBAR_SOURCE_DIR) + "/config/mechanisms/" + name + ".yaml", changes);
}

void expect_relative(double actual, double expected, double tolerance)
{
  EXPECT_NEAR(actual, expected, tolerance * std::abs(expected));
}

/// The largest |x| of the cart at the nodes.
double largest_deviation(const MechanismFile & file, const VectorD & rho)
{
  const Trajectory motion = simulate(file.problem, file.settings, rho);
  double largest = 0.0;
  for (const Node & node : motion.phases.front().nodes)
  {
    largest = std::max(largest, std::abs(node.q(0)));
  }
  return largest;
}

TEST(CartStabilisation, HasTheReferencesCostAndGradient)
{
  const MechanismFile file = load("cart_stabilisation");
  const Gradient g =
    gradient(file.problem, file.settings, file.problem.rho, Method::discrete_adjoint);
  expect_relative(g.costs(0), 0.364044003574493, 1e-12);
  const std::pair<int, double> nodes[] = {{0, 5.20198223614e-04},    {1, 1.03598105518e-03},
                                          {100, 3.69557131885e-04},  {300, -7.07694102501e-04},
                                          {500, -3.71400482801e-04}, {600, -6.60416536639e-07}};
  for (const auto & [node, expected] : nodes)
  {
    expect_relative(g.gradient(0, node), expected, 1e-10);
  }
  expect_relative(g.gradient.norm(), 1.34001556523e-02, 1e-10);
  expect_relative(g.gradient.sum(), -1.213547923680e-01, 1e-10);
}

TEST(CartSwingUp, HasTheReferencesCostAndGradient)
{
  const MechanismFile file = load("cart_swing_up");
  ASSERT_EQ(file.stages.size(), 2U);
  const Gradient g =
    gradient(file.problem, file.settings, file.problem.rho, Method::discrete_adjoint);
  expect_relative(g.costs(0), 4.934802200544679, 1e-12);
  const std::pair<int, double> nodes[] = {
    {0, -4.9200276961e-04},
    {100, 7.0609773481e-04},
    {300, -1.5283684850e-03},
    {500, 1.8608223390e-03},
    {600, 1.7544875147e-05}};
  for (const auto & [node, expected] : nodes)
  {
    expect_relative(g.gradient(0, node), expected, 1e-10);
  }
  expect_relative(g.gradient.norm(), 3.085807366402e-02, 1e-10);
}

/// The force that holds the cart, at all nodes.
VectorD servo_force(Integrator integrator)
{
  MechanismFile file = load("cart_servo");
  file.settings.integrator = integrator;
  const Trajectory motion = simulate(file.problem, file.settings, file.problem.rho);
  const Phase & phase = motion.phases.front();
  VectorD force(static_cast<Eigen::Index>(phase.nodes.size()));
  for (std::size_t i = 0; i < phase.nodes.size(); ++i)
  {
    const Response<double> r = response_at(file.problem, motion, phase, phase.nodes[i]);
    force(static_cast<Eigen::Index>(i)) = -r.lambda(6);
  }
  return force;
}

TEST(CartStabilisation, NeedsTheForceOfTheServoConstraint)
{
  const std::pair<int, double> expected[] = {
    {0, 4.1923920039},   {100, -7.2096559968}, {200, 11.0806231158}, {300, 0.0947533015},
    {400, 4.5757447826}, {500, -6.9079000621}, {600, -2.2597662019}};
  const VectorD exact = servo_force(Integrator::adaptive);
  const VectorD coarse = servo_force(Integrator::rk4);
  for (const auto & [node, force] : expected)
  {
    EXPECT_NEAR(exact(node), force, 1e-8);
    EXPECT_NEAR(coarse(node), force, 2e-6);
  }
  EXPECT_NEAR(exact.maxCoeff(), 15.26631225, 1e-7);
  EXPECT_NEAR(exact.minCoeff(), -16.47183206, 1e-7);
  // With it the gradient is four orders of magnitude lower than without (the source says so).
  const MechanismFile file = load("cart_stabilisation");
  const auto size = [&](const VectorD & rho) {
    return gradient(file.problem, file.settings, rho, Method::discrete_adjoint).gradient.norm();
  };
  expect_relative(size(exact) / size(file.problem.rho), 1.538e-4, 0.01);
}

TEST(CartStabilisation, GaussNewtonHoldsTheCart)
{
  const MechanismFile file = load("cart_stabilisation");
  OptimisationLimits limits;
  limits.cost = 1e-9;
  const Optimisation result = riccati_gauss_newton(file.problem, file.settings, limits);
  for (const OptimisationStep & step : result.history)
  {
    std::printf("%.3g ", step.cost);
  }
  std::printf("\n");
  EXPECT_TRUE(result.converged);
  EXPECT_LE(result.cost, 1e-9);
  EXPECT_LE(result.iterations, 8);
  EXPECT_LE(largest_deviation(file, result.rho), 0.2e-3);
}

TEST(CartStabilisation, QuasiNewtonPassesTheSevenMillimetresOfTheSource)
{
  MechanismFile file = load("cart_stabilisation");
  file.settings.formulation = Formulation::hadca;
  OptimisationLimits limits;
  limits.gradient = 1e-6;
  limits.evaluations = 500;
  const Optimisation result =
    quasi_newton(file.problem, file.settings, Method::hadca_adjoint, limits);
  EXPECT_TRUE(result.converged);
  EXPECT_LE(result.cost, 2.5e-5);
  EXPECT_LE(largest_deviation(file, result.rho), 10e-3);
}

TEST(CartSwingUp, GaussNewtonSwingsUpInTwoStages)
{
  VectorD rho;
  int iterations = 0;
  OptimisationLimits limits;
  limits.cost = 1e-10;
  Optimisation result;
  for (const auto & changes : load("cart_swing_up").stages)
  {
    MechanismFile file = load("cart_swing_up", changes);
    if (rho.size() > 0)
    {
      file.problem.rho = rho;
    }
    result = riccati_gauss_newton(file.problem, file.settings, limits);
    EXPECT_TRUE(result.converged);
    rho = result.rho;
    iterations += result.iterations;
  }
  EXPECT_LE(result.cost, 1e-6);
  EXPECT_LE(iterations, 40);
  EXPECT_LE(rho.cwiseAbs().maxCoeff(), 120.0);
  // Another integrator, finer steps: the same end.
  MechanismFile again = load("cart_swing_up");
  again.settings.formulation = Formulation::hadca;
  again.settings.step = 0.005 / 16.0;
  EXPECT_LE(simulate_costs<double>(again.problem, again.settings, rho)(0), 1e-7);
}

TEST(RiccatiGaussNewton, TakesTheStepOfTheDenseOne)
{
  // Without bounds and with hardly any damping both minimise the same model.
  const std::vector<MechanismOverride> changes{
    {"duration", "0.2"},
    {"inputs.force", "{step: 0.02, zeros: 11}"},
    {"costs.position",
     "[{coordinate: cart.x}, {input: force, weight: 1e-3}, {coordinate: "
     "upper.angle, when: end}]"}};
  const MechanismFile file = load("cart_stabilisation", changes);
  const Optimisation dense = gauss_newton(file.problem, file.settings);
  const Optimisation structured = riccati_gauss_newton(file.problem, file.settings);
  EXPECT_TRUE(dense.converged);
  EXPECT_TRUE(structured.converged);
  EXPECT_LT((dense.rho - structured.rho).norm(), 1e-6 * dense.rho.norm());
}

TEST(RiccatiGaussNewton, KeepsBounds)
{
  MechanismFile file = load("cart_stabilisation");
  file.settings.formulation = Formulation::hadca;
  file.problem.lower = VectorD::Constant(file.problem.rho.size(), -5.0);
  file.problem.upper = VectorD::Constant(file.problem.rho.size(), 5.0);
  OptimisationLimits limits;
  limits.evaluations = 20;
  const Optimisation result = riccati_gauss_newton(file.problem, file.settings, limits);
  EXPECT_LE(result.rho.cwiseAbs().maxCoeff(), 5.0);
  EXPECT_LT(result.cost, 0.1);  // of 0.364
}

TEST(RiccatiGaussNewton, SaysWhereItDoesNotApply)
{
  const MechanismFile pendulum = load("cart_pendulum");
  EXPECT_THAT(
    riccati_obstacle(pendulum.problem, pendulum.settings), testing::HasSubstr("no inputs"));
  const MechanismFile short_nodes =
    load("cart_stabilisation", {{"inputs.force", "{step: 0.005, zeros: 11}"}});
  EXPECT_THAT(
    riccati_obstacle(short_nodes.problem, short_nodes.settings), testing::HasSubstr("duration"));
}

}  // namespace
}  // namespace fivebar_control::multibody
