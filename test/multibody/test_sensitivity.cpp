// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "fivebar_control/multibody/hamiltonian_adjoint.hpp"
#include "fivebar_control/multibody/optimise.hpp"
#include "fivebar_control/multibody/reference_problems.hpp"
#include "multibody/gradients.hpp"

namespace fivebar_control::multibody
{
namespace
{

// Converged values of the five-bar with springs, from independent programs (complex step, tangent
// linear model and adjoint with 5,000 to 40,000 steps agree to these digits).
constexpr double converged_cost = 0.7268774613;
constexpr double converged_gradient[2] = {-4.2288108552, 3.2116041030};

struct Way
{
  Formulation formulation;
  Method method;
};

std::string label(const testing::TestParamInfo<Way> & info)
{
  std::string text = std::string(name(info.param.formulation)) + "_" + name(info.param.method);
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

class FivebarWithSprings : public testing::TestWithParam<Way>
{
};

TEST_P(FivebarWithSprings, HasTheConvergedGradientToEightDigits)
{
  const Problem problem = fivebar_springs();
  Settings settings;
  settings.formulation = GetParam().formulation;
  settings.penalty = 1e11;
  settings.threads = 1;  // more: test_piecewise_adjoint.cpp
  const Gradient g = gradient(problem, settings, problem.rho, GetParam().method);
  EXPECT_NEAR(g.costs(0), converged_cost, 1e-9);
  EXPECT_NEAR(g.gradient(0, 0), converged_gradient[0], 2e-9);
  EXPECT_NEAR(g.gradient(0, 1), converged_gradient[1], 2e-9);
}

INSTANTIATE_TEST_SUITE_P(
  AllMethods, FivebarWithSprings,
  testing::Values(
    Way{Formulation::index1, Method::direct}, Way{Formulation::index1, Method::adjoint},
    Way{Formulation::index1, Method::discrete_adjoint},
    Way{Formulation::index1, Method::piecewise_adjoint},
    Way{Formulation::index1, Method::complex_step}, Way{Formulation::penalty, Method::direct},
    Way{Formulation::penalty, Method::adjoint}, Way{Formulation::maggi, Method::direct},
    Way{Formulation::maggi, Method::adjoint},
    Way{Formulation::maggi, Method::adjoint_semi_explicit},
    Way{Formulation::hamilton, Method::direct}, Way{Formulation::hamilton, Method::adjoint},
    Way{Formulation::hamilton, Method::hamiltonian_adjoint},
    Way{Formulation::hamilton, Method::hamiltonian_adjoint_joint}),
  label);

TEST(Sensitivity, AdaptiveIntegrationGivesTheSameGradient)
{
  const Problem problem = fivebar_springs();
  Settings settings;
  settings.integrator = Integrator::adaptive;
  for (const Method method : {Method::direct, Method::adjoint})
  {
    const Gradient g = gradient(problem, settings, problem.rho, method);
    EXPECT_NEAR(g.costs(0), converged_cost, 1e-9);
    EXPECT_NEAR(g.gradient(0, 0), converged_gradient[0], 2e-9);
    EXPECT_NEAR(g.gradient(0, 1), converged_gradient[1], 2e-9);
  }
}

TEST(DiscreteAdjoint, EqualsComplexStepOfItsOwnScheme)
{
  FivebarOptions options;
  options.body_parameters = true;
  options.three_costs = true;
  const Problem problem = fivebar_springs(options);
  for (const Formulation formulation :
       {Formulation::index1, Formulation::maggi, Formulation::hamilton, Formulation::ali3p})
  {
    for (const Integrator integrator : {Integrator::rk4, Integrator::trapezoidal})
    {
      Settings settings;
      settings.formulation = formulation;
      settings.integrator = integrator;
      settings.step = 1e-2;
      const MatrixD exact = gradient(problem, settings, problem.rho, Method::complex_step).gradient;
      const MatrixD adjoint =
        gradient(problem, settings, problem.rho, Method::discrete_adjoint).gradient;
      const MatrixD direct = gradient(problem, settings, problem.rho, Method::direct).gradient;
      EXPECT_LT(relative_difference(adjoint, exact), 1e-9)
        << name(formulation) << " " << name(integrator);
      EXPECT_LT(relative_difference(direct, exact), 1e-9)
        << name(formulation) << " " << name(integrator);
    }
  }
}

TEST(DiscreteAdjoint, OfNewmarkIsExactAtTheStepOfTheThesis)
{
  FivebarOptions options;
  options.body_parameters = true;
  options.three_costs = true;
  const Problem problem = fivebar_springs(options);
  Settings settings;
  settings.formulation = Formulation::ali3p;
  settings.step = 1e-3;
  settings.penalty = 1e9;
  const MatrixD exact = gradient(problem, settings, problem.rho, Method::complex_step).gradient;
  const MatrixD adjoint =
    gradient(problem, settings, problem.rho, Method::discrete_adjoint).gradient;
  EXPECT_LT(relative_difference(adjoint, exact), 1e-9);
}

TEST(Optimisation, FindsTheStaticEquilibriumOfTheFivebar)
{
  // 2.4319235745, 1.8448688868: rest lengths that hold the start in equilibrium (a linear system).
  FivebarOptions options;
  options.duration = 1.0;
  Problem problem = fivebar_springs(options);
  const Optimisation newton = gauss_newton(problem, Settings());
  EXPECT_TRUE(newton.converged);
  EXPECT_NEAR(newton.rho(0), 2.4319235745, 1e-9);
  EXPECT_NEAR(newton.rho(1), 1.8448688868, 1e-9);
  // Dopico et al. "three iterations, in one almost done".
  EXPECT_LT(newton.history.at(1).cost, 3e-3 * newton.history.at(0).cost);
  EXPECT_LT(newton.history.at(3).cost, 1e-18);
  const Optimisation quasi = quasi_newton(problem, Settings(), Method::adjoint);
  EXPECT_TRUE(quasi.converged);
  EXPECT_NEAR(quasi.rho(0), 2.4319236, 1e-7);
  EXPECT_NEAR(quasi.rho(1), 1.8448689, 1e-7);
}

TEST(Optimisation, StaysWithinBounds)
{
  FivebarOptions options;
  options.duration = 0.5;
  Problem problem = fivebar_springs(options);
  problem.lower = VectorD::Constant(2, 0.9);
  problem.upper = VectorD::Constant(2, 2.3);  // the optimum of the first length lies beyond
  for (const Optimisation & result :
       {gauss_newton(problem, Settings()), quasi_newton(problem, Settings(), Method::adjoint)})
  {
    EXPECT_LE(result.rho.maxCoeff(), 2.3);
    EXPECT_NEAR(result.rho(0), 2.3, 1e-6);
    EXPECT_LT(result.cost, simulate_costs<double>(problem, Settings(), problem.rho)(0));
  }
}

TEST(Events, BouncingDirectEqualsAdjointAndCentralDifference)
{
  const Problem problem = fivebar_bouncing();
  const Settings settings;
  const MatrixD direct = gradient(problem, settings, problem.rho, Method::direct).gradient;
  for (const Formulation formulation : {Formulation::index1, Formulation::maggi})
  {
    Settings other;
    other.formulation = formulation;
    EXPECT_LT(
      relative_difference(gradient(problem, other, problem.rho, Method::adjoint).gradient, direct),
      1e-8);
  }
  EXPECT_LT(
    relative_difference(
      gradient(problem, settings, problem.rho, Method::complex_step).gradient, direct),
    1e-8);
  EXPECT_LT(
    relative_difference(central_difference(problem, settings, problem.rho, 1e-6).gradient, direct),
    1e-6);
}

TEST(Events, TheIntegralOfAVelocityHasTheDerivativeOfThePosition)
{
  const Problem problem = fivebar_bouncing();
  const Trajectory trajectory = simulate(problem, Settings(), problem.rho);
  EXPECT_THAT(
    trajectory.event_times,
    testing::ElementsAre(
      testing::DoubleNear(0.31182760, 1e-8), testing::DoubleNear(1.77974387, 1e-8),
      testing::DoubleNear(2.45379318, 1e-8)));
  const MatrixD g = adjoint_of(problem, Settings(), trajectory);
  EXPECT_LT((g.row(0) - g.row(3)).cwiseAbs().maxCoeff(), 1e-9);  // d integral vy = dy(end)
}

TEST(Events, InelasticCaptureNeedsTheEventTimeTerm)
{
  const Problem problem = fivebar_capture();
  const Settings settings;
  const DirectResult direct = direct_with_states(problem, settings, problem.rho, false);
  EXPECT_NEAR(direct.gradient.costs(0), 0.80902998, 1e-8);
  MatrixD expected(2, 2);
  expected << -1.861573, -0.823838, 1.019082, 1.705417;
  EXPECT_LT((direct.gradient.gradient - expected).cwiseAbs().maxCoeff(), 1e-6);
  // The printed form without that term has these values: far from ours.
  EXPECT_GT(std::abs(direct.gradient.gradient(1, 1) - 1.666031), 0.03);
  EXPECT_LT(
    relative_difference(
      gradient(problem, settings, problem.rho, Method::adjoint).gradient, direct.gradient.gradient),
    1e-8);
  // Point 2 stays on the ground: its height no longer depends on anything.
  EXPECT_LT(direct.q.row(3).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(SchafferReference, HasTheCheckedCostAndBothGradients)
{
  Settings settings;
  settings.step = 5e-4;
  MatrixD fixed_end(1, 7), event_end(1, 8);
  fixed_end << 5.706558, -1.948786, -2.384941, -2.271451, 1.298265, -10.469976, -1.008513;
  event_end << 1.508342, 7.855854, -9.286133, -7.835961, -1.052620, -2.638709, -0.862527,
    -30.275950;
  for (const Formulation formulation :
       {Formulation::index1, Formulation::maggi, Formulation::hamilton})
  {
    settings.formulation = formulation;
    for (const Method method : {Method::direct, Method::adjoint, Method::complex_step})
    {
      const Problem fixed = schaffer_reference(false);
      const Gradient a = gradient(fixed, settings, fixed.rho, method);
      EXPECT_NEAR(a.costs(0), 15.6144797785, 2e-9) << name(formulation) << " " << name(method);
      EXPECT_LT((a.gradient - fixed_end).cwiseAbs().maxCoeff(), 1e-6)
        << name(formulation) << " " << name(method);
      const Problem ending = schaffer_reference(true);
      const Gradient b = gradient(ending, settings, ending.rho, method);
      EXPECT_LT((b.gradient - event_end).cwiseAbs().maxCoeff(), 1e-6)
        << name(formulation) << " " << name(method);
    }
  }
}

TEST(HamiltonianAdjoint, KeepsItsConstraintsAndHandlesBodyParameters)
{
  FivebarOptions options;
  options.body_parameters = true;
  options.three_costs = true;
  Problem problem = fivebar_springs(options);
  problem.costs.pop_back();  // accelerations
  Settings settings;
  settings.formulation = Formulation::hamilton;
  const HamiltonianAdjoint absolute =
    hamiltonian_adjoint(problem, settings, problem.rho, AdjointSpace::absolute);
  const MatrixD exact = gradient(problem, settings, problem.rho, Method::complex_step).gradient;
  EXPECT_LT(relative_difference(absolute.gradient.gradient, exact), 1e-8);
  // Maciąg, figure 5.2: drift below 1e-7 without stabilisation; in joint space none (figure 5.16).
  EXPECT_LT(absolute.velocity_drift, 1e-7);
  EXPECT_LT(absolute.acceleration_drift, 1e-7);
  const Problem plain = fivebar_springs();
  const HamiltonianAdjoint joint =
    hamiltonian_adjoint(plain, settings, plain.rho, AdjointSpace::joint);
  EXPECT_LT(joint.velocity_drift, 1e-13);
  EXPECT_LT(joint.acceleration_drift, 1e-13);
}

TEST(Sensitivity, MethodsThatDoNotApplySaySo)
{
  const Problem bouncing = fivebar_bouncing();
  Settings settings;
  EXPECT_THAT(
    obstacle(bouncing, settings, Method::adjoint_semi_explicit), testing::HasSubstr("maggi"));
  settings.formulation = Formulation::hamilton;
  EXPECT_THAT(
    obstacle(bouncing, settings, Method::hamiltonian_adjoint), testing::HasSubstr("events"));
  EXPECT_THROW(
    gradient(bouncing, settings, bouncing.rho, Method::hamiltonian_adjoint), MechanismError);
  settings.formulation = Formulation::ali3p;
  EXPECT_THAT(
    obstacle(bouncing, settings, Method::direct), testing::HasSubstr("ali3p formulation"));
}

TEST(Sensitivity, CostsAndSystemsDeclareWhatTheyRead)
{
  FivebarOptions options;
  options.three_costs = true;
  Problem problem = fivebar_springs(options);
  Settings settings;
  settings.formulation = Formulation::hamilton;
  EXPECT_THAT(
    obstacle(problem, settings, Method::hamiltonian_adjoint), testing::HasSubstr("accelerations"));
  problem.costs.pop_back();
  EXPECT_EQ(obstacle(problem, settings, Method::hamiltonian_adjoint_joint), "");
  options.body_parameters = true;  // the length of a rod is in its constraint
  problem = fivebar_springs(options);
  problem.costs.pop_back();
  EXPECT_EQ(obstacle(problem, settings, Method::hamiltonian_adjoint), "");
  EXPECT_THAT(
    obstacle(problem, settings, Method::hamiltonian_adjoint_joint),
    testing::HasSubstr("parameters of the constraints"));
}

}  // namespace
}  // namespace fivebar_control::multibody
