// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/report/run_score.hpp"

#include <algorithm>
#include <cmath>

namespace fivebar_control
{

RunScore score_of(const RunRecord & run, const Curve * nominal)
{
  RunScore score;
  PathErrorSum to_plan;
  PathErrorSum to_curve;
  double feedforward_squares = 0.0;
  double feedback_squares = 0.0;
  for (std::size_t i = 0; i < run.size(); ++i)
  {
    score.late_cycles += run.late[i] ? 1 : 0;
    if (run.state[i] != ControlState::playing)
    {
      continue;
    }
    score.start = score.cycles == 0 ? run.t[i] - run.plan_time[i] : score.start;
    ++score.cycles;
    const Eigen::Vector2d measured(run.measured_point[0][i], run.measured_point[1][i]);
    const Eigen::Vector2d planned(run.planned_point[0][i], run.planned_point[1][i]);
    to_plan.add(run.t[i], run.plan_time[i], (measured - planned).squaredNorm(), i);
    if (nominal != nullptr)
    {
      const double time = std::clamp(run.plan_time[i], 0.0, nominal->duration());
      const double square = (measured - nominal->at(time).position).squaredNorm();
      to_curve.add(run.t[i], run.plan_time[i], square, i);
    }
    score.limited_cycles += run.limited[i] ? 1 : 0;
    for (std::size_t j = 0; j < 2; ++j)
    {
      const double error = run.reference[j][i] - run.angle[j][i];
      score.mean_error[j] += error;
      score.largest_joint_error[j] = std::max(score.largest_joint_error[j], std::abs(error));
      score.largest_volts = std::max(score.largest_volts, std::abs(run.applied[j][i]));
      feedforward_squares += run.feedforward[j][i] * run.feedforward[j][i];
      feedback_squares += run.feedback[j][i] * run.feedback[j][i];
    }
  }
  score.to_plan = to_plan.error();
  score.to_curve = to_curve.error();
  if (score.cycles > 0)
  {
    const auto cycles = static_cast<double>(score.cycles);
    score.feedforward_rms = std::sqrt(0.5 * feedforward_squares / cycles);
    score.feedback_rms = std::sqrt(0.5 * feedback_squares / cycles);
    score.mean_error = {score.mean_error[0] / cycles, score.mean_error[1] / cycles};
  }
  return score;
}

}  // namespace fivebar_control
