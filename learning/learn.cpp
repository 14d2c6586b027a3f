// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/learning/learn.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "box_riccati.hpp"
#include "fivebar_control/learning/recorded_motion.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/support/checksum.hpp"
#include "fivebar_control/support/errors.hpp"
#include "plan_update.hpp"

namespace fivebar_control
{
namespace
{

/// What a cycle adds to the volts beyond rounding of the file is another feedforward.
constexpr double same_volts = 1e-6;

void require_same_loop(const RunRecord & run, const RunRecord & first)
{
  if (
    run.kp != first.kp || run.kd != first.kd || run.ki != first.ki || run.rate != first.rate ||
    run.velocity_method != first.velocity_method || run.velocity_cutoff != first.velocity_cutoff)
  {
    throw InputError(
      {run.file}, fmt::format(
                    "this run had another controller (gains, velocity or rate) than {}: expected "
                    "logs of one controller",
                    first.file));
  }
}

/// rad, reference - reading in each cycle of the plan, mean over the runs; holes are bridged.
std::vector<Eigen::Vector2d> mean_error(const std::vector<RunRecord> & runs, std::size_t cycles)
{
  std::vector<Eigen::Vector2d> sum(cycles, Eigen::Vector2d::Zero());
  std::vector<int> count(cycles, 0);
  for (const RunRecord & run : runs)
  {
    for (std::size_t i = 0; i < run.size(); ++i)
    {
      const auto k = static_cast<std::size_t>(std::llround(run.plan_time[i] * run.rate));
      if (run.state[i] == ControlState::playing && run.read_good[i] && k < cycles)
      {
        sum[k] += Eigen::Vector2d(
          run.reference[0][i] - run.angle[0][i], run.reference[1][i] - run.angle[1][i]);
        ++count[k];
      }
    }
  }
  Eigen::Vector2d last = Eigen::Vector2d::Zero();
  for (std::size_t k = 0; k < cycles; ++k)
  {
    last = count[k] > 0 ? Eigen::Vector2d(sum[k] / count[k]) : last;
    sum[k] = last;
  }
  return sum;
}

/// JᵀJ of each cycle, scaled so that its trace is 2 on average, over the variance of a reading.
std::vector<Eigen::Matrix2d> weights(
  const std::vector<LoopStep> & loop, const Eigen::Vector2d & variance)
{
  double trace = 0.0;
  for (const LoopStep & step : loop)
  {
    trace += step.jacobian.squaredNorm() / static_cast<double>(loop.size());
  }
  const double factor = 2.0 / (trace * variance.mean());
  std::vector<Eigen::Matrix2d> all;
  all.reserve(loop.size());
  for (const LoopStep & step : loop)
  {
    all.emplace_back(factor * step.jacobian.transpose() * step.jacobian);
  }
  return all;
}

/// The plan at every cycle instead of its nodes: the same motion, volts that can be learned.
PlanSamples sampled(const PlayablePlan & plan, const Geometry<double> & geometry, double rate)
{
  const auto cycles = static_cast<std::size_t>(std::floor(plan.duration() * rate + 1e-6)) + 1;
  PlanSamples s;
  std::size_t interval = 0;
  const auto add = [&](double t) {
    const Reference r = plan.at(t, interval);
    const Eigen::Vector2d p = end_effector_at(geometry, Eigen::Vector2d(r.phi - r.lead));
    s.t.push_back(t);
    s.u1.push_back(r.feedforward[0]);
    s.u4.push_back(r.feedforward[1]);
    s.phi1.push_back(r.phi[0]);
    s.phi4.push_back(r.phi[1]);
    s.dphi1.push_back(r.speed[0]);
    s.dphi4.push_back(r.speed[1]);
    s.x.push_back(p[0]);
    s.y.push_back(p[1]);
    s.learned1.push_back(r.learned[0]);
    s.learned4.push_back(r.learned[1]);
    s.lead1.push_back(r.lead[0]);
    s.lead4.push_back(r.lead[1]);
  };
  for (std::size_t k = 0; k < cycles; ++k)
  {
    add(std::min(static_cast<double>(k) / rate, plan.duration()));
  }
  if (plan.duration() - s.t.back() > 1e-6 / rate)
  {
    add(plan.duration());
  }
  return s;
}

double predicted_ise(
  const std::vector<LoopStep> & loop, const std::vector<Eigen::Vector2d> & error,
  const ChangeSolution & solution, double period)
{
  double sum = 0.0;
  for (std::size_t k = 0; k < loop.size(); ++k)
  {
    sum += (loop[k].jacobian * (error[k] - solution.angle[k])).squaredNorm() * period;
  }
  return sum;
}

void set_bounds(
  ChangeProblem & problem, const PlanSamples & samples, double volts, double largest_change)
{
  for (std::size_t k = 0; k < problem.loop.size(); ++k)
  {
    const Eigen::Vector2d u = samples.volts(k);
    const Eigen::Vector2d limit = Eigen::Vector2d::Constant(volts);
    const Eigen::Vector2d most = Eigen::Vector2d::Constant(largest_change);
    // Zero is always allowed, even where the plan touches its limit to the last bit.
    problem.low.push_back((-limit - u).cwiseMax(-most).cwiseMin(0.0));
    problem.high.push_back((limit - u).cwiseMin(most).cwiseMax(0.0));
  }
}

PlanLesson lesson_of(
  const Learned & learned, const Plan & plan, const std::string & plan_name,
  const std::vector<RunRecord> & runs, const LearnOptions & options)
{
  PlanLesson lesson;
  lesson.plan = plan_name;
  Checksum checksum;
  checksum.add(plan_text(plan));
  lesson.checksum = checksum.hex();
  for (const RunRecord & run : runs)
  {
    lesson.logs.push_back(run.file);
  }
  lesson.measured_ise = learned.measured_ise;
  lesson.predicted_ise = learned.predicted_ise;
  lesson.rate = options.rate;
  lesson.largest_change = learned.largest_change;
  return lesson;
}

}  // namespace

std::size_t cycles_of(const Plan & plan, double rate)
{
  return static_cast<std::size_t>(std::floor(plan.samples.t.back() * rate + 1e-6)) + 1;
}

void update(
  const RobotModel & robot, const Plan & plan, const RunDescription & run,
  const UpdateRequest & request, Learned & learned)
{
  const PlayablePlan playable(plan.samples);
  const std::vector<LoopStep> loop = closed_loop(robot, playable, run);
  learned.plan = plan;
  PlanSamples & samples = learned.plan.samples;
  samples = sampled(playable, robot.constants().geometry, run.rate);
  learned.plan.time_step = 1.0 / run.rate;

  const LearnOptions & options = request.options;
  ChangeProblem problem{loop, request.error, weights(loop, request.variance), {}, {}};
  problem.change_weight = 1.0 / (options.rate * options.rate);
  problem.size_weight = 1.0 / (options.size * options.size);
  set_bounds(problem, samples, robot.limits().voltage, options.largest_change);
  const ChangeSolution solution = solve(problem);
  learned.largest_change = 0.0;
  for (std::size_t k = 0; k < loop.size(); ++k)
  {
    samples.u1[k] += solution.change[k][0];
    samples.u4[k] += solution.change[k][1];
    samples.learned1[k] += solution.change[k][0];
    samples.learned4[k] += solution.change[k][1];
    learned.largest_change =
      std::max(learned.largest_change, solution.change[k].cwiseAbs().maxCoeff());
  }
  for (std::size_t k = loop.size(); k < samples.size(); ++k)
  {
    samples.u1[k] = samples.u1[k - 1];
    samples.u4[k] = samples.u4[k - 1];
    samples.learned1[k] = samples.learned1[k - 1];
    samples.learned4[k] = samples.learned4[k - 1];
  }
  learned.predicted_ise = predicted_ise(loop, problem.error, solution, 1.0 / run.rate);
  learned.bounded = solution.bounded;
  learned.sweeps = solution.sweeps;
  learned.converged = solution.converged;
}

void require_run_to_learn_from(
  const RunRecord & run, const Plan & plan, const std::string & plan_name)
{
  require_run_of_plan(run, plan, plan_name);
  if (run.mode != to_string(ControlMode::feedforward_and_feedback))
  {
    throw InputError(
      {run.file}, fmt::format(
                    "this run was in mode '{}': expected '{}', the loop that is to be improved",
                    run.mode, to_string(ControlMode::feedforward_and_feedback)));
  }
  if (run.feedback_method != to_string(FeedbackMethod::pd))
  {
    throw InputError(
      {run.file},
      fmt::format(
        "this run had feedback.method '{}': learning knows the loop with pd", run.feedback_method));
  }
  if (run.ended != to_string(RunEnd::finished))
  {
    throw InputError(
      {run.file}, fmt::format("this run ended with '{}': expected one that finished", run.ended));
  }
  for_each_played_row(run, plan, [&](std::size_t i, const Reference & expected) {
    for (std::size_t j = 0; j < 2; ++j)
    {
      const double volts = expected.feedforward[static_cast<Eigen::Index>(j)];
      if (!(std::abs(run.feedforward[j][i] - volts) < same_volts))
      {
        throw InputError(
          {run.file},
          fmt::format(
            "this run played another feedforward than {}: at {:.4g} s motor {} had {:.6g} V, the "
            "plan says {:.6g} V; expected logs of this plan, not of one before or after it",
            plan_name, run.plan_time[i], j == 0 ? 1 : 4, run.feedforward[j][i], volts));
      }
    }
  });
}

Learned learn(
  const RobotModel & robot, const Plan & plan, const std::string & plan_name,
  const std::vector<RunRecord> & runs, const LearnOptions & options)
{
  if (runs.empty())
  {
    throw InputError("expected at least one log to learn from");
  }
  Learned learned;
  Eigen::Vector2d variance = Eigen::Vector2d::Zero();
  for (const RunRecord & run : runs)
  {
    require_run_to_learn_from(run, plan, plan_name);
    require_same_loop(run, runs.front());
    variance += recorded_motion(run, robot, options.noise).variance;
    learned.measured_ise += measured_ise(run) / static_cast<double>(runs.size());
  }
  variance /= static_cast<double>(runs.size() * runs.size());  // of the mean error
  const RunRecord & first = runs.front();
  learned.encoder_floor = encoder_floor(first, robot.constants().geometry);

  const auto cycles = cycles_of(plan, first.rate);
  update(robot, plan, first, {mean_error(runs, cycles), variance, options}, learned);
  learned.plan.lessons.push_back(lesson_of(learned, plan, plan_name, runs, options));
  return learned;
}

}  // namespace fivebar_control
