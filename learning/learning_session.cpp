// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/learning/learning_session.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "fivebar_control/plan/plan_file.hpp"

namespace fivebar_control
{
namespace
{

/// By which the rate shrinks after an update that made it worse.
constexpr double smaller_step = 0.25;
constexpr int most_rejections = 2;
/// A measured error this many times the predicted one means that the model does not carry updates.
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
    case SessionEnd::resonance:
      return "resonance";
  }
  return "unknown";
}

namespace
{

/// One session: the best plan so far, the runs of it, and the size of the next step.
class Learner
{
public:
  Learner(
    const RobotModel & robot, const std::string & name, const PlayOnce & play,
    const SessionOptions & options)
  : robot_(robot), name_(name), play_(play), options_(options), step_(options.learn)
  {
  }

  Session run(const Plan & plan)
  {
    if (!play_given_plan(plan))
    {
      session_.end = SessionEnd::run_failed;
      return session_;
    }
    session_.check = options_.check_model ? check_model(robot_, best_runs_.front()) : std::nullopt;
    if (session_.check && session_.check->is_resonance())
    {
      session_.end = SessionEnd::resonance;
      return session_;
    }
    for (int number = 1; number <= options_.updates; ++number)
    {
      if (const std::optional<SessionEnd> end = is_done(); end || !update(number))
      {
        session_.end = end.value_or(session_.end);
        return session_;
      }
    }
    session_.end = SessionEnd::updates_done;
    return session_;
  }

private:
  const Attempt & best() const { return session_.attempts[session_.best]; }

  /// The given plan, as often as asked; false if a run did not finish.
  bool play_given_plan(const Plan & plan)
  {
    for (int i = 0; i <= options_.repeats; ++i)
    {
      best_runs_.push_back(play_(plan, -i));
      if (i == 0)
      {
        session_.attempts.push_back(attempt_of(best_runs_[0], plan, robot_, 0));
        session_.attempts.back().accepted = true;
      }
      if (best_runs_.back().ended != to_string(RunEnd::finished))
      {
        session_.attempts.back().ended = best_runs_.back().ended;
        return false;
      }
      const double ise = measured_ise(best_runs_.back());
      session_.scatter = std::max(session_.scatter, std::abs(ise - best().ise));
      session_.unrepeatable =
        std::max(session_.unrepeatable, ise_of_difference(best_runs_.front(), best_runs_.back()));
    }
    return true;
  }

  std::optional<SessionEnd> is_done() const
  {
    const double floor = std::max(best().encoder_floor, session_.unrepeatable);
    return best().ise <= options_.near_floor * floor ? std::optional(SessionEnd::at_floor)
                                                     : std::nullopt;
  }

  /// Learns and plays; false if this ends the session.
  bool update(int number)
  {
    const std::string best_name =
      session_.best == 0 ? name_ : fmt::format("{} after update {}", name_, session_.best);
    const Learned learned = learn(robot_, best().plan, best_name, best_runs_, step_);
    require_plan_fits(learned.plan, robot_, fmt::format("{} after update {}", name_, number));
    RunRecord run = play_(learned.plan, number);
    Attempt attempt = attempt_of(run, learned.plan, robot_, number);
    attempt.rate = step_.rate;
    attempt.predicted_ise = learned.predicted_ise;
    const double least = std::max(options_.least_gain * best().ise, session_.scatter);
    attempt.accepted = run.ended == to_string(RunEnd::finished) && best().ise - attempt.ise > least;
    session_.attempts.push_back(attempt);
    return judge(attempt, std::move(run));
  }

  bool judge(const Attempt & attempt, RunRecord run)
  {
    if (attempt.ended != to_string(RunEnd::finished))
    {
      session_.end = SessionEnd::run_failed;
      return false;
    }
    const double expected =
      std::max({attempt.predicted_ise, attempt.encoder_floor, session_.unrepeatable});
    const bool as_predicted = attempt.ise <= disagreement * expected;
    if (attempt.accepted)
    {
      session_.best = session_.attempts.size() - 1;
      best_runs_ = {std::move(run)};
      rejections_ = 0;
      session_.end = SessionEnd::model_too_far;
      return as_predicted;
    }
    step_.rate *= smaller_step;
    session_.end = as_predicted ? SessionEnd::no_more_gain : SessionEnd::model_too_far;
    return ++rejections_ < most_rejections;
  }

  const RobotModel & robot_;
  const std::string & name_;
  const PlayOnce & play_;
  const SessionOptions & options_;
  LearnOptions step_;
  Session session_;
  std::vector<RunRecord> best_runs_;
  int rejections_ = 0;
};

}  // namespace

Session learn_by_runs(
  const RobotModel & robot, const Plan & plan, const std::string & name, const PlayOnce & play,
  const SessionOptions & options)
{
  return Learner(robot, name, play, options).run(plan);
}

}  // namespace fivebar_control
