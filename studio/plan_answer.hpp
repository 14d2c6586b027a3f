// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "desk.hpp"
#include "fivebar_control/studio/plan_outcome.hpp"
#include "latest_wins.hpp"

namespace fivebar_control
{

/// A curve file as a page has it: `name` is what it is called, whether or not it has been saved.
struct CurveText
{
  std::string text, name;
};

/// The name of the plan that belongs to a curve file: "b.yaml" has "b.plan.csv".
std::string plan_name_of(const std::string & curve);

/// Plans a curve file's text as `fivebar plan` plans the file.
struct PlannedCurve
{
  PlanRequest request;
  PlanOutcome outcome;
};
PlannedCurve plan_text_of_page(const Desk & desk, const CurveText & curve, const GoOn & go_on);

/// Everything that a page shows of a curve file's text, as JSON: the verdict, what to change, the
/// plan's figures and its course, or what is wrong and where. docs/studio.md has the keys.
std::string answer_plan(const Desk & desk, const CurveText & curve, const GoOn & go_on);

}  // namespace fivebar_control
