// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace fivebar_control
{

struct RecoveredLog
{
  std::string text;  ///< a whole run log, which ended: unknown
  std::size_t rows = 0;
  std::size_t lost_bytes = 0;  ///< behind the last good row
};

/// What a run left behind that was killed, or whose disk was full: header and rows of a run log,
/// the last one perhaps in part, and no end. Throws InputError if there is no row to be saved.
RecoveredLog recover_run_log(const std::string & text, const std::string & name);

}  // namespace fivebar_control
