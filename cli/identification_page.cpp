// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fivebar_control/report/chart.hpp"
#include "fivebar_control/report/page_frame.hpp"
#include "fivebar_control/support/markup.hpp"
#include "identification_report.hpp"

namespace fivebar_control::cli
{
namespace
{

/// "kg m^2" and "chi^2" with a raised 2.
std::string with_powers(std::string text)
{
  for (std::size_t at = text.find("^2"); at != std::string::npos; at = text.find("^2", at))
  {
    text.replace(at, 2, "&sup2;");
  }
  const std::size_t greek = text.find("chi&sup2;");
  return greek == std::string::npos ? text : text.replace(greek, 3, "&chi;");
}

/// What stands in the table already, as combinations that motion shows by themselves.
bool is_in_base(const Estimate & e)
{
  return e.name.starts_with("inertia") || e.name.starts_with("coupling");
}

std::string figures(const IdentificationReport & report)
{
  std::string html =
    "<div class=\"scroll\"><table class=\"figures\"><thead><tr><td></td><th "
    "scope=\"col\">found</th><th scope=\"col\">95 %</th><th scope=\"col\">share</th><th "
    "scope=\"col\">before</th></tr></thead>\n<tbody>\n";
  for (const std::vector<Estimate> * estimates : {&report.found.base, &report.found.lumps})
  {
    for (const Estimate & e : *estimates)
    {
      if (estimates == &report.found.lumps && is_in_base(e))
      {
        continue;
      }
      const double share = e.half_interval() / std::abs(e.value);
      html += fmt::format(
        "<tr><th scope=\"row\">{} <small>{}</small></th><td>{:.6g}</td><td>&plusmn; "
        "{:.2g}</td><td>{}</td><td>{:.6g}</td></tr>\n",
        escaped(e.name), with_powers(escaped(e.unit)), e.value, e.half_interval(),
        share < 1.0 ? fmt::format("{:.2g} %", 100.0 * share) : "", e.nominal);
    }
  }
  return html + "</tbody></table></div>\n";
}

/// The mean over `width` values around each: what rounding to counts hides.
std::vector<double> smoothed(const std::vector<double> & values, std::size_t width)
{
  std::vector<double> sums{0.0};
  for (const double value : values)
  {
    sums.push_back(sums.back() + value);
  }
  std::vector<double> result;
  for (std::size_t i = 0; i < values.size(); ++i)
  {
    const std::size_t from = i > width / 2 ? i - width / 2 : 0;
    const std::size_t to = std::min(values.size(), i + width / 2 + 1);
    result.push_back((sums[to] - sums[from]) / static_cast<double>(to - from));
  }
  return result;
}

/// Measured against predicted angles of a joint, and what is left.
std::string charts_of(const IdentificationReport & report, std::size_t log)
{
  const RecordedMotion & motion = report.motions[log];
  const std::vector<Eigen::Vector2d> predicted =
    predicted_readings(report.robot, report.motions, log, report.found);
  std::string html;
  for (int j = 0; j < 2; ++j)
  {
    Series measured{"measured", "run-0", {}, {}};
    Series expected{"predicted from the volts alone", "planned", {}, {}};
    Series residual{"measured - predicted", "run-0", {}, {}};
    for (std::size_t i = 0; i < predicted.size(); ++i)
    {
      for (Series * series : {&measured, &expected, &residual})
      {
        series->x.push_back(motion.t[i]);
      }
      measured.y.push_back(motion.angle[i][j]);
      expected.y.push_back(predicted[i][j]);
      residual.y.push_back(1e3 * (motion.angle[i][j] - predicted[i][j]));
    }
    const int joint = j == 0 ? 1 : 4;
    const std::string group = fmt::format("log-{}", log);
    Chart angles;
    angles.id = fmt::format("angle-{}-{}", log, joint);
    angles.title = fmt::format("Joint {}", joint);
    angles.x.label = "time [s]";
    angles.y.label = "angle [rad]";
    angles.series = {measured, expected};
    angles.group = group;
    Chart left = angles;
    left.id = fmt::format("residual-{}-{}", log, joint);
    left.title =
      fmt::format("Joint {}: residual; a count is {:.3g} mrad", joint, 1e3 * motion.resolution[j]);
    left.y.label = "residual [mrad]";
    constexpr std::size_t smoothing = 50;
    left.series = {
      residual,
      {fmt::format("mean over {} cycles", smoothing), "run-1", residual.x,
       smoothed(residual.y, smoothing)}};
    html += to_html(angles) + to_html(left);
  }
  return html;
}

}  // namespace

std::string identification_page(const IdentificationReport & report)
{
  const bool good = report.found.reduced() <= doubtful_misfit && is_shown(report.found);
  std::string body = fmt::format(
    "<section id=\"verdict\" class=\"{}\"><p class=\"sentence\">{}</p></section>\n<section "
    "id=\"figures\"><h2>What was found</h2>\n{}",
    good ? "good" : "bad",
    with_powers(escaped(summary(report).substr(0, summary(report).find('\n')))), figures(report));
  body += fmt::format(
    "<p class=\"note\">Torques in units of motor 1, whose gain is the robot file's. Delay from "
    "written volts to the motors: {} cycle{}.</p>\n",
    report.found.delay, report.found.delay == 1 ? "" : "s");
  for (const Lump lump : report.found.at_bound)
  {
    body += fmt::format(
      "<p class=\"note\">{} is at the edge of what is plausible: the data want more, or do not "
      "show "
      "it.</p>\n",
      to_string(lump));
  }
  for (const std::string & direction : report.found.unseen)
  {
    body += "<p class=\"note\">These data hardly show " + escaped(direction) + ".</p>\n";
  }
  body += "</section>\n";
  for (std::size_t i = 0; i < report.motions.size(); ++i)
  {
    body += fmt::format(
      "<section id=\"log-{}\"><h2>{}</h2><p class=\"note\">&chi;&sup2;/N {:.3f}. The prediction "
      "knows the volts and where the motion began, nothing of what was measured later.</p>\n{}"
      "</section>\n",
      i, escaped(report.motions[i].name), report.found.chi_square_by_log[i], charts_of(report, i));
  }
  return html_page("identification", report.robot.parameters().name, body, "fivebar identify");
}

}  // namespace fivebar_control::cli
