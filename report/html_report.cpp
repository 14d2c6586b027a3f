// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/report/html_report.hpp"

#include <fmt/format.h>

#include "fivebar_control/report/advice.hpp"
#include "fivebar_control/report/chart.hpp"
#include "fivebar_control/report/page_frame.hpp"
#include "fivebar_control/support/markup.hpp"
#include "sections.hpp"

namespace fivebar_control
{
namespace
{

struct Section
{
  const char * id;
  const char * title;
  std::string (*content)(const ReportData &);
};

constexpr Section sections[] = {
  {"figures", "Figures", figures_section},
  {"path", "Path in the plane", path_section},
  {"angles", "Joint angles and errors", angles_section},
  {"volts", "Voltages", volts_section},
  {"linkage", "Linkage snapshots", linkage_section},
  {"history", "Optimisation history", history_section},
  {"timing", "Loop timing", timing_section},
  {"parameters", "Parameters and fingerprints", parameters_section}};

std::string verdict_section(const ReportData & data)
{
  const Advice advice = advice_on(data);
  std::string html = fmt::format(
    "<section id=\"verdict\" class=\"{}\"><p class=\"sentence\">{}</p>\n<h2>What to change</h2>"
    "<ul class=\"hints\">",
    advice.good ? "good" : "bad", escaped(advice.verdict));
  for (const std::string & hint : advice.hints)
  {
    html += "<li>" + escaped(hint) + "</li>\n";
  }
  return html + "</ul></section>\n";
}

}  // namespace

std::string style_of_run(std::size_t index) { return fmt::format("run-{}", index % 8); }

std::string html_report(const ReportData & data)
{
  std::string html;
  html += verdict_section(data);
  html +=
    "<p class=\"how\">Hover for values. Drag across a chart to zoom, double-click to zoom out; "
    "click "
    "a legend entry to hide its line.</p>\n";
  for (const Section & section : sections)
  {
    html += fmt::format(
      "<section id=\"{}\"><h2>{}</h2>\n{}</section>\n", section.id, section.title,
      section.content(data));
  }
  return html_page(
    "report", data.plan.curve_name, html,
    fmt::format("fivebar_control {} \u00b7 {}", data.plan.package_version, data.plan_file));
}

}  // namespace fivebar_control
