// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/commission/stamp.hpp"

namespace fivebar_control::cli
{

/// UTC, as records have it.
std::string now_text();

/// What earlier calls found out about the same robot, board and calibration; a fresh record if
/// there is nothing of them in `file`.
commission::Record earlier_record(const std::string & file, const commission::Subject & subject);

/// The steps of a call, in order: one, those from one on, or those that are not done. The pose is
/// taken anew before anything that depends on it.
std::vector<const commission::Step *> chosen_steps(
  const std::string & only, const std::string & from, const commission::Record & record);

/// Makes the folder if need be; an empty path means that nothing is to be kept.
void save(const std::string & path, const commission::Record & record);

}  // namespace fivebar_control::cli
