// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "fivebar_control/report/chart.hpp"

namespace fivebar_control
{
namespace
{

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Chart line(std::vector<double> x, std::vector<double> y)
{
  Chart chart;
  chart.id = "chart-test";
  chart.x = {"time [s]", false, false};
  chart.y = {"error [mm]", false, false};
  chart.series.push_back({"one", "run-0", std::move(x), std::move(y)});
  return chart;
}

}  // namespace

TEST(Chart, LabelsAxesAtRoundNumbers)
{
  const auto near = [](double value) { return DoubleNear(value, 1e-12); };
  EXPECT_THAT(
    ticks(0.0, 5.0, 6, false), ElementsAre(near(0), near(1), near(2), near(3), near(4), near(5)));
  EXPECT_THAT(
    ticks(-0.13, 0.11, 6, false),
    ElementsAre(near(-0.1), near(-0.05), near(0), near(0.05), near(0.1)));
  EXPECT_THAT(ticks(0.0, 3.0, 8, true), ElementsAre(near(0), near(1), near(2), near(3)));
  EXPECT_THAT(ticks(-14.5, -2.0, 6, true), ElementsAre(near(-12), near(-9), near(-6), near(-3)));
}

TEST(Chart, NeverMakesMoreLabelsThanFit)
{
  for (double size = 1e-9; size < 1e9; size *= 1.37)
  {
    const auto values = ticks(-0.3 * size, 0.7 * size, 6, false);
    EXPECT_LE(values.size(), 7u) << size;
    EXPECT_GE(values.size(), 2u) << size;
  }
}

TEST(Chart, CarriesItsDataInDataUnits)
{
  const std::string html = to_html(line({0.0, 0.5, 1.0}, {2.0, -3.25, 4.0}));
  EXPECT_THAT(html, HasSubstr("points=\"0,2 0.5,-3.25 1,4 \""));
  EXPECT_THAT(html, HasSubstr("error [mm]"));
  EXPECT_THAT(html, HasSubstr("time [s]"));
}

TEST(Chart, KeepsAxesEqualWhenAsked)
{
  Chart chart = line({0.0, 200.0}, {0.0, 100.0});
  chart.equal_axes = true;
  EXPECT_THAT(to_html(chart), HasSubstr("aspect-ratio:2.00000"));
}

TEST(Chart, LeavesOutWhatALogarithmicAxisCannotShow)
{
  Chart chart = line({0.0, 1.0, 2.0}, {100.0, 0.0, 0.01});
  chart.y.logarithmic = true;
  EXPECT_THAT(to_html(chart), HasSubstr("points=\"0,2 2,-2 \""));
}

TEST(Chart, DrawsConstantAndEmptyDataWithoutNonsense)
{
  for (const Chart & chart : {line({}, {}), line({1.0}, {0.0}), line({0.0, 1.0}, {7.0, 7.0})})
  {
    const std::string html = to_html(chart);
    EXPECT_THAT(html, Not(HasSubstr("nan")));
    EXPECT_THAT(html, Not(HasSubstr("inf")));
  }
}

TEST(Chart, NeutralisesMarkupInNames)
{
  Chart chart = line({0.0, 1.0}, {0.0, 1.0});
  chart.title = "<script>alert(1)</script>";
  chart.series[0].name = "a\"b&c";
  const std::string html = to_html(chart);
  EXPECT_THAT(html, Not(HasSubstr("<script>")));
  EXPECT_THAT(html, HasSubstr("a&quot;b&amp;c"));
}

}  // namespace fivebar_control
