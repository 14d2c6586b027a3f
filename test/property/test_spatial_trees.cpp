// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cmath>

#include "fivebar_control/multibody/form.hpp"
#include "fivebar_control/multibody/mechanism_file.hpp"
#include "fivebar_control/multibody/spatial_motion.hpp"
#include "property/property.hpp"

namespace fivebar_control::test
{
namespace
{

using namespace multibody;  // NOLINT(google-build-using-namespace)

std::string triple(Random & random, double size)
{
  const auto one = [&] { return random.uniform(-size, size); };
  return fmt::format("[{}, {}, {}]", one(), one(), one());
}

/// Up to five bodies on joints of all types, hanging on the ground or flying freely.
std::string any_tree(Random & random, bool flying, const char * reference)
{
  const std::array<const char *, 7> types{"revolute",  "prismatic", "cardan",  "cylindrical",
                                          "spherical", "planar",    "floating"};
  const int count = 1 + static_cast<int>(random.bits() % 5);
  std::string bodies, joints, springs;
  for (int i = 0; i < count; ++i)
  {
    const double a = random.uniform(0.1, 1.0), b = random.uniform(0.1, 1.0);
    const double c = random.uniform(std::abs(a - b) + 0.02, a + b - 0.01);
    bodies += fmt::format(
      "  b{}: {{mass: {}, inertia: [{}, {}, {}], centre: {}, start: {}, rotation: {}, "
      "points: {{p: {}, s: {}}}}}\n",
      i, random.uniform(0.2, 3.0), a, b, c, triple(random, 0.3), triple(random, 1.0),
      triple(random, 1.5), triple(random, 0.5), triple(random, 0.5));
    if (i == 0 && flying)
    {
      continue;
    }
    const std::string other =
      i == 0 ? "O" : fmt::format("b{}.p", random.bits() % static_cast<std::uint64_t>(i));
    const std::string own = fmt::format("b{}.s", i);
    const std::size_t type = random.bits() % types.size();
    const bool turned = random.chance(0.5);
    std::string axes;
    if (type == 2)
    {
      // Perpendicular at the start, whatever the rotations: both bodies stand alike.
      bodies.resize(bodies.rfind("rotation: "));
      bodies +=
        fmt::format("points: {{p: {}, s: {}}}}}\n", triple(random, 0.5), triple(random, 0.5));
      axes = ", axis: [1, 0, 0], second_axis: [0, 1, 0]";
    }
    else if (type != 4 && type != 6)
    {
      axes = fmt::format(", axis: {}", triple(random, 1.0));
    }
    const bool cardan_on_turned = type == 2 && i > 0;
    joints += fmt::format(
      "  j{}: {{type: {}, between: [{}, {}]{}}}\n", i, cardan_on_turned ? "spherical" : types[type],
      turned ? own : other, turned ? other : own, cardan_on_turned ? "" : axes);
    springs += fmt::format(
      "  s{}: {{between: [{}, b{}.p], stiffness: {}, rest_length: {}}}\n", i, flying ? "b0.s" : "O",
      i, random.uniform(0.0, 20.0), random.uniform(0.1, 1.0));
  }
  return fmt::format(
    "coordinates: joint\nreference_point: {}\ngravity: {}\nduration: 1\nground: {{O: {}}}\n"
    "bodies:\n{}{}{}{}{}costs: {{c: [{{of: b0.p, axis: x}}]}}\n",
    reference, flying ? "[0, 0, 0]" : triple(random, 10.0), triple(random, 0.5), bodies,
    joints.empty() ? "" : "joints:\n", joints, springs.empty() ? "" : "springs:\n", springs);
}

struct Tree
{
  MechanismFile file;
  std::shared_ptr<const System> system;
  Point<double> at;
};

/// A tree in a random state that keeps its Euler parameters.
Tree any_moving_tree(Random & random, bool flying)
{
  Tree tree;
  tree.file = read_mechanism(YamlMap::parse(any_tree(random, flying, "centre"), "tree.yaml"));
  tree.system = tree.file.problem.modes.front();
  const Eigen::Index n = tree.system->coordinates();
  tree.at = {0.0, VectorD(n), VectorD(n), tree.file.problem.local(0.0, tree.file.problem.rho)};
  for (Eigen::Index k = 0; k < n; ++k)
  {
    tree.at.q(k) = random.uniform(-1.0, 1.0);
    tree.at.v(k) = random.uniform(-2.0, 2.0);
  }
  for (Eigen::Index k = 0; k < n; ++k)
  {
    const std::string & name = tree.file.mechanism->coordinate_names[static_cast<std::size_t>(k)];
    if (name.size() > 3 && name.substr(name.size() - 3) == ".e0")
    {
      auto p = tree.at.q.segment(k, 4);
      auto rate = tree.at.v.segment(k, 4);
      p.normalize();
      rate -= p.dot(rate) * p;
    }
  }
  return tree;
}

/// What the bodies say of themselves, independent of mass matrices.
struct Totals
{
  double kinetic = 0.0, energy = 0.0;
  Eigen::Vector3d momentum = Eigen::Vector3d::Zero(), turning = Eigen::Vector3d::Zero();
};

Eigen::Vector3d vector(const Direction & d) { return {d[0], d[1], d[2]}; }

Totals totals(const Tree & tree, const Point<double> & at)
{
  const Mechanism & mechanism = *tree.file.mechanism;
  Totals sum;
  const Eigen::Vector3d gravity(
    mechanism.gravity_x.constant, mechanism.gravity_y.constant, mechanism.gravity_z.constant);
  for (std::size_t i = 0; i < mechanism.space->bodies.size(); ++i)
  {
    const BodyMotion body = body_motion(mechanism, static_cast<int>(i), at);
    const double mass = mechanism.space->bodies[i].mass.constant;
    Eigen::Matrix3d inertia;
    inertia << vector(body.inertia[0]), vector(body.inertia[1]), vector(body.inertia[2]);
    const Eigen::Vector3d v = vector(body.velocity), w = vector(body.turning);
    const Eigen::Vector3d own = inertia * w;
    sum.kinetic += 0.5 * mass * v.squaredNorm() + 0.5 * w.dot(own);
    sum.energy -= mass * gravity.dot(vector(body.centre));
    sum.momentum += mass * v;
    sum.turning += mass * vector(body.centre).cross(v) + own;
  }
  for (const Spring & spring : mechanism.springs)
  {
    const auto place = [&](const Anchor & anchor) {
      return vector(place_in_space(mechanism, anchor, at.q, at.theta));
    };
    const double stretch = (place(spring.b) - place(spring.a)).norm() - spring.rest_length.constant;
    sum.energy += 0.5 * spring.stiffness.constant * stretch * stretch;
  }
  sum.energy += sum.kinetic;
  return sum;
}

/// A short motion by Runge-Kutta.
Point<double> moved(const Form & form, const Point<double> & at, double h, int steps)
{
  VectorD y = form.state(at);
  const auto rate = [&](const VectorD & state) {
    Response<double> response;
    form.respond(0.0, state, at.theta, at.q, response);
    return response.rate;
  };
  for (int i = 0; i < steps; ++i)
  {
    const VectorD k1 = rate(y), k2 = rate(y + 0.5 * h * k1), k3 = rate(y + 0.5 * h * k2),
                  k4 = rate(y + h * k3);
    y += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  const Eigen::Index n = at.q.size();
  return {0.0, y.head(n), y.tail(n), at.theta};
}

TEST(SpatialTrees, KeepEnergyAndHaveTheKineticEnergyOfTheirBodies)
{
  for_all(1000, [](Random & random) {
    const Tree tree = any_moving_tree(random, false);
    Terms<double> terms;
    tree.system->evaluate(tree.at, terms);
    const Totals before = totals(tree, tree.at);
    const double kinetic = 0.5 * tree.at.v.dot(terms.M * tree.at.v);
    EXPECT_NEAR(kinetic, before.kinetic, 1e-12 * (1.0 + kinetic));
    Settings settings;
    settings.formulation = Formulation::recursive;
    const auto form = make_form(tree.system, settings, tree.at);
    const Totals after = totals(tree, moved(*form, tree.at, 1e-4, 20));
    EXPECT_NEAR(after.energy, before.energy, 1e-9 * (1.0 + before.kinetic));
  });
}

TEST(SpatialTrees, KeepMomentumAndAngularMomentumWhereTheyFly)
{
  for_all(1000, [](Random & random) {
    const Tree tree = any_moving_tree(random, true);
    Settings settings;
    settings.formulation = Formulation::recursive;
    const auto form = make_form(tree.system, settings, tree.at);
    const Totals before = totals(tree, tree.at);
    const Totals after = totals(tree, moved(*form, tree.at, 1e-4, 20));
    const double scale = 1.0 + before.kinetic;
    EXPECT_LT((after.momentum - before.momentum).norm(), 1e-9 * scale);
    EXPECT_LT((after.turning - before.turning).norm(), 1e-9 * scale);
  });
}

TEST(SpatialTrees, HaveTheSameEquationsWithBothReferencePointsAndBodyAfterBody)
{
  for_all(1000, [](Random & random) {
    const Tree tree = any_moving_tree(random, random.chance(0.3));
    Mechanism other = *tree.file.mechanism;
    other.space->reference_point = MassReference::origin;
    Terms<double> centre, origin;
    tree.system->evaluate(tree.at, centre);
    make_system(other)->evaluate(tree.at, origin);
    const double mass = centre.M.norm(), force = centre.Q.norm();
    EXPECT_LT((centre.M - origin.M).norm(), 1e-12 * mass);
    EXPECT_LT((centre.M_rate - origin.M_rate).norm(), 1e-12 * (mass + centre.M_rate.norm()));
    EXPECT_LT((centre.Q - origin.Q).norm(), 1e-12 * (mass + force));

    Response<double> dense, recursive;
    Settings settings;
    const auto respond = [&](Formulation formulation, Response<double> & response) {
      settings.formulation = formulation;
      const auto form = make_form(tree.system, settings, tree.at);
      form->respond(0.0, form->state(tree.at), tree.at.theta, tree.at.q, response);
    };
    respond(Formulation::index1, dense);
    respond(Formulation::recursive, recursive);
    EXPECT_LT((dense.a - recursive.a).norm(), 1e-9 * (1.0 + dense.a.norm()));
  });
}

/// The constraints' Jacobian, its rate and the mass matrix' rate against complex steps.
TEST(SpatialTrees, HaveExactDerivatives)
{
  for_all(300, [](Random & random) {
    Tree tree = any_moving_tree(random, random.chance(0.3));
    Mechanism loose = *tree.file.mechanism;
    // The same bodies with every joint as a constraint, away from its manifold.
    const Eigen::Index n = tree.system->coordinates();
    const double delta = 1e-30;
    Point<Complex> along;
    along.t = 0.0;
    along.q = tree.at.q.cast<Complex>() + Complex(0.0, delta) * tree.at.v.cast<Complex>();
    along.v = tree.at.v.cast<Complex>();
    along.theta = tree.at.theta.cast<Complex>();
    Terms<double> terms;
    Terms<Complex> moving;
    tree.system->evaluate(tree.at, terms);
    tree.system->evaluate(along, moving);
    const auto near = [&](const MatrixD & rate, const Matrix<Complex> & of, const char * what) {
      const MatrixD exact = of.imag() / delta;
      EXPECT_LT((rate - exact).norm(), 1e-11 * (1.0 + exact.norm())) << what;
    };
    near(terms.M_rate, moving.M, "mass");
    if (tree.system->constraints() > 0)
    {
      near(terms.Phi_q_rate, moving.Phi_q, "Jacobian");
      near(terms.Phi_q * tree.at.v, moving.Phi, "constraints");
    }
    (void)n;
  });
}

}  // namespace
}  // namespace fivebar_control::test
