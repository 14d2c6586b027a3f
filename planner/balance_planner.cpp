// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/planner/balance_planner.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{
namespace
{

using Clock = std::chrono::steady_clock;
constexpr double degree = std::numbers::pi / 180.0;

double seconds_since(Clock::time_point begin)
{
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

class Planning
{
public:
  Planning(
    const RobotModel & robot, const BalanceRequest & request, const BalanceProgress & progress)
  : robot_(robot),
    request_(request),
    progress_(progress),
    constants_(lump(robot, request.pendulum)),
    bound_(request.bound_by_robot ? robot.limits().voltage : request.bound)
  {
  }

  BalanceResult run()
  {
    const Clock::time_point begin = Clock::now();
    for (const BalanceStage & stage : request_.stages)
    {
      if (request_.guess == BalanceGuess::zero)
      {
        from_before(stage);
      }
      else
      {
        from_upright(stage);
      }
    }
    finish();
    result_.seconds = seconds_since(begin);
    return std::move(result_);
  }

private:
  BalanceProblem problem(const BalanceStage & stage, double share) const
  {
    PendulumState<double> start = PendulumState<double>::Zero();
    start << robot_.parameters().home, share * stage.tilt, Eigen::Vector4d::Zero();
    return {constants_, start, request_.intervals(), request_.time_step, stage.weights, bound_};
  }

  double tilt_at(const BalanceStage & stage, double share) const
  {
    return tilt_of(constants_, problem(stage, share).start());
  }

  void solve(
    BalanceSolver & solver, const BalanceStage & stage, double share, BalanceMotion & motion)
  {
    const Clock::time_point begin = Clock::now();
    BalanceStageReport report;
    const std::size_t number = result_.stages.size();
    report.solver = solver.solve(
      motion, {}, [&](const ShootingIteration & i) { return !progress_ || progress_(number, i); });
    report.tilt = share * stage.tilt;
    report.velocity_weight = stage.weights.velocity;
    report.cost = motion.cost;
    report.seconds = seconds_since(begin);
    result_.stages.push_back(report);
  }

  void from_before(const BalanceStage & stage)
  {
    if (motion_.inputs.empty())
    {
      motion_.inputs.assign(request_.intervals() + 1, Eigen::Vector2d::Zero());
    }
    const BalanceProblem asked = problem(stage, 1.0);
    BalanceSolver solver(asked);
    if (!solver.roll_out(motion_))
    {
      throw NotReachable(fmt::format(
        "from {:.2f} degrees the volts of the stage before open the linkage; expected stages that "
        "are nearer to each other, or guess: upright",
        tilt_at(stage, 1.0) / degree));
    }
    solve(solver, stage, 1.0, motion_);
  }

  /// Grows the tilt; the gains of each optimum lead the pendulum of the next one.
  void from_upright(const BalanceStage & stage)
  {
    constexpr double smallest = 1.0 / 128.0;
    const BalanceProblem upright = problem(stage, 0.0);
    BalanceSolver first(upright);
    BalanceMotion along;
    along.inputs.assign(request_.intervals() + 1, Eigen::Vector2d::Zero());
    first.roll_out(along);
    std::vector<BalanceSolver::Gain> gains = first.gains_about(along);
    double reached = 0.0;
    double step = 0.5;
    while (reached < 1.0)
    {
      const double share = std::min(1.0, reached + step);
      const BalanceProblem asked = problem(stage, share);
      BalanceSolver solver(asked);
      BalanceMotion next;
      if (!gains.empty() && solver.lead(along, gains, next) && stands(next))
      {
        solve(solver, stage, share, next);
        if (stands(next))
        {
          gains = solver.gains_about(next);
          along = std::move(next);
          reached = share;
          step *= 1.5;
          continue;
        }
      }
      step *= 0.5;
      if (step < smallest)
      {
        throw NotReachable(fmt::format(
          "no motion within {:.4g} V brings the pendulum upright from {:.2f} degrees in {} s; from "
          "{:.2f} degrees there is one. Expected less tilt, more volts or another duration",
          bound_, tilt_at(stage, 1.0) / degree, request_.duration,
          tilt_at(stage, reached) / degree));
      }
    }
    motion_ = std::move(along);
  }

  /// It has not fallen, which would be a minimum of its own.
  bool stands(const BalanceMotion & motion) const
  {
    return tilt_of(constants_, motion.states.back()) < 30.0 * degree;
  }

  void finish()
  {
    BalancePlan & plan = result_.plan;
    const BalanceStageReport & last = result_.stages.back();
    plan.name = request_.name;
    plan.fingerprint = pendulum_fingerprint(robot_, request_.pendulum);
    plan.request = request_.text;
    plan.time_step = request_.time_step;
    plan.bound = bound_;
    plan.verdict = last.solver.verdict;
    plan.gradient = last.solver.gradient;
    plan.nodes_at_bound = last.solver.active_bounds;
    for (const BalanceStageReport & stage : result_.stages)
    {
      plan.iterations += stage.solver.iterations;
    }
    plan.cost = motion_.cost;
    double squares = 0.0;
    for (std::size_t i = 1; i < motion_.inputs.size(); ++i)
    {
      const Eigen::Vector2d & a = motion_.inputs[i - 1];
      const Eigen::Vector2d & b = motion_.inputs[i];
      squares += a.squaredNorm() + a.dot(b) + b.squaredNorm();
    }
    plan.cost_published =
      plan.cost - request_.stages.back().weights.volts * request_.time_step / 6.0 * squares;
    plan.volts = motion_.inputs;
    plan.states = motion_.states;
    result_.notes = pendulum_notes(request_.pendulum);
  }

  const RobotModel & robot_;
  const BalanceRequest & request_;
  const BalanceProgress & progress_;
  PendulumConstants<double> constants_;
  double bound_;
  BalanceMotion motion_;
  BalanceResult result_;
};

}  // namespace

BalanceResult make_balance_plan(
  const RobotModel & robot, const BalanceRequest & request, const BalanceProgress & progress)
{
  return Planning(robot, request, progress).run();
}

BalanceQuality quality_of(const PendulumConstants<double> & constants, const BalancePlan & plan)
{
  const auto point = [&](const PendulumState<double> & x) {
    return end_effector_at(constants.robot.geometry, x.head<2>());
  };
  const Eigen::Vector2d home = point(plan.states.front());
  BalanceQuality q;
  q.start_tilt = tilt_of(constants, plan.states.front());
  for (std::size_t i = 0; i < plan.states.size(); ++i)
  {
    q.largest_tilt = std::max(q.largest_tilt, tilt_of(constants, plan.states[i]));
    q.largest_voltage = std::max(q.largest_voltage, plan.volts[i].cwiseAbs().maxCoeff());
    q.end_displacement = (point(plan.states[i]) - home).norm();
    q.largest_displacement = std::max(q.largest_displacement, q.end_displacement);
  }
  const PendulumState<double> & last = plan.states.back();
  const auto velocity =
    pendulum_velocity<double>(constants, pendulum_pose<double>(constants, last), last);
  q.end_tilt = tilt_of(constants, last);
  q.end_speed = velocity.head<3>().norm();
  q.end_turn = velocity.tail<3>().norm();
  return q;
}

void require_balance_fits(const RobotModel & robot, const BalancePlan & plan)
{
  const Limits & limits = robot.limits();
  for (std::size_t i = 0; i < plan.states.size(); ++i)
  {
    const PendulumState<double> & x = plan.states[i];
    const auto refuse = [&](const std::string & what) {
      throw NotReachable(fmt::format(
        "the plan '{}' at {:.3f} s: {}; expected less tilt, a longer plan, or a larger weight of "
        "P's position",
        plan.name, plan.time_step * static_cast<double>(i), what));
    };
    for (int joint = 0; joint < 2; ++joint)
    {
      const char * name = joint == 0 ? "phi1" : "phi4";
      if (x[joint] < limits.joint_minimum[joint] || x[joint] > limits.joint_maximum[joint])
      {
        refuse(fmt::format(
          "{} is {:.3f} rad, its range is {:.3f} to {:.3f} rad", name, x[joint],
          limits.joint_minimum[joint], limits.joint_maximum[joint]));
      }
      if (std::abs(x[4 + joint]) > limits.joint_speed)
      {
        refuse(fmt::format(
          "{} turns with {:.2f} rad/s, the limit is {:.2f} rad/s", name, x[4 + joint],
          limits.joint_speed));
      }
    }
    const auto pose = robot.kinematics().forward(x.head<2>());
    if (!pose || pose->margins.parallel < limits.singularity_margin)
    {
      refuse("links 2 and 3 are nearer to aligned than singularity_margin allows");
    }
    if (std::min(pose->margins.serial_1, pose->margins.serial_4) < limits.serial_singularity_margin)
    {
      refuse("an arm is nearer to stretched than serial_singularity_margin allows");
    }
  }
}

HeldJoints hold_joints(
  const PendulumConstants<double> & constants, const PendulumState<double> & state)
{
  const auto e = pendulum_equations<double>(constants, state, Eigen::Vector2d::Zero());
  const Eigen::Matrix2d free = e.mass.bottomRightCorner<2, 2>();
  HeldJoints held;
  held.acceleration = free.inverse() * e.force.tail<2>();
  held.torque = e.mass.topRightCorner<2, 2>() * held.acceleration - e.force.head<2>();
  return held;
}

}  // namespace fivebar_control
