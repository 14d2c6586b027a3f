// SPDX-License-Identifier: Apache-2.0
#include <fivebar_control/model/robot_file.hpp>
#include <fivebar_control/planner/planner.hpp>
#include <fivebar_control/simulation/simulated_robot.hpp>

// Plans the curve given as second argument for the robot given as first.
int main(int, char ** arguments)
{
  using namespace fivebar_control;
  const RobotModel robot = load_robot(arguments[1]);
  const Plan plan = make_plan(robot, load_plan_request(arguments[2])).plan;
  SimulatedRobot simulated(robot, PlantParameters{}, robot.parameters().home, 1'000'000);
  return plan.verdict == Verdict::converged && simulated.open() == HardwareError::none ? 0 : 1;
}
