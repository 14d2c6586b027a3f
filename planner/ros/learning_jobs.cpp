// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "fivebar_control/learning/identified_file.hpp"
#include "fivebar_control/learning/learn.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/errors.hpp"
#include "planner_node.hpp"

// What the planner node does with run logs.

namespace fivebar_control
{
namespace
{

/// Tells each step, and ends the job where nobody wants it any more.
template <class Jobs>
class Steps
{
public:
  Steps(const typename Jobs::Progress & progress, std::size_t count) : progress_(progress)
  {
    feedback_.steps = static_cast<std::uint32_t>(count);
  }
  void next(const std::string & step)
  {
    feedback_.step = step;
    if (!progress_.tell(feedback_))
    {
      throw InputError("cancelled");
    }
    ++feedback_.done;
  }

private:
  const typename Jobs::Progress & progress_;
  typename Jobs::Feedback feedback_;
};

/// The result must not replace one of the files that it is made from.
void require_other_target(const std::string & target, std::vector<std::string> sources)
{
  for (const std::string & source : sources)
  {
    std::error_code error;
    if (!target.empty() && std::filesystem::equivalent(target, source, error))
    {
      throw InputError(fmt::format("output_path: {} is one of the files to learn from", target));
    }
  }
}

void require_logs(const std::vector<std::string> & logs)
{
  if (logs.empty())
  {
    throw InputError("log_paths: expected at least one run log");
  }
}

std::vector<LumpGroup> groups_of(const std::vector<std::string> & names)
{
  std::vector<LumpGroup> groups;
  for (const std::string & name : names)
  {
    const auto * found = std::find_if(lump_groups.begin(), lump_groups.end(), [&](LumpGroup group) {
      return name == to_string(group);
    });
    if (found == lump_groups.end())
    {
      throw InputError(fmt::format(
        "free: expected inertia, gain, damping, coulomb, tilt or offsets, got '{}'", name));
    }
    groups.push_back(*found);
  }
  return groups;
}

void fill(fivebar_control::action::Identify::Result & result, const Identification & found)
{
  result.misfit = found.reduced();
  result.delay = found.delay;
  result.unseen = found.unseen;
  for (const std::vector<Estimate> * estimates : {&found.base, &found.lumps})
  {
    for (const Estimate & e : *estimates)
    {
      result.names.push_back(e.name);
      result.units.push_back(e.unit);
      result.values.push_back(e.value);
      result.half_intervals.push_back(e.half_interval());
    }
  }
}

}  // namespace

bool PlannerNode::learn(
  const LearnJobs::Goal & wanted, const LearnJobs::Progress & progress,
  LearnJobs::Result & result) const
{
  require_logs(wanted.log_paths);
  std::vector<std::string> sources = wanted.log_paths;
  sources.push_back(wanted.plan_path);
  require_other_target(wanted.output_path, sources);
  Steps<LearnJobs> steps(progress, wanted.log_paths.size() + 2);
  steps.next("reading " + wanted.plan_path);
  const RobotModel model = robot(wanted.robot_path);
  const Plan plan = load_plan(wanted.plan_path);
  require_plan_fits(plan, model, wanted.plan_path);
  std::vector<RunRecord> runs;
  for (const std::string & log : wanted.log_paths)
  {
    steps.next("reading " + log);
    runs.push_back(load_run_record(log));
  }
  LearnOptions options;
  options.rate = wanted.rate > 0.0 ? wanted.rate : options.rate;
  options.largest_change =
    wanted.largest_change > 0.0 ? wanted.largest_change : options.largest_change;
  steps.next("learning");
  const Learned learned = fivebar_control::learn(model, plan, wanted.plan_path, runs, options);
  require_plan_fits(learned.plan, model, "the plan that has learned");
  result.success = true;
  result.plan = plan_text(learned.plan);
  result.measured_ise = learned.measured_ise;
  result.predicted_ise = learned.predicted_ise;
  result.encoder_floor = learned.encoder_floor;
  result.largest_change = learned.largest_change;
  result.voltages_at_a_bound = static_cast<std::uint32_t>(learned.bounded);
  result.updates = static_cast<std::uint32_t>(learned.plan.lessons.size());
  result.message = fmt::format(
    "'{}': update {}, ISE {:.4g} m^2 s, the model leaves {:.4g} m^2 s of it", plan.curve_name,
    result.updates, result.measured_ise, result.predicted_ise);
  if (!wanted.output_path.empty())
  {
    write_file_atomically(wanted.output_path, result.plan);
  }
  return true;
}

bool PlannerNode::identify(
  const IdentifyJobs::Goal & wanted, const IdentifyJobs::Progress & progress,
  IdentifyJobs::Result & result) const
{
  require_logs(wanted.log_paths);
  require_other_target(wanted.output_path, wanted.log_paths);
  Steps<IdentifyJobs> steps(progress, wanted.log_paths.size() + 1);
  const RobotModel model = robot(wanted.robot_path);
  std::vector<RecordedMotion> motions;
  for (const std::string & log : wanted.log_paths)
  {
    steps.next("reading " + log);
    motions.push_back(recorded_motion(load_run_record(log), model));
  }
  IdentifyOptions options;
  if (!wanted.free.empty())
  {
    options.free = groups_of(wanted.free);
  }
  steps.next("identifying");
  const Identification found = fivebar_control::identify(model, motions, options);
  fill(result, found);
  result.message = fmt::format("chi^2/N {:.3f}: {}", found.reduced(), verdict_of(found));
  result.success = found.reduced() <= hopeless_misfit || wanted.accept_misfit;
  if (result.success)
  {
    result.robot = identified_robot_file(model, motions, found, "the identified robot");
    if (!wanted.output_path.empty())
    {
      write_file_atomically(wanted.output_path, result.robot);
    }
  }
  return result.success;
}

}  // namespace fivebar_control
