// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "fivebar_control/multibody/mechanism_file.hpp"
#include "fivebar_control/multibody/reference_problems.hpp"
#include "multibody/gradients.hpp"

namespace fivebar_control::multibody
{
namespace
{

using testing::AllOf;
using testing::HasSubstr;

std::string path_of(const std::string & file)
{
  return std::string(FIVEBAR_SOURCE_DIR) + "/config/mechanisms/" + file;
}

const char * const pendulum = R"(gravity: [0, -9.81]
duration: 1
ground: {A: [0, 0]}
points: {p: [1, 0]}
rods: {r: {from: A, to: p, mass: 1}}
costs: {c: [{of: p, axis: y}]}
parameters: [rods.r.mass]
)";

/// The message with which a changed pendulum is refused; empty if it is not.
std::string refusal(const std::string & from, const std::string & to)
{
  std::string text = pendulum;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos);
  text.replace(at, from.size(), to);
  try
  {
    read_mechanism(YamlMap::parse(text, "m.yaml"));
  }
  catch (const InputError & error)
  {
    return error.what();
  }
  return "";
}

TEST(MechanismFile, DescribesTheSameFivebarAsTheProgram)
{
  for (const auto & [file, problem] : std::vector<std::pair<std::string, Problem>>{
         {"fivebar_springs.yaml", fivebar_springs()},
         {"fivebar_bouncing.yaml", fivebar_bouncing()},
         {"fivebar_capture.yaml", fivebar_capture()}})
  {
    const MechanismFile read = load_mechanism(path_of(file));
    const Gradient a = gradient(read.problem, Settings(), read.problem.rho, Method::adjoint);
    const Gradient b = gradient(problem, Settings(), problem.rho, Method::adjoint);
    EXPECT_LT((a.costs - b.costs).cwiseAbs().maxCoeff(), 1e-9) << file;
    EXPECT_LT(relative_difference(a.gradient, b.gradient), 1e-8) << file;
  }
}

TEST(MechanismFile, TakesOverridesByPath)
{
  YamlMap yaml = YamlMap::load(path_of("fivebar_springs.yaml"));
  yaml.set("duration", "1");
  yaml.set("springs.b1.rest_length", "2.4319235745");
  yaml.set("springs.b2.rest_length", "1.8448688868");
  yaml.set("points.p1.0", "-1.05");
  const MechanismFile file = read_mechanism(yaml);
  EXPECT_EQ(file.problem.duration, 1.0);
  EXPECT_EQ(file.problem.rho(0), 2.4319235745);
  // Rod lengths follow from the start positions, so another p1 is another mechanism.
  EXPECT_GT(simulate_costs<double>(file.problem, file.settings, file.problem.rho)(0), 1e-6);
  EXPECT_THROW(yaml.set("springs.b9.rest_length", "1"), InputError);
  yaml.set("durration", "1");
  EXPECT_THROW(read_mechanism(yaml), InputError);
}

TEST(MechanismFile, APendulumSwingsWithTheRightPeriod)
{
  // Small swings of a uniform rod: period 2 pi sqrt(2 L / (3 g)) = 1.637997 s for L = 1 m.
  YamlMap yaml = YamlMap::parse(pendulum, "m.yaml");
  yaml.set("points.p", "[0.001, -0.9999995]");
  yaml.set("costs", "{x: [{of: p, axis: x, power: 1, when: end}]}");
  yaml.set("duration", "1.6379970");
  const MechanismFile file = read_mechanism(yaml);
  EXPECT_NEAR(
    simulate_costs<double>(file.problem, file.settings, file.problem.rho)(0), 0.001, 1e-9);
}

TEST(MechanismFile, RefusesBadMechanismsWithAReason)
{
  EXPECT_EQ(refusal("mass: 1", "mass: 2"), "");
  EXPECT_THAT(
    refusal("mass: 1", "mass: -1"),
    AllOf(HasSubstr("m.yaml:5"), HasSubstr("rods.r.mass"), HasSubstr("positive")));
  EXPECT_THAT(refusal("from: A", "from: Z"), AllOf(HasSubstr("no point 'Z'"), HasSubstr("A, p")));
  EXPECT_THAT(refusal("rods.r.mass", "rods.r.mas"), HasSubstr("names no number"));
  EXPECT_THAT(refusal("gravity", "gravty"), HasSubstr("did you mean 'gravity'"));
  EXPECT_THAT(refusal("duration: 1", "duration: 0"), HasSubstr("duration"));
  EXPECT_THAT(
    refusal("costs:", "joints: {j: {type: revolut, between: [A, p]}}\ncosts:"),
    AllOf(HasSubstr("joints.j.type"), HasSubstr("revolute, prismatic")));
  EXPECT_THAT(
    refusal("points: {p: [1, 0]}\nrods: {r: {from: A, to: p, mass: 1}}", "springs: {}"),
    HasSubstr("no moving parts"));
  EXPECT_THAT(
    refusal(
      "{r: {from: A, to: p, mass: 1}}",
      "{r: {from: A, to: p, mass: 1}, s: {from: A, to: p, mass: 1, length: 1.5}}"),
    HasSubstr("nothing can move"));
}

const char * const parallelogram = R"(gravity: [0, -9.81]
duration: 1
ground: {A: [0, 0], B: [1, 0], C: [2, 0]}
points: {p: [0, 1], q: [1, 1], r: [2, 1]}
rods:
  a: {from: A, to: p, mass: 1}
  b: {from: B, to: q, mass: 1}
  c: {from: C, to: r, mass: 1}
  pq: {from: p, to: q, mass: 1}
  qr: {from: q, to: r, mass: 1}
costs: {c: [{of: p, axis: y}]}
)";

std::string message(const std::string & text)
{
  try
  {
    read_mechanism(YamlMap::parse(text, "m.yaml"));
  }
  catch (const InputError & error)
  {
    return error.what();
  }
  return "";
}

TEST(MechanismFile, TellsRedundantFromInconsistentFromSingular)
{
  EXPECT_EQ(message(parallelogram), "");
  std::string text = parallelogram;
  text.replace(
    text.find("costs"), 0,
    "joints: {again: {type: line, between: [A, p], axis: [0, 1]}, twice: {type: line, between: [A, "
    "p], axis: [0, 2]}}\n");
  EXPECT_THAT(message(text), HasSubstr("nothing can move"));  // one of both lines is left out
  text = parallelogram;
  text.replace(text.find("{from: A, to: p, mass: 1}"), 25, "{from: A, to: p, mass: 1, length: 5}");
  text.replace(text.find("{from: p, to: q, mass: 1}"), 25, "{from: p, to: q, mass: 1, length: 1}");
  EXPECT_THAT(message(text), HasSubstr("cannot be assembled"));
  // A parallelogram folded flat: the constraints lose rank there, but not next to it.
  const std::string flat = R"(duration: 1
ground: {A: [0, 0], B: [2, 0]}
points: {p: [1, 0], q: [3, 0]}
rods: {a: {from: A, to: p, mass: 1}, b: {from: p, to: q, mass: 1}, c: {from: q, to: B, mass: 1}}
costs: {c: [{of: p, axis: y}]}
initial: {hold: {y: {of: p, axis: y, position: 0}}}
)";
  EXPECT_THAT(message(flat), HasSubstr("singular"));
}

TEST(MechanismFile, ADriveIsATimeDependentConstraint)
{
  // A rod driven at constant speed: its tip moves on a circle, so x(t) is known, and so is its
  // derivative with respect to the speed.
  const std::string text = R"(duration: 2
bodies: {arm: {mass: 1, inertia: 0.1, centre: [0.5, 0], start: [0, 0, 0.3], points: {tip: [1, 0]}},
  bob: {mass: 1, inertia: 0.1, centre: [0.2, 0.1], start: [0.955, 0.296, 0], points: {}}}
ground: {A: [0, 0]}
joints:
  pin: {type: revolute, between: [A, arm.origin]}
  motor: {type: drive, coordinate: arm.angle, offset: 0.3, rate: 0.7}
  hinge: {type: revolute, between: [arm.tip, bob.origin]}
initial: {hold: {bob: {coordinate: bob.angle, position: 0}}}
parameters: [joints.motor.rate]
costs:
  tip: [{of: arm.tip, axis: x, power: 1, when: end}]
  bob: [{coordinate: bob.angle, order: 0}]
)";
  const MechanismFile file = read_mechanism(YamlMap::parse(text, "m.yaml"));
  for (const Formulation formulation :
       {Formulation::index1, Formulation::maggi, Formulation::hamilton})
  {
    Settings settings;
    settings.formulation = formulation;
    const Gradient g = gradient(file.problem, settings, file.problem.rho, Method::adjoint);
    EXPECT_NEAR(g.costs(0), std::cos(0.3 + 0.7 * 2.0), 1e-9) << name(formulation);
    EXPECT_NEAR(g.gradient(0, 0), -2.0 * std::sin(0.3 + 0.7 * 2.0), 1e-8) << name(formulation);
    const MatrixD exact =
      gradient(file.problem, settings, file.problem.rho, Method::complex_step).gradient;
    EXPECT_LT(relative_difference(g.gradient, exact), 1e-8) << name(formulation);
  }
}

}  // namespace
}  // namespace fivebar_control::multibody
