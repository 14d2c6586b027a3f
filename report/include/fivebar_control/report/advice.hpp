// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fivebar_control/report/report_data.hpp"

namespace fivebar_control
{

/// What a reader wants to know first.
struct Advice
{
  bool good = true;                ///< all runs finished, the plan converged
  std::string verdict;             ///< did it follow the curve, and where not
  std::vector<std::string> hints;  ///< what to change, most important first; never empty
};

Advice advice_on(const ReportData & data);

}  // namespace fivebar_control
