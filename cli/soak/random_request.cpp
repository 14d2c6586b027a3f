// SPDX-License-Identifier: Apache-2.0
#include "random_request.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

namespace fivebar_control
{
namespace
{

/// How far a reachable curve stays away from what would end a motion.
constexpr double margin_reserve = 0.05;  // of the sines
constexpr double angle_reserve = 0.05;   // rad

double log_uniform(Random & random, const std::array<double, 2> & range)
{
  return std::exp(random.uniform(std::log(range[0]), std::log(range[1])));
}

/// One flow mapping of YAML, and how long the curve takes.
struct Drawn
{
  std::string yaml;
  double duration;
};

/// Where a curve is drawn and how.
struct Frame
{
  Eigen::Vector2d middle;
  double size, speed, duration;
};

std::string pair_text(const Eigen::Vector2d & p) { return fmt::format("[{}, {}]", p[0], p[1]); }

bool has_reserve(const RobotModel & robot, const Eigen::Vector2d & phi)
{
  const auto pose = robot.kinematics().forward(phi);
  const Limits & limits = robot.limits();
  if (
    !pose || pose->margins.parallel < limits.singularity_margin + margin_reserve ||
    std::min(pose->margins.serial_1, pose->margins.serial_4) <
      limits.serial_singularity_margin + margin_reserve)
  {
    return false;
  }
  for (int j = 0; j < 2; ++j)
  {
    const auto i = static_cast<std::size_t>(j);
    if (
      phi[j] < limits.joint_minimum[i] + angle_reserve ||
      phi[j] > limits.joint_maximum[i] - angle_reserve)
    {
      return false;
    }
  }
  return true;
}

/// Angle nearest to `reference` that differs from `angle` by full turns.
double unwrapped(double angle, double reference)
{
  return reference + std::remainder(angle - reference, 2.0 * std::numbers::pi);
}

bool is_reachable(const RobotModel & robot, const Curve & curve)
{
  constexpr int points = 800;
  Eigen::Vector2d before = robot.parameters().home;
  for (int i = 0; i <= points; ++i)
  {
    const double t = curve.duration() * i / points;
    const auto solution = robot.kinematics().inverse(curve.at(t).position, robot.working_mode());
    if (!solution || solution->assembly_mode != robot.parameters().assembly_mode)
    {
      return false;
    }
    const Eigen::Vector2d phi(
      unwrapped(solution->phi[0], before[0]), unwrapped(solution->phi[1], before[1]));
    if (!has_reserve(robot, phi))
    {
      return false;
    }
    before = phi;
  }
  return true;
}

/// A point in the middle of where this robot can be.
Eigen::Vector2d random_middle(Random & random, const RobotModel & robot)
{
  const Limits & limits = robot.limits();
  for (;;)
  {
    const Eigen::Vector2d phi(
      random.uniform(limits.joint_minimum[0], limits.joint_maximum[0]),
      random.uniform(limits.joint_minimum[1], limits.joint_maximum[1]));
    if (has_reserve(robot, phi) && robot.kinematics().working_mode(phi) == robot.working_mode())
    {
      return robot.kinematics().forward(phi)->end_effector;
    }
  }
}

Drawn random_lissajous(Random & random, const Frame & frame)
{
  const auto share = [&] { return random.uniform(0.2, 1.0); };
  const double frequency = frame.speed / frame.size;
  return {
    fmt::format(
      "{{type: lissajous, center: {}, amplitude: {}, angular_frequency: {}, phase: {}, "
      "duration: {}}}",
      pair_text(frame.middle), pair_text({frame.size * share(), frame.size * share()}),
      pair_text({frequency * share(), frequency * share()}),
      pair_text({random.uniform(0.0, 6.0), random.uniform(0.0, 6.0)}), frame.duration),
    frame.duration};
}

Drawn random_circle(Random & random, const Frame & frame)
{
  const double turns = frame.speed * frame.duration / (2.0 * std::numbers::pi * frame.size);
  return {
    fmt::format(
      "{{type: circle, center: {}, radius: {}, start_angle: {}, turns: {}, duration: {}}}",
      pair_text(frame.middle), frame.size, random.uniform(0.0, 6.0),
      random.chance(0.5) ? turns : -turns, frame.duration),
    frame.duration};
}

std::vector<Eigen::Vector2d> random_points(Random & random, const Frame & frame, int count)
{
  std::vector<Eigen::Vector2d> points;
  while (static_cast<int>(points.size()) < count)
  {
    const double s = frame.size;
    const Eigen::Vector2d point =
      frame.middle + Eigen::Vector2d(random.uniform(-s, s), random.uniform(-s, s));
    // Lines of no length are no lines.
    if (points.empty() || (point - points.back()).norm() > 0.2 * s)
    {
      points.push_back(point);
    }
  }
  return points;
}

std::string list_text(const std::vector<Eigen::Vector2d> & points)
{
  std::string text;
  for (const Eigen::Vector2d & point : points)
  {
    text += (text.empty() ? "[" : ", ") + pair_text(point);
  }
  return text + "]";
}

Drawn random_polyline(Random & random, const Frame & frame)
{
  const std::vector<Eigen::Vector2d> points = random_points(random, frame, random.integer(2, 6));
  double length = 0.0;
  double shortest = 1.0;
  for (std::size_t i = 1; i < points.size(); ++i)
  {
    const double line = (points[i] - points[i - 1]).norm();
    length += line;
    shortest = std::min(shortest, line);
  }
  const double blend = shortest / frame.speed * random.uniform(0.1, 0.9);
  return {
    fmt::format(
      "{{type: polyline, points: {}, speed: {}, blend: {}}}", list_text(points), frame.speed,
      blend),
    length / frame.speed};
}

Drawn random_spline(Random & random, const Frame & frame)
{
  const std::vector<Eigen::Vector2d> points = random_points(random, frame, random.integer(3, 7));
  const double spacing = 2.0 * frame.size / frame.speed;
  std::string times;
  for (std::size_t i = 0; i < points.size(); ++i)
  {
    times += fmt::format("{}{}", i == 0 ? "" : ", ", spacing * static_cast<double>(i));
  }
  return {
    fmt::format(
      "{{type: spline, points: {}, times: [{}], ends: {}}}", list_text(points), times,
      random.chance(0.5) ? "rest" : "natural"),
    spacing * static_cast<double>(points.size() - 1)};
}

/// Cost, bounds and guess, each of which may be left out.
std::string random_options(Random & random, const std::array<double, 2> & voltage)
{
  std::string text = fmt::format(
    "cost: {{alpha: {}, beta: {}", random.uniform(0.0, 0.3),
    random.chance(0.7) ? 1.0 : random.uniform(0.05, 2.0));
  if (random.chance(0.4))
  {
    text += fmt::format(
      ", gamma: {}, soft_voltage: {}", log_uniform(random, {1e-4, 0.5}), random.uniform(1.0, 6.0));
  }
  if (random.chance(0.4))
  {
    text += fmt::format(", rho: {}", log_uniform(random, {1e-10, 1e-6}));
  }
  text += "}\nlimits: {voltage: ";
  const int kind = random.integer(0, 3);
  text += kind == 0   ? std::string("none")
          : kind == 1 ? std::string("robot")
                      : fmt::format("{}", random.uniform(voltage[0], voltage[1]));
  if (random.chance(0.3))
  {
    text += fmt::format(", voltage_rate: {}", log_uniform(random, {50.0, 5000.0}));
  }
  return text + "}\nsolver: {initial_guess: " + (random.chance(0.5) ? "zero" : "inverse-dynamics") +
         "}\n";
}

}  // namespace

RobotModel perturbed(Random & random, const RobotModel & robot, double share)
{
  const auto change = [&](double & value, double most) {
    value *= 1.0 + random.uniform(-most, most);
  };
  for (;;)
  {
    RobotParameters parameters = robot.parameters();
    for (Link<double> & link : parameters.physics.links)
    {
      change(link.length, 0.1 * share);
      change(link.mass, share);
      change(link.inertia, share);
    }
    for (Motor<double> & motor : parameters.physics.motors)
    {
      change(motor.rotor_inertia, share);
      change(motor.back_emf_constant, 0.5 * share);
      change(motor.torque_constant, 0.5 * share);
      change(motor.resistance, 0.5 * share);
      change(motor.damping, share);
    }
    for (Friction<double> & friction : parameters.physics.friction)
    {
      friction.viscous += random.uniform(0.0, 0.01 * share);
      friction.coulomb += random.uniform(0.0, 0.02 * share);
      // Sharper than the planner's time step could follow makes no sense in a plan.
      friction.coulomb_velocity = std::max(friction.coulomb_velocity, 0.05);
    }
    if (find_defect(parameters).message.empty())
    {
      return RobotModel(parameters);
    }
  }
}

RandomRequest random_request(
  Random & random, const RobotModel & robot, const RandomRequestRange & range)
{
  using Draw = Drawn (*)(Random &, const Frame &);
  static constexpr std::array<std::pair<const char *, Draw>, 4> kinds{
    {{"lissajous", random_lissajous},
     {"circle", random_circle},
     {"polyline", random_polyline},
     {"spline", random_spline}}};
  for (;;)
  {
    const auto & [kind, draw] = random.pick(kinds);
    const Frame frame{
      random_middle(random, robot), log_uniform(random, range.size),
      log_uniform(random, range.speed), random.uniform(range.duration[0], range.duration[1])};
    const Drawn drawn = draw(random, frame);
    const auto ramp = [&] {
      const double longest = std::min(0.5 * drawn.duration, 0.4);
      return range.any_options && random.chance(0.5) ? 0.0 : random.uniform(0.1, 1.0) * longest;
    };
    const double in = ramp();
    const double out = ramp();
    const double total = drawn.duration + 0.5 * (in + out);
    const double about = range.any_options ? random.uniform(0.002, 0.01) : 0.005;
    RandomRequest result;
    result.kind = kind;
    result.yaml = fmt::format(
      "schema: 1\nname: random {}\ncurve: {}\nramp: {{in: {}, out: {}}}\ntime_step: {}\n", kind,
      drawn.yaml, in, out, total / std::max(2.0, std::round(total / about)));
    result.yaml += range.any_options ? random_options(random, range.voltage) : "";
    result.request = parse_plan_request(result.yaml, "random " + result.kind);
    if (is_reachable(robot, *result.request.curve))
    {
      return result;
    }
  }
}

}  // namespace fivebar_control
