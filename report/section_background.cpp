// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "fivebar_control/report/chart.hpp"
#include "fivebar_control/support/markup.hpp"
#include "sections.hpp"

namespace fivebar_control
{
namespace
{

/// Bars as a line of steps, in microseconds, eight bins per doubling: finer ones are mostly empty.
Series wake_up_steps(const ReportRun & run, std::size_t index)
{
  constexpr double bins_per_doubling = 8.0;
  std::map<int, std::int64_t> bins;
  for (const auto & [upper_ns, count] : run.timing->wake_up)
  {
    bins[static_cast<int>(std::ceil(bins_per_doubling * std::log2(std::max(upper_ns, 1.0))))] +=
      count;
  }
  constexpr double nothing = 0.5;  // cycles; below one on a logarithmic axis
  Series series{run.name, style_of_run(index) + " steps", {}, {}};
  const auto edge = [&](int bin) { return 1e-3 * std::exp2(bin / bins_per_doubling); };
  for (int bin = bins.begin()->first; bin <= bins.rbegin()->first; ++bin)
  {
    const auto found = bins.find(bin);
    const double count = found == bins.end() ? nothing : static_cast<double>(found->second);
    if (series.x.empty())
    {
      series.x.push_back(edge(bin - 1));
      series.y.push_back(nothing);
    }
    series.x.insert(series.x.end(), {edge(bin - 1), edge(bin)});
    series.y.insert(series.y.end(), {count, count});
  }
  series.x.push_back(series.x.back());
  series.y.push_back(nothing);
  return series;
}

std::string linkage_lines(
  const RobotModel & robot, const Eigen::Vector2d & phi, const std::string & style)
{
  const auto pose = robot.kinematics().forward(phi);
  if (!pose)
  {
    return {};
  }
  const auto & physics = robot.physics();
  std::string points;
  for (const Eigen::Vector2d & p :
       {Eigen::Vector2d(physics.pivot_1[0], physics.pivot_1[1]), pose->elbow_1, pose->end_effector,
        pose->elbow_4, Eigen::Vector2d(physics.pivot_4[0], physics.pivot_4[1])})
  {
    points += fmt::format("{:.2f},{:.2f} ", 1e3 * p[0], -1e3 * p[1]);
  }
  const Eigen::Vector2d & tip = pose->end_effector;
  return fmt::format(
    "<polyline class=\"link {0}\" points=\"{1}\"/><circle class=\"tip {0}\" cx=\"{2:.2f}\" "
    "cy=\"{3:.2f}\" r=\"5\"/>",
    style, points, 1e3 * tip[0], -1e3 * tip[1]);
}

/// The row of a run whose plan time is nearest to `time`, if the run came that far.
std::optional<std::size_t> row_at(const ReportRun & run, double time)
{
  const auto & t = run.record.t;
  const auto found = std::lower_bound(t.begin(), t.end(), run.score.start + time - 1e-9);
  return run.score.cycles == 0 || found == t.end()
           ? std::nullopt
           : std::optional(static_cast<std::size_t>(found - t.begin()));
}

/// The part of the plane that holds the robot and all of the path, in mm with y downwards.
struct View
{
  double left, top, width, height;
};

View view_of(const ReportData & data)
{
  double low_x = std::min(data.robot.physics().pivot_1[0], data.robot.physics().pivot_4[0]);
  double high_x = std::max(data.robot.physics().pivot_1[0], data.robot.physics().pivot_4[0]);
  double low_y = std::min(data.robot.physics().pivot_1[1], data.robot.physics().pivot_4[1]);
  double high_y = std::max(data.robot.physics().pivot_1[1], data.robot.physics().pivot_4[1]);
  const PlanSamples & s = data.plan.samples;
  for (std::size_t i = 0; i < s.size(); ++i)
  {
    if (const auto pose = data.robot.kinematics().forward({s.phi1[i], s.phi4[i]}))
    {
      for (const Eigen::Vector2d & p : {pose->elbow_1, pose->elbow_4, pose->end_effector})
      {
        low_x = std::min(low_x, p[0]);
        high_x = std::max(high_x, p[0]);
        low_y = std::min(low_y, p[1]);
        high_y = std::max(high_y, p[1]);
      }
    }
  }
  constexpr double margin = 0.015;
  return {
    1e3 * (low_x - margin), -1e3 * (high_y + margin), 1e3 * (high_x - low_x + 2.0 * margin),
    1e3 * (high_y - low_y + 2.0 * margin)};
}

std::string path_points(const PlanSamples & s)
{
  std::string points;
  const std::size_t step = std::max<std::size_t>(1, s.size() / 300);
  for (std::size_t i = 0; i < s.size(); i += step)
  {
    points += fmt::format("{:.2f},{:.2f} ", 1e3 * s.x[i], -1e3 * s.y[i]);
  }
  return points;
}

}  // namespace

std::string history_section(const ReportData & data)
{
  const std::vector<PlanIteration> & history = data.plan.history;
  if (history.size() < 2)
  {
    return "<p class=\"note\">The plan file has no history: it was made by an older version or "
           "needed "
           "no step.</p>\n";
  }
  Chart cost;
  cost.id = "chart-cost";
  cost.title = "Cost J";
  cost.x = {"iteration", false, true};
  cost.y = {"J [m² s]", true, false};
  cost.series.push_back({"cost", "run-0", {}, {}});
  Chart optimality = cost;
  optimality.id = "chart-optimality";
  optimality.title = "Optimality: norm of the projected gradient";
  optimality.y.label = "gradient [m² s/V]";
  optimality.series[0] = {"projected gradient", "run-1", {}, {}};
  bool unbounded_steps = false;
  for (std::size_t i = 0; i < history.size(); ++i)
  {
    const auto at = static_cast<double>(i);
    cost.series[0].x.push_back(at);
    cost.series[0].y.push_back(history[i].cost);
    unbounded_steps = unbounded_steps || !history[i].bounded;
    if (i > 0 && history[i].number > 0 && history[i].projected_gradient > 0.0)
    {
      optimality.series[0].x.push_back(at - 1.0);  // known where the step began
      optimality.series[0].y.push_back(history[i].projected_gradient);
    }
    if (i > 0 && history[i].stage != history[i - 1].stage)
    {
      for (Chart * chart : {&cost, &optimality})
      {
        chart->marks.push_back({fmt::format("stage {}", history[i].stage + 1), "", at, 0.0, false});
      }
    }
  }
  optimality.series[0].x.push_back(static_cast<double>(history.size()) - 1.0);
  optimality.series[0].y.push_back(data.plan.projected_gradient);
  std::string html = "<div class=\"charts\">" + to_html(cost) + to_html(optimality) + "</div>\n";
  html += fmt::format(
    "<p class=\"note\">{}: {} after {} iterations.{}</p>\n", escaped(data.plan.solver),
    to_string(data.plan.verdict), data.plan.iterations,
    unbounded_steps ? " The first steps ignore the voltage bounds, so the cost may rise after them."
                    : "");
  return html;
}

std::string timing_section(const ReportData & data)
{
  Chart chart;
  chart.id = "chart-timing";
  chart.title = "Wake-up delay of the control loop";
  chart.x = {"delay [µs]", true, false};
  chart.y = {"cycles", true, false};
  std::string notes;
  for (std::size_t i = 0; i < data.runs.size(); ++i)
  {
    const ReportRun & run = data.runs[i];
    if (!run.timing)
    {
      notes += fmt::format(
        "<li>{}: no timing was given (fivebar run --json F, then fivebar report --timing "
        "F).</li>\n",
        escaped(run.name));
    }
    else if (!run.timing->paced || run.timing->wake_up.empty())
    {
      notes += fmt::format(
        "<li>{}: ran as fast as it could, without waiting for the clock.</li>\n",
        escaped(run.name));
    }
    else
    {
      chart.series.push_back(wake_up_steps(run, i));
      notes += fmt::format(
        "<li>{}: median {:.1f} µs, 99 % {:.1f} µs, largest {:.1f} µs; {} late cycles, {} skipped "
        "periods.</li>\n",
        escaped(run.name), 1e-3 * run.timing->median_ns, 1e-3 * run.timing->p99_ns,
        1e-3 * run.timing->largest_ns, run.timing->late_cycles, run.timing->skipped_periods);
    }
  }
  if (data.runs.empty())
  {
    return "<p class=\"note\">No run was given.</p>\n";
  }
  const std::string figure =
    chart.series.empty() ? "" : "<div class=\"charts\">" + to_html(chart) + "</div>";
  return figure + "<ul class=\"note\">" + notes + "</ul>\n";
}

std::string linkage_section(const ReportData & data)
{
  constexpr int snapshots = 6;
  const View view = view_of(data);
  const std::string path = path_points(data.plan.samples);
  const double duration = data.plan.samples.t.back();
  const PlayablePlan playable(data.plan.samples);
  std::string html = "<div class=\"snapshots\">";
  for (int k = 0; k < snapshots; ++k)
  {
    const double time = duration * k / (snapshots - 1);
    std::size_t interval = 0;
    html += fmt::format(
      "<figure class=\"snapshot\"><svg viewBox=\"{:.1f} {:.1f} {:.1f} {:.1f}\" role=\"img\" "
      "aria-label=\"linkage at {:.2f} s\"><polyline class=\"trace\" points=\"{}\"/>",
      view.left, view.top, view.width, view.height, time, path);
    html += linkage_lines(data.robot, playable.at(time, interval).phi, "planned");
    for (std::size_t i = 0; i < data.runs.size(); ++i)
    {
      if (const auto row = row_at(data.runs[i], time))
      {
        const auto & angle = data.runs[i].record.angle;
        html += linkage_lines(data.robot, {angle[0][*row], angle[1][*row]}, style_of_run(i));
      }
    }
    for (const auto & pivot : {data.robot.physics().pivot_1, data.robot.physics().pivot_4})
    {
      html += fmt::format(
        "<circle class=\"pivot\" cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"6\"/>", 1e3 * pivot[0],
        -1e3 * pivot[1]);
    }
    const double bar_x = view.left + 10.0;
    const double bar_y = view.top + view.height - 8.0;
    html += fmt::format(
      "<path class=\"bar\" d=\"M{0:.1f} {1:.1f}h50\"/></svg><figcaption>{2:.2f} s</figcaption>"
      "</figure>\n",
      bar_x, bar_y, time);
  }
  return html +
         "</div>\n<p class=\"note\">Planned (grey) and measured linkage; dots are the motors, the "
         "bar "
         "is 50 mm long.</p>\n";
}

}  // namespace fivebar_control
