// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "fivebar_control/controller/cycle_record.hpp"

namespace fivebar_control
{

/// The columns of a run log, once for all who write or read them: Of<T> is T in one row and
/// std::vector<T> in a whole run. Index 0 is driven link 1, index 1 driven link 4.
template <template <class> class Of>
struct RunColumns
{
  Of<double> t{}, plan_time{};                                     ///< s
  std::array<Of<double>, 2> feedforward{}, feedback{}, applied{};  ///< V
  std::array<Of<double>, 2> reference{}, angle{};                  ///< rad
  std::array<Of<double>, 2> reference_speed{}, speed{};            ///< rad/s
  std::array<Of<double>, 2> planned_point{}, measured_point{};     ///< m, x and y
  std::array<Of<double>, 2> true_point{};  ///< m, where P truly was; of simulated robots alone
  std::array<Of<std::int64_t>, 2> counts{};
  Of<ControlState> state{};
  Of<bool> late{}, limited{}, read_good{}, write_good{};
};

/// Calls `visit(name, column...)` for each column, in the order of the file; with that column of
/// each of several RunColumns.
template <class Visit, class... Columns>
void visit_run_columns(Visit && visit, Columns &... c)
{
  visit("t", c.t...);
  visit("u1", c.feedforward[0]...);
  visit("u4", c.feedforward[1]...);
  visit("phi1", c.reference[0]...);
  visit("phi4", c.reference[1]...);
  visit("dphi1", c.reference_speed[0]...);
  visit("dphi4", c.reference_speed[1]...);
  visit("x", c.planned_point[0]...);
  visit("y", c.planned_point[1]...);
  visit("plan_time", c.plan_time...);
  visit("u1_feedback", c.feedback[0]...);
  visit("u4_feedback", c.feedback[1]...);
  visit("u1_applied", c.applied[0]...);
  visit("u4_applied", c.applied[1]...);
  visit("phi1_measured", c.angle[0]...);
  visit("phi4_measured", c.angle[1]...);
  visit("dphi1_measured", c.speed[0]...);
  visit("dphi4_measured", c.speed[1]...);
  visit("x_measured", c.measured_point[0]...);
  visit("y_measured", c.measured_point[1]...);
  visit("count1", c.counts[0]...);
  visit("count4", c.counts[1]...);
  visit("state", c.state...);
  visit("late", c.late...);
  visit("limited", c.limited...);
  visit("read_good", c.read_good...);
  visit("write_good", c.write_good...);
}

/// The columns that only logs of simulated robots have, after the others.
template <class Visit, class... Columns>
void visit_truth_columns(Visit && visit, Columns &... c)
{
  visit("x_true", c.true_point[0]...);
  visit("y_true", c.true_point[1]...);
}

template <class T>
using One = T;
using RunRow = RunColumns<One>;

const std::vector<std::string> & run_column_names();
const std::vector<std::string> & run_column_names_with_truth();

/// The row of one cycle. Its numbers are finite: where there is no reference (before the start,
/// after the end) it is where the robot is.
RunRow row_of(const CycleRecord & record, const Geometry<double> & geometry) noexcept;

}  // namespace fivebar_control
