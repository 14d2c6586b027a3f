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
  Ratio identified, once, often, tvlqr;
  std::string note;
};

/// Runs on one plant, each under conditions of its own where the plant varies.
class Laboratory
{
public:
  Laboratory(PlaySettings settings, const Plan & plan) : settings_(std::move(settings)), plan_(plan)
  {
  }

  RunRecord run(const RobotModel & robot, const Plan & plan)
  {
    RunRecord record = play(robot, plan, "B", settings_);
    ++settings_.plant.effects.variation.run;
    return record;
  }
  RunRecord run(const RobotModel & robot, ControlMode mode, const ControllerSettings & controller)
  {
    PlaySettings other = settings_;
    other.mode = mode;
    other.controller = controller;
    RunRecord record = play(robot, plan_, "B", other);
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
  const Plan & plan_;
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

OutsideRow take_plant(
  const RobotModel & robot, const PlanRequest & request, const Plan & plan,
  const PlaySettings & settings, const ControllerSettings & tvlqr, bool rigid)
{
  OutsideRow row;
  row.plant = settings.plant.name;
  Laboratory laboratory(settings, plan);
  laboratory.measure_against(
    laboratory.run(robot, ControlMode::feedback_only, settings.controller));
  const RunRecord first = laboratory.run(robot, plan);
  row.tvlqr = laboratory.ratio(laboratory.run(robot, ControlMode::feedforward_and_feedback, tvlqr));
  IdentifyOptions identify_options;
  identify_options.extend = !rigid;
  const Identification found = identify(robot, {recorded_motion(first, robot)}, identify_options);
  row.rigid_chi_square = found.rigid_chi_square;
  row.chi_square = found.reduced();
  const RobotModel identified = identified_or(robot, found, row.note);
  const Plan better = rehearse(identified, make_plan(identified, request).plan, "B").plan;
  SessionOptions options;
  options.updates = most_updates;
  const Session session = learn_by_runs(
    identified, better, "B",
    [&](const Plan & next, int) { return laboratory.run(identified, next); }, options);
  row.identified = laboratory.ratio(session.attempts.front());
  const bool first_kept = session.attempts.size() > 1 && session.attempts[1].accepted;
  row.once = laboratory.ratio(session.attempts[first_kept ? 1 : 0]);
  row.often = laboratory.ratio(session.attempts[session.best]);
  row.note += to_string(session.end);
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

int run_outside_demo(const DemoArguments & arguments, const std::string & json_path)
{
  const RobotModel robot = load_robot(find_config("robot.yaml"));
  const PlanRequest request = load_plan_request(find_config("curves/b.yaml"));
  const Plan plan = make_plan(robot, request).plan;
  PlaySettings settings;
  settings.controller = load_controller_settings(find_config("controller.yaml"));
  widen_following(settings.controller.guard);
  settings.controller.guard.switch_off(Reason::implausible_motion);
  settings.controller.guard.switch_off(Reason::implausible_scale);
  ControllerSettings tvlqr = load_controller_settings(find_config("controller_tvlqr.yaml"));
  tvlqr.guard = settings.controller.guard;
  fmt::print(
    "Effects that the model does not know, curve B. Times less ISE than PD alone, at the encoder / "
    "in truth\n\n{:<16} {:>7} {:>7} {:>15} {:>15} {:>15} {:>15}  {}\n",
    "plant", "rigid", "chi^2/N", "identified", "1 update", "up to 5", "tvlqr", "ended");
  nlohmann::json json{
    {"schema", 1}, {"content", "outside the model"}, {"plants", nlohmann::json::array()}};
  int worse = 0;
  for (const std::string & file : arguments.plants.empty() ? outside_plants() : arguments.plants)
  {
    settings.plant = load_plant(file);
    settings.plant.robot =
      settings.plant.robot ? settings.plant.robot : std::make_shared<const RobotModel>(robot);
    const OutsideRow row = take_plant(robot, request, plan, settings, tvlqr, arguments.rigid);
    fmt::print(
      "{:<16} {:>7.2f} {:>7.2f} {:>15} {:>15} {:>15} {:>15}  {}\n", row.plant, row.rigid_chi_square,
      row.chi_square, text_of(row.identified), text_of(row.once), text_of(row.often),
      text_of(row.tvlqr), row.note);
    std::fflush(stdout);
    json["plants"].push_back(to_json(row));
    worse += row.often.measured < row.identified.measured ? 1 : 0;
  }
  fmt::print("\n{} robots are worse at the encoder after learning than before\n", worse);
  if (!json_path.empty())
  {
    write_file_atomically(output_target(json_path), json.dump(2) + "\n");
  }
  return worse == 0 ? done : not_converged;
}

}  // namespace fivebar_control::cli
