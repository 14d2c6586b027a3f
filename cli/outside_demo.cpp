// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "commands.hpp"
#include "fivebar_control/daemon/play.hpp"
#include "fivebar_control/learning/identify.hpp"
#include "fivebar_control/learning/learning_session.hpp"
#include "fivebar_control/learning/rehearse.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/planner/planner.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/config_location.hpp"
#include "fivebar_control/support/errors.hpp"
#include "learning_demo.hpp"
#include "output_file.hpp"
#include "terminal.hpp"

namespace fivebar_control::cli
{
namespace
{

constexpr int most_updates = 5;

/// Times less ISE than PD alone, at the encoder and in truth.
struct Ratio
{
  double measured = 0.0, truth = 0.0;
};

struct OutsideRow
{
  std::string plant;
  double rigid_chi_square = 0.0, chi_square = 0.0;
  /// The last: the plan that has learned, with Kalman filter and TVLQR that know what it learned.
  Ratio identified, once, often, tvlqr, both;
  bool encoders_see = false;  ///< P, as far as counts go
  std::string note;
};

/// Runs on one plant, each under conditions of its own where the plant varies.
class Laboratory
{
public:
  explicit Laboratory(PlaySettings settings) : settings_(std::move(settings)) {}

  RunRecord run(const RobotModel & robot, const Plan & plan)
  {
    RunRecord record = play(robot, plan, "B", settings_);
    ++settings_.plant.effects.variation.run;
    return record;
  }
  RunRecord run(
    const RobotModel & robot, const Plan & plan, ControlMode mode,
    const ControllerSettings & controller)
  {
    PlaySettings other = settings_;
    other.mode = mode;
    other.controller = controller;
    RunRecord record = play(robot, plan, "B", other);
    ++settings_.plant.effects.variation.run;
    return record;
  }
  void measure_against(const RunRecord & pd) { pd_ = {measured_ise(pd), true_ise(pd)}; }
  /// Zero for a run that did not finish.
  Ratio ratio(const RunRecord & record) const
  {
    return record.ended == to_string(RunEnd::finished)
             ? Ratio{pd_.measured / measured_ise(record), pd_.truth / true_ise(record)}
             : Ratio{};
  }
  Ratio ratio(const Attempt & attempt) const
  {
    return {pd_.measured / attempt.ise, pd_.truth / attempt.truth.value_or(attempt.ise)};
  }

private:
  PlaySettings settings_;
  Ratio pd_;
};

/// The robot as it was where what was found is no robot.
RobotModel identified_or(const RobotModel & robot, const Identification & found, std::string & note)
{
  try
  {
    return RobotModel(identified_robot(robot, found));
  }
  catch (const InputError &)
  {
    note = "not identified, ";
    return robot;
  }
}

/// What a laboratory knows of the drives without any identification: where the encoders sit and,
/// if it has turned them by hand, the backlash.
RobotModel with_known_drives(const RobotModel & robot, const Drives & truth, bool gap_known)
{
  RobotParameters parameters = robot.parameters();
  for (std::size_t i = 0; i < 2; ++i)
  {
    parameters.drives[i].encoder_on_motor = truth[i].encoder_on_motor;
    parameters.drives[i].gap = gap_known ? truth[i].gap : 0.0;
  }
  return RobotModel(std::move(parameters));
}

struct Task
{
  const RobotModel & robot;  ///< as its file describes it
  const PlanRequest & request;
  const PlaySettings & settings;
  const ControllerSettings & tvlqr;
  bool rigid;
  std::string name;
};

Identification identified_from(const Task & task, const RunRecord & run)
{
  IdentifyOptions options;
  options.extend = !task.rigid;
  if (rewrites_lines(stderr))
  {
    options.progress = [&task](const std::string & sentence) {
      fmt::print(stderr, "\r\033[K{}: {}", task.name, sentence);
    };
  }
  Identification found = identify(task.robot, {recorded_motion(run, task.robot)}, options);
  if (options.progress)
  {
    fmt::print(stderr, "\r\033[K");
  }
  return found;
}

void learn_on(
  const Task & task, const RobotModel & identified, Laboratory & laboratory, OutsideRow & row)
{
  const Plan better = rehearse(identified, make_plan(identified, task.request).plan, "B").plan;
  SessionOptions options;
  options.updates = most_updates;
  const Session session = learn_by_runs(
    identified, better, "B",
    [&](const Plan & next, int) { return laboratory.run(identified, next); }, options);
  row.identified = laboratory.ratio(session.attempts.front());
  const bool first_kept = session.attempts.size() > 1 && session.attempts[1].accepted;
  row.once = laboratory.ratio(session.attempts[first_kept ? 1 : 0]);
  row.often = laboratory.ratio(session.attempts[session.best]);
  row.both = laboratory.ratio(laboratory.run(
    identified, session.attempts[session.best].plan, ControlMode::feedforward_and_feedback,
    task.tvlqr));
  row.note += to_string(session.end);
}

OutsideRow take_plant(const Task & task)
{
  OutsideRow row;
  row.plant = task.name;
  const Drives truth = plant_drives(task.robot, task.settings.plant);
  row.encoders_see = task.settings.plant.effects.eccentricity == 0.0 &&
                     !truth[0].encoder_on_motor && !truth[1].encoder_on_motor;
  const Plan plan = make_plan(task.robot, task.request).plan;
  Laboratory laboratory(task.settings);
  laboratory.measure_against(
    laboratory.run(task.robot, plan, ControlMode::feedback_only, task.settings.controller));
  const RunRecord first = laboratory.run(task.robot, plan);
  row.tvlqr = laboratory.ratio(
    laboratory.run(task.robot, plan, ControlMode::feedforward_and_feedback, task.tvlqr));
  const Identification found = identified_from(task, first);
  row.rigid_chi_square = found.rigid_chi_square;
  row.chi_square = found.reduced();
  learn_on(task, identified_or(task.robot, found, row.note), laboratory, row);
  return row;
}

nlohmann::json to_json(const OutsideRow & row)
{
  const auto both = [](const Ratio & r) {
    return nlohmann::json{{"at_encoder", r.measured}, {"in_truth", r.truth}};
  };
  return {
    {"plant", row.plant},
    {"rigid_chi_square_per_reading", row.rigid_chi_square},
    {"chi_square_per_reading", row.chi_square},
    {"identified", both(row.identified)},
    {"one_update", both(row.once)},
    {"up_to_five", both(row.often)},
    {"tvlqr", both(row.tvlqr)},
    {"learned_tvlqr", both(row.both)},
    {"encoders_see_p", row.encoders_see},
    {"ended", row.note}};
}

std::vector<std::string> outside_plants()
{
  std::vector<std::string> files{find_config("plants/mismatched.yaml")};
  for (const auto & entry : std::filesystem::directory_iterator(find_config("plants/outside")))
  {
    files.push_back(entry.path().string());
  }
  std::sort(files.begin() + 1, files.end());
  return files;
}

std::string text_of(const Ratio & r)
{
  return r.measured > 0.0 ? fmt::format("{:.0f} / {:.0f}", r.measured, r.truth) : "stopped";
}

}  // namespace

namespace
{

PlaySettings wide_settings()
{
  PlaySettings settings;
  settings.controller = load_controller_settings(find_config("controller.yaml"));
  widen_following(settings.controller.guard);
  settings.controller.guard.switch_off(Reason::implausible_motion);
  settings.controller.guard.switch_off(Reason::implausible_scale);
  return settings;
}

void print_row(const OutsideRow & row)
{
  fmt::print(
    "{:<23} {:>6.2f} {:>7.2f} {:>14} {:>14} {:>14} {:>14} {:>14}  {}\n", row.plant,
    row.rigid_chi_square, row.chi_square, text_of(row.identified), text_of(row.once),
    text_of(row.often), text_of(row.tvlqr), text_of(row.both), row.note);
  std::fflush(stdout);
}

}  // namespace

int run_outside_demo(const DemoArguments & arguments, const std::string & json_path)
{
  const RobotModel robot = load_robot(find_config("robot.yaml"));
  const PlanRequest request = load_plan_request(find_config("curves/b.yaml"));
  PlaySettings settings = wide_settings();
  ControllerSettings tvlqr = load_controller_settings(find_config("controller_tvlqr.yaml"));
  tvlqr.guard = settings.controller.guard;
  fmt::print(
    "Effects that the model does not know, curve B. Times less ISE than PD alone, at the encoder / "
    "in truth\n\n{:<23} {:>6} {:>7} {:>14} {:>14} {:>14} {:>14} {:>14}  {}\n",
    "plant", "rigid", "chi^2/N", "identified", "1 update", "up to 5", "tvlqr", "learned+tvlqr",
    "ended");
  nlohmann::json json{
    {"schema", 1}, {"content", "outside the model"}, {"plants", nlohmann::json::array()}};
  int worse = 0;
  int worse_in_truth = 0;
  for (const std::string & file : arguments.plants.empty() ? outside_plants() : arguments.plants)
  {
    settings.plant = load_plant(file);
    settings.plant.robot =
      settings.plant.robot ? settings.plant.robot : std::make_shared<const RobotModel>(robot);
    const Drives truth = plant_drives(robot, settings.plant);
    const bool has_gap = truth[0].gap > 0.0 || truth[1].gap > 0.0;
    for (const bool gap_known : {false, true})
    {
      if (gap_known && !has_gap)
      {
        continue;
      }
      const RobotModel known = with_known_drives(robot, truth, gap_known);
      const OutsideRow row = take_plant(
        {known, request, settings, tvlqr, arguments.rigid,
         settings.plant.name + (gap_known ? ", known gap" : "")});
      print_row(row);
      json["plants"].push_back(to_json(row));
      worse += row.often.measured < row.identified.measured ? 1 : 0;
      worse_in_truth += row.encoders_see && row.often.truth < row.identified.truth ? 1 : 0;
    }
  }
  fmt::print(
    "\n{} robots are worse at the encoder after learning than before; {} in truth, of those whose "
    "encoders see P\n",
    worse, worse_in_truth);
  json["worse_at_encoder"] = worse;
  json["worse_in_truth"] = worse_in_truth;
  if (!json_path.empty())
  {
    write_file_atomically(output_target(json_path), json.dump(2) + "\n");
  }
  return worse + worse_in_truth == 0 ? done : not_converged;
}

}  // namespace fivebar_control::cli
