// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/runs/run_columns.hpp"

namespace fivebar_control
{

const std::vector<std::string> & run_column_names_with_truth()
{
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = run_column_names();
    const RunRow row;
    visit_truth_columns([&all](const char * name, const auto &) { all.emplace_back(name); }, row);
    return all;
  }();
  return names;
}

const std::vector<std::string> & run_column_names()
{
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    const RunRow row;
    visit_run_columns([&all](const char * name, const auto &) { all.emplace_back(name); }, row);
    return all;
  }();
  return names;
}

RunRow row_of(const CycleRecord & r, const Geometry<double> & geometry) noexcept
{
  const auto point = [&](const Eigen::Vector2d & phi, const Eigen::Vector2d & fallback) {
    const Eigen::Vector2d p = end_effector_at(geometry, phi);
    return p.allFinite() ? p : fallback;
  };
  const Eigen::Vector2d & reference = has_reference(r.state) ? r.reference : r.angle;
  const Eigen::Vector2d planned = point(reference - r.lead, geometry.pivot_1);
  const Eigen::Vector2d measured = point(r.angle - r.lead, planned);
  RunRow row;
  row.t = static_cast<double>(r.time_ns) * 1e-9;
  row.plan_time = r.plan_time;
  for (std::size_t i = 0; i < 2; ++i)
  {
    const auto j = static_cast<Eigen::Index>(i);
    row.feedforward[i] = r.feedforward[j];
    row.feedback[i] = r.feedback[j];
    row.applied[i] = r.volts[j];
    row.reference[i] = reference[j];
    row.reference_speed[i] = r.reference_speed[j];
    row.angle[i] = r.angle[j];
    row.speed[i] = r.speed[j];
    row.planned_point[i] = planned[j];
    row.measured_point[i] = measured[j];
    // A plant that has lost its linkage is nowhere: the row keeps a number.
    row.true_point[i] =
      r.true_point && r.true_point->allFinite() ? (*r.true_point)[j] : measured[j];
    row.counts[i] = r.counts[i];
  }
  row.state = r.state;
  row.late = r.late;
  row.limited = r.limited;
  row.read_good = r.read_good;
  row.write_good = r.write_good;
  return row;
}

}  // namespace fivebar_control
