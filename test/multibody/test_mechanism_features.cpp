// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <array>
#include <cmath>

#include "fivebar_control/multibody/mechanism_file.hpp"
#include "fivebar_control/multibody/series.hpp"
#include "fivebar_control/support/csv_table.hpp"
#include "multibody/gradients.hpp"

namespace fivebar_control::multibody
{
namespace
{

using testing::AllOf;
using testing::HasSubstr;

MechanismFile read(const std::string & text, const std::vector<MechanismOverride> & changes = {})
{
  YamlMap yaml = YamlMap::parse(text, "m.yaml");
  for (const auto & [key, value] : changes)
  {
    yaml.set(key, value);
  }
  return read_mechanism(yaml);
}

std::string refusal(const std::string & text, const std::vector<MechanismOverride> & changes)
{
  try
  {
    read(text, changes);
  }
  catch (const InputError & error)
  {
    return error.what();
  }
  return "";
}

const char * const driven = R"(duration: 1.5
ground: {A: [0, 0]}
bodies:
  arm: {mass: 1, inertia: 0.1, centre: [0.5, 0], start: [0, 0, 0.3], points: {tip: [1, 0]}}
  bob: {mass: 1, inertia: 0.1, centre: [0.2, 0.1], start: [0.955, 0.296, 0]}
joints:
  pin: {type: revolute, between: [A, arm.origin]}
  motor:
    type: drive
    coordinate: arm.angle
    table: {times: [0, 0.5, 1, 1.6], positions: [0.3, 0.9, 0.5, 0.7]}
  hinge: {type: revolute, between: [arm.tip, bob.origin]}
initial: {hold: {bob: {coordinate: bob.angle, position: 0}}}
parameters: [joints.motor.table.positions.1]
costs:
  arm: [{coordinate: arm.angle, power: 1, when: end}]
  bob: [{coordinate: bob.angle, order: 0}]
)";

TEST(DriveTable, IsACubicSplineThroughItsPositions)
{
  // At a node the driven angle is that of the table; between two, the natural spline was solved in
  // fractions.
  EXPECT_NEAR(
    simulate_costs<double>(
      read(driven, {{"duration", "1"}}).problem, Settings(), VectorD::Constant(1, 0.9))(0),
    0.5, 1e-7);
  EXPECT_NEAR(
    simulate_costs<double>(
      read(driven, {{"duration", "0.25"}}).problem, Settings(), VectorD::Constant(1, 0.9))(0),
    0.7121987951807229, 1e-7);
}

TEST(DriveTable, HasDerivativesByItsPositions)
{
  const MechanismFile file = read(driven);
  for (const Formulation formulation :
       {Formulation::index1, Formulation::maggi, Formulation::hamilton})
  {
    Settings settings;
    settings.formulation = formulation;
    const MatrixD exact =
      gradient(file.problem, settings, file.problem.rho, Method::complex_step).gradient;
    for (const Method method : {Method::direct, Method::adjoint})
    {
      const MatrixD ours = gradient(file.problem, settings, file.problem.rho, method).gradient;
      EXPECT_LT(relative_difference(ours, exact), 1e-6) << name(formulation) << name(method);
    }
  }
}

TEST(DriveTable, RefusesATableThatDoesNotFit)
{
  EXPECT_THAT(
    refusal(driven, {{"joints.motor.table.times", "[0, 0.5, 0.4, 2]"}}),
    AllOf(HasSubstr("m.yaml"), HasSubstr("joints.motor.table.times"), HasSubstr("increase")));
  EXPECT_THAT(
    refusal(driven, {{"joints.motor.table.times", "[0, 0.5, 1, 1.2]"}}),
    HasSubstr("from 0 to the duration, 1.5 s"));
  EXPECT_THAT(
    refusal(driven, {{"joints.motor.table.times", "[0, 0.5, 1.6]"}}),
    HasSubstr("3 times and 4 positions"));
  EXPECT_THAT(refusal(driven, {{"joints.motor.rate", "1"}}), HasSubstr("either a table"));
}

const char * const falling = R"(gravity: [0, -10]
duration: 1
ground: {A: [0, 0]}
bodies: {ball: {mass: 1, inertia: 1, start: [0, 0, 0]}}
joints: {rail: {type: prismatic, between: [A, ball.origin], axis: [0, 1]}}
initial: {hold: {y: {coordinate: ball.y, position: 0}}}
parameters: [initial.hold.y.position]
costs: {height: [{coordinate: ball.y, power: 1, when: end}]}
)";

TEST(Events, AreWatchedBetweenTheirTimesOnly)
{
  const auto height = [](const std::string & event) {
    const MechanismFile file = read(falling, {{"events", event}});
    return simulate_costs<double>(file.problem, file.settings, file.problem.rho)(0);
  };
  // y = -5 t^2 passes -0.2 at 0.2 s; then it would rise and fall again.
  const std::string bounce = "coordinate: ball.y, falls_below: -0.2, velocities: {ball.y: -1}";
  EXPECT_NEAR(height("{b: {" + bounce + ", after: 0.5}}"), -5.0, 1e-9);
  EXPECT_NEAR(height("{b: {" + bounce + ", before: 0.1}}"), -5.0, 1e-9);
  const double bounced = height("{b: {" + bounce + "}}");
  EXPECT_GT(bounced, -0.3);
  EXPECT_EQ(height("{b: {" + bounce + ", after: 0.1}}"), bounced);
  EXPECT_THAT(
    refusal(falling, {{"events", "{b: {" + bounce + ", after: 0.5, before: 0.5}}"}}),
    HasSubstr("later than 'after'"));
}

TEST(Events, HappenAtAGivenTime)
{
  // Turned round at T = 0.4 s: y(1) = -5 T^2 + 10 T (1 - T) - 5 (1 - T)^2.
  const MechanismFile file = read(
    falling, {{"events", "{turn: {at: 0.4, velocities: {ball.y: -1}}}"},
              {"parameters", "[events.turn.at]"}});
  const Gradient g = gradient(file.problem, file.settings, file.problem.rho, Method::adjoint);
  EXPECT_NEAR(g.costs(0), -0.2, 1e-9);
  EXPECT_NEAR(g.gradient(0, 0), 20.0 - 40.0 * 0.4, 1e-7);
  EXPECT_THAT(
    refusal(falling, {{"events", "{turn: {at: 0.4, coordinate: ball.y}}"}}),
    HasSubstr("watches nothing else"));
}

const char * const hanging = R"(gravity: [0, -9.81]
duration: 0.5
ground: {A: [0, 0]}
bodies: {arm: {mass: 2, inertia: 0.3, centre: [0.4, 0], start: [0, 0, -0.3]}}
joints: {pin: {type: revolute, between: [A, arm.origin]}}
torsion_springs: {s: {between: [ground, arm], stiffness: 30, rest_angle: 0.2}}
initial: {equilibrium: true}
parameters: [torsion_springs.s.rest_angle, bodies.arm.mass]
costs:
  angle: [{coordinate: arm.angle, power: 1, when: end}]
  rest: [{coordinate: arm.angle, order: 1}]
)";

TEST(Equilibrium, IsWhereAllForcesBalance)
{
  const MechanismFile file = read(hanging);
  const Trajectory motion = simulate(file.problem, file.settings, file.problem.rho);
  const double angle = motion.costs(0);
  EXPECT_NEAR(30.0 * (angle - 0.2) + 2.0 * 9.81 * 0.4 * std::cos(angle), 0.0, 1e-9);
  EXPECT_LT(motion.costs(1), 1e-20);  // it stays there
}

TEST(Equilibrium, MovesWithTheParameters)
{
  const MechanismFile file = read(hanging);
  const MatrixD g =
    gradient(file.problem, file.settings, file.problem.rho, Method::adjoint).gradient;
  const double angle = simulate_costs<double>(file.problem, file.settings, file.problem.rho)(0);
  const double stiffness = 30.0 - 2.0 * 9.81 * 0.4 * std::sin(angle);
  EXPECT_NEAR(g(0, 0), 30.0 / stiffness, 1e-8);
  EXPECT_NEAR(g(0, 1), -9.81 * 0.4 * std::cos(angle) / stiffness, 1e-8);
  EXPECT_THAT(
    refusal(hanging, {{"initial", "{equilibrium: false}"}}), HasSubstr("equilibrium: true"));
}

/// A sledge with two runners on a sloping line and a pendulum on it; `more` adds joints.
std::string sledge(const std::string & more)
{
  return R"(gravity: [0, -9.81]
duration: 1
ground: {A: [0, 0]}
bodies:
  sledge: {mass: 2, inertia: 0.2, start: [0, 0, 0.2], points: {a: [-0.5, 0], b: [0.5, 0], c: [0.8, 0]}}
  bob: {mass: 1, inertia: 0.1, centre: [0.5, 0], start: [0, 0, -1], points: {tip: [1, 0]}}
joints:
  front: {type: line, between: [A, sledge.a], axis: [0.98006657784124163, 0.19866933079506122]}
  back: {type: line, between: [A, sledge.b], axis: [0.98006657784124163, 0.19866933079506122]}
  hinge: {type: revolute, between: [sledge.origin, bob.origin]}
)" + more +
         R"(initial: {hold: {x: {coordinate: sledge.x, position: 0}, bob: {coordinate: bob.angle, position: -1}}}
costs: {c: [{coordinate: sledge.x}, {coordinate: bob.angle, when: end}]}
)";
}

TEST(RedundantConstraints, AreLeftOutWithAWord)
{
  // A third runner on the same line and the hinge a second time repeat what the others enforce.
  const std::string repeated =
    R"(  middle: {type: line, between: [A, sledge.c], axis: [0.98006657784124163, 0.19866933079506122]}
  again: {type: revolute, between: [bob.origin, sledge.origin]}
)";
  const MechanismFile plain = read(sledge(""));
  const MechanismFile more = read(sledge(repeated));
  EXPECT_TRUE(plain.notes.empty());
  ASSERT_EQ(more.notes.size(), 1U);
  EXPECT_THAT(more.notes.front(), AllOf(HasSubstr("redundant: 3 "), HasSubstr("left out")));
  for (const Formulation formulation :
       {Formulation::index1, Formulation::penalty, Formulation::maggi, Formulation::hamilton})
  {
    Settings settings;
    settings.formulation = formulation;
    const double expected = simulate_costs<double>(plain.problem, settings, plain.problem.rho)(0);
    EXPECT_NEAR(
      simulate_costs<double>(more.problem, settings, more.problem.rho)(0), expected,
      1e-6 * expected)
      << name(formulation);
  }
  EXPECT_THAT(
    refusal(sledge(repeated), {{"costs", "{c: [{multiplier: hinge}]}"}}),
    HasSubstr("not determined"));
}

TEST(MechanismFile, NamesThePlaceOfEveryMistake)
{
  // Key that is set, its value, key that the message names.
  const std::vector<std::array<std::string, 3>> mistakes{
    {"joints.rail.type", "slider", "joints.rail.type"},
    {"joints.rail.between", "[A, nowhere]", "joints.rail.between"},
    {"joints.rail.axis", "[0]", "joints.rail.axis"},
    {"bodies.ball.mass", "0", "bodies.ball.mass"},
    {"bodies.ball.mass", "heavy", "bodies.ball.mass"},
    {"bodies.ball.colour", "red", "colour"},
    {"frictions", "{f: {coordinate: ball.z, viscous: 1}}", "frictions.f.coordinate"},
    {"frictions", "{f: {coordinate: ball.y, viscous: -1}}", "frictions.f.viscous"},
    {"torsion_springs", "{t: {between: [ground, bat]}}", "torsion_springs.t.between"},
    {"springs", "{s: {between: [A, ball.tip], stiffness: 1, rest_length: 1}}", "springs.s.between"},
    {"loads", "{l: {at: A.b, x: 1}}", "loads.l.at"},
    {"loads", "{l: {at: ball.origin, x: wind}}", "loads.l.x"},
    {"inputs", "{u: {step: 0, zeros: 3}}", "inputs.u.step"},
    {"inputs", "{u: {step: 1, zeros: 0}}", "inputs.u.zeros"},
    {"events", "{e: {coordinate: ball.y, falls_below: 0, mode: other}}", "events.e.mode"},
    {"events", "{e: {coordinate: ball.y, falls_below: 0, next_mode: x}}", "events.e.next_mode"},
    {"events", "{e: {coordinate: ball.y}}", "events.e"},
    {"events", "{e: {at: -1}}", "events.e.at"},
    {"end", "{coordinate: ball.y, rises_over: 1}", "rises_over"},
    {"costs", "{}", "costs"},
    {"costs", "{c: [{coordinate: ball.y, power: 9}]}", "power"},
    {"costs", "{c: [{coordinate: ball.y, when: sometimes}]}", "when"},
    {"costs", "{c: [{multiplier: hinge}]}", "multiplier"},
    {"costs", "{c: [{input: volts}]}", "input"},
    {"costs", "{c: [{coordinate: ball.y, minus: ball.z}]}", "minus"},
    {"parameters", "[bodies.ball.weight]", "parameters"},
    {"parameters", "[inputs.volts]", "parameters"},
    {"bounds", "{bodies.ball.mass: [0, 1]}", "bounds"},
    {"bounds", "{initial.hold.y.position: [1, 0]}", "bounds"},
    {"initial", "{hold: {}}", "initial"},
    {"initial", "{hold: {y: {coordinate: ball.y}}}", "position"},
    {"formulation", "newton", "formulation"},
    {"integrator", "euler", "integrator"},
    {"step", "0", "step"},
    {"threads", "0", "threads"},
    {"independent", "[ball.z]", "independent"},
    {"pendula", "2", "pendulum"},
    {"stages", "[{set: [1]}]", "stages"},
    {"modes", "{other: {bodies: {}}}", "bodies"}};
  for (const auto & [key, value, named] : mistakes)
  {
    EXPECT_THAT(refusal(falling, {{key, value}}), AllOf(HasSubstr("m.yaml"), HasSubstr(named)))
      << key << ": " << value;
  }
}

TEST(Series, HasTheAdjointWhereTheMethodKnowsIt)
{
  const MechanismFile file = load_mechanism(
    std::string(FIVEBAR_SOURCE_DIR) + "/config/mechanisms/cart_chain.yaml", {{"duration", "2"}});
  const CsvTable plain = parse_csv(series_of(file, file.problem.rho), "series", {"t", "cart.x"});
  EXPECT_FALSE(has_column(plain, "xi_cart.x"));
  for (const Method method : {Method::hadca_adjoint, Method::hamiltonian_adjoint})
  {
    const CsvTable table = parse_csv(
      series_of(file, file.problem.rho, method), "series",
      {"t", "lambda_7", "residual", "xi_cart.x", "eta_pendulum_3.angle"});
    ASSERT_EQ(table.rows(), 201U);
    // dJ/du = -xi of the cart (figure of independent programs), 0 at the end.
    EXPECT_NEAR(column(table, "xi_cart.x").front(), -1.5604083760, 1e-5) << name(method);
    EXPECT_NEAR(column(table, "xi_cart.x").back(), 0.0, 1e-12) << name(method);
  }
}

}  // namespace
}  // namespace fivebar_control::multibody
