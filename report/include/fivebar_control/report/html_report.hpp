// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fivebar_control/report/report_data.hpp"

namespace fivebar_control
{

/// The whole report as one HTML page that needs no other file and no network.
std::string html_report(const ReportData & data);

}  // namespace fivebar_control
