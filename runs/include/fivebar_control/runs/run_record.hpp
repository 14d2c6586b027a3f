// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fivebar_control/plan/playable_plan.hpp"
#include "fivebar_control/runs/run_columns.hpp"
#include "fivebar_control/runs/run_description.hpp"
#include "fivebar_control/runs/run_end.hpp"

namespace fivebar_control
{

template <class T>
using Many = std::vector<T>;

/// A whole run in memory: what its log says, one entry of each column per control cycle.
struct RunRecord : RunDescription, RunColumns<Many>
{
  std::string file;           ///< where it was read from; names the run
  std::string ended, reason;  ///< as `fivebar run` says them: "finished", "none"
  std::int64_t lost_rows = 0;

  std::size_t size() const { return t.size(); }
  Eigen::Vector2d measured(std::size_t i) const
  {
    return {measured_point[0][i], measured_point[1][i]};
  }
  /// Where P truly was; only if has_truth.
  Eigen::Vector2d truly(std::size_t i) const { return {true_point[0][i], true_point[1][i]}; }
  Eigen::Vector2d planned(std::size_t i) const
  {
    return {planned_point[0][i], planned_point[1][i]};
  }
};

/// Reads a log of `fivebar run`. Checks that it is one, that it is whole and unchanged, and that
/// time increases; throws InputError that says what and where.
RunRecord load_run_record(const std::string & path);

/// The same from text; `name` stands for the file in messages.
RunRecord parse_run_record(const std::string & text, const std::string & name);

/// Calls see(row, reference) for each row in which the plan was playing, with what the plan says
/// there.
template <class See>
void for_each_played_row(const RunRecord & run, const Plan & plan, See && see)
{
  const PlayablePlan playable(plan.samples);
  std::size_t interval = 0;
  for (std::size_t i = 0; i < run.size(); ++i)
  {
    if (run.state[i] == ControlState::playing)
    {
      see(i, playable.at(run.plan_time[i], interval));
    }
  }
}

/// Throws InputError unless the run was one of this plan: robot, curve and the played reference.
void require_run_of_plan(const RunRecord & run, const Plan & plan, const std::string & plan_name);

/// Keeps a run in memory, as its log would have it. For runs that need not be punctual: it
/// allocates.
class RecordKeeper : public RecordSink
{
public:
  explicit RecordKeeper(const RobotModel & robot) : geometry_(robot.kinematics().geometry()) {}

  void take(const CycleRecord & record) noexcept override;

  /// The run with what its log's header and ending would say.
  RunRecord finish(const RunDescription & description, RunEnd end, Reason reason);

private:
  Geometry<double> geometry_;
  RunRecord run_;
};

}  // namespace fivebar_control
