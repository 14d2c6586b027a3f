// SPDX-License-Identifier: Apache-2.0
// What is left of a run log: refused with an InputError, or a log that the report reads, with rows
// that were there.
#include "fivebar_control/runs/recovery.hpp"
#include "fivebar_control/runs/run_record.hpp"
#include "fivebar_control/support/errors.hpp"
#include "targets.hpp"

namespace fivebar_control::fuzz
{

void unfinished_log(Bytes bytes)
{
  const std::string text = text_of(bytes);
  RecoveredLog recovered;
  try
  {
    recovered = recover_run_log(text, "log.csv.unfinished.aaaaaa");
  }
  catch (const InputError &)
  {
    return;
  }
  const RunRecord run = parse_run_record(recovered.text, "log.csv");
  require(run.size() == recovered.rows && recovered.rows > 0, "as many rows as it says");
  require(recovered.lost_bytes < text.size(), "something was kept");
}

}  // namespace fivebar_control::fuzz
