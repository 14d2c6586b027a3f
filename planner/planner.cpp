// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/planner/planner.hpp"

#include <fmt/core.h>

#include <chrono>
#include <cmath>

#include "fivebar_control/planner/reachability.hpp"
#include "fivebar_control/planner/riccati_solver.hpp"
#include "fivebar_control/planner/stable_guess.hpp"
#include "fivebar_control/support/package_version.hpp"

namespace fivebar_control
{
namespace
{

std::string place_text(double t, const Eigen::Vector2d & p)
{
  return fmt::format("at t = {:.4g} s, P = ({:.4f}, {:.4f}) m", t, p[0], p[1]);
}

/// Throws unless the robot can be at this point of the curve with its margins.
Motion2 require_reachable(
  const RobotModel & robot, const Motion2 & point, double t, const Eigen::Vector2d & near)
{
  const Reach reach = reach_of(robot, point, near);
  if (reach.obstacle != Obstacle::none)
  {
    throw NotReachable(sentence_of(reach, robot, place_text(t, point.position)));
  }
  return reach.driven;
}

void store(Channels<4> & channels, std::size_t i, const Motion2 & point)
{
  channels[0][i] = point.position[0];
  channels[1][i] = point.position[1];
  channels[2][i] = point.velocity[0];
  channels[3][i] = point.velocity[1];
}

PlanSamples samples_of(
  const RobotModel & robot, const TrackingProblem & problem, const Trajectory & trajectory)
{
  PlanSamples s;
  const std::size_t nodes = problem.nodes();
  for (auto * channel : {&s.t, &s.u1, &s.u4, &s.phi1, &s.phi4, &s.dphi1, &s.dphi4, &s.x, &s.y})
  {
    channel->reserve(nodes);
  }
  for (std::size_t i = 0; i < nodes; ++i)
  {
    const Eigen::Vector4d x = trajectory.x(i);
    const auto pose = robot.kinematics().forward(x.head<2>());
    s.t.push_back(static_cast<double>(i) * problem.step);
    s.u1.push_back(trajectory.input[0][i]);
    s.u4.push_back(trajectory.input[1][i]);
    s.phi1.push_back(x[0]);
    s.phi4.push_back(x[1]);
    s.dphi1.push_back(x[2]);
    s.dphi4.push_back(x[3]);
    s.x.push_back(pose ? pose->end_effector[0] : std::nan(""));
    s.y.push_back(pose ? pose->end_effector[1] : std::nan(""));
  }
  return s;
}

/// Cost of the first interval alone, as a share of all.
double first_interval_share(const TrackingProblem & problem, const Trajectory & trajectory)
{
  TrackingProblem interval;
  interval.dynamics = problem.dynamics;
  interval.start = problem.start;
  interval.step = problem.step;
  interval.intervals = 1;
  interval.weights = problem.weights;
  interval.node_reference.resize(2);
  interval.middle_reference.resize(2);
  for (std::size_t c = 0; c < 4; ++c)
  {
    interval.node_reference[c][0] = problem.node_reference[c][0];
    interval.node_reference[c][1] = problem.node_reference[c][1];
    interval.middle_reference[c][0] = problem.middle_reference[c][0];
  }
  Trajectory first;
  first.resize(2);
  StageDirections directions;
  directions.resize(2);
  for (std::size_t j = 0; j < 2; ++j)
  {
    first.input[j][0] = trajectory.input[j][0];
    first.input[j][1] = trajectory.input[j][1];
  }
  roll_out(interval, first, directions);
  const double total = trajectory.cost.total();
  return total > 0.0 ? (first.cost.total() - first.cost.terminal) / total : 0.0;
}

PlanQuality quality_of(
  const TrackingProblem & problem, const Trajectory & trajectory, const PlanSamples & s)
{
  PlanQuality q;
  q.cost = trajectory.cost.total();
  q.ise = trajectory.cost.position / (1.0 - problem.weights.alpha);
  for (std::size_t i = 0; i < s.size(); ++i)
  {
    const double error =
      std::hypot(s.x[i] - problem.node_reference[0][i], s.y[i] - problem.node_reference[1][i]);
    if (error > q.largest_error)
    {
      q.largest_error = error;
      q.largest_error_time = s.t[i];
    }
    q.largest_voltage = std::max({q.largest_voltage, std::abs(s.u1[i]), std::abs(s.u4[i])});
    q.end_error = error;
  }
  q.first_voltage = std::max(std::abs(s.u1[0]), std::abs(s.u4[0]));
  return q;
}

void add_warnings(
  const RobotModel & robot, const TrackingProblem & problem, const SolverReport & report,
  const PlanResult & result, std::vector<std::string> & warnings)
{
  const PlanQuality & q = result.plan.quality;
  const PlanSamples & s = result.plan.samples;
  if (report.guess_was_reduced)
  {
    warnings.push_back(
      "the initial voltages led out of the workspace and were scaled down before the first step");
  }
  double later_voltage = 0.0;
  for (std::size_t i = 5; i < s.size(); ++i)
  {
    later_voltage = std::max({later_voltage, std::abs(s.u1[i]), std::abs(s.u4[i])});
  }
  if (q.first_voltage > 1.5 * later_voltage || q.first_interval_cost_share > 0.1)
  {
    warnings.push_back(fmt::format(
      "the start dominates the plan: {:.3g} V at t = 0 against {:.3g} V later, {:.0f} % of the "
      "cost "
      "in the first {:.3g} s. The curve starts with speed while the robot is at rest; a ramp-in, a "
      "voltage limit or a rate weight rho makes it gentle",
      q.first_voltage, later_voltage, 100.0 * q.first_interval_cost_share, problem.step));
  }
  if (q.largest_voltage > robot.limits().voltage + 1e-9)
  {
    warnings.push_back(fmt::format(
      "the plan asks for {:.4g} V, the robot's limit is {:.4g} V: it will be refused by 'fivebar "
      "run'",
      q.largest_voltage, robot.limits().voltage));
  }
  if (report.active_bounds > 0 && q.largest_error > 1e-3)
  {
    warnings.push_back(fmt::format(
      "the curve cannot be followed within the limits: {} of {} node voltages are at a bound, the "
      "plan deviates from the curve by up to {:.3g} mm (at t = {:.4g} s)",
      report.active_bounds, 2 * problem.nodes(), 1e3 * q.largest_error, q.largest_error_time));
  }
}

void require_begun(const PlanResult & result, const SolverReport & report, const std::string & name)
{
  if (result.history.empty() && report.verdict != Verdict::cancelled)
  {
    throw NoUsableGuess(fmt::format(
      "no voltages were found with which the robot stays clear of its singularities along '{}': "
      "the "
      "solver has nothing to begin with. A slower curve, a longer ramp or more volts may help",
      name));
  }
}

}  // namespace

TrackingProblem make_problem(
  const RobotModel & robot, const PlanRequest & request, const CostWeights & weights)
{
  TrackingProblem problem;
  problem.dynamics = robot.constants();
  problem.step = request.time_step;
  problem.intervals = request.intervals;
  problem.weights = weights;
  problem.bounds.voltage = request.voltage.value_or(robot.limits().voltage);
  problem.bounds.voltage_rate = request.voltage_rate;
  problem.singularity_margin = robot.limits().singularity_margin;
  problem.node_reference.resize(problem.nodes());
  problem.middle_reference.resize(problem.nodes());
  Eigen::Vector2d phi = robot.parameters().home;
  for (std::size_t i = 0; i < problem.nodes(); ++i)
  {
    const double t = static_cast<double>(i) * problem.step;
    const Motion2 point = request.curve->at(std::min(t, request.curve->duration()));
    store(problem.node_reference, i, point);
    phi = require_reachable(robot, point, t, phi).position;
    if (i == 0)
    {
      problem.start << phi, 0.0, 0.0;
    }
    if (i < problem.intervals)
    {
      store(problem.middle_reference, i, request.curve->at(t + 0.5 * problem.step));
    }
  }
  if (request.start)
  {
    problem.start = *request.start;
    const auto pose = robot.kinematics().forward(problem.start.head<2>());
    if (!pose || pose->margins.parallel < robot.limits().singularity_margin)
    {
      throw NotReachable(fmt::format(
        "the start phi1 = {:.4g}, phi4 = {:.4g} rad cannot be assembled or is too near a "
        "singularity",
        problem.start[0], problem.start[1]));
    }
  }
  return problem;
}

void fill_guess(
  const RobotModel & robot, const PlanRequest & request, const TrackingProblem & problem,
  Trajectory & trajectory)
{
  if (robot.constants().has_gravity && request.guess == InitialGuess::inverse_dynamics)
  {
    fill_stable_guess(robot, request, problem, trajectory);
    return;
  }
  Eigen::Vector2d phi = problem.start.head<2>();
  for (std::size_t i = 0; i < problem.nodes(); ++i)
  {
    Eigen::Vector2d u = Eigen::Vector2d::Zero();
    if (request.guess == InitialGuess::inverse_dynamics)
    {
      const double t = std::min(static_cast<double>(i) * problem.step, request.curve->duration());
      const auto driven =
        robot.kinematics().inverse_motion(request.curve->at(t), robot.working_mode(), phi);
      phi = driven->position;
      Eigen::Vector4d x;
      x << driven->position, driven->velocity;
      u = inverse_dynamics<double>(robot.constants(), x, driven->acceleration);
    }
    trajectory.input[0][i] = u[0];
    trajectory.input[1][i] = u[1];
  }
}

SolverReport solve_by_riccati(
  const PlanRequest & request, const TrackingProblem & problem, Trajectory & trajectory,
  const Progress & progress)
{
  if (request.solver != SolverKind::riccati)
  {
    throw InputError(fmt::format(
      "the solver '{}' belongs to planner/methods, which this program does not use",
      to_string(request.solver)));
  }
  return RiccatiSolver(problem.nodes()).solve(problem, request.options, trajectory, progress);
}

/// The first stage. A guess with which the robot cannot be simulated at all, as where it starts at
/// speed beside the curve, gets feedback.
SolverReport begin_to_solve(
  const RobotModel & robot, const PlanRequest & request, const TrackingProblem & problem,
  Trajectory & trajectory, const Progress & progress, const Solver & solver)
{
  fill_guess(robot, request, problem, trajectory);
  SolverReport report = solver(request, problem, trajectory, progress);
  const bool begun = !report.history.empty() || report.verdict == Verdict::cancelled;
  if (!begun && request.guess == InitialGuess::inverse_dynamics)
  {
    trajectory.resize(problem.nodes());
    fill_stable_guess(robot, request, problem, trajectory);
    report = solver(request, problem, trajectory, progress);
  }
  return report;
}

PlanResult make_plan(
  const RobotModel & robot, const PlanRequest & request, const Progress & progress,
  const Solver & solver)
{
  const auto begin = std::chrono::steady_clock::now();
  PlanResult result;
  TrackingProblem problem = make_problem(robot, request, request.stages.front());
  Trajectory trajectory;
  trajectory.resize(problem.nodes());

  SolverReport report;
  int iterations = 0;
  for (std::size_t stage = 0; stage < request.stages.size(); ++stage)
  {
    problem.weights = request.stages[stage];
    const Progress with_stage = [&](const Iteration & iteration) {
      Iteration labelled = iteration;
      labelled.stage = static_cast<int>(stage);
      return !progress || progress(labelled);
    };
    report = stage == 0 ? begin_to_solve(robot, request, problem, trajectory, with_stage, solver)
                        : solver(request, problem, trajectory, with_stage);
    iterations += report.iterations;
    for (Iteration & iteration : report.history)
    {
      iteration.stage = static_cast<int>(stage);
      result.history.push_back(iteration);
      result.plan.history.push_back(
        {iteration.stage, iteration.number, iteration.cost.total(), iteration.projected_gradient,
         iteration.bounded});
    }
    if (report.verdict == Verdict::cancelled)
    {
      break;
    }
  }

  require_begun(result, report, request.name);
  Plan & plan = result.plan;
  plan.package_version = package_version();
  plan.robot_name = robot.parameters().name;
  plan.robot_fingerprint = robot.fingerprint();
  plan.request = request.canonical_text;
  plan.curve_name = request.name;
  plan.time_step = problem.step;
  plan.weights = problem.weights;
  plan.bounds = problem.bounds;
  plan.solver = to_string(request.solver);
  plan.verdict = report.verdict;
  plan.iterations = iterations;
  plan.projected_gradient = report.final_gradient;
  plan.samples = samples_of(robot, problem, trajectory);
  plan.quality = quality_of(problem, trajectory, plan.samples);
  plan.quality.first_interval_cost_share = first_interval_share(problem, trajectory);
  add_warnings(robot, problem, report, result, result.warnings);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  result.seconds = elapsed.count();
  return result;
}

}  // namespace fivebar_control
