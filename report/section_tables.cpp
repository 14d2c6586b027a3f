// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <functional>

#include "fivebar_control/report/chart.hpp"
#include "fivebar_control/support/markup.hpp"
#include "sections.hpp"

namespace fivebar_control
{
namespace
{

std::string row(const std::string & name, const std::vector<std::string> & cells)
{
  std::string html = "<tr><th scope=\"row\">" + name + "</th>";
  for (const std::string & cell : cells)
  {
    html += "<td>" + cell + "</td>";
  }
  return html + "</tr>\n";
}

/// One row of the table of figures: the plan's cell, then one per run.
std::string figure_row(
  const ReportData & data, const std::string & name, const std::string & plan_cell,
  const std::function<std::string(const ReportRun &)> & cell)
{
  std::vector<std::string> cells{plan_cell};
  for (const ReportRun & run : data.runs)
  {
    cells.push_back(cell(run));
  }
  return row(name, cells);
}

std::string of_cycles(std::int64_t part, std::int64_t whole)
{
  const double share = whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
  return fmt::format("{} <small>({:.2f} %)</small>", part, 1e2 * share);
}

std::string ending_of(const RunRecord & run)
{
  return escaped(run.reason == "none" ? run.ended : run.ended + ": " + run.reason);
}

std::string definition(const std::string & name, const std::string & value)
{
  return fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", name, escaped(value));
}

std::string plan_table(const ReportData & data)
{
  const Plan & plan = data.plan;
  const auto bound = [](double value, const char * unit) {
    return std::isfinite(value) ? fmt::format("{:g} {}", value, unit) : std::string("none");
  };
  std::string html = "<table class=\"names\"><caption>Plan</caption>\n";
  html += definition("file", data.plan_file);
  html += definition("curve", plan.curve_name);
  html += definition(
    "nodes",
    fmt::format(
      "{} at {:g} ms, {:g} s", plan.samples.size(), 1e3 * plan.time_step, plan.samples.t.back()));
  html += definition("voltage bound", bound(plan.bounds.voltage, "V"));
  html += definition("voltage rate bound", bound(plan.bounds.voltage_rate, "V/s"));
  html += definition(
    "cost weights",
    fmt::format(
      "alpha {:g}, beta {:g} s², gamma {:g}, soft limit {:g} V, rho {:g}", plan.weights.alpha,
      plan.weights.beta, plan.weights.gamma, plan.weights.soft_voltage, plan.weights.rho));
  html += definition(
    "solver", fmt::format(
                "{}: {} after {} iterations, J = {:.6g}", plan.solver, to_string(plan.verdict),
                plan.iterations, plan.quality.cost));
  html += definition("made by", "fivebar_control " + plan.package_version);
  return html + "</table>\n";
}

std::string robot_table(const ReportData & data)
{
  const Limits & limits = data.robot.limits();
  std::string html = "<table class=\"names\"><caption>Robot</caption>\n";
  html += definition("name", data.plan.robot_name);
  html += definition("fingerprint", data.plan.robot_fingerprint);
  html += definition(
    "limits",
    fmt::format(
      "{:g} V, {:g} V/s, {:g} rad/s", limits.voltage, limits.voltage_rate, limits.joint_speed));
  html += definition(
    "joint range", fmt::format(
                     "phi1 {:g} to {:g} rad, phi4 {:g} to {:g} rad", limits.joint_minimum[0],
                     limits.joint_maximum[0], limits.joint_minimum[1], limits.joint_maximum[1]));
  return html + "</table>\n";
}

std::string run_table(const ReportRun & run)
{
  const RunRecord & r = run.record;
  std::string html =
    fmt::format("<table class=\"names\"><caption>Run {}</caption>\n", escaped(run.name));
  html += definition("log", r.file);
  html += definition("hardware", r.hardware);
  html += definition("mode", r.mode);
  html += definition("rate", fmt::format("{:g} Hz", r.rate));
  html += definition("voltage limit", fmt::format("{:g} V", r.voltage_limit));
  html += definition(
    "feedback", fmt::format("kp {:g} V/rad, kd {:g} V s/rad, ki {:g} V/(rad s)", r.kp, r.kd, r.ki));
  html += definition("robot fingerprint", r.robot_fingerprint);
  html += definition("rows", fmt::format("{}, {} lost", r.size(), r.lost_rows));
  html += definition("made by", "fivebar_control " + r.package_version);
  return html + "</table>\n";
}

}  // namespace

std::string figures_section(const ReportData & data)
{
  const std::string none = "&ndash;";
  std::string html =
    "<div class=\"scroll\"><table class=\"figures\"><thead><tr><td></td><th scope=\"col\">"
    "plan <small>(model)</small></th>";
  for (std::size_t i = 0; i < data.runs.size(); ++i)
  {
    html += fmt::format(
      "<th scope=\"col\"><i class=\"{}\"></i>{}</th>", style_of_run(i), escaped(data.runs[i].name));
  }
  html += "</tr></thead>\n<tbody>\n";
  const PlanQuality & q = data.plan.quality;
  html += figure_row(data, "ended", to_string(data.plan.verdict), [](const ReportRun & r) {
    return ending_of(r.record);
  });
  html += figure_row(data, "ISE to the plan <small>m² s</small>", none, [](const ReportRun & r) {
    return fmt::format("{:.4g}", r.score.to_plan.ise);
  });
  html +=
    figure_row(data, "largest error to the plan <small>mm</small>", none, [](const ReportRun & r) {
      return fmt::format(
        "{:.3f} <small>at {:.2f} s</small>", 1e3 * r.score.to_plan.largest,
        r.score.to_plan.largest_time);
    });
  html += figure_row(
    data, "ISE to the curve <small>m² s</small>", fmt::format("{:.4g}", q.ise),
    [&](const ReportRun & r) {
      return data.nominal ? fmt::format("{:.4g}", r.score.to_curve.ise) : none;
    });
  html += figure_row(
    data, "largest error to the curve <small>mm</small>",
    fmt::format("{:.3f} <small>at {:.2f} s</small>", 1e3 * q.largest_error, q.largest_error_time),
    [&](const ReportRun & r) {
      return data.nominal ? fmt::format(
                              "{:.3f} <small>at {:.2f} s</small>", 1e3 * r.score.to_curve.largest,
                              r.score.to_curve.largest_time)
                          : none;
    });
  html += figure_row(data, "feedback, rms <small>V</small>", none, [](const ReportRun & r) {
    return fmt::format("{:.3f}", r.score.feedback_rms);
  });
  html += figure_row(
    data, "largest voltage <small>V</small>", fmt::format("{:.2f}", q.largest_voltage),
    [](const ReportRun & r) { return fmt::format("{:.2f}", r.score.largest_volts); });
  html += figure_row(data, "saturated cycles", none, [](const ReportRun & r) {
    return of_cycles(r.score.limited_cycles, r.score.cycles);
  });
  html += figure_row(data, "late cycles", none, [](const ReportRun & r) {
    return of_cycles(r.late_cycles(), static_cast<std::int64_t>(r.record.size()));
  });
  return html +
         "</tbody></table></div>\n<p class=\"note\">ISE is the integral of the squared distance of "
         "P "
         "while the plan was playing. Saturated: the slew limit or the clamp changed the "
         "volts.</p>\n";
}

std::string parameters_section(const ReportData & data)
{
  std::string html = "<div class=\"tables\">" + plan_table(data) + robot_table(data);
  for (const ReportRun & run : data.runs)
  {
    html += run_table(run);
  }
  html += "</div>\n";
  if (!data.plan.request.empty())
  {
    html += "<details><summary>The curve file that the plan was made from</summary><pre>" +
            escaped(data.plan.request) + "</pre></details>\n";
  }
  html +=
    "<details><summary>Physical parameters of the robot (SI units)</summary><table "
    "class=\"names\">\n";
  visit_parameters(data.robot.physics(), [&](const std::string & name, double value) {
    html += definition(name, fmt::format("{:g}", value));
  });
  return html + "</table></details>\n";
}

}  // namespace fivebar_control
