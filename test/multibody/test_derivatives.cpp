// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fivebar_control/multibody/maggi_form.hpp"
#include "fivebar_control/multibody/mechanism_file.hpp"
#include "fivebar_control/multibody/reference_problems.hpp"
#include "fivebar_control/multibody/sensitivity.hpp"

namespace fivebar_control::multibody
{
namespace
{

constexpr double delta = 1e-30;

/// Every block of a form's linearisation against complex steps of its response.
void check_form(
  const Form & form, double t, const VectorD & y, const VectorD & theta, const VectorD & hint)
{
  Response<double> at;
  form.respond(t, y, theta, hint, at);
  const ResponseTangent tangent = form.linearise(t, y, theta, at);
  for (Eigen::Index k = 0; k < y.size() + theta.size(); ++k)
  {
    Vector<Complex> yc = y.cast<Complex>();
    Vector<Complex> tc = theta.cast<Complex>();
    (k < y.size() ? yc(k) : tc(k - y.size())) += Complex(0.0, delta);
    Response<Complex> response;
    form.respond(Complex(t), yc, tc, at.q, response);
    const auto compare =
      [&](const Vector<Complex> & value, const MatrixD & slopes, const char * what) {
        const VectorD exact = value.imag() / delta;
        EXPECT_LT((slopes.col(k) - exact).norm(), 1e-10 * (1.0 + exact.norm()))
          << what << " along direction " << k;
      };
    compare(response.q, tangent.q, "q");
    compare(response.v, tangent.v, "v");
    compare(response.a, tangent.a, "a");
    compare(response.lambda, tangent.lambda, "lambda");
    compare(response.rate, tangent.rate, "rate");
  }
}

void check_all_forms(const Problem & problem, double step)
{
  const std::shared_ptr<const System> system = problem.modes.front();
  // A moving state away from the start.
  Problem shorter = problem;
  shorter.duration = 40 * step;
  shorter.events.clear();
  shorter.end = nullptr;
  Settings settings;
  settings.step = step;
  const Trajectory trajectory = simulate(shorter, settings, problem.rho);
  const Node & node = trajectory.phases.back().nodes.back();
  const Eigen::Index n = system->coordinates();
  const VectorD theta = problem.local(node.t, problem.rho);
  const Point<double> at{node.t, node.y.head(n), node.y.tail(n), theta};
  for (const Formulation formulation :
       {Formulation::index1, Formulation::penalty, Formulation::maggi, Formulation::hamilton})
  {
    SCOPED_TRACE(static_cast<int>(formulation));
    settings.formulation = formulation;
    settings.penalty = 1e6;
    const auto form = make_form(system, settings, at);
    check_form(*form, node.t, form->state(at), theta, at.q);
  }
}

TEST(Derivatives, OfEveryFormEqualComplexStepsForTheFivebar)
{
  FivebarOptions options;
  options.body_parameters = true;
  options.force_nodes = 5;
  check_all_forms(fivebar_springs(options), 5e-3);
}

TEST(Derivatives, OfEveryFormEqualComplexStepsForAVariableMassMatrix)
{
  check_all_forms(schaffer_reference(true), 5e-3);
}

TEST(Derivatives, OfEveryFormEqualComplexStepsForBodiesJointsAndSprings)
{
  const MechanismFile file =
    load_mechanism(std::string(FIVEBAR_SOURCE_DIR) + "/config/mechanisms/cart_pendulum.yaml");
  check_all_forms(file.problem, 5e-3);
}

TEST(Derivatives, OfEveryFormEqualComplexStepsForEveryElement)
{
  // A made-up mechanism with each kind of element and a parameter in each.
  const YamlMap yaml = YamlMap::parse(
    R"(
gravity: [0.3, -9.81]
duration: 1
ground: {A: [0, 0], S: [2, 0.5]}
bodies:
  crank: {mass: 1.2, inertia: 0.05, centre: [0.2, 0.03], start: [0, 0, 0.7], points: {pin: [0, 0], tip: [0.5, 0]}}
  rod: {mass: 0.8, inertia: 0.04, centre: [0.4, 0], start: [0.382, 0.322, -0.3], points: {a: [0, 0], b: [1.2, 0.1]}}
  slider: {mass: 0.5, inertia: 0.01, start: [1.5, 0.2, 0.2], points: {c: [0.1, 0.05]}}
shafts: {motor: {inertia: 0.002, start: 14}}
joints:
  pivot: {type: revolute, between: [A, crank.pin]}
  elbow: {type: revolute, between: [crank.tip, rod.a]}
  wrist: {type: revolute, between: [rod.b, slider.origin]}
  guide: {type: prismatic, between: [A, slider.c], axis: [1, 0.2], angle: 0.2}
  gear: {type: gear, shaft: motor, body: crank, ratio: 20}
springs: {s: {between: [S, slider.c], stiffness: 30, rest_length: 0.6, damping: 2, force: 0.5}}
torsion_springs: {t: {between: [crank, rod], stiffness: 3, rest_angle: 0.2, damping: 0.1}}
inputs: {volts: {step: 0.5, nodes: [3, -2, 1]}}
motors: {m: {shaft: motor, torque_constant: 0.05, back_emf: 0.05, resistance: 2, friction: 1e-4, voltage: volts}}
loads: {l: {at: rod.b, x: 0.4, y: -0.2}}
initial: {hold: {c: {coordinate: crank.angle, position: 0.7, velocity: 1.5}}}
parameters: [bodies.crank.mass, bodies.crank.centre.x, bodies.rod.points.b.y, bodies.rod.inertia,
  ground.S.x, joints.guide.axis.y, joints.guide.angle, joints.gear.ratio, springs.s.damping,
  torsion_springs.t.rest_angle, motors.m.resistance, loads.l.y, gravity.y, initial.hold.c.velocity,
  inputs.volts]
costs: {c: [{of: rod.b, axis: y, order: 2}, {multiplier: elbow, component: 1, weight: 0.01}]}
)",
    "elements.yaml");
  const MechanismFile file = read_mechanism(yaml);
  check_all_forms(file.problem, 5e-3);
  Settings settings;
  settings.step = 2e-3;
  settings.threads = 1;
  Problem problem = file.problem;
  const MatrixD exact = gradient(problem, settings, problem.rho, Method::complex_step).gradient;
  for (const Method method : {Method::direct, Method::adjoint, Method::piecewise_adjoint})
  {
    const MatrixD found = gradient(problem, settings, problem.rho, method).gradient;
    EXPECT_LT((found - exact).cwiseAbs().maxCoeff(), 1e-7 * exact.cwiseAbs().maxCoeff())
      << name(method);
  }
}

TEST(Derivatives, OfTheStartEqualComplexSteps)
{
  FivebarOptions options;
  options.body_parameters = true;
  for (const Problem & problem : {fivebar_springs(options), schaffer_reference(false)})
  {
    const System & system = *problem.modes.front();
    const InitialState<double> start = assemble<double>(system, *problem.initial, problem.rho);
    const InitialTangent tangent =
      initial_tangent(system, *problem.initial, {0.0, start.q, start.v, problem.rho});
    for (Eigen::Index k = 0; k < problem.rho.size(); ++k)
    {
      Vector<Complex> theta = problem.rho.cast<Complex>();
      theta(k) += Complex(0.0, delta);
      const InitialState<Complex> moved = assemble<Complex>(system, *problem.initial, theta);
      EXPECT_LT((tangent.q.col(k) - moved.q.imag() / delta).norm(), 1e-12) << k;
      EXPECT_LT((tangent.v.col(k) - moved.v.imag() / delta).norm(), 1e-12) << k;
    }
  }
}

TEST(MaggiForm, HasTheCheckedTermsAtTheStart)
{
  // Hand-checked values in the frame A = (0, 0), z = (x2, y2), t = 0.
  const Problem problem = fivebar_springs();
  const MaggiForm form(problem.modes.front(), {2, 3});
  const InitialState<double> start = assemble<double>(form.system(), *problem.initial, problem.rho);
  Response<double> at;
  form.respond(
    0.0, form.state(Point<double>{0.0, start.q, start.v, problem.rho}), problem.rho, start.q, at);
  const MaggiTerms terms = form.maggi_terms(0.0, problem.rho, VectorD::Zero(2), at);
  MatrixD R(6, 2);
  R << 0.6, -0.4, -0.6, 0.4, 1, 0, 0, 1, 0.6, 0.4, 0.6, 0.4;
  EXPECT_LT((terms.R - R).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_NEAR(terms.M_bar(0, 0), 2.8, 1e-12);
  EXPECT_NEAR(terms.M_bar(1, 1), 1.9333333333333333, 1e-12);
  EXPECT_NEAR(terms.M_bar(0, 1), 0.0, 1e-12);
  EXPECT_NEAR(terms.Q_bar(0), 0.0, 1e-12);
  EXPECT_NEAR(terms.Q_bar(1), -24.525, 1e-12);
  VectorD acceleration(6), lambda(4);
  acceleration << 5.074137931, -5.074137931, 0, -12.685344828, -5.074137931, -5.074137931;
  lambda << 2.304504310, -0.126853448, -0.126853448, 2.304504310;
  EXPECT_LT((at.a - acceleration).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((at.lambda - lambda).cwiseAbs().maxCoeff(), 1e-9);
}

}  // namespace
}  // namespace fivebar_control::multibody
