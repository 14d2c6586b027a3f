// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace fivebar_control
{

/// One line of a chart. `style` is a class of page/report.css: "run-0", "planned", "nominal",
/// "limit", "feedforward", "feedback", "applied" or several of them.
struct Series
{
  std::string name;  ///< empty: not in the legend
  std::string style;
  std::vector<double> x, y;
};

/// A place that is pointed at: a vertical line at x, or with `y` a ring at (x, y).
struct Mark
{
  std::string label;
  std::string style;
  double x = 0.0;
  double y = 0.0;
  bool is_point = false;
};

struct Axis
{
  std::string label;  ///< with its unit
  bool logarithmic = false;
  bool whole = false;  ///< labels at whole numbers only
};

/// A diagram that becomes a figure of the page: vector graphics with the data in data units, text
/// as text that keeps its size on small screens. page/charts.js adds hover values and zoom.
struct Chart
{
  std::string id, title;
  Axis x, y;
  std::vector<Series> series;
  std::vector<Mark> marks;
  std::string group;        ///< charts of one group zoom together in x
  bool equal_axes = false;  ///< one unit is as long in x as in y
  double height = 240.0;    ///< CSS pixels, unless equal_axes
};

/// Values at which an axis from `low` to `high` gets labels: round numbers, about `most`; whole
/// ones if asked. (On a logarithmic axis all of these are decimal exponents, and whole.)
std::vector<double> ticks(double low, double high, int most, bool whole);

std::string to_html(const Chart & chart);

}  // namespace fivebar_control
