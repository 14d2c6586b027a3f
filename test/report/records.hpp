// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "fivebar_control/report/report_data.hpp"
#include "planner/problems.hpp"

namespace fivebar_control::test
{

inline const Plan & gentle_plan()
{
  static const Plan plan = make_plan(default_robot(), request_of("b_gentle")).plan;
  return plan;
}

/// A run of the plan at 1 kHz, in which the joints lag by `error` rad (constant) and P follows.
inline RunRecord run_with_error(const Plan & plan, double error, const std::string & mode)
{
  const RobotModel robot = default_robot();
  RunRecord run;
  run.file = mode + ".csv";
  run.robot_name = plan.robot_name;
  run.robot_fingerprint = plan.robot_fingerprint;
  run.curve = plan.curve_name;
  run.hardware = "test";
  run.mode = mode;
  run.ended = "finished";
  run.reason = "none";
  run.rate = 1000.0;
  run.voltage_limit = 10.0;
  const PlayablePlan playable(plan.samples);
  std::size_t interval = 0;
  for (int i = 0; i <= static_cast<int>(1000.0 * playable.duration()); ++i)
  {
    const double t = 1e-3 * i;
    const Reference reference = playable.at(t, interval);
    const Eigen::Vector2d angle = reference.phi.array() - error;
    const Eigen::Vector2d planned = robot.kinematics().forward(reference.phi)->end_effector;
    const Eigen::Vector2d measured = robot.kinematics().forward(angle)->end_effector;
    run.t.push_back(t);
    run.plan_time.push_back(t);
    for (std::size_t j = 0; j < 2; ++j)
    {
      const auto k = static_cast<Eigen::Index>(j);
      run.feedforward[j].push_back(reference.feedforward[k]);
      run.feedback[j].push_back(0.01);
      run.applied[j].push_back(reference.feedforward[k] + 0.01);
      run.reference[j].push_back(reference.phi[k]);
      run.angle[j].push_back(angle[k]);
      run.planned_point[j].push_back(planned[k]);
      run.measured_point[j].push_back(measured[k]);
    }
    run.state.push_back(ControlState::playing);
    run.late.push_back(false);
    run.limited.push_back(false);
  }
  return run;
}

inline ReportData report_on(std::vector<RunRecord> runs)
{
  return make_report_data("b.csv", gentle_plan(), default_robot(), std::move(runs), {});
}

}  // namespace fivebar_control::test
