// SPDX-License-Identifier: Apache-2.0
// Plans a curve and plays it on a simulated robot that is not quite the model, with and without the
// planned voltages.
//
//     02_play [LOG.csv]
#include <algorithm>
#include <cstdio>

#include "fivebar_control/daemon/play.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/planner/planner.hpp"
#include "fivebar_control/support/config_location.hpp"

using namespace fivebar_control;

/// How far P was from where the plan wanted it, at worst [m].
double largest_error(const RunRecord & run)
{
  double largest = 0.0;
  for (std::size_t i = 0; i < run.size(); ++i)
  {
    if (run.state[i] == ControlState::playing)
    {
      largest = std::max(largest, (run.measured(i) - run.planned(i)).norm());
    }
  }
  return largest;
}

int main(int count, char ** arguments)
try
{
  const RobotModel robot = load_robot(find_config("robot.yaml"));
  const PlanRequest request = load_plan_request(find_config("curves/b_gentle.yaml"));
  const Plan plan = make_plan(robot, request).plan;

  PlaySettings settings;  // 1 kHz, the gains of the published experiment
  // 20 % heavier than the model, with friction that the model does not know.
  settings.plant = load_plant(find_config("plants/mismatched.yaml"));
  settings.mode = ControlMode::feedback_only;
  const RunRecord pd = play(robot, plan, "curve B", settings);
  settings.mode = ControlMode::feedforward_and_feedback;
  settings.log = count > 1 ? arguments[1] : "b.log.csv";  // for `fivebar report` and `animate`
  const RunRecord both = play(robot, plan, "curve B", settings);

  std::printf("PD alone:         P within %.2f mm\n", 1e3 * largest_error(pd));
  std::printf("feedforward + PD: P within %.2f mm\n", 1e3 * largest_error(both));
  const bool good = both.ended == "finished" && largest_error(both) < 0.5 * largest_error(pd);
  return good ? 0 : 1;
}
catch (const Error & error)
{
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
