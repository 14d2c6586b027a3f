// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/multibody/reference_problems.hpp"

#include <cmath>

#include "fivebar_control/multibody/mechanism.hpp"

namespace fivebar_control::multibody
{
namespace
{

Anchor ground(double x, double y) { return {Anchor::Kind::ground, 0, x, y}; }
Anchor moving(int coordinate) { return {Anchor::Kind::point, coordinate, {}, {}}; }

Quantity coordinate(int index, int order = 0)
{
  Quantity quantity;
  quantity.index = index;
  quantity.order = order;
  return quantity;
}

/// Third joint of a dyad: the point at distances l1 from a and l2 from b, on the given side.
std::array<double, 2> circle_intersection(
  double ax, double ay, double l1, double bx, double by, double l2, double side)
{
  const double dx = bx - ax, dy = by - ay;
  const double distance = std::hypot(dx, dy);
  const double along = (l1 * l1 - l2 * l2 + distance * distance) / (2.0 * distance);
  const double off = side * std::sqrt(l1 * l1 - along * along);
  return {ax + (along * dx - off * dy) / distance, ay + (along * dy + off * dx) / distance};
}

constexpr int x1 = 0, x2 = 2, y2 = 3, x3 = 4;
const double outer = std::sqrt(2.0);
const double inner = std::sqrt(3.25);

int structural_parameters(const FivebarOptions & options)
{
  return options.body_parameters ? 5 : options.spring_parameters ? 2 : 0;
}

struct FivebarParts
{
  Mechanism mechanism;
  VectorD estimate;
  std::vector<Hold> holds;
};

FivebarParts fivebar_parts(const FivebarOptions & options)
{
  FivebarParts parts;
  Mechanism & m = parts.mechanism;
  m.parameters = structural_parameters(options);
  m.gravity_y = -options.gravity;
  m.add_point("p1");
  m.add_point("p2");
  m.add_point("p3");
  const double ax = options.frame_shift;
  const double bx = ax + 1.0;
  const Anchor A = ground(ax, 0.0), B = ground(bx, 0.0);
  Rod first{A, moving(x1), 1.0, outer, {}, {}, true};
  if (options.body_parameters)
  {
    first.uniform = false;
    first.inertia = 1.0 * outer * outer / 12.0;
    first.mass = Value::of_parameter(2);
    first.centre = Value::of_parameter(3);
    first.length = Value::of_parameter(4);
  }
  m.rods = {
    first,
    {moving(x1), moving(x2), 1.5, inner, {}, {}, true},
    {moving(x2), moving(x3), 1.5, inner, {}, {}, true},
    {moving(x3), B, 1.0, outer, {}, {}, true}};
  m.springs = {
    {B, moving(x1), 100.0, Value::of_parameter(0), 0.0, 0.0},
    {B, moving(x2), 100.0, Value::of_parameter(1), 0.0, 0.0}};
  if (!options.spring_parameters)
  {
    m.springs[0].rest_length = std::sqrt(5.0);
    m.springs[1].rest_length = std::sqrt(4.25);
  }
  if (options.force_nodes > 0)
  {
    m.springs[1].force = Value::of_parameter(m.parameters++);
  }

  const double px = options.start_x, py = options.start_y;
  const auto left = circle_intersection(ax, 0.0, outer, px, py, inner, -1.0);
  const auto right = circle_intersection(px, py, inner, bx, 0.0, outer, -1.0);
  parts.estimate.resize(6);
  parts.estimate << left[0], left[1], px, py, right[0], right[1];
  if (options.body_parameters)
  {
    Quantity angle_a1, angle_12;
    angle_a1.kind = angle_12.kind = Quantity::Kind::rod_angle;
    angle_a1.anchor = A;
    angle_a1.other = angle_12.anchor = moving(x1);
    angle_12.other = moving(x2);
    parts.holds = {
      {angle_a1, std::atan2(left[1], left[0] - ax), 0.0},
      {angle_12, std::atan2(py - left[1], px - left[0]), 0.0}};
  }
  else
  {
    parts.holds = {{coordinate(x2), px, 0.0}, {coordinate(y2), py, 0.0}};
  }
  return parts;
}

Problem fivebar_problem(FivebarParts parts, const FivebarOptions & options)
{
  Problem problem;
  problem.duration = options.duration;
  problem.modes = {make_system(parts.mechanism)};
  const auto mechanism = std::make_shared<const Mechanism>(std::move(parts.mechanism));
  problem.initial = make_initial(mechanism, parts.estimate, parts.holds);
  problem.structural = structural_parameters(options);
  problem.rho.resize(problem.structural + options.force_nodes);
  if (options.spring_parameters)
  {
    problem.rho.head(2) << std::sqrt(5.0), std::sqrt(4.25);
    problem.parameter_names = {"rest_length_1", "rest_length_2"};
  }
  if (options.body_parameters)
  {
    problem.rho.segment(2, 3) << 1.0, 0.5 * outer, outer;
    problem.parameter_names.insert(
      problem.parameter_names.end(), {"mass_A1", "centre_A1", "length_A1"});
  }
  if (options.force_nodes > 0)
  {
    Input input;
    input.step = options.duration / std::max(options.force_nodes - 1, 1);
    input.nodes = VectorD::Zero(options.force_nodes);
    input.first_parameter = problem.structural;
    problem.inputs.push_back(input);
    problem.rho.tail(options.force_nodes).setZero();
    for (int i = 0; i < options.force_nodes; ++i)
    {
      problem.parameter_names.push_back("force_" + std::to_string(i));
    }
  }
  const int orders = options.three_costs ? 3 : 1;
  for (int order = 0; order < orders; ++order)
  {
    problem.costs.push_back(make_cost(
      mechanism, {{coordinate(x2, order), order == 0 ? options.start_x : 0.0, 1.0, 2, false},
                  {coordinate(y2, order), order == 0 ? options.start_y : 0.0, 1.0, 2, false}}));
  }
  return problem;
}

constexpr double ground_level = -2.35;

}  // namespace

Problem fivebar_springs(const FivebarOptions & options)
{
  return fivebar_problem(fivebar_parts(options), options);
}

Problem fivebar_bouncing(double start_x, double start_y)
{
  FivebarOptions options;
  options.frame_shift = -0.5;
  options.start_x = start_x;
  options.start_y = start_y;
  FivebarParts parts = fivebar_parts(options);
  const auto mechanism = std::make_shared<const Mechanism>(parts.mechanism);
  Problem problem = fivebar_problem(std::move(parts), options);
  problem.costs = {
    make_cost(mechanism, {{coordinate(y2, 1), 0.0, 1.0, 1, false}}),
    make_cost(mechanism, {{coordinate(y2, 2), 0.0, 1.0, 1, false}}),
    make_cost(
      mechanism,
      {{coordinate(y2, 2), 0.0, 1.0, 2, false}, {coordinate(y2, 1), 0.0, 1.0, 2, false}}),
    make_cost(mechanism, {{coordinate(y2, 0), 0.0, 1.0, 1, true}})};
  Event bounce;
  bounce.function = make_event_function(mechanism, coordinate(y2), ground_level, 1.0);
  bounce.law = JumpLaw::given_velocities;
  bounce.factors = {{x2, 1.0}, {y2, -1.0}};
  problem.events = {bounce};
  return problem;
}

Problem fivebar_capture()
{
  FivebarOptions options;
  options.duration = 1.0;
  FivebarParts parts = fivebar_parts(options);
  const auto mechanism = std::make_shared<const Mechanism>(parts.mechanism);
  Problem problem = fivebar_problem(parts, options);
  Mechanism caught = parts.mechanism;
  Joint floor;
  floor.type = Joint::Type::line;
  floor.a = ground(0.0, ground_level);
  floor.b = moving(x2);
  floor.x = 1.0;
  floor.y = 0.0;
  caught.joints.push_back(floor);
  problem.modes.push_back(make_system(caught));
  problem.costs = {
    make_cost(mechanism, {{coordinate(x2, 0), 0.0, 1.0, 1, true}}),
    make_cost(mechanism, {{coordinate(x2, 1), 0.0, 1.0, 1, true}})};
  Event capture;
  capture.function = make_event_function(mechanism, coordinate(y2), ground_level, 1.0);
  capture.law = JumpLaw::inelastic_impact;
  capture.next_mode = 1;
  problem.events = {capture};
  return problem;
}

}  // namespace fivebar_control::multibody
