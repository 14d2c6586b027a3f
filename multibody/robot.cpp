// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/multibody/robot.hpp"

#include <cmath>

#include "fivebar_control/multibody/hamiltonian_adjoint.hpp"
#include "fivebar_control/multibody/mechanism.hpp"
#include "planar.hpp"

namespace fivebar_control::multibody
{
namespace
{

constexpr int angle_1 = 2, angle_4 = 11;

/// The reference near a time that may carry derivatives: its Taylor polynomial of first order.
template <class S>
struct ReferenceAt
{
  Plane<S> position, velocity;

  ReferenceAt(const ReferenceCurve & curve, const S & t)
  {
    const double base = real_part(t);
    const ReferencePoint point = curve(base);
    const S step = t - base;
    position = {
      point.position[0] + point.velocity[0] * step, point.position[1] + point.velocity[1] * step};
    velocity = {
      point.velocity[0] + point.acceleration[0] * step,
      point.velocity[1] + point.acceleration[1] * step};
  }
};

class TrackingCost final : public CostOf<TrackingCost>
{
public:
  TrackingCost(
    std::shared_ptr<const Mechanism> mechanism, const Anchor & effector,
    const RobotTracking & tracking)
  : mechanism_(std::move(mechanism)),
    effector_(effector),
    reference_(tracking.reference),
    alpha_(tracking.alpha),
    beta_(tracking.beta)
  {
  }

  template <class S>
  S g(const Motion<S> & at) const
  {
    const AnchorState<S> P = anchor_state(*mechanism_, effector_, at.q, at.v, at.theta);
    const ReferenceAt<S> reference(reference_, at.t);
    const Plane<S> error = P.position - reference.position;
    const Plane<S> rate = P.velocity - reference.velocity;
    return (1.0 - alpha_) * (dot(error, error) + beta_ * dot(rate, rate));
  }
  template <class S>
  S w(const Motion<S> & at) const
  {
    const AnchorState<S> P = anchor_state(*mechanism_, effector_, at.q, at.v, at.theta);
    const Plane<S> error = P.position - ReferenceAt<S>(reference_, at.t).position;
    return alpha_ * dot(error, error);
  }

private:
  std::shared_ptr<const Mechanism> mechanism_;
  Anchor effector_;
  ReferenceCurve reference_;
  double alpha_, beta_;
};

Anchor on_body(int body, double x) { return {Anchor::Kind::body, body, x, 0.0}; }

Joint revolute(const Anchor & a, const Anchor & b)
{
  Joint joint;
  joint.a = a;
  joint.b = b;
  return joint;
}

Mechanism robot_mechanism(const RobotNumbers & robot)
{
  Mechanism m;
  m.parameters = 2;
  m.gravity_x = robot.gravity[0];
  m.gravity_y = robot.gravity[1];
  for (std::size_t i = 0; i < 4; ++i)
  {
    const RobotNumbers::Link & link = robot.links[i];
    m.add_body(
      "link_" + std::to_string(i + 1), {0, link.mass, link.inertia, link.centre_x, link.centre_y});
  }
  const auto & [l1, l2, l3, l4] = robot.links;
  const Anchor O1{Anchor::Kind::ground, 0, robot.pivot_1[0], robot.pivot_1[1]};
  const Anchor O4{Anchor::Kind::ground, 0, robot.pivot_4[0], robot.pivot_4[1]};
  m.joints = {
    revolute(O1, on_body(0, 0.0)), revolute(on_body(0, l1.length), on_body(1, 0.0)),
    revolute(on_body(1, l2.length), on_body(2, l3.length)),
    revolute(on_body(3, l4.length), on_body(2, 0.0)), revolute(O4, on_body(3, 0.0))};
  for (std::size_t i = 0; i < 2; ++i)
  {
    const RobotNumbers::Motor & motor = robot.motors[i];
    const int shaft = m.add_shaft(i == 0 ? "motor_1" : "motor_4", motor.rotor_inertia);
    Joint gear;
    gear.type = Joint::Type::gear;
    gear.shaft = shaft;
    gear.b.index = i == 0 ? 0 : 3;
    gear.ratio = motor.gear_ratio;
    m.joints.push_back(gear);
    m.motors.push_back(
      {shaft, motor.torque_constant, motor.back_emf, motor.resistance, motor.damping,
       Value::of_parameter(static_cast<int>(i))});
    const RobotNumbers::Friction & friction = robot.friction[i];
    const double width = friction.coulomb_velocity > 0.0 ? friction.coulomb_velocity : 1.0;
    m.frictions.push_back({i == 0 ? angle_1 : angle_4, friction.viscous, friction.coulomb, width});
  }
  return m;
}

/// Poses of all bodies for the start angles: q in the order of robot_problem().
VectorD robot_configuration(const RobotNumbers & robot)
{
  const auto & [l1, l2, l3, l4] = robot.links;
  const double phi1 = robot.start_angle[0], phi4 = robot.start_angle[1];
  const double ax = robot.pivot_1[0] + l1.length * std::cos(phi1);
  const double ay = robot.pivot_1[1] + l1.length * std::sin(phi1);
  const double bx = robot.pivot_4[0] + l4.length * std::cos(phi4);
  const double by = robot.pivot_4[1] + l4.length * std::sin(phi4);
  const double dx = bx - ax, dy = by - ay;
  const double distance = std::hypot(dx, dy);
  const double along =
    (l2.length * l2.length - l3.length * l3.length + distance * distance) / (2.0 * distance);
  const double square = l2.length * l2.length - along * along;
  if (!(square > 0.0))
  {
    throw MechanismError("the distal links of the robot cannot meet at the start angles");
  }
  const double off = robot.side * std::sqrt(square);
  const double px = ax + (along * dx - off * dy) / distance;
  const double py = ay + (along * dy + off * dx) / distance;
  VectorD q(14);
  const auto place = [&](Eigen::Index i, double x, double y, double angle) {
    const RobotNumbers::Link & link = robot.links[static_cast<std::size_t>(i)];
    const double c = std::cos(angle), s = std::sin(angle);
    q.segment(3 * i, 3) << x + c * link.centre_x - s * link.centre_y,
      y + s * link.centre_x + c * link.centre_y, angle;
  };
  place(0, robot.pivot_1[0], robot.pivot_1[1], phi1);
  place(1, ax, ay, std::atan2(py - ay, px - ax));
  place(2, bx, by, std::atan2(py - by, px - bx));
  place(3, robot.pivot_4[0], robot.pivot_4[1], phi4);
  q(12) = robot.motors[0].gear_ratio * phi1;
  q(13) = robot.motors[1].gear_ratio * phi4;
  return q;
}

Settings robot_settings(const RobotTracking & tracking)
{
  Settings settings;
  settings.formulation = Formulation::hamilton;
  settings.step = tracking.step;
  settings.independent = {angle_1, angle_4};
  return settings;
}

}  // namespace

Problem robot_problem(const RobotTracking & tracking)
{
  const auto mechanism = std::make_shared<const Mechanism>(robot_mechanism(tracking.robot));
  Problem problem;
  problem.modes = {make_system(*mechanism)};
  std::vector<Hold> holds(2);
  for (std::size_t i = 0; i < 2; ++i)
  {
    holds[i].quantity.index = i == 0 ? angle_1 : angle_4;
    holds[i].position = tracking.robot.start_angle[i];
    holds[i].velocity = tracking.robot.start_rate[i];
  }
  problem.initial = make_initial(mechanism, robot_configuration(tracking.robot), holds);
  problem.costs = {std::make_shared<TrackingCost>(
    mechanism, on_body(1, tracking.robot.links[1].length), tracking)};
  const auto nodes = static_cast<Eigen::Index>(tracking.voltages.size());
  problem.duration = tracking.step * static_cast<double>(nodes - 1);
  problem.rho.resize(2 * nodes);
  for (Eigen::Index i = 0; i < 2; ++i)
  {
    Input input;
    input.step = tracking.step;
    input.nodes = VectorD::Zero(nodes);
    input.first_parameter = static_cast<int>(i * nodes);
    problem.inputs.push_back(input);
    for (Eigen::Index k = 0; k < nodes; ++k)
    {
      problem.rho(i * nodes + k) =
        tracking.voltages[static_cast<std::size_t>(k)][static_cast<std::size_t>(i)];
    }
  }
  return problem;
}

RobotGradient robot_hamiltonian_gradient(const RobotTracking & tracking, bool joint_space)
{
  const Problem problem = robot_problem(tracking);
  const HamiltonianAdjoint adjoint = hamiltonian_adjoint(
    problem, robot_settings(tracking), problem.rho,
    joint_space ? AdjointSpace::joint : AdjointSpace::absolute);
  RobotGradient result;
  result.cost = adjoint.gradient.costs(0);
  result.velocity_drift = adjoint.velocity_drift;
  result.acceleration_drift = adjoint.acceleration_drift;
  const auto nodes = static_cast<Eigen::Index>(tracking.voltages.size());
  for (Eigen::Index k = 0; k < nodes; ++k)
  {
    result.gradient.push_back(
      {adjoint.gradient.gradient(0, k), adjoint.gradient.gradient(0, nodes + k)});
  }
  return result;
}

std::vector<std::array<double, 4>> robot_response(const RobotTracking & tracking)
{
  const Problem problem = robot_problem(tracking);
  const Trajectory trajectory = simulate(problem, robot_settings(tracking), problem.rho);
  std::vector<std::array<double, 4>> states;
  for (const Phase & phase : trajectory.phases)
  {
    for (const Node & node : phase.nodes)
    {
      Response<double> response;
      phase.form->respond(node.t, node.y, problem.local(node.t, problem.rho), node.q, response);
      states.push_back(
        {response.q(angle_1), response.q(angle_4), response.v(angle_1), response.v(angle_4)});
    }
  }
  return states;
}

}  // namespace fivebar_control::multibody
