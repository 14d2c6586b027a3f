// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/commission/bench.hpp"

namespace fivebar_control::commission
{

/// One step, whatever happens in it: the motors are disarmed afterwards.
StepResult run_step(Bench & bench, const Step & step);

/// The part of the procedure that needs nobody but, for `turn_time` s, someone who turns the links:
/// connection, turning, pairs, response and watchdog. Opens and closes nothing.
struct CheckOptions
{
  bool turned_by_hand = true;
  bool driven = true;
};
std::vector<StepResult> run_check(Bench & bench, const CheckOptions & options);

/// "pass", "FAIL" or "skipped".
const char * verdict(const Measurement & measurement);

}  // namespace fivebar_control::commission
