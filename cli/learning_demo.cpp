// SPDX-License-Identifier: Apache-2.0
#include "learning_demo.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "commands.hpp"
#include "fivebar_control/daemon/play.hpp"
#include "fivebar_control/learning/identify.hpp"
#include "fivebar_control/learning/learn.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/planner/planner.hpp"
#include "fivebar_control/planner/request_overrides.hpp"
#include "fivebar_control/simulation/mujoco_engine.hpp"
#include "fivebar_control/simulation/random_plant.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/config_location.hpp"
#include "output_file.hpp"

namespace fivebar_control::cli
{
namespace
{

constexpr double promised = 1000.0;  // times less ISE than PD
constexpr std::array<const char *, 3> curve_names{"A", "B", "C10"};

std::vector<PlanRequest> demo_requests()
{
  std::vector<PlanRequest> requests;
  for (const char * name : {"curves/a.yaml", "curves/b.yaml", "curves/c.yaml"})
  {
    requests.push_back(load_plan_request(find_config(name)));
  }
  RequestOverrides ten_volts;
  ten_volts.voltage_limit = std::optional<double>(10.0);
  requests[2] = with_overrides(requests[2], ten_volts);
  return requests;
}

/// What became of one robot on one curve.
struct DemoCase
{
  static constexpr double never = std::numeric_limits<double>::max();
  double pd = 0.0, before = 0.0, identified = 0.0, learned = never;  ///< m² s, at the encoder
  double true_pd = 0.0, true_learned = never;  ///< m² s, of where P really was
  double ratio() const { return pd / learned; }
  double true_ratio() const { return true_pd / true_learned; }
};

struct DemoRobot
{
  double chi_square = 0.0;
  int delay = 0, true_delay = 0;
  std::array<DemoCase, 3> cases;
};

DemoRobot take_robot(
  const RobotModel & robot, const std::vector<PlanRequest> & requests,
  const std::vector<Plan> & plans, const PlaySettings & base)
{
  // The guard's checks against the model mean nothing while the model is another robot's.
  PlaySettings unknown = base;
  unknown.controller.guard.switch_off(Reason::implausible_motion);
  unknown.controller.guard.switch_off(Reason::implausible_scale);
  // PD alone follows curve C worse than the guard's band allows; it is the measure of comparison.
  PlaySettings pd = unknown;
  pd.controller.guard.switch_off(Reason::following_error);
  pd.mode = ControlMode::feedback_only;
  DemoRobot result;
  result.true_delay = base.plant.delay_cycles;
  for (std::size_t c = 0; c < plans.size(); ++c)
  {
    const RunRecord run = play(robot, plans[c], curve_names[c], pd);
    result.cases[c].pd = measured_ise(run);
    result.cases[c].true_pd = true_ise(run);
  }
  // The first run: curve B with the feedforward of a robot that this one is not.
  const RunRecord first = play(robot, plans[1], curve_names[1], unknown);
  IdentifyOptions rigid;
  rigid.extend = false;
  const Identification found = identify(robot, {recorded_motion(first, robot)}, rigid);
  result.chi_square = found.reduced();
  result.delay = found.delay;
  const RobotModel identified(identified_robot(robot, found));
  for (std::size_t c = 0; c < plans.size(); ++c)
  {
    DemoCase & one = result.cases[c];
    one.before =
      c == 1 ? measured_ise(first) : measured_ise(play(robot, plans[c], curve_names[c], unknown));
    const Plan plan = make_plan(identified, requests[c]).plan;
    const RunRecord second = play(identified, plan, curve_names[c], base);
    one.identified = measured_ise(second);
    if (second.ended != to_string(RunEnd::finished))
    {
      continue;  // nothing learned: the case has missed its figure
    }
    const Learned learned = learn(identified, plan, curve_names[c], {second});
    const RunRecord third = play(identified, learned.plan, curve_names[c], base);
    if (third.ended == to_string(RunEnd::finished))
    {
      one.learned = measured_ise(third);
      one.true_learned = true_ise(third);
    }
  }
  return result;
}

void print_row(int number, const DemoRobot & r)
{
  fmt::print("{:>5} {:>8.3f} {:>4}/{}", number, r.chi_square, r.delay, r.true_delay);
  for (const DemoCase & c : r.cases)
  {
    fmt::print(
      " | {:>5.0f} {:>6.0f} {:>6.0f} {:>7.0f}", c.pd / c.before, c.pd / c.identified, c.ratio(),
      c.true_ratio());
  }
  fmt::print("\n");
  std::fflush(stdout);
}

nlohmann::json to_json(const DemoRobot & r)
{
  nlohmann::json json{
    {"chi_square_per_reading", r.chi_square},
    {"delay_cycles", r.delay},
    {"true_delay_cycles", r.true_delay}};
  for (std::size_t c = 0; c < r.cases.size(); ++c)
  {
    const DemoCase & one = r.cases[c];
    json[curve_names[c]] = {
      {"ise_pd", one.pd},           {"ise_nominal", one.before}, {"ise_identified", one.identified},
      {"ise_learned", one.learned}, {"ratio", one.ratio()},      {"true_ratio", one.true_ratio()}};
  }
  return json;
}

}  // namespace

int run_learning_demo(const DemoArguments & a, const std::string & json_path)
{
  const RobotModel robot = load_robot(find_config("robot.yaml"));
  const std::vector<PlanRequest> requests = demo_requests();
  std::vector<Plan> plans;
  for (const PlanRequest & request : requests)
  {
    plans.push_back(make_plan(robot, request).plan);
  }
  PlaySettings base;
  base.controller = load_controller_settings(find_config("controller.yaml"));
  base.engine = a.hardware == "mujoco" ? make_mujoco_engine : make_equations_engine;
  fmt::print(
    "{} robots that nobody knows (seed {}), in {}. How many times less ISE than PD, at the "
    "encoder,\n"
    "and after learning in truth: FF+PD of the wrong robot, identified from that run on B,\n"
    "one learning update later, the same in truth.\n\n"
    "robot  chi^2/N delay | {:^27} | {:^27} | {:^27}\n",
    a.robots, a.seed, a.hardware == "mujoco" ? "MuJoCo" : "our equations", curve_names[0],
    curve_names[1], curve_names[2]);
  nlohmann::json json{
    {"schema", 1},
    {"content", "learning demo"},
    {"seed", a.seed},
    {"hardware", a.hardware},
    {"robots", nlohmann::json::array()}};
  int reached = 0;
  double worst = std::numeric_limits<double>::infinity();
  for (int i = 0; i < a.robots; ++i)
  {
    base.plant = random_plant(robot, a.seed, i);
    const DemoRobot result = take_robot(robot, requests, plans, base);
    print_row(i, result);
    json["robots"].push_back(to_json(result));
    for (const DemoCase & c : result.cases)
    {
      reached += c.ratio() >= promised ? 1 : 0;
      worst = std::min(worst, c.ratio());
    }
  }
  const int cases = 3 * a.robots;
  fmt::print(
    "\n{} of {} cases have at least {:.0f} times less ISE than PD at the encoder; the worst has "
    "{:.0f}\n",
    reached, cases, promised, worst);
  json["cases"] = cases;
  json["reached"] = reached;
  json["worst"] = worst;
  if (!json_path.empty())
  {
    write_file_atomically(output_target(json_path), json.dump(2) + "\n");
  }
  return reached == cases ? done : not_converged;
}

}  // namespace fivebar_control::cli
