// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fivebar_control/daemon/balance_trial.hpp"
#include "fivebar_control/report/skeleton.hpp"

namespace fivebar_control::cli
{

/// Robot and pendulum of a run as lines in an oblique view, at most `longest` seconds of it.
Skeleton skeleton_of_balance(
  const BalanceTrial & trial, const PendulumConstants<double> & constants,
  const std::string & title, double longest);

}  // namespace fivebar_control::cli
