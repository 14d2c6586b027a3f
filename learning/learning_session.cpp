// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/learning/learning_session.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "fivebar_control/plan/plan_file.hpp"

namespace fivebar_control
{
namespace
{

/// By which the rate shrinks after an update that made it worse.
constexpr double smaller_step = 0.25;
constexpr int most_rejections = 2;
/// A measured error this many times the predicted one, without a gain to speak of, means that the
/// model does not carry the update.
constexpr double disagreement = 10.0;

Attempt attempt_of(const RunRecord & run, const Plan & plan, const RobotModel & robot, int number)
{
  Attempt attempt;
  attempt.number = number;
  attempt.plan = plan;
  attempt.ise = measured_ise(run);
  if (run.has_truth)
  {
    attempt.truth = true_ise(run);
  }
  attempt.encoder_floor = encoder_floor(run, robot.constants().geometry);
  attempt.ended = run.ended;
  return attempt;
}

}  // namespace

const char * to_string(SessionEnd end)
{
  switch (end)
  {
    case SessionEnd::updates_done:
      return "updates_done";
    case SessionEnd::at_floor:
      return "at_floor";
    case SessionEnd::no_more_gain:
      return "no_more_gain";
    case SessionEnd::model_too_far:
      return "model_too_far";
    case SessionEnd::run_failed:
      return "run_failed";
  }
  return "unknown";
}

Session learn_by_runs(
  const RobotModel & robot, const Plan & plan, const std::string & name, const PlayOnce & play,
  const SessionOptions & options)
{
  Session session;
  RunRecord best_run = play(plan, 0);
  session.attempts.push_back(attempt_of(best_run, plan, robot, 0));
  session.attempts.back().accepted = true;
  if (best_run.ended != to_string(RunEnd::finished))
  {
    session.end = SessionEnd::run_failed;
    return session;
  }
  LearnOptions step = options.learn;
  int rejections = 0;
  for (int number = 1; number <= options.updates; ++number)
  {
    const double best_ise = session.attempts[session.best].ise;
    if (best_ise <= options.near_floor * session.attempts[session.best].encoder_floor)
    {
      session.end = SessionEnd::at_floor;
      return session;
    }
    const std::string best_name =
      session.best == 0 ? name : fmt::format("{} after update {}", name, session.best);
    const Learned learned =
      learn(robot, session.attempts[session.best].plan, best_name, {best_run}, step);
    require_plan_fits(learned.plan, robot, fmt::format("{} after update {}", name, number));
    RunRecord run = play(learned.plan, number);
    Attempt attempt = attempt_of(run, learned.plan, robot, number);
    attempt.rate = step.rate;
    attempt.predicted_ise = learned.predicted_ise;
    const bool finished = run.ended == to_string(RunEnd::finished);
    attempt.accepted = finished && attempt.ise < (1.0 - options.least_gain) * best_ise;
    session.attempts.push_back(attempt);
    if (!finished)
    {
      session.end = SessionEnd::run_failed;
      return session;
    }
    if (attempt.accepted)
    {
      session.best = session.attempts.size() - 1;
      best_run = std::move(run);
      rejections = 0;
      continue;
    }
    const double expected = std::max(attempt.predicted_ise, attempt.encoder_floor);
    if (++rejections >= most_rejections)
    {
      session.end = attempt.ise > disagreement * expected ? SessionEnd::model_too_far
                                                          : SessionEnd::no_more_gain;
      return session;
    }
    step.rate *= smaller_step;
  }
  session.end = SessionEnd::updates_done;
  return session;
}

}  // namespace fivebar_control
