// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fivebar_control/multibody/form.hpp"
#include "fivebar_control/multibody/hamiltonian_adjoint.hpp"
#include "fivebar_control/multibody/initial.hpp"
#include "fivebar_control/multibody/mechanism_file.hpp"
#include "fivebar_control/multibody/optimise.hpp"
#include "fivebar_control/multibody/spatial_motion.hpp"
#include "gradients.hpp"

namespace fivebar_control::multibody
{
namespace
{

MechanismFile shipped(
  const std::string & name, const std::vector<MechanismOverride> & overrides = {})
{
  return load_mechanism(
    std::string(FIVEBAR_SOURCE_DIR) + "/config/mechanisms/" + name + ".yaml", overrides);
}

Gradient gradient_of(const MechanismFile & file, Formulation formulation, Method method)
{
  Settings settings = file.settings;
  settings.formulation = formulation;
  return gradient(file.problem, settings, file.problem.rho, method);
}

const std::vector<std::string> all_coordinates{"absolute", "natural", "joint"};

double norm(const Direction & a) { return std::hypot(a[0], a[1], a[2]); }
Direction minus(const Direction & a, const Direction & b)
{
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

/// Momentum and angular momentum about the ground's origin, in ground axes.
std::array<Direction, 2> momentum(const Mechanism & mechanism, const Point<double> & at)
{
  std::array<Direction, 2> sum{};
  for (std::size_t i = 0; i < mechanism.space->bodies.size(); ++i)
  {
    const BodyMotion body = body_motion(mechanism, static_cast<int>(i), at);
    const double mass = mechanism.space->bodies[i].mass.at(at.theta);
    for (std::size_t k = 0; k < 3; ++k)
    {
      const std::size_t l = (k + 1) % 3, m = (k + 2) % 3;
      sum[0][k] += mass * body.velocity[k];
      sum[1][k] += mass * (body.centre[l] * body.velocity[m] - body.centre[m] * body.velocity[l]);
      for (std::size_t j = 0; j < 3; ++j)
      {
        sum[1][k] += body.inertia[j][k] * body.turning[j];
      }
    }
  }
  return sum;
}

// The references are those of an independent program: Lagrange's equations in the two joint angles
// with automatic differentiation, fourth-order Runge-Kutta with this step. b_opt is printed as
// 1.0106, 0.65362.
constexpr double hooke_cost = 0.01848739865;
const MatrixD hooke_gradient = (MatrixD(1, 2) << -0.0636513104058, -0.0490967437437).finished();

TEST(HookePendulum, CostAndGradientAreThoseOfTheReferenceByEveryMethodInAllCoordinates)
{
  for (const std::string & coordinates : all_coordinates)
  {
    const MechanismFile file = shipped("hooke_pendulum", {{"coordinates", coordinates}});
    for (const auto & [formulation, method] :
         {std::pair(Formulation::index1, Method::direct),
          std::pair(Formulation::index1, Method::adjoint),
          std::pair(Formulation::index1, Method::discrete_adjoint),
          std::pair(Formulation::index1, Method::complex_step),
          std::pair(Formulation::maggi, Method::discrete_adjoint),
          std::pair(Formulation::hamilton, Method::hamiltonian_adjoint),
          std::pair(Formulation::hamilton, Method::hamiltonian_adjoint_joint)})
    {
      SCOPED_TRACE(coordinates + " " + name(formulation) + " " + name(method));
      const Gradient found = gradient_of(file, formulation, method);
      EXPECT_NEAR(found.costs(0), hooke_cost, 1e-6 * hooke_cost);
      EXPECT_LT(relative_difference(found.gradient, hooke_gradient), 1e-6);
    }
  }
}

TEST(HookePendulum, IndexThreeAndPenaltyFormsGiveTheSameAsTheStepGetsShort)
{
  for (const std::string & coordinates : all_coordinates)
  {
    const MechanismFile file =
      shipped("hooke_pendulum", {{"coordinates", coordinates}, {"step", "0.001"}});
    for (const Formulation formulation :
         {Formulation::ali3p, Formulation::index3, Formulation::penalty})
    {
      SCOPED_TRACE(coordinates + " " + name(formulation));
      const Gradient exact = gradient_of(file, formulation, Method::complex_step);
      EXPECT_LT(relative_difference(exact.gradient, hooke_gradient), 1e-4);
      const Gradient found = gradient_of(file, formulation, Method::discrete_adjoint);
      EXPECT_LT(relative_difference(found.gradient, exact.gradient), 1e-7);
    }
  }
}

TEST(HookePendulum, AbsoluteAndJointSpaceAdjointsAreTheSameMotion)
{
  const MechanismFile file = shipped("hooke_pendulum");
  const auto run = [&](AdjointSpace space) {
    return hamiltonian_adjoint(file.problem, file.settings, file.problem.rho, space);
  };
  const HamiltonianAdjoint absolute = run(AdjointSpace::absolute), joint = run(AdjointSpace::joint);
  ASSERT_EQ(absolute.nodes.size(), joint.nodes.size());
  for (std::size_t i = 0; i < absolute.nodes.size(); ++i)
  {
    EXPECT_LT((absolute.nodes[i].xi - joint.nodes[i].xi).norm(), 1e-8);
    EXPECT_LT((absolute.nodes[i].eta - joint.nodes[i].eta).norm(), 1e-8);
  }
}

TEST(HookePendulum, TheOptimumStaysWhereItStarts)
{
  const MechanismFile file = shipped("hooke_pendulum");
  const Optimisation result = gauss_newton(file.problem, file.settings);
  EXPECT_LE(result.iterations, 14);
  EXPECT_NEAR(result.rho(0), 1.0105977439, 1e-9);
  EXPECT_NEAR(result.rho(1), 0.6536178140, 1e-9);
  const Trajectory motion = simulate(file.problem, file.settings, result.rho);
  const Eigen::Index n = file.problem.modes.front()->coordinates();
  for (const Node & node : motion.phases.back().nodes)
  {
    const VectorD v = node.y.tail(n);
    const VectorD theta = file.problem.local(node.t, result.rho);
    const BodyMotion body = body_motion(*file.mechanism, 0, {node.t, node.y.head(n), v, theta});
    EXPECT_LT(norm(body.turning), 2e-11) << node.t;
  }
}

TEST(FreeBody, KeepsItsMomentumAndAngularMomentumInAllCoordinates)
{
  for (const Formulation formulation :
       {Formulation::index1, Formulation::recursive, Formulation::hamilton})
  {
    MechanismFile file = shipped("free_body", {{"duration", "2"}, {"step", "0.0005"}});
    file.settings.formulation = formulation;
    const Trajectory motion = simulate(file.problem, file.settings, file.problem.rho);
    const auto at = [&](const Node & node) {
      const VectorD theta = file.problem.local(node.t, file.problem.rho);
      Response<double> response;
      motion.phases.front().form->respond(node.t, node.y, theta, node.q, response);
      return Point<double>{node.t, response.q, response.v, theta};
    };
    const auto & nodes = motion.phases.front().nodes;
    const auto begin = momentum(*file.mechanism, at(nodes.front()));
    ASSERT_GT(norm(begin[1]), 0.1);
    for (std::size_t i = 0; i < nodes.size(); i += 100)
    {
      const auto now = momentum(*file.mechanism, at(nodes[i]));
      EXPECT_LT(norm(minus(now[0], begin[0])), 1e-12 * norm(begin[0]) + 1e-13) << name(formulation);
      EXPECT_LT(norm(minus(now[1], begin[1])), 1e-12) << name(formulation);
    }
  }
}

/// Angle of the crank along the motion: in joint coordinates it does not stop at half a turn.
double crank_angle(const MechanismFile & file, double t)
{
  Problem problem = file.problem;
  problem.duration = t;
  const Trajectory motion = simulate(problem, file.settings, problem.rho);
  return motion.phases.back().nodes.back().y(find_coordinate(*file.mechanism, "pin.angle"));
}

TEST(SliderCrank, TurnsAsTheIndependentProgramSays)
{
  const MechanismFile file = shipped("slider_crank", {{"step", "0.00025"}});
  EXPECT_NEAR(crank_angle(file, 1.0), 11.0432428, 1e-6);
  EXPECT_NEAR(crank_angle(file, 2.0), 21.6448409, 1e-6);
}

// López Varela prints no gradients of this mechanism; references as above.
TEST(SliderCrank, CostsAndGradientsOfTheSpringAreThoseOfTheReference)
{
  const MechanismFile file = shipped("slider_crank_spring", {{"step", "0.0004"}});
  const Gradient found = gradient_of(file, Formulation::index1, Method::adjoint);
  const Eigen::Vector3d costs(0.0139071046, 0.3743622555, 79.7090012);
  EXPECT_LT((found.costs - costs).cwiseQuotient(costs).cwiseAbs().maxCoeff(), 1e-6);
  const MatrixD expected = (MatrixD(2, 4) << -0.05415905, -1.5964514e-3, -0.21372588, 0.5463108,
                            -3.03927, -1.2024768, -54.80556, 259.9466)
                             .finished();
  EXPECT_LT(relative_difference(found.gradient.bottomRows(2), expected), 1e-6);
}

TEST(SliderCrank, IsTheSameInAllCoordinatesAndWithBothReferencePoints)
{
  const std::vector<MechanismOverride> shorter{{"duration", "0.2"}, {"step", "0.0002"}};
  const auto with = [&](const std::string & key, const std::string & value) {
    std::vector<MechanismOverride> all = shorter;
    all.emplace_back(key, value);
    return shipped("slider_crank_spring", all);
  };
  const Gradient joint =
    gradient_of(with("coordinates", "joint"), Formulation::index1, Method::discrete_adjoint);
  for (const char * coordinates : {"absolute", "natural"})
  {
    const Gradient other =
      gradient_of(with("coordinates", coordinates), Formulation::index1, Method::discrete_adjoint);
    EXPECT_LT((other.costs - joint.costs).cwiseQuotient(joint.costs).norm(), 1e-8) << coordinates;
    EXPECT_LT(relative_difference(other.gradient, joint.gradient), 1e-8) << coordinates;
  }
  const Gradient origin =
    gradient_of(with("reference_point", "origin"), Formulation::index1, Method::discrete_adjoint);
  EXPECT_LT((origin.costs - joint.costs).cwiseQuotient(joint.costs).norm(), 1e-12);
  EXPECT_LT(relative_difference(origin.gradient, joint.gradient), 1e-12);
}

TEST(SliderCrank, OpensItsLoopWhereAskedWithTheCountsOfTheSource)
{
  // López Varela, table 7.8: coordinates and constraints when the loop is opened at this joint.
  struct Row
  {
    const char * opened;
    int coordinates, constraints;
  };
  const double angle = crank_angle(shipped("slider_crank"), 0.25);
  for (const Row & row :
       {Row{"[pin]", 7, 7}, Row{"[ball]", 4, 3}, Row{"[cross]", 6, 5}, Row{"[guide]", 7, 10}})
  {
    SCOPED_TRACE(row.opened);
    MechanismFile file =
      shipped("slider_crank", {{"opened", row.opened}, {"closures", "coincidence"}});
    EXPECT_EQ(file.mechanism->coordinates, row.coordinates);
    EXPECT_EQ(constraint_count(*file.mechanism), row.constraints);
    EXPECT_EQ(file.problem.modes.front()->freedom(), 1);
    Problem problem = file.problem;
    problem.duration = 0.25;
    const Trajectory motion = simulate(problem, file.settings, problem.rho);
    const Node & last = motion.phases.back().nodes.back();
    const Eigen::Index n = file.problem.modes.front()->coordinates();
    const Direction b = place_in_space(
      *file.mechanism, file.anchors.at("crank.B"), last.y.head(n),
      problem.local(0.25, problem.rho));
    EXPECT_NEAR(b[1], 0.1 - 0.08 * std::sin(angle), 1e-8);
    EXPECT_NEAR(b[2], 0.12 + 0.08 * std::cos(angle), 1e-8);
  }
  // By itself it opens the joint with the most coordinates.
  EXPECT_EQ(shipped("slider_crank").mechanism->coordinates, 4);
}

TEST(SliderCrank, KeepsItsEnergy)
{
  const MechanismFile file = shipped("slider_crank", {{"duration", "1"}, {"step", "0.00025"}});
  const Trajectory motion = simulate(file.problem, file.settings, file.problem.rho);
  const Eigen::Index n = file.problem.modes.front()->coordinates();
  const auto energy = [&](const Node & node) {
    const Point<double> at{
      node.t, node.y.head(n), node.y.tail(n), file.problem.local(node.t, file.problem.rho)};
    Terms<double> terms;
    file.problem.modes.front()->evaluate(at, terms);
    double sum = 0.5 * at.v.dot(terms.M * at.v);
    for (int i = 0; i < 3; ++i)
    {
      const double mass =
        file.mechanism->space->bodies[static_cast<std::size_t>(i)].mass.at(at.theta);
      sum += 9.81 * mass * body_motion(*file.mechanism, i, at).centre[2];
    }
    return sum;
  };
  const auto & nodes = motion.phases.front().nodes;
  EXPECT_NEAR(energy(nodes.back()), energy(nodes.front()), 1e-9);
}

/// Schaffer, section 6.2: 16 parameters (6.4). Data by López Varela, since Schaffer prints none.
TEST(SliderCrank, SixteenParametersOfSchaffer)
{
  const std::string parameters =
    "[ground.A.x, ground.A.y, ground.A.z, bodies.crank.mass, bodies.rod.inertia.xx, "
    "bodies.rod.inertia.yy, bodies.rod.inertia.zz, bodies.rod.inertia.xy, bodies.rod.inertia.xz, "
    "bodies.rod.inertia.yz, bodies.slider.inertia.xx, bodies.slider.inertia.yy, "
    "bodies.slider.inertia.zz, bodies.slider.inertia.xy, bodies.slider.inertia.xz, "
    "bodies.slider.inertia.yz]";
  const MechanismFile file = shipped(
    "slider_crank_spring", {{"duration", "0.2"},
                            {"step", "0.0005"},
                            {"parameters", parameters},
                            {"bodies.rod.inertia", "[4e-3, 4e-3, 4e-3, 0, 0, 0]"},
                            {"bodies.slider.inertia", "[1e-4, 1e-4, 1e-4, 0, 0, 0]"}});
  ASSERT_EQ(file.problem.rho.size(), 16);
  const Gradient exact = gradient_of(file, Formulation::index1, Method::complex_step);
  for (const Method method : {Method::direct, Method::adjoint, Method::piecewise_adjoint})
  {
    const Gradient found = gradient_of(file, Formulation::index1, method);
    EXPECT_LT(relative_difference(found.gradient, exact.gradient), 1e-6) << name(method);
    EXPECT_EQ(found.gradient.rightCols(6).cwiseAbs().maxCoeff(), 0.0) << name(method);
  }
  const Gradient differences = gradient_of(file, Formulation::index1, Method::central_difference);
  EXPECT_LT(relative_difference(differences.gradient, exact.gradient), 1e-5);
}

// Maciąg, section 5.5, by an independent program in four joint angles (reading B: the axes of the
// Hooke joint turn with link 2).
TEST(PendulumOnRobot, AcceleratesAsTheReferenceSays)
{
  for (const std::string & coordinates : all_coordinates)
  {
    SCOPED_TRACE(coordinates);
    const MechanismFile file = shipped("pendulum_on_robot", {{"coordinates", coordinates}});
    const auto & system = file.problem.modes.front();
    VectorD theta = file.problem.local(0.0, file.problem.rho);
    const InitialState<double> start = assemble<double>(*system, *file.problem.initial, theta);
    for (const auto & [volts, expected] :
         {std::pair(0.0, Eigen::Vector4d(3.1012251, -3.0857578, -6.80210257, -7.28853025)),
          std::pair(1.0, Eigen::Vector4d(37.74626772, -2.96380515, -6.72511647, -32.06907524))})
    {
      theta(0) = volts;
      const Point<double> at{0.0, start.q, start.v, theta};
      const auto form = make_form(system, file.settings, at);
      Response<double> response;
      form->respond(0.0, form->state(at), theta, at.q, response);
      // Each angle's acceleration as a cost of that quantity.
      const auto acceleration = [&](int joint, int component) {
        CostTerm term;
        term.quantity.kind = Quantity::Kind::joint;
        term.quantity.index = joint;
        term.quantity.other_index = component;
        term.quantity.order = 2;
        term.power = 1;
        return make_cost(file.mechanism, {term})
          ->running(
            Motion<double>{0.0, response.q, response.v, response.a, response.lambda, theta});
      };
      const Eigen::Vector4d found(
        acceleration(0, 0), acceleration(1, 0), acceleration(5, 0), acceleration(5, 1));
      EXPECT_LT((found - expected).norm(), 1e-8 * expected.norm()) << found.transpose();
    }
  }
}

TEST(PendulumOnRobot, FallsAsTheReferenceSays)
{
  const MechanismFile file = shipped("pendulum_on_robot", {{"step", "0.0025"}});
  const Trajectory motion = simulate(file.problem, file.settings, file.problem.rho);
  const Eigen::Index n = file.problem.modes.front()->coordinates();
  const double expected[] = {7.066574, 9.653699, 18.432400, 38.240557, 77.260483, 145.155920};
  const auto & nodes = motion.phases.front().nodes;
  for (std::size_t i = 0; i < 6; ++i)
  {
    const Node & node = nodes[40 * i];
    const VectorD theta = file.problem.local(node.t, file.problem.rho);
    const auto place = [&](const char * name) {
      return place_in_space(*file.mechanism, file.anchors.at(name), node.y.head(n), theta);
    };
    const Direction axis = minus(place("pendulum.tip"), place("pendulum.origin"));
    EXPECT_NEAR(std::acos(axis[2] / norm(axis)) * 180.0 / std::acos(-1.0), expected[i], 1e-3);
  }
}

TEST(FivebarInSpace, IsThePlanarOne)
{
  // Tables 7.4 to 7.6 of López Varela are rows of `fivebar verify`; here against the planar engine.
  const MechanismFile planar = shipped("fivebar_bodies", {{"duration", "0.25"}});
  const Gradient expected = gradient_of(planar, Formulation::index1, Method::discrete_adjoint);
  for (const char * coordinates : {"joint", "absolute", "natural"})
  {
    const MechanismFile file =
      shipped("fivebar_joints", {{"duration", "0.25"}, {"coordinates", coordinates}});
    const Gradient found = gradient_of(file, Formulation::index1, Method::discrete_adjoint);
    EXPECT_LT((found.costs - expected.costs).cwiseQuotient(expected.costs).norm(), 1e-9);
    EXPECT_LT(relative_difference(found.gradient, expected.gradient), 1e-8) << coordinates;
  }
}

}  // namespace
}  // namespace fivebar_control::multibody
