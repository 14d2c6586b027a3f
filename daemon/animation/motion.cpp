#include "motion.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "fivebar_control/controller/control_core.hpp"
#include "fivebar_control/planner/plan_request.hpp"
#include "fivebar_control/support/csv_table.hpp"
#include "fivebar_control/support/file_error.hpp"
#include "fivebar_control/support/yaml_map.hpp"

namespace fivebar_control
{
namespace
{

constexpr int curve_points = 600;

/// Fills what follows from time and P: the curve and the distance from it.
void compare_with_curve(const Plan & plan, Motion & motion)
{
  const CurvePointer curve = parse_plan_request(plan.request, "the plan's curve").curve;
  for (int i = 0; i <= curve_points; ++i)
  {
    motion.curve.push_back(curve->at(curve->duration() * i / curve_points).position);
  }
  for (std::size_t i = 0; i < motion.time.size(); ++i)
  {
    const double t = std::min(motion.time[i], curve->duration());
    motion.error.push_back((motion.point[i] - curve->at(t).position).norm());
  }
}

void require_log_of_plan(const CsvTable & table, const Plan & plan, const std::string & name)
{
  const YamlMap header = YamlMap::parse(table.header, name);
  if (header.text_or("content", "") != "run log")
  {
    throw FileError(fmt::format("{}: is no run log, expected one of 'fivebar run --log'", name));
  }
  const std::string fingerprint = header.map("robot").text("fingerprint");
  if (header.text("curve") != plan.curve_name || fingerprint != plan.robot_fingerprint)
  {
    throw FileError(fmt::format(
      "{}: is of '{}' on the robot {}, expected the plan's '{}' on {}", name, header.text("curve"),
      fingerprint, plan.curve_name, plan.robot_fingerprint));
  }
}

}  // namespace

std::size_t Motion::row_at(double t) const
{
  const auto after = std::upper_bound(time.begin(), time.end(), t);
  return after == time.begin() ? 0 : static_cast<std::size_t>(after - time.begin()) - 1;
}

Motion motion_of_plan(const Plan & plan)
{
  const PlanSamples & s = plan.samples;
  Motion motion;
  motion.title = plan.curve_name + ": the plan";
  motion.time = s.t;
  for (std::size_t i = 0; i < s.size(); ++i)
  {
    motion.phi.emplace_back(s.phi1[i], s.phi4[i]);
    motion.volts.emplace_back(s.u1[i], s.u4[i]);
    motion.point.emplace_back(s.x[i], s.y[i]);
  }
  compare_with_curve(plan, motion);
  return motion;
}

Motion motion_of_log(const Plan & plan, const std::string & log_text, const std::string & name)
{
  const CsvTable table = parse_csv(
    log_text, name,
    {"t", "state", "plan_time", "u1_applied", "u4_applied", "phi1_measured", "phi4_measured",
     "x_measured", "y_measured"});
  require_log_of_plan(table, plan, name);
  const auto values = [&](const char * key) -> const std::vector<double> & {
    return column(table, key);
  };
  Motion motion;
  motion.measured = true;
  const YamlMap header = YamlMap::parse(table.header, name);
  motion.title = fmt::format(
    "{}: {} on {}", plan.curve_name, header.text_or("mode", "run"),
    header.text_or("hardware", "the robot"));
  for (std::size_t i = 0; i < table.rows(); ++i)
  {
    const double time = values("plan_time")[i];
    const bool playing = values("state")[i] == static_cast<double>(ControlState::playing);
    if (!playing || (!motion.time.empty() && time <= motion.time.back()))
    {
      continue;
    }
    motion.time.push_back(time);
    motion.phi.emplace_back(values("phi1_measured")[i], values("phi4_measured")[i]);
    motion.volts.emplace_back(values("u1_applied")[i], values("u4_applied")[i]);
    motion.point.emplace_back(values("x_measured")[i], values("y_measured")[i]);
  }
  if (motion.time.size() < 2)
  {
    throw FileError(fmt::format("{}: the plan was not played in this run", name));
  }
  compare_with_curve(plan, motion);
  return motion;
}

}  // namespace fivebar_control
