// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "fivebar_control/report/chart.hpp"
#include "fivebar_control/report/decimation.hpp"
#include "fivebar_control/report/path_simplification.hpp"
#include "sections.hpp"

namespace fivebar_control
{
namespace
{

/// A chart is not wider than this on most screens; a run of eight seconds at 1 kHz stays whole.
constexpr std::size_t buckets = 2000;
constexpr std::size_t most_path_points = 40000;

constexpr const char * time_label = "time since the plan's start [s]";
constexpr const char * joint_names[] = {"phi1", "phi4"};
constexpr const char * motor_names[] = {"motor 1", "motor 4"};

/// Values over time, decimated; `scale` converts the unit.
Series over_time(
  const std::string & name, const std::string & style, const std::vector<double> & time,
  double start, const std::vector<double> & values, double scale)
{
  Series series{name, style, {}, {}};
  for (const std::size_t i : rows_to_draw({values}, values.size(), buckets))
  {
    series.x.push_back(time[i] - start);
    series.y.push_back(scale * values[i]);
  }
  return series;
}

/// A path in the plane in mm. Time does not show here, so it is thinned out by shape.
Series in_plane(
  const std::string & name, const std::string & style, const std::vector<double> & x,
  const std::vector<double> & y)
{
  Series series{name, style, {}, {}};
  for (const std::size_t i : rows_of_path(x, y, most_path_points))
  {
    series.x.push_back(1e3 * x[i]);
    series.y.push_back(1e3 * y[i]);
  }
  return series;
}

Series nominal_path(const Curve & curve, double time_step)
{
  std::vector<double> x;
  std::vector<double> y;
  const auto points = static_cast<int>(std::ceil(curve.duration() / time_step));
  for (int i = 0; i <= points; ++i)
  {
    const Eigen::Vector2d p = curve.at(curve.duration() * i / points).position;
    x.push_back(p[0]);
    y.push_back(p[1]);
  }
  return in_plane("curve", "nominal", x, y);
}

std::vector<double> difference(const std::vector<double> & a, const std::vector<double> & b)
{
  std::vector<double> result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i)
  {
    result[i] = a[i] - b[i];
  }
  return result;
}

std::vector<double> distance_to_plan(const RunRecord & run)
{
  std::vector<double> result(run.size());
  for (std::size_t i = 0; i < run.size(); ++i)
  {
    result[i] = std::hypot(
      run.measured_point[0][i] - run.planned_point[0][i],
      run.measured_point[1][i] - run.planned_point[1][i]);
  }
  return result;
}

/// After its end the plan is no longer followed but settled, which does not count.
void mark_end(Chart & chart, const ReportData & data)
{
  if (!data.runs.empty())
  {
    chart.marks.push_back({"end of plan", "end", data.plan.samples.t.back(), 0.0, false});
  }
}

/// Horizontal lines at +-limit over the time of the other lines.
void add_limits(Chart & chart, double limit)
{
  double low = 0.0;
  double high = 0.0;
  for (const Series & series : chart.series)
  {
    low = std::min(low, series.x.empty() ? 0.0 : series.x.front());
    high = std::max(high, series.x.empty() ? 0.0 : series.x.back());
  }
  for (const double sign : {1.0, -1.0})
  {
    chart.series.push_back(
      {sign > 0.0 ? "limits" : "", "limit", {low, high}, {sign * limit, sign * limit}});
  }
}

const std::vector<double> & planned_angle(const PlanSamples & s, std::size_t joint)
{
  return joint == 0 ? s.phi1 : s.phi4;
}

}  // namespace

std::string path_section(const ReportData & data)
{
  Chart chart;
  chart.id = "chart-path";
  chart.title = "End-effector P";
  chart.x = {"x [mm]", false, false};
  chart.y = {"y [mm]", false, false};
  chart.equal_axes = true;
  if (data.nominal)
  {
    chart.series.push_back(nominal_path(*data.nominal, data.plan.time_step));
  }
  chart.series.push_back(in_plane("planned", "planned", data.plan.samples.x, data.plan.samples.y));
  for (std::size_t i = 0; i < data.runs.size(); ++i)
  {
    const ReportRun & run = data.runs[i];
    const auto & point = run.record.measured_point;
    chart.series.push_back(in_plane(run.name, style_of_run(i), point[0], point[1]));
    const std::size_t worst = run.score.to_plan.largest_row;
    if (run.score.cycles > 0)
    {
      chart.marks.push_back(
        {fmt::format("{:.2f} mm", 1e3 * run.score.to_plan.largest), style_of_run(i),
         1e3 * point[0][worst], 1e3 * point[1][worst], true});
    }
  }
  std::string html = to_html(chart);
  if (!data.runs.empty())
  {
    Chart error;
    error.id = "chart-distance";
    error.title = "Distance of P from the planned path";
    error.x = {time_label, false, false};
    error.y = {"distance [mm]", false, false};
    error.group = "time";
    error.height = 380.0;
    for (std::size_t i = 0; i < data.runs.size(); ++i)
    {
      const ReportRun & run = data.runs[i];
      error.series.push_back(over_time(
        run.name, style_of_run(i), run.record.t, run.score.start, distance_to_plan(run.record),
        1e3));
    }
    mark_end(error, data);
    html += to_html(error);
    html += "<p class=\"note\">Rings mark where each run was furthest from the planned path.</p>\n";
  }
  return "<div class=\"path-grid\">" + html + "</div>\n";
}

std::string angles_section(const ReportData & data)
{
  std::string html = "<div class=\"charts\">";
  for (std::size_t j = 0; j < 2; ++j)
  {
    Chart chart;
    chart.id = fmt::format("chart-{}", joint_names[j]);
    chart.title = fmt::format("Joint angle {}", joint_names[j]);
    chart.x = {time_label, false, false};
    chart.y = {"angle [rad]", false, false};
    chart.group = "time";
    chart.series.push_back(over_time(
      "planned", "planned", data.plan.samples.t, 0.0, planned_angle(data.plan.samples, j), 1.0));
    for (std::size_t i = 0; i < data.runs.size(); ++i)
    {
      const ReportRun & run = data.runs[i];
      chart.series.push_back(over_time(
        run.name, style_of_run(i), run.record.t, run.score.start, run.record.angle[j], 1.0));
    }
    mark_end(chart, data);
    html += to_html(chart);
  }
  for (std::size_t j = 0; j < 2 && !data.runs.empty(); ++j)
  {
    Chart chart;
    chart.id = fmt::format("chart-{}-error", joint_names[j]);
    chart.title = fmt::format("Error of {}: planned minus measured", joint_names[j]);
    chart.x = {time_label, false, false};
    chart.y = {"error [mrad]", false, false};
    chart.group = "time";
    for (std::size_t i = 0; i < data.runs.size(); ++i)
    {
      const ReportRun & run = data.runs[i];
      chart.series.push_back(over_time(
        run.name, style_of_run(i), run.record.t, run.score.start,
        difference(run.record.reference[j], run.record.angle[j]), 1e3));
    }
    mark_end(chart, data);
    html += to_html(chart);
  }
  return html + "</div>\n";
}

std::string volts_section(const ReportData & data)
{
  std::string html = "<div class=\"charts\">";
  const auto chart_of = [](const std::string & id, const std::string & title) {
    Chart chart;
    chart.id = id;
    chart.title = title;
    chart.x = {time_label, false, false};
    chart.y = {"voltage [V]", false, false};
    chart.group = "time";
    return chart;
  };
  for (std::size_t i = 0; i < data.runs.size(); ++i)
  {
    const RunRecord & run = data.runs[i].record;
    const double start = data.runs[i].score.start;
    for (std::size_t j = 0; j < 2; ++j)
    {
      Chart chart = chart_of(
        fmt::format("chart-volts-{}-{}", i, j == 0 ? 1 : 4),
        fmt::format("{}: {}", data.runs[i].name, motor_names[j]));
      chart.series.push_back(over_time("applied", "applied", run.t, start, run.applied[j], 1.0));
      if (run.mode != "pd")
      {
        chart.series.push_back(
          over_time("feedforward", "feedforward", run.t, start, run.feedforward[j], 1.0));
      }
      if (run.mode != "feedforward")
      {
        chart.series.push_back(
          over_time("feedback", "feedback", run.t, start, run.feedback[j], 1.0));
      }
      add_limits(chart, run.voltage_limit);
      mark_end(chart, data);
      html += to_html(chart);
    }
  }
  if (data.runs.empty())
  {
    Chart chart = chart_of("chart-volts-plan", "Planned voltages");
    const PlanSamples & s = data.plan.samples;
    chart.series.push_back(over_time("motor 1", "run-0", s.t, 0.0, s.u1, 1.0));
    chart.series.push_back(over_time("motor 4", "run-1", s.t, 0.0, s.u4, 1.0));
    add_limits(chart, data.robot.limits().voltage);
    html += to_html(chart);
  }
  return html + "</div>\n";
}

}  // namespace fivebar_control
