// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fivebar_control/plan/plan.hpp"

namespace fivebar_control
{

inline constexpr SealedKind plan_kind{"plan", "fivebar plan", 2, 500'000'000};

/// Written under a temporary name and renamed: the target is never half-written. Throws InputError.
void save_plan(const Plan & plan, const std::string & path);

/// What save_plan() writes, for plans that travel as text.
std::string plan_text(const Plan & plan);

/// Checks schema, checksum, number of rows, increasing time and finiteness; throws InputError that
/// says what and where.
Plan load_plan(const std::string & path);

/// The same from text; `name` stands for the file in messages.
Plan parse_plan(const std::string & text, const std::string & name);

/// Throws InputError unless the plan was made for this robot and keeps its limits of voltage,
/// voltage rate, joint range, joint speed and both singularity margins, at the nodes and on the
/// path that is played between them, and has no gaps in time.
void require_plan_fits(const Plan & plan, const RobotModel & robot, const std::string & name);

/// The same as an answer.
bool plan_fits(const Plan & plan, const RobotModel & robot);

}  // namespace fivebar_control
