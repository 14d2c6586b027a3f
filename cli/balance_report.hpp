// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "fivebar_control/daemon/balance_trial.hpp"
#include "fivebar_control/planner/balance_planner.hpp"

namespace fivebar_control::cli
{

void print_plan(const BalanceResult & result, const BalanceQuality & quality);
nlohmann::json plan_json(const BalanceResult & result, const BalanceQuality & quality);

/// "stands", or when it fell and why.
std::string outcome_of(const BalanceTrial & trial);
void print_trial(
  const BalanceTrial & trial, const BalanceTrialSettings & settings, double hold_time);
nlohmann::json trial_json(const BalanceTrial & trial, std::uint64_t number);

}  // namespace fivebar_control::cli
