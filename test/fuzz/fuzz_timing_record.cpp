// JSON of a run, as the report reads it: refused with a FileError, or taken.
#include "fivebar_control/report/timing_record.hpp"
#include "fivebar_control/support/file_error.hpp"
#include "targets.hpp"

namespace fivebar_control::fuzz
{

void timing_record(Bytes bytes)
{
  try
  {
    parse_timing_record(text_of(bytes), "run.json");
  }
  catch (const FileError &)
  {
  }
}

}  // namespace fivebar_control::fuzz
