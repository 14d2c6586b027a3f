// SPDX-License-Identifier: Apache-2.0
#include "learning_runs.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "fivebar_control/daemon/run_loop.hpp"
#include "fivebar_control/daemon/signals.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/report/chart.hpp"
#include "fivebar_control/report/page_frame.hpp"
#include "fivebar_control/runs/run_log.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/markup.hpp"
#include "hardware_choice.hpp"
#include "loop_in_thread.hpp"
#include "output_file.hpp"

namespace fivebar_control::cli
{
namespace
{

std::string plan_name(const LearningRuns & a, int number)
{
  return fmt::format("{}.{}.plan.csv", a.prefix, number);
}
std::string log_name(const LearningRuns & a, int number)
{
  return number < 0 ? fmt::format("{}.0.again{}.log.csv", a.prefix, -number)
                    : fmt::format("{}.{}.log.csv", a.prefix, number);
}

/// One run, as `fivebar run --log` does it; the log is read back.
RunRecord play_once(
  const LearningRuns & a, const RobotModel & robot, const ControllerSettings & settings,
  const PlantParameters & plant, RunRequests & requests, const Plan & plan, int number)
{
  if (number > 0)
  {
    save_plan(plan, plan_name(a, number));
  }
  const PlayablePlan playable(plan.samples);
  const std::int64_t period_ns = a.run.period_ns();
  // Only the first run may be told where the robot stands; the others must know it.
  const std::unique_ptr<MotorHardware> hardware = make_hardware(
    robot, {a.hardware,
            plant,
            playable.start(),
            period_ns,
            a.calibration,
            {default_state_folder(), a.homed && number == 0}});
  const ControlMode mode = ControlMode::feedforward_and_feedback;
  RunLog log(
    log_name(a, number),
    describe_run(
      plan, robot, settings, hardware->description(), mode, a.run.rate,
      hardware->true_point().has_value()),
    robot, a.fast);
  ControlCore controller(robot, settings, mode, period_ns);
  controller.set_plan(&playable);
  const auto pacer = std::make_unique<Pacer>(period_ns, !a.fast);
  RunStatus status;
  RealtimeReport realtime;
  const RunOutcome outcome = run_in_thread(
    controller, *hardware, *pacer, log, requests, status, {period_ns, a.align || number != 0},
    a.realtime, realtime);
  log.finish(outcome.end, outcome.finding.reason);
  return load_run_record(log_name(a, number));
}

void print_attempt(const Attempt & attempt, double first_ise)
{
  fmt::print(
    "{:>4} {:>12.4g} {:>10.4g} {:>10} {:>12} {:>8}  {}\n", attempt.number, attempt.ise,
    attempt.encoder_floor, attempt.number == 0 ? "" : fmt::format("{:.4g}", attempt.predicted_ise),
    attempt.truth ? fmt::format("{:.4g}", *attempt.truth) : "",
    fmt::format("{:.1f}", first_ise / attempt.ise),
    attempt.ended != "finished" ? attempt.ended
    : attempt.accepted          ? "kept"
                                : "worse: back to the best");
}

const char * words_of(SessionEnd end)
{
  switch (end)
  {
    case SessionEnd::updates_done:
      return "as many updates as were asked for";
    case SessionEnd::at_floor:
      return "the rounding of the encoders, or what differs from run to run, is all that is left";
    case SessionEnd::no_more_gain:
      return "no further gain: smaller steps did not help either";
    case SessionEnd::model_too_far:
      return "what happened was not what the model predicted: identify the robot first";
    case SessionEnd::run_failed:
      return "a run did not finish";
    case SessionEnd::resonance:
      return "refused: the robot swings in a way that its model does not know. Identify it with "
             "its "
             "elastic drives first (fivebar identify), or insist (--trust-model)";
  }
  return "";
}

nlohmann::json to_json(const LearningRuns & a, const Session & session)
{
  nlohmann::json json{{"schema", 1},          {"content", "learning runs"},
                      {"plan", a.plan},       {"ended", to_string(session.end)},
                      {"best", session.best}, {"runs", nlohmann::json::array()}};
  json["scatter"] = session.scatter;
  json["unrepeatable_ise"] = session.unrepeatable;
  json["model_check"] =
    session.check ? nlohmann::json{{"chi_square_per_reading", session.check->misfit},
                                   {"swing_frequency", session.check->swing.frequency},
                                   {"swing_share", session.check->swing.share}}
                  : nlohmann::json(nullptr);
  for (const Attempt & attempt : session.attempts)
  {
    json["runs"].push_back(
      {{"number", attempt.number},
       {"plan", attempt.number == 0 ? a.plan : plan_name(a, attempt.number)},
       {"log", log_name(a, attempt.number)},
       {"ise", attempt.ise},
       {"encoder_floor", attempt.encoder_floor},
       {"predicted_ise", attempt.predicted_ise},
       {"true_ise", attempt.truth ? nlohmann::json(*attempt.truth) : nlohmann::json(nullptr)},
       {"rate", attempt.rate},
       {"ended", attempt.ended},
       {"kept", attempt.accepted}});
  }
  return json;
}

/// The runs as a table; ratios to the first one.
std::string table_of(const Session & session)
{
  std::string html =
    "<div class=\"scroll\"><table class=\"figures\"><thead><tr><td>ISE [m&sup2; s]</td><th "
    "scope=\"col\">at the encoder</th><th scope=\"col\">rounding alone</th><th "
    "scope=\"col\">predicted</th><th scope=\"col\">in truth</th><th scope=\"col\">times less than "
    "run 0, at the encoder</th><th scope=\"col\"></th></tr></thead>\n<tbody>\n";
  for (const Attempt & attempt : session.attempts)
  {
    html += fmt::format(
      "<tr><th scope=\"row\">run {}</th><td>{:.4g}</td><td>{:.4g}</td><td>{}</td><td>{}</td><td>"
      "{:.1f}</td><td>{}</td></tr>\n",
      attempt.number, attempt.ise, attempt.encoder_floor,
      attempt.number == 0 ? "" : fmt::format("{:.4g}", attempt.predicted_ise),
      attempt.truth ? fmt::format("{:.4g}", *attempt.truth) : "unknown",
      session.attempts.front().ise / attempt.ise,
      attempt.ended != "finished" ? escaped(attempt.ended)
      : attempt.accepted          ? "kept"
                                  : "worse: back to the best");
  }
  return html +
         "</tbody></table></div>\n<p class=\"note\">ISE is the integral of the squared distance of "
         "P "
         "from the planned path. Measured is what the encoders show: what sits behind them they "
         "cannot see.</p>\n";
}

std::string page_of(const LearningRuns & a, const Plan & plan, const Session & session)
{
  Series measured{"measured at the encoder", "run-0", {}, {}};
  Series truth{"in truth (simulated)", "run-1", {}, {}};
  Series predicted{"predicted", "planned", {}, {}};
  Series floor{"rounding to counts", "limit", {}, {}};
  for (const Attempt & attempt : session.attempts)
  {
    const auto add = [&](Series & series, double value) {
      series.x.push_back(attempt.number);
      series.y.push_back(value);
    };
    add(measured, attempt.ise);
    add(floor, attempt.encoder_floor);
    if (attempt.truth)
    {
      add(truth, *attempt.truth);
    }
    if (attempt.number > 0)
    {
      add(predicted, attempt.predicted_ise);
    }
  }
  Chart chart;
  chart.id = "learning";
  chart.title = "ISE over the runs";
  chart.x = {"run", false, true};
  chart.y = {"ISE [m² s]", true, false};
  for (const Series & series : {measured, truth, predicted, floor})
  {
    if (series.x.size() > 1)
    {
      chart.series.push_back(series);
    }
  }
  const Attempt & best = session.attempts[session.best];
  const std::string body = fmt::format(
    "<section id=\"verdict\" class=\"{}\"><p class=\"sentence\">Run {} of {} is the best, with "
    "{:.1f} times less squared error than run 0, at the encoder. It ended because: "
    "{}.</p></section>\n<section id=\"learning\"><h2>Learning</h2>\n{}{}</section>\n",
    best.number > 0 || session.end == SessionEnd::at_floor ? "good" : "bad", best.number,
    escaped(a.plan), session.attempts.front().ise / best.ise, words_of(session.end),
    table_of(session), chart.series.empty() ? "" : to_html(chart));
  return html_page("learning", plan.curve_name, body, a.plan);
}

}  // namespace

int run_learning(const LearningRuns & a)
{
  const RobotModel robot = load_robot_for(a.run);
  const ControllerSettings settings = load_settings_for(a.run);
  PlantParameters plant = load_plant_for(a.run);
  const Plan plan = load_plan(a.plan);
  require_plan_fits(plan, robot, a.plan);
  if (settings.needs_gains())
  {
    throw InputError(
      "--learn: learning knows the loop with feedback.method pd and velocity.method "
      "filtered_difference or tracking_observer");
  }
  RunRequests requests;
  const RunSignals signals(requests);
  const Session session = learn_by_runs(
    robot, plan, a.plan,
    [&](const Plan & next, int number) {
      RunRecord run = play_once(a, robot, settings, plant, requests, next, number);
      ++plant.effects.variation.run;  // a plant that varies does so from run to run
      return run;
    },
    a.session);
  fmt::print(
    "Learning {} on {}, ISE in m^2 s\n{:>4} {:>12} {:>10} {:>10} {:>12} {:>8}\n", plan.curve_name,
    a.hardware, "run", "at encoder", "rounding", "predicted", "in truth", "times");
  for (const Attempt & attempt : session.attempts)
  {
    print_attempt(attempt, session.attempts.front().ise);
  }
  if (session.unrepeatable > 0.0)
  {
    fmt::print(
      "  runs of one plan differ by an ISE of {:.4g} m^2 s, which no feedforward can gain\n",
      session.unrepeatable);
  }
  save_plan(session.attempts[session.best].plan, a.prefix + ".best.plan.csv");
  write_file_atomically(a.prefix + ".html", page_of(a, plan, session));
  if (!a.json.empty())
  {
    write_file_atomically(output_target(a.json), to_json(a, session).dump(2) + "\n");
  }
  fmt::print(
    "  ended          {}\n  best plan      {}.best.plan.csv\n  page           {}.html\n",
    words_of(session.end), a.prefix, a.prefix);
  if (signals.first() != 0)
  {
    return 128 + signals.first();
  }
  return session.end == SessionEnd::run_failed ? stopped_by_guard : done;
}

}  // namespace fivebar_control::cli
