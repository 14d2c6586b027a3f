// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/report/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "fivebar_control/support/markup.hpp"

namespace fivebar_control
{
namespace
{

// As in page/charts.js.
constexpr int most_x_ticks = 8;
constexpr int most_y_ticks = 6;

struct Range
{
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value)
  {
    if (std::isfinite(value))
    {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  double size() const { return high - low; }
  double share_of(double value) const { return (value - low) / size(); }
};

bool is_whole(const Axis & axis) { return axis.logarithmic || axis.whole; }

double shown(double value, const Axis & axis)
{
  if (!axis.logarithmic)
  {
    return value;
  }
  return value > 0.0 ? std::log10(value) : std::numeric_limits<double>::quiet_NaN();
}

/// What an axis must span so that all data are inside, with a margin.
Range range_of(const Chart & chart, bool is_x)
{
  const Axis & axis = is_x ? chart.x : chart.y;
  Range range;
  for (const Series & series : chart.series)
  {
    for (const double value : is_x ? series.x : series.y)
    {
      range.include(shown(value, axis));
    }
  }
  if (!(range.low <= range.high))
  {
    return {0.0, 1.0};
  }
  if (range.size() < 1e-9 * std::max(1.0, std::abs(range.low)))
  {
    const double margin = std::max(0.5, 0.1 * std::abs(range.low));
    return {range.low - margin, range.high + margin};
  }
  const double margin = (is_x && !chart.equal_axes ? 0.0 : 0.06) * range.size();
  return {range.low - margin, range.high + margin};
}

std::string tick_text(double value, double step, bool logarithmic)
{
  if (logarithmic)
  {
    const double number = std::pow(10.0, value);
    return number >= 0.01 && number < 1e5 ? fmt::format("{:g}", number)
                                          : fmt::format("1e{:.0f}", value);
  }
  return fmt::format("{:.6g}", std::abs(value) < 1e-9 * step ? 0.0 : value);
}

void append_ticks(fmt::memory_buffer & out, const Chart & chart, const Range & x, const Range & y)
{
  const auto to = std::back_inserter(out);
  for (const bool is_x : {true, false})
  {
    const Range & range = is_x ? x : y;
    const Axis & axis = is_x ? chart.x : chart.y;
    const std::vector<double> values =
      ticks(range.low, range.high, is_x ? most_x_ticks : most_y_ticks, is_whole(axis));
    for (const double value : values)
    {
      fmt::format_to(
        to, "<span class=\"tick {}\" style=\"{}:{:.3f}%\">{}</span>", is_x ? "x" : "y",
        is_x ? "left" : "bottom", 100.0 * range.share_of(value),
        tick_text(value, range.size(), axis.logarithmic));
    }
  }
}

void append_grid(fmt::memory_buffer & out, const Chart & chart, const Range & x, const Range & y)
{
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "<g class=\"grid\">");
  for (const double value : ticks(x.low, x.high, most_x_ticks, is_whole(chart.x)))
  {
    const double at = 1000.0 * x.share_of(value);
    fmt::format_to(to, "<path d=\"M{0:.2f} 0V1000\"/>", at);
  }
  for (const double value : ticks(y.low, y.high, most_y_ticks, is_whole(chart.y)))
  {
    const double at = 1000.0 * (1.0 - y.share_of(value));
    fmt::format_to(to, "<path d=\"M0 {0:.2f}H1000\"/>", at);
  }
  fmt::format_to(to, "</g>");
}

void append_series(fmt::memory_buffer & out, const Chart & chart)
{
  const auto to = std::back_inserter(out);
  for (std::size_t s = 0; s < chart.series.size(); ++s)
  {
    const Series & series = chart.series[s];
    fmt::format_to(to, "<polyline class=\"line {}\" data-series=\"{}\" points=\"", series.style, s);
    for (std::size_t i = 0; i < series.x.size(); ++i)
    {
      const double px = shown(series.x[i], chart.x);
      const double py = shown(series.y[i], chart.y);
      if (std::isfinite(px) && std::isfinite(py))
      {
        fmt::format_to(to, "{:.7g},{:.5g} ", px, py);
      }
    }
    fmt::format_to(to, "\"/>\n");
  }
}

void append_legend(fmt::memory_buffer & out, const Chart & chart)
{
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "<div class=\"legend\">");
  for (std::size_t s = 0; s < chart.series.size(); ++s)
  {
    fmt::format_to(
      to,
      "<button type=\"button\" class=\"key {}\" data-series=\"{}\" "
      "aria-pressed=\"true\"{}><i></i>{}"
      "<output></output></button>",
      chart.series[s].style, s, chart.series[s].name.empty() ? " hidden" : "",
      escaped(chart.series[s].name));
  }
  fmt::format_to(to, "</div>");
}

void append_marks(fmt::memory_buffer & out, const Chart & chart, const Range & x, const Range & y)
{
  const auto to = std::back_inserter(out);
  for (const Mark & mark : chart.marks)
  {
    const double px = shown(mark.x, chart.x);
    const double py = shown(mark.y, chart.y);
    fmt::format_to(
      to,
      "<span class=\"mark {} {}\" data-x=\"{:.7g}\" data-y=\"{:.7g}\" "
      "style=\"left:{:.3f}%;bottom:{:.3f}%\"><b>{}</b></span>",
      mark.is_point ? "point" : "line", mark.style, px, py, 100.0 * x.share_of(px),
      mark.is_point ? 100.0 * y.share_of(py) : 0.0, escaped(mark.label));
  }
}

}  // namespace

std::vector<double> ticks(double low, double high, int most, bool whole)
{
  const double least_step = (high - low) / most;
  double step = std::pow(10.0, std::ceil(std::log10(least_step)));
  if (whole)
  {
    step = std::max(1.0, std::ceil(least_step));
  }
  else
  {
    for (const double part : {0.2, 0.5})
    {
      if (step * part >= least_step)
      {
        step *= part;
        break;
      }
    }
  }
  std::vector<double> values;
  for (double index = std::ceil(low / step - 1e-9); index * step <= high + 1e-9 * step;
       index += 1.0)
  {
    values.push_back(index * step);
  }
  return values;
}

std::string to_html(const Chart & chart)
{
  const Range x = range_of(chart, true);
  const Range y = range_of(chart, false);
  const double scale_x = 1000.0 / x.size();
  const double scale_y = 1000.0 / y.size();
  fmt::memory_buffer out;
  const auto to = std::back_inserter(out);
  fmt::format_to(
    to,
    "<figure class=\"chart{}\" id=\"{}\" data-group=\"{}\" data-log-x=\"{:d}\" "
    "data-log-y=\"{:d}\" data-whole-x=\"{:d}\">\n<figcaption>{}</figcaption>",
    chart.equal_axes ? " equal" : "", chart.id, chart.group, chart.x.logarithmic,
    chart.y.logarithmic, chart.x.whole, escaped(chart.title));
  append_legend(out, chart);
  const std::string shape = chart.equal_axes
                              ? fmt::format("aspect-ratio:{:.5f}", x.size() / y.size())
                              : fmt::format("height:{}px", chart.height);
  fmt::format_to(
    to,
    "<div class=\"y-label\">{}</div><div class=\"plot\" style=\"{}\" data-x0=\"{:.9g}\" "
    "data-x1=\"{:.9g}\" data-y0=\"{:.9g}\" data-y1=\"{:.9g}\">"
    "<svg viewBox=\"0 0 1000 1000\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{}\">",
    escaped(chart.y.label), shape, x.low, x.high, y.low, y.high, escaped(chart.title));
  append_grid(out, chart, x, y);
  fmt::format_to(
    to, "<g class=\"data\" transform=\"matrix({:.9g} 0 0 {:.9g} {:.9g} {:.9g})\">", scale_x,
    -scale_y, -x.low * scale_x, 1000.0 + y.low * scale_y);
  append_series(out, chart);
  fmt::format_to(to, "</g></svg>");
  append_marks(out, chart, x, y);
  append_ticks(out, chart, x, y);
  fmt::format_to(to, "</div><div class=\"x-label\">{}</div></figure>\n", escaped(chart.x.label));
  return fmt::to_string(out);
}

}  // namespace fivebar_control
