// SPDX-License-Identifier: Apache-2.0
// JSON of a run, as the report reads it: refused with a InputError, or taken.
#include "fivebar_control/runs/timing_record.hpp"
#include "fivebar_control/support/errors.hpp"
#include "targets.hpp"

namespace fivebar_control::fuzz
{

void timing_record(Bytes bytes)
{
  try
  {
    parse_timing_record(text_of(bytes), "run.json");
  }
  catch (const InputError &)
  {
  }
}

}  // namespace fivebar_control::fuzz
