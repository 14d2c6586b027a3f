// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/runs/run_description.hpp"

#include "fivebar_control/support/package_version.hpp"

namespace fivebar_control
{

RunDescription describe_run(
  const Plan & plan, const RobotModel & robot, const ControllerSettings & settings,
  const std::string & hardware, ControlMode mode, double rate, bool has_truth)
{
  RunDescription run;
  run.robot_name = robot.parameters().name;
  run.robot_fingerprint = robot.fingerprint();
  run.curve = plan.curve_name;
  run.hardware = hardware;
  run.mode = to_string(mode);
  run.package_version = package_version();
  run.rate = rate;
  run.voltage_limit = robot.limits().voltage;
  run.kp = settings.gains.kp;
  run.kd = settings.gains.kd;
  run.ki = settings.gains.ki;
  run.guard = settings.guard;
  run.feedback_method = to_string(settings.gains.method);
  run.velocity_method = to_string(settings.velocity.method);
  run.velocity_cutoff = settings.velocity.cutoff;
  run.has_truth = has_truth;
  return run;
}

}  // namespace fivebar_control
