// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/planner/methods/verification_balance.hpp"

#include <fmt/core.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>

#include "fivebar_control/planner/balance_planner.hpp"

// The source prints data and pictures of this problem but no numbers, except the tilts. References
// come from independent programs (CasADi, Ipopt, a Levenberg-Marquardt method of single shooting).

namespace fivebar_control
{
namespace
{

using multibody::Evidence;
using multibody::VerificationRow;

constexpr double degree = std::numbers::pi / 180.0;
const std::string upright = "Maciąg section 5.5.1";
const std::string hanging = "Maciąg section 5.5.2";

struct Subproblem
{
  double a1, a2, velocity;
};
constexpr std::array<Subproblem, 4> subproblems{
  {{-5.0, -5.0, 0.0}, {-10.0, -10.0, 0.0}, {-10.0, -15.0, 0.0}, {-10.0, -15.0, 0.05}}};

class Rows
{
public:
  explicit Rows(const RobotModel & robot) : robot_(robot) {}

  /// Reading A has axes parallel to the plane's, reading B has them on link 2.
  PendulumConstants<double> constants(PendulumAxes axes) const
  {
    return lump(robot_, {{0.3365, 0.125, 0.16825, 6.5e-6, 1.8e-4, 1.8e-4, 0.0, 9.81}, axes});
  }

  PendulumState<double> start(double a1, double a2) const
  {
    PendulumState<double> x = PendulumState<double>::Zero();
    x << robot_.parameters().home, a1 * degree, a2 * degree, Eigen::Vector4d::Zero();
    return x;
  }

  void clock() { begin_ = std::chrono::steady_clock::now(); }

  /// `allowance` is relative; where it is zero, every digit has to agree.
  void add(
    const std::string & source, const std::string & quantity, const std::string & expected,
    double ours, const std::string & method, double allowance = 0.0, const char * why = "",
    Evidence evidence = Evidence::reference)
  {
    VerificationRow row;
    row.evidence = evidence;
    row.source = source;
    row.quantity = quantity;
    row.printed = expected;
    row.ours = ours;
    row.method = method;
    row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    if (!row.exact() && allowance > 0.0)
    {
      row.allowance = allowance * std::abs(row.printed_value());
      row.explanation = why;
    }
    rows.push_back(row);
  }
  void add_limit(
    const std::string & source, const std::string & quantity, const std::string & limit,
    double ours, const std::string & method)
  {
    add(source, quantity, limit, ours, method);
    rows.back().at_most = true;
  }

  const RobotModel & robot() const { return robot_; }
  std::vector<VerificationRow> rows;

private:
  const RobotModel & robot_;
  std::chrono::steady_clock::time_point begin_;
};

constexpr const char * printed_roughly = "the source rounds to whole degrees";
constexpr const char * last_digit = "the last digits of the reference are rounded";

void verify_model(Rows & rows)
{
  rows.clock();
  struct Reading
  {
    const char * name;
    PendulumAxes axes;
    std::array<const char *, 4> at_rest, at_one_volt;
  };
  const std::array<Reading, 2> readings{
    {{"reading A",
      PendulumAxes::parallel,
      {"-3.08935026", "-3.10121243", "-7.07315078", "-7.01956007"},
      {"31.55640986", "-3.22333345", "17.81223582", "-7.29597964"}},
     {"reading B",
      PendulumAxes::link_2,
      {"3.1012251", "-3.0857578", "-6.80210257", "-7.28853025"},
      {"37.74626772", "-2.96380515", "-6.72511647", "-32.06907524"}}}};
  constexpr std::array<const char *, 4> names{"phi1''", "phi4''", "a1''", "a2''"};
  for (const Reading & reading : readings)
  {
    const PendulumConstants<double> k = rows.constants(reading.axes);
    for (const double volts : {0.0, 1.0})
    {
      const Vector4<double> found =
        pendulum_acceleration<double>(k, rows.start(-5.0, -5.0), {volts, 0.0});
      for (std::size_t i = 0; i < 4; ++i)
      {
        rows.add(
          upright, fmt::format("{}, {} V: {}", reading.name, volts, names[i]),
          volts == 0.0 ? reading.at_rest[i] : reading.at_one_volt[i],
          found[static_cast<Eigen::Index>(i)], "minimal coordinates", 1e-8, last_digit);
      }
    }
  }
  const PendulumConstants<double> k = rows.constants(PendulumAxes::link_2);
  constexpr std::array<const char *, 3> tilts{"7", "14", "18"};
  for (std::size_t i = 0; i < 3; ++i)
  {
    const double tilt = tilt_of(k, rows.start(subproblems[i].a1, subproblems[i].a2)) / degree;
    rows.add(
      upright, fmt::format("SP{}: tilt at the start [deg]", i + 1), tilts[i], tilt,
      "minimal coordinates", 0.011, printed_roughly, Evidence::printed);
  }
}

BalanceMotion at_zero_volts(const BalanceProblem & problem)
{
  BalanceMotion motion;
  motion.inputs.assign(problem.intervals() + 1, Eigen::Vector2d::Zero());
  BalanceSolver(problem).roll_out(motion);
  return motion;
}

double norm(const std::vector<Eigen::Vector2d> & nodes)
{
  double sum = 0.0;
  for (const Eigen::Vector2d & node : nodes)
  {
    sum += node.squaredNorm();
  }
  return std::sqrt(sum);
}

void verify_gradients(Rows & rows)
{
  struct Reading
  {
    const char * name;
    PendulumAxes axes;
    std::array<const char *, 4> cost, norm;
  };
  const std::array<Reading, 2> readings{
    {{"reading A",
      PendulumAxes::parallel,
      {"3.22717555082", "3.24674878168", "2.46587524402", "6.3596908913"},
      {"0.5798122624", "0.2482748208", "0.1482575272", "0.2673642523"}},
     {"reading B",
      PendulumAxes::link_2,
      {"3.20919521804", "3.21832695308", "2.45485471452", "6.00785006755"},
      {"0.5523678149", "0.2344213794", "0.1468497086", "0.3115761332"}}}};
  for (const Reading & reading : readings)
  {
    for (std::size_t i = 0; i < 4; ++i)
    {
      rows.clock();
      BalanceWeights weights;
      weights.volts = 0.0;
      weights.velocity = subproblems[i].velocity;
      const BalanceProblem problem(
        rows.constants(reading.axes), rows.start(subproblems[i].a1, subproblems[i].a2), 100, 0.005,
        weights, std::numeric_limits<double>::infinity());
      const BalanceMotion motion = at_zero_volts(problem);
      const std::string name = fmt::format("{}, SP{}: ", reading.name, i + 1);
      rows.add(
        upright, name + "J at zero volts", reading.cost[i], motion.cost, "rk4, 5 ms", 1e-9,
        last_digit);
      rows.add(
        upright, name + "|gradient|", reading.norm[i],
        norm(BalanceSolver(problem).gradient(motion)), "discrete adjoint", 1e-7, last_digit);
    }
  }
}

void verify_optima(Rows & rows)
{
  struct Expected
  {
    const char * total;
    const char * published;
    const char * tilt;
    const char * volts;
  };
  constexpr std::array<Expected, 4> table{
    {{"2.04381125e-4", "1.38669e-4", "0.01", "5.7503"},
     {"8.92309168e-4", "6.04918e-4", "0.02", "12.0155"},
     {"1.63141676e-3", "1.085140e-3", "0.03", "17.0265"},
     {"1.64013818e-3", "1.087578e-3", "0.05", "17.0892"}}};
  BalanceRequest request;
  request.pendulum = {
    {0.3365, 0.125, 0.16825, 6.5e-6, 1.8e-4, 1.8e-4, 0.0, 9.81}, PendulumAxes::link_2};
  request.duration = 0.5;
  request.bound_by_robot = false;
  request.guess = BalanceGuess::zero;
  const std::string method = "Gauss-Newton, rho = 1e-4";
  for (std::size_t i = 0; i < 4; ++i)
  {
    rows.clock();
    BalanceStage stage;
    stage.tilt = {subproblems[i].a1 * degree, subproblems[i].a2 * degree};
    stage.weights.velocity = subproblems[i].velocity;
    request.stages.push_back(stage);
    const BalancePlan plan = make_balance_plan(rows.robot(), request).plan;
    const BalanceQuality q = quality_of(rows.constants(PendulumAxes::link_2), plan);
    const std::string name = fmt::format("SP{}: ", i + 1);
    rows.add(upright, name + "J with rho", table[i].total, plan.cost, method, 1e-5, last_digit);
    rows.add(
      upright, name + "J (5.8)", table[i].published, plan.cost_published, method, 1e-3,
      "the part of the optimum without its control cost is only first-order accurate");
    rows.add(
      upright, name + "largest voltage", table[i].volts, q.largest_voltage, method, 0.01,
      "the voltage of one node is only first-order accurate");
    rows.add_limit(
      upright, name + "tilt at the end [deg]", table[i].tilt, q.end_tilt / degree, method);
    if (i == 3)
    {
      rows.add_limit(upright, name + "speed of the centre [m/s]", "2e-3", q.end_speed, method);
      rows.add_limit(upright, name + "turn of the pendulum [rad/s]", "1e-3", q.end_turn, method);
    }
  }
}

void verify_still_linkage(Rows & rows)
{
  rows.clock();
  const PendulumConstants<double> k = rows.constants(PendulumAxes::link_2);
  const PendulumState<double> start = rows.start(160.0, 10.0);
  const auto cost = [&](double volts) {
    return BalanceProblem(
      k, start, 300, 0.005, {1.0, 0.0, 0.0, 0.0, volts}, std::numeric_limits<double>::infinity());
  };
  const BalanceProblem free = cost(0.0);
  const BalanceMotion swing = at_zero_volts(free);
  rows.add(
    hanging, "J at zero volts", "1.86432112327e-5", swing.cost, "rk4, 5 ms", 1e-6, last_digit);
  rows.add(
    hanging, "|gradient|", "8.069728026e-6", norm(BalanceSolver(free).gradient(swing)),
    "discrete adjoint", 1e-6, last_digit);
  const HeldJoints held = hold_joints(k, start);
  rows.add(
    hanging, "torque 1 that holds phi1 [N m]", "-0.023814513", held.torque[0], "servo constraint",
    1e-6, last_digit);
  rows.add(
    hanging, "torque 4 that holds phi4 [N m]", "0.046169495", held.torque[1], "servo constraint",
    1e-6, last_digit);
  rows.clock();
  const BalanceProblem regular = cost(1e-8);
  BalanceMotion motion = at_zero_volts(regular);
  BalanceSolver(regular).solve(motion);
  rows.add(
    hanging, "J with rho = 1e-8", "5.65903942e-10", motion.cost, "Gauss-Newton", 1e-5, last_digit);
  BalanceMotion again = motion;
  BalanceSolver(free).roll_out(again);
  rows.add_limit(hanging, "J (5.9) of its volts", "1e-12", again.cost, "Gauss-Newton, rho = 1e-8");
  double worst = 0.0;
  for (std::size_t i = 2; i <= 290; ++i)
  {
    const HeldJoints at = hold_joints(k, motion.states[i]);
    for (int joint = 0; joint < 2; ++joint)
    {
      const double torque =
        drive_torque<double>(k.robot, joint, motion.states[i][4 + joint], motion.inputs[i][joint]);
      worst = std::max(worst, std::abs(torque - at.torque[joint]));
    }
  }
  rows.add_limit(
    hanging, "torque - servo torque, 0.01 to 1.45 s", "1e-4", worst, "Gauss-Newton, rho = 1e-8");
}

}  // namespace

std::vector<multibody::VerificationRow> verify_balance(
  const RobotModel & robot, const std::function<void(const std::string &)> & progress)
{
  Rows rows(robot);
  progress("pendulum on the robot: model");
  verify_model(rows);
  progress("pendulum on the robot: gradients");
  verify_gradients(rows);
  progress("pendulum on the robot: optima");
  verify_optima(rows);
  progress("pendulum on the robot: still linkage");
  verify_still_linkage(rows);
  return std::move(rows.rows);
}

}  // namespace fivebar_control
