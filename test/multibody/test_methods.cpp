// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "fivebar_control/multibody/mechanism_file.hpp"
#include "fivebar_control/multibody/reference_problems.hpp"
#include "fivebar_control/support/yaml_map.hpp"
#include "multibody/gradients.hpp"

namespace fivebar_control::multibody
{
namespace
{

using testing::HasSubstr;

/// All five parameters and three costs of López Varela's tables, for a shorter time.
Problem five_parameters(double duration)
{
  FivebarOptions options;
  options.body_parameters = true;
  options.three_costs = true;
  options.duration = duration;
  return fivebar_springs(options);
}

Settings with(Formulation formulation, double step)
{
  Settings settings;
  settings.formulation = formulation;
  settings.step = step;
  return settings;
}

/// How much smaller an error gets when the step is halved, as a power of two.
template <class Error>
double order(Error && error, double step)
{
  return std::log2(error(step) / error(0.5 * step));
}

TEST(Index3, DirectAndDiscreteAdjointEqualComplexStepsOfTheScheme)
{
  const Problem problem = five_parameters(1.0);
  for (const double hht : {0.0, 0.1})
  {
    Settings settings = with(Formulation::index3, 1e-2);
    settings.hht = hht;
    const MatrixD exact = gradient(problem, settings, problem.rho, Method::complex_step).gradient;
    for (const Method method : {Method::direct, Method::discrete_adjoint})
    {
      EXPECT_LT(
        relative_difference(gradient(problem, settings, problem.rho, method).gradient, exact), 1e-9)
        << name(method) << ", hht " << hht;
    }
  }
}

TEST(Index3, GradientConvergesWithTheSquareOfTheStep)
{
  const Problem problem = five_parameters(1.0);
  const MatrixD exact =
    gradient(problem, with(Formulation::index1, 5e-4), problem.rho, Method::direct).gradient;
  for (const double hht : {0.0, 0.1})
  {
    const auto error = [&](double step) {
      Settings settings = with(Formulation::index3, step);
      settings.hht = hht;
      return relative_difference(
        gradient(problem, settings, problem.rho, Method::direct).gradient, exact);
    };
    EXPECT_NEAR(order(error, 4e-3), 2.0, 0.1) << "hht " << hht;
  }
}

/// A point mass on a line with a very stiff spring: the amplitude that is left after a second, in
/// which the exact motion keeps all of it.
double amplitude_left(double spectral_radius, double hht)
{
  const std::string text = R"(
gravity: [0, 0]
duration: 1
step: 0.01
formulation: index-3
ground: {A: [0, 0], O: [-1000, 0]}
bodies: {slider: {mass: 1, inertia: 1, start: [1e-3, 0, 0]}}
joints: {guide: {type: prismatic, between: [A, slider.origin], axis: [1, 0], angle: 0}}
springs: {s: {between: [O, slider.origin], stiffness: 1e8, rest_length: 1000}}
initial: {hold: {x: {coordinate: slider.x, position: 1e-3, velocity: 0}}}
costs: {end: [{coordinate: slider.x, when: end, weight: 1e6}]}
)";
  MechanismFile file = read_mechanism(YamlMap::parse(text, "stiff.yaml"));
  file.settings.spectral_radius = spectral_radius;
  file.settings.hht = hht;
  return std::sqrt(simulate_costs<double>(file.problem, file.settings, file.problem.rho)(0));
}

TEST(Index3, DampsFrequenciesThatTheStepCannotFollow)
{
  // 100 steps of omega h = 100: a factor of nearly the spectral radius each.
  EXPECT_LT(amplitude_left(0.9, 0.0), 100 * std::pow(0.9, 100));
  EXPECT_LT(amplitude_left(0.5, 0.0), 1e-10);
  EXPECT_LT(amplitude_left(0.9, 0.1), 1e-3);
  EXPECT_GT(amplitude_left(0.999, 0.0), 0.5);
}

TEST(Index3, KeepsThePositionsOnTheConstraints)
{
  const Problem problem = five_parameters(1.0);
  const Settings settings = with(Formulation::index3, 1e-3);
  const Trajectory motion = simulate(problem, settings, problem.rho);
  double worst = 0.0;
  for (const Node & node : motion.phases.front().nodes)
  {
    const Response<double> at = response_at(problem, motion, motion.phases.front(), node);
    Terms<double> terms;
    problem.modes.front()->evaluate({node.t, at.q, at.v, problem.local(node.t, motion.rho)}, terms);
    worst = std::max(worst, terms.Phi.norm());
  }
  EXPECT_LT(worst, 1e-13);
}

TEST(Ali3p, ContinuousAdjointConvergesToTheGradientWithTheSquareOfTheStep)
{
  const Problem problem = five_parameters(1.0);
  const MatrixD exact =
    gradient(problem, with(Formulation::index1, 5e-4), problem.rho, Method::direct).gradient;
  const auto error = [&](double step) {
    return relative_difference(
      gradient(problem, with(Formulation::ali3p, step), problem.rho, Method::adjoint).gradient,
      exact);
  };
  EXPECT_LT(error(1e-3), 1e-4);
  EXPECT_NEAR(order(error, 4e-3), 2.0, 0.3);
}

TEST(Checkpoints, ChangeNoBitOfTheGradient)
{
  struct Case
  {
    const char * name;
    Problem problem;
    Formulation formulation;
  };
  FivebarOptions options;
  options.duration = 0.5;
  for (const Case & one :
       {Case{"springs", fivebar_springs(options), Formulation::index1},
        Case{"springs", fivebar_springs(options), Formulation::maggi},
        Case{"springs", fivebar_springs(options), Formulation::hamilton},
        Case{"springs", fivebar_springs(options), Formulation::ali3p},
        Case{"springs", fivebar_springs(options), Formulation::index3},
        Case{"bouncing", fivebar_bouncing(), Formulation::index1},
        Case{"end event", schaffer_reference(true), Formulation::maggi}})
  {
    Settings settings = with(one.formulation, 5e-3);
    for (const Method method : {Method::adjoint, Method::discrete_adjoint})
    {
      settings.checkpoints = 5;
      if (!obstacle(one.problem, settings, method).empty())
      {
        continue;
      }
      settings.checkpoints = 0;
      const Gradient all = gradient(one.problem, settings, one.problem.rho, method);
      EXPECT_EQ(all.stored_states, all.all_states);
      for (const int checkpoints : {Settings::automatic_checkpoints, 7})
      {
        settings.checkpoints = checkpoints;
        const Gradient some = gradient(one.problem, settings, one.problem.rho, method);
        EXPECT_EQ(some.gradient, all.gradient)
          << one.name << " " << name(one.formulation) << " " << name(method) << " " << checkpoints;
        EXPECT_EQ(some.costs, all.costs);
        EXPECT_EQ(some.all_states, all.all_states);
      }
    }
  }
}

TEST(Checkpoints, StoreTwiceTheSquareRootOfTheStates)
{
  FivebarOptions options;
  options.duration = 1.0;
  const Problem problem = fivebar_springs(options);
  for (const int steps : {100, 1600})
  {
    Settings settings = with(Formulation::index1, 1.0 / steps);
    settings.checkpoints = Settings::automatic_checkpoints;
    const Gradient g = gradient(problem, settings, problem.rho, Method::adjoint);
    EXPECT_EQ(g.all_states, steps + 1);
    EXPECT_LE(g.stored_states, 2 * std::sqrt(steps) + 2);
  }
}

TEST(Checkpoints, AreRefusedWhereNothingIsWalkedBackwards)
{
  const Problem problem = fivebar_springs();
  Settings settings;
  settings.checkpoints = Settings::automatic_checkpoints;
  for (const Method method : {Method::direct, Method::piecewise_adjoint, Method::complex_step})
  {
    EXPECT_THAT(obstacle(problem, settings, method), HasSubstr("checkpoints belong to"));
  }
  settings.formulation = Formulation::ali3p;
  EXPECT_THAT(obstacle(problem, settings, Method::adjoint), HasSubstr("checkpoints belong to"));
  EXPECT_EQ(obstacle(problem, settings, Method::discrete_adjoint), "");
}

#ifdef FIVEBAR_SUNDIALS
TEST(Bdf, GivesTheConvergedCostAndGradient)
{
  FivebarOptions options;
  options.body_parameters = true;
  options.duration = 0.5;
  const Problem problem = fivebar_springs(options);
  const Gradient exact =
    gradient(problem, with(Formulation::index1, 1e-3), problem.rho, Method::direct);
  for (const Formulation formulation : {Formulation::index1, Formulation::maggi})
  {
    Settings settings = with(formulation, 2e-3);
    settings.integrator = Integrator::bdf;
    settings.tolerance = 1e-11;
    for (const Method method : {Method::direct, Method::adjoint})
    {
      const Gradient g = gradient(problem, settings, problem.rho, method);
      EXPECT_NEAR(g.costs(0), exact.costs(0), 1e-8) << name(formulation) << " " << name(method);
      EXPECT_LT(relative_difference(g.gradient, exact.gradient), 1e-6)
        << name(formulation) << " " << name(method);
    }
  }
}

TEST(Bdf, KeepsPositionsAndVelocitiesOnTheConstraints)
{
  FivebarOptions options;
  options.duration = 2.0;
  const Problem problem = fivebar_springs(options);
  Settings settings = with(Formulation::index1, 1e-2);
  settings.integrator = Integrator::bdf;
  settings.tolerance = 1e-9;
  const Trajectory motion = simulate(problem, settings, problem.rho);
  double position = 0.0, velocity = 0.0;
  for (const Node & node : motion.phases.front().nodes)
  {
    const Response<double> at = response_at(problem, motion, motion.phases.front(), node);
    Terms<double> terms;
    problem.modes.front()->evaluate({node.t, at.q, at.v, problem.local(node.t, motion.rho)}, terms);
    position = std::max(position, terms.Phi.norm());
    velocity = std::max(velocity, (terms.Phi_q * at.v + terms.Phi_t).norm());
  }
  EXPECT_LT(position, 1e-7);
  EXPECT_LT(velocity, 1e-6);
}

TEST(Bdf, MeetsEvents)
{
  const Problem problem = fivebar_bouncing();
  Settings settings = with(Formulation::index1, 2e-3);
  settings.integrator = Integrator::bdf;
  settings.tolerance = 1e-10;
  const Trajectory motion = simulate(problem, settings, problem.rho);
  // Times of independent programs, as test_sensitivity has them.
  ASSERT_EQ(motion.event_times.size(), 3U);
  EXPECT_NEAR(motion.event_times[0], 0.31182760, 1e-6);
  EXPECT_NEAR(motion.event_times[2], 2.45379318, 1e-5);
}
#else
TEST(Bdf, SaysThatItWasBuiltWithoutSundials)
{
  const Problem problem = fivebar_springs();
  Settings settings;
  settings.integrator = Integrator::bdf;
  EXPECT_THAT(obstacle(problem, settings, Method::direct), HasSubstr("without SUNDIALS IDA"));
}
#endif

TEST(Bdf, RefusesFormulationsWithOtherEquations)
{
  const Problem problem = fivebar_springs();
  Settings settings;
  settings.integrator = Integrator::bdf;
  for (const Formulation other : {Formulation::penalty, Formulation::hamilton})
  {
    settings.formulation = other;
    EXPECT_NE(obstacle(problem, settings, Method::direct), "");
  }
  settings.formulation = Formulation::index1;
  EXPECT_NE(obstacle(problem, settings, Method::discrete_adjoint), "");
  settings.checkpoints = 3;
  EXPECT_NE(obstacle(problem, settings, Method::adjoint), "");
}

TEST(AlphaMethod, IsReadStrictly)
{
  const auto reason = [](const std::string & alpha) {
    try
    {
      read_mechanism(YamlMap::parse(
        "gravity: [0, 0]\nduration: 1\nformulation: index-3\nground: {O: [0, 0]}\n"
        "bodies: {arm: {mass: 1, inertia: 1, start: [0, 0, 0]}}\n"
        "joints: {pin: {type: revolute, between: [O, arm.origin]}}\n"
        "costs: {c: [{coordinate: arm.angle}]}\nalpha_method: " +
          alpha,
        "m.yaml"));
      return std::string();
    }
    catch (const Error & error)
    {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(reason("{spectral_radius: 0.5}"), "");
  EXPECT_EQ(reason("{hht: 0.1}"), "");
  EXPECT_THAT(reason("{hht: 0.5}"), HasSubstr("hht"));
  EXPECT_THAT(reason("{spectral_radius: 1.5}"), HasSubstr("spectral_radius"));
  EXPECT_THAT(reason("{spectral_radius: 0.5, hht: 0.1}"), HasSubstr("give either"));
  EXPECT_THAT(reason("{spectral_radios: 0.5}"), HasSubstr("spectral_radius"));
}

}  // namespace
}  // namespace fivebar_control::multibody
