// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "fivebar_control/multibody/mechanism_file.hpp"
#include "fivebar_control/multibody/optimise.hpp"
#include "fivebar_control/multibody/reference_problems.hpp"
#include "fivebar_control/support/yaml_map.hpp"
#include "multibody/gradients.hpp"

namespace fivebar_control::multibody
{
namespace
{

using testing::HasSubstr;

MechanismFile path_synthesis(const std::vector<MechanismOverride> & overrides = {})
{
  return load_mechanism(
    std::string(FIVEBAR_SOURCE_DIR) + "/config/mechanisms/fourbar_path.yaml", overrides);
}

TEST(Kinematic, DirectAndAdjointEqualComplexSteps)
{
  const MechanismFile file = path_synthesis();
  const Problem & problem = file.problem;
  const MatrixD exact =
    gradient(problem, file.settings, problem.rho, Method::complex_step).gradient;
  for (const Method method : {Method::direct, Method::adjoint})
  {
    EXPECT_LT(
      relative_difference(gradient(problem, file.settings, problem.rho, method).gradient, exact),
      1e-12)
      << name(method);
  }
}

TEST(Kinematic, GivesWhatTheEquationsOfMotionGiveUnderTheSameDrive)
{
  MechanismFile file = path_synthesis();
  file.settings.step = 1e-3;
  const Problem & problem = file.problem;
  const Gradient driven = gradient(problem, file.settings, problem.rho, Method::adjoint);
  Settings index1;
  index1.step = 1e-3;
  const Gradient moved = gradient(problem, index1, problem.rho, Method::direct);
  EXPECT_NEAR(driven.costs(0), moved.costs(0), 1e-9 * std::abs(moved.costs(0)));
  EXPECT_LT(relative_difference(driven.gradient, moved.gradient), 1e-7);
}

/// Multipliers in the cost: forces of a driven mechanism depend on masses and lengths.
TEST(Kinematic, HandlesForcesOfTheDrive)
{
  MechanismFile file = read_mechanism(YamlMap::parse(
    R"(
gravity: [0, -9.81]
duration: 1
step: 0.01
formulation: kinematic
ground: {O: [0, 0]}
bodies: {arm: {mass: 2, inertia: 0.3, centre: [0.4, 0.1], start: [0, 0, 0.2]}}
joints:
  pin: {type: revolute, between: [O, arm.origin]}
  motor: {type: drive, coordinate: arm.angle, offset: 0.2, rate: 2}
parameters: [bodies.arm.mass, bodies.arm.inertia, bodies.arm.centre.x, joints.motor.rate]
costs: {torque: [{multiplier: motor, component: 0}]}
)",
    "arm.yaml"));
  const Problem & problem = file.problem;
  const MatrixD exact =
    gradient(problem, file.settings, problem.rho, Method::complex_step).gradient;
  for (const Method method : {Method::direct, Method::adjoint})
  {
    EXPECT_LT(
      relative_difference(gradient(problem, file.settings, problem.rho, method).gradient, exact),
      1e-12)
      << name(method);
  }
}

TEST(Kinematic, SynthesisFindsABetterStraightLineThanHoeken)
{
  // The classical proportions: ground 2, coupler and rocker 2.5, P at 5, for a crank of 1.
  const MechanismFile file = path_synthesis();
  const VectorD hoeken = (VectorD(5) << 2.0, 2.5, 5.0, 0.0, 2.5).finished();
  const double known = simulate_costs<double>(file.problem, file.settings, hoeken)(0);
  const double before = simulate_costs<double>(file.problem, file.settings, file.problem.rho)(0);
  const Optimisation found = gauss_newton(file.problem, file.settings);
  EXPECT_TRUE(found.converged);
  EXPECT_LT(found.cost, known);
  EXPECT_LT(known, before);
}

TEST(Kinematic, RefusesWhatItCannotDo)
{
  const Problem free = fivebar_springs();
  Settings settings;
  settings.formulation = Formulation::kinematic;
  EXPECT_THAT(
    obstacle(free, settings, Method::direct),
    HasSubstr("needs a drive for every degree of freedom; 2 are left"));
  MechanismFile file = path_synthesis();
  EXPECT_THAT(
    obstacle(file.problem, file.settings, Method::discrete_adjoint),
    HasSubstr("direct, adjoint and the numerical methods"));
  file.settings.integrator = Integrator::trapezoidal;
  EXPECT_THAT(
    obstacle(file.problem, file.settings, Method::direct), HasSubstr("by integrator rk4"));
}

TEST(Kinematic, SaysWhereTheMechanismCannotBeClosed)
{
  // With so short a rocker the crank cannot turn by half a revolution.
  const MechanismFile file = path_synthesis({parse_override("bodies.rocker.points.tip.0=0.5")});
  try
  {
    gradient(file.problem, file.settings, file.problem.rho, Method::direct);
    FAIL();
  }
  catch (const MechanismError & error)
  {
    EXPECT_THAT(error.what(), HasSubstr("cannot be closed at t = 0."));
  }
}

}  // namespace
}  // namespace fivebar_control::multibody
