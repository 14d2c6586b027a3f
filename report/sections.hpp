// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fivebar_control/report/report_data.hpp"

namespace fivebar_control
{

// The sections of the report, each as the HTML between its <section> tags.
std::string figures_section(const ReportData & data);
std::string path_section(const ReportData & data);
std::string angles_section(const ReportData & data);
std::string volts_section(const ReportData & data);
std::string history_section(const ReportData & data);
std::string timing_section(const ReportData & data);
std::string linkage_section(const ReportData & data);
std::string parameters_section(const ReportData & data);

/// Class of a run's colour; colours repeat after eight runs.
std::string style_of_run(std::size_t index);

}  // namespace fivebar_control
