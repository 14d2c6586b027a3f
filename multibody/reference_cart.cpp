// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string>

#include "fivebar_control/multibody/mechanism.hpp"
#include "fivebar_control/multibody/reference_problems.hpp"

namespace fivebar_control::multibody
{
namespace
{

// Maciąg, table 5.3.
constexpr double cart_mass = 0.8, cart_inertia = 0.019, cart_friction = 0.5;
constexpr double mass = 0.5, inertia = 0.043, length = 1.0, hinge_friction = 0.3;
constexpr double right_angle = 1.57079632679489661923;

int angle_of(int body) { return 3 * body + 2; }

Anchor on_body(int body, double x) { return {Anchor::Kind::body, body, x, 0.0}; }

/// The absolute angle of the first pendulum, the relative ones of the others.
Quantity joint_angle(int body, int order)
{
  Quantity quantity;
  quantity.kind = body > 1 ? Quantity::Kind::difference : Quantity::Kind::coordinate;
  quantity.index = angle_of(body);
  quantity.other_index = angle_of(body - 1);
  quantity.order = order;
  return quantity;
}

Quantity cart_position(int order)
{
  Quantity quantity;
  quantity.order = order;
  return quantity;
}

Mechanism parts_of(const CartOptions & options)
{
  Mechanism m;
  m.gravity_y = -9.81;
  m.parameters = options.force_nodes > 0 ? 1 : 0;
  m.add_body("cart", {0, cart_mass, cart_inertia, 0.0, 0.0});
  Joint rail;
  rail.type = Joint::Type::prismatic;
  rail.b = on_body(0, 0.0);
  rail.x = 1.0;
  m.joints.push_back(rail);
  m.frictions.push_back({0, cart_friction, 0.0, 1.0});
  for (int i = 1; i < options.bodies; ++i)
  {
    m.add_body("pendulum_" + std::to_string(i), {0, mass, inertia, 0.5 * length, 0.0});
    Joint hinge;
    hinge.a = on_body(i - 1, i == 1 ? 0.0 : length);
    hinge.b = on_body(i, 0.0);
    m.joints.push_back(hinge);
    m.torsion_springs.push_back({angle_of(i - 1), angle_of(i), 0.0, 0.0, hinge_friction, 0.0});
  }
  if (options.held)
  {
    Joint servo;
    servo.type = Joint::Type::drive;
    m.joints.push_back(servo);
  }
  else if (options.force_nodes > 0)
  {
    m.loads.push_back({on_body(0, 0.0), Value::of_parameter(0), 0.0});
  }
  return m;
}

void add_costs(
  Problem & problem, const std::shared_ptr<const Mechanism> & mechanism,
  const CartOptions & options)
{
  std::vector<CostTerm> terms{
    {cart_position(0), 0.0, 0.5, 2, false}, {cart_position(0), 0.0, 0.5, 2, true}};
  if (options.upright)
  {
    terms.clear();
    for (int i = 1; i < options.bodies; ++i)
    {
      terms.push_back({joint_angle(i, 0), i == 1 ? right_angle : 0.0, 0.5, 2, true});
      terms.push_back({joint_angle(i, 1), 0.0, 0.5 * options.rate_weight, 2, true});
    }
  }
  problem.costs.push_back(make_cost(mechanism, terms));
  if (options.dissipated)
  {
    terms = {{cart_position(1), 0.0, cart_friction, 2, false}};
    for (int i = 1; i < options.bodies; ++i)
    {
      terms.push_back({joint_angle(i, 1), 0.0, hinge_friction, 2, false});
    }
    problem.costs.push_back(make_cost(mechanism, terms));
  }
}

}  // namespace

Problem cart_with_pendula(const CartOptions & options)
{
  Problem problem;
  problem.duration = options.duration;
  const auto mechanism = std::make_shared<const Mechanism>(parts_of(options));
  problem.modes = {make_system(*mechanism)};
  VectorD estimate = VectorD::Zero(3 * options.bodies);
  std::vector<Hold> holds;
  if (!options.held)
  {
    holds.push_back({cart_position(0), 0.0, 0.0});
  }
  for (int i = 1; i < options.bodies; ++i)
  {
    const double to_centre = length * (i - 0.5);
    estimate.segment(3 * i, 3) << to_centre * std::cos(options.angle),
      to_centre * std::sin(options.angle), options.angle;
    Quantity absolute;
    absolute.index = angle_of(i);
    holds.push_back({absolute, options.angle, 0.0});
  }
  problem.initial = make_initial(mechanism, estimate, holds);
  problem.rho = VectorD::Zero(options.force_nodes);
  if (options.force_nodes > 0)
  {
    Input input;
    input.step = options.duration / (options.force_nodes - 1);
    input.nodes = problem.rho;
    input.first_parameter = 0;
    problem.inputs.push_back(input);
    for (int i = 0; i < options.force_nodes; ++i)
    {
      problem.parameter_names.push_back("force_" + std::to_string(i));
    }
  }
  add_costs(problem, mechanism, options);
  return problem;
}

}  // namespace fivebar_control::multibody
