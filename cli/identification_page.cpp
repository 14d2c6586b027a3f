// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "fivebar_control/report/chart.hpp"
#include "fivebar_control/report/page_frame.hpp"
#include "fivebar_control/support/markup.hpp"
#include "identification_report.hpp"

namespace fivebar_control::cli
{
namespace
{

std::string figures(const IdentificationReport & report)
{
  std::string html =
    "<div class=\"scroll\"><table class=\"figures\"><thead><tr><td></td><th "
    "scope=\"col\">found</th><th scope=\"col\">95 %</th><th scope=\"col\">before</th></tr></thead>"
    "\n<tbody>\n";
  for (const std::vector<Estimate> * estimates : {&report.found.base, &report.found.lumps})
  {
    for (const Estimate & e : *estimates)
    {
      html += fmt::format(
        "<tr><th scope=\"row\">{} <small>{}</small></th><td>{:.6g}</td><td>&plusmn; "
        "{:.2g}</td><td>{:.6g}</td></tr>\n",
        escaped(e.name), escaped(e.unit), e.value, e.half_interval(), e.nominal);
    }
  }
  return html + "</tbody></table></div>\n";
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
    left.series = {residual};
    html += to_html(angles) + to_html(left);
  }
  return html;
}

}  // namespace

std::string identification_page(const IdentificationReport & report)
{
  const bool good = report.found.reduced() <= doubtful_misfit;
  std::string body = fmt::format(
    "<section id=\"verdict\" class=\"{}\"><p class=\"sentence\">{}</p></section>\n<section "
    "id=\"figures\"><h2>What was found</h2>\n{}",
    good ? "good" : "bad", escaped(summary(report).substr(0, summary(report).find('\n'))),
    figures(report));
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
  return html_page("Identification", report.robot.parameters().name, body, "fivebar identify");
}

}  // namespace fivebar_control::cli
