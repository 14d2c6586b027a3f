// SPDX-License-Identifier: Apache-2.0
// The controller inside a loop of your own: angles in, volts out, once per period. This is all that
// the package's daemon and its ros2_control plugin do with it. It links neither the planner nor any
// optimiser, and update() neither allocates nor locks nor throws.
//
//     05_own_loop PLAN.csv
#include <cstdio>

#include "fivebar_control/controller/control_core.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/model/runge_kutta.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/support/config_location.hpp"

using namespace fivebar_control;

int main(int count, char ** arguments)
try
{
  if (count != 2)
  {
    std::fprintf(stderr, "05_own_loop PLAN.csv   (01_plan writes one)\n");
    return 2;
  }
  constexpr std::int64_t period_ns = 1'000'000;
  const RobotModel robot = load_robot(find_config("robot.yaml"));
  const Plan plan = load_plan(arguments[1]);
  require_plan_fits(plan, robot, arguments[1]);  // made for this robot, within its limits
  const PlayablePlan playable(plan.samples);

  ControlCore controller(
    robot, ControllerSettings{}, ControlMode::feedforward_and_feedback, period_ns);
  controller.set_plan(&playable);

  // Your robot: here the model itself, at the start of the plan.
  Eigen::Vector4d state(playable.start()[0], playable.start()[1], 0.0, 0.0);
  ControlInput input;
  input.command = ControlCommand::start;
  ControlOutput output;
  do
  {
    input.angle = state.head<2>();
    output = controller.update(input);
    state = runge_kutta_step<double>(
      robot.constants(), state, output.volts, output.volts, 1e-9 * period_ns);
    input.command = ControlCommand::none;
    input.time_ns += period_ns;
    input.sample_time_ns = input.time_ns;
  } while (output.state != ControlState::idle && output.state != ControlState::fault);

  if (controller.fault())
  {
    std::printf("%s\n", describe(controller.fault()).c_str());
    return 1;
  }
  std::printf("done after %.3f s\n", 1e-9 * static_cast<double>(input.time_ns));
  return 0;
}
catch (const Error & error)
{
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
