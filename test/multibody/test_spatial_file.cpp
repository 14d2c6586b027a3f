// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fivebar_control/multibody/form.hpp"
#include "fivebar_control/multibody/mechanism_file.hpp"
#include "fivebar_control/multibody/sensitivity.hpp"
#include "fivebar_control/support/text_file.hpp"

namespace fivebar_control::multibody
{
namespace
{

using testing::AllOf;
using testing::HasSubstr;

std::string slider_crank()
{
  return read_text_file(
    std::string(FIVEBAR_SOURCE_DIR) + "/config/mechanisms/slider_crank_spring.yaml", 100000);
}

/// What the reader says when `from` is replaced in the slider-crank, or "".
std::string refusal(const std::string & from, const std::string & to)
{
  std::string text = slider_crank();
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  try
  {
    read_mechanism(YamlMap::parse(text, "m.yaml"));
    return "";
  }
  catch (const InputError & error)
  {
    return error.what();
  }
}

TEST(SpatialFile, RefusesBadMechanismsWithAReason)
{
  EXPECT_EQ(refusal("mass: 0.12", "mass: 0.13"), "");
  EXPECT_THAT(
    refusal("mass: 0.12", "mass: -1"),
    AllOf(HasSubstr("bodies.crank.mass"), HasSubstr("positive")));
  EXPECT_THAT(refusal("coordinates: joint", "coordinates: polar"), HasSubstr("natural"));
  EXPECT_THAT(
    refusal("inertia: 4e-3", "inertia: [1, 1, 3]"),
    AllOf(HasSubstr("bodies.rod.inertia"), HasSubstr("no rigid body")));
  EXPECT_THAT(
    refusal("inertia: 4e-3", "inertia: [1, 1, 1, 2, 0, 0]"), HasSubstr("not positive about every"));
  EXPECT_THAT(refusal("inertia: 4e-3", "inertia: [1, 1]"), HasSubstr("expected one number"));
  EXPECT_THAT(refusal("axis: [1, 0, 0]", "axis: [0, 0, 0]"), HasSubstr("no length"));
  EXPECT_THAT(refusal("axis: [1, 0, 0]", "axis: [1, 0]"), HasSubstr("joints.pin.axis"));
  EXPECT_THAT(
    refusal("second_axis: [1, 2, 0]", "second_axis: [1, 2, 1]"), HasSubstr("perpendicular"));
  EXPECT_THAT(refusal("type: spherical", "type: sphere"), HasSubstr("revolute, prismatic, cardan"));
  EXPECT_THAT(
    refusal("[crank.B, rod.origin]", "[crank.B, crank.origin]"), HasSubstr("two different bodies"));
  EXPECT_THAT(refusal("[crank.B, rod.origin]", "[crank.Q, rod.origin]"), HasSubstr("no point"));
  EXPECT_THAT(
    refusal("{joint: pin,", "{joint: pn,"), AllOf(HasSubstr("no joint 'pn'"), HasSubstr("hold")));
  EXPECT_THAT(refusal("{joint: pin,", "{joint: ball,"), HasSubstr("no single angles"));
  EXPECT_THAT(refusal("{joint: pin,", "{joint: pin, component: 1,"), HasSubstr("component"));
  EXPECT_THAT(refusal("gravity: [0, 0, -9.81]", "gravity: [0, -9.81]"), HasSubstr("gravity"));
  EXPECT_THAT(
    refusal("duration: 5", "duration: 5\npoints: {p: [0, 0]}"), HasSubstr("only a planar"));
  EXPECT_THAT(
    refusal("coordinates: joint", "coordinates: absolute\nclosures: minimal"),
    HasSubstr("'coordinates: joint'"));
  EXPECT_THAT(refusal("duration: 5", "duration: 5\nopened: [bal]"), HasSubstr("no joint 'bal'"));
  EXPECT_THAT(
    refusal("duration: 5", "duration: 5\ntorsion_springs: {t: {joint: guide, stiffness: 1}}"),
    HasSubstr("needs an angle"));
  EXPECT_THAT(
    refusal("C: [0.2, -0.1, -0.2]", "C: [0.02, -0.01, -0.02]"), HasSubstr("cannot be assembled"));
  EXPECT_THAT(
    refusal("hold:", "hold:\n    more: {joint: guide, position: 0.2}"),
    HasSubstr("1 degrees of freedom"));
}

TEST(SpatialFile, RefusesFormulationsThatDoNotFit)
{
  MechanismFile file = read_mechanism(YamlMap::parse(slider_crank(), "m.yaml"));
  file.settings.formulation = Formulation::recursive;
  EXPECT_THAT(
    obstacle(file.problem, file.settings, Method::direct), HasSubstr("joints close loops"));
  file.settings.formulation = Formulation::hadca;
  EXPECT_THAT(obstacle(file.problem, file.settings, Method::direct), HasSubstr("it is spatial"));
}

/// Every block of a form's linearisation against complex steps of its response.
void check_form(const Form & form, const Point<double> & at)
{
  const VectorD y = form.state(at);
  Response<double> here;
  form.respond(at.t, y, at.theta, at.q, here);
  const ResponseTangent tangent = form.linearise(at.t, y, at.theta, here);
  constexpr double delta = 1e-30;
  for (Eigen::Index k = 0; k < y.size() + at.theta.size(); ++k)
  {
    Vector<Complex> yc = y.cast<Complex>(), tc = at.theta.cast<Complex>();
    (k < y.size() ? yc(k) : tc(k - y.size())) += Complex(0.0, delta);
    Response<Complex> response;
    form.respond(Complex(at.t), yc, tc, here.q, response);
    const auto compare =
      [&](const Vector<Complex> & value, const MatrixD & slopes, const char * what) {
        const VectorD exact = value.imag() / delta;
        EXPECT_LT((slopes.col(k) - exact).norm(), 1e-11 * (1.0 + exact.norm()))
          << what << " along direction " << k;
      };
    compare(response.v, tangent.v, "v");
    compare(response.a, tangent.a, "a");
    compare(response.lambda, tangent.lambda, "lambda");
    compare(response.rate, tangent.rate, "rate");
  }
}

/// Everything that a spatial mechanism can have, with a parameter in each.
const char * const everything = R"(
gravity: [0.3, -1, -9.81]
duration: 1
ground: {A: [0, 0, 0], S: [2, 0.5, 0.3]}
bodies:
  crank: {mass: 1.2, inertia: [0.05, 0.06, 0.07, 0.005, -0.004, 0.003], centre: [0.2, 0.03, 0.1], start: [0, 0, 0], points: {tip: [0.5, 0, 0.1]}}
  rod: {mass: 0.8, inertia: [0.02, 0.04, 0.03], centre: [0.4, 0, 0], start: [0.4, -0.3, -0.1], points: {a: [0, 0.1, 0], b: [0.6, 0.1, 0]}}
  disc: {mass: 0.5, inertia: 0.01, start: [1.2, 0.35, -0.5], points: {c: [0.1, 0.05, 0.2]}}
  bob: {mass: 0.3, inertia: [0.01, 0.02, 0.015], centre: [0, 0, -0.2], start: [1.0, -0.2, -0.1], rotation: [0.2, 0.1, -0.3]}
joints:
  pivot: {type: revolute, between: [A, crank.origin], axis: [0, 0.6, 0.8]}
  elbow: {type: cylindrical, between: [rod.a, crank.tip], axis: [1, 2, 2]}
  table: {type: planar, between: [A, disc.c], axis: [0, 0.6, 0.8]}
  ball: {type: spherical, between: [rod.b, bob.origin]}
springs:
  s: {between: [S, disc.c], stiffness: 30, rest_length: 0.6, damping: 2, force: 0.5}
  u: {between: [bob.origin, disc.origin], stiffness: 20, rest_length: 0.3, damping: 1}
torsion_springs:
  t: {joint: pivot, stiffness: 3, rest_angle: 0.2, damping: 0.1}
  e: {joint: elbow, component: 1, stiffness: 2, damping: 0.2}
inputs: {volts: {step: 0.5, nodes: [3, -2, 1]}}
motors: {m: {joint: table, component: 2, torque_constant: 0.05, back_emf: 0.05, resistance: 2, friction: 1e-4, voltage: volts, ratio: 5, rotor_inertia: 1e-3}}
loads: {l: {at: rod.b, x: 0.4, y: -0.2, z: 0.1}}
parameters: [bodies.crank.mass, bodies.crank.centre.x, bodies.crank.inertia.xy, bodies.rod.points.b.y,
  ground.S.z, springs.s.damping, torsion_springs.t.rest_angle, motors.m.ratio, loads.l.y, gravity.y]
costs:
  c: [{of: rod.b, axis: z, order: 2}, {joint: elbow, component: 1, order: 2}, {joint: elbow, order: 1}, {joint: table, component: 2}]
)";

TEST(SpatialFile, EveryFormHasExactDerivativesForEveryElementInAllCoordinates)
{
  for (const char * coordinates : {"absolute", "natural", "joint"})
  {
    const MechanismFile file = read_mechanism(
      YamlMap::parse(std::string("coordinates: ") + coordinates + everything, "everything.yaml"));
    Problem shorter = file.problem;
    shorter.duration = 0.05;
    const Trajectory motion = simulate(shorter, file.settings, shorter.rho);
    const Node & node = motion.phases.back().nodes.back();
    const auto & system = file.problem.modes.front();
    const Eigen::Index n = system->coordinates();
    const Point<double> at{
      node.t, node.y.head(n), node.y.tail(n), file.problem.local(node.t, file.problem.rho)};
    Settings settings = file.settings;
    settings.penalty = 1e6;
    for (const Formulation formulation :
         {Formulation::index1, Formulation::penalty, Formulation::maggi, Formulation::hamilton,
          Formulation::recursive})
    {
      settings.formulation = formulation;
      if (!obstacle(file.problem, settings, Method::direct).empty())
      {
        continue;
      }
      SCOPED_TRACE(std::string(coordinates) + " " + name(formulation));
      check_form(*make_form(system, settings, at), at);
    }
  }
}

TEST(SpatialFile, GradientsOfEveryElementAgreeInAllCoordinates)
{
  MatrixD first;
  for (const char * coordinates : {"joint", "absolute", "natural"})
  {
    SCOPED_TRACE(coordinates);
    YamlMap yaml =
      YamlMap::parse(std::string("coordinates: ") + coordinates + everything, "everything.yaml");
    // Points of joints move the start, and differently where other coordinates are held.
    yaml.set(
      "parameters",
      "[bodies.crank.mass, bodies.crank.centre.x, bodies.crank.inertia.xy, "
      "ground.S.z, springs.s.damping, torsion_springs.t.rest_angle, "
      "motors.m.ratio, motors.m.rotor_inertia, loads.l.y, gravity.y]");
    MechanismFile file = read_mechanism(yaml);
    file.problem.duration = 0.2;
    file.settings.step = 1e-3;
    const auto with = [&](Method method) {
      return gradient(file.problem, file.settings, file.problem.rho, method).gradient;
    };
    const MatrixD exact = with(Method::complex_step);
    const double scale = exact.cwiseAbs().maxCoeff();
    EXPECT_LT((with(Method::discrete_adjoint) - exact).cwiseAbs().maxCoeff(), 1e-10 * scale);
    EXPECT_LT((with(Method::direct) - exact).cwiseAbs().maxCoeff(), 1e-10 * scale);
    if (first.size() == 0)
    {
      first = exact;
    }
    EXPECT_LT((exact - first).cwiseAbs().maxCoeff(), 1e-7 * scale);
  }
}

}  // namespace
}  // namespace fivebar_control::multibody
