// SPDX-License-Identifier: Apache-2.0
// Run logs, as the report reads them: refused with a InputError, or a run with figures.
#include "checksummed.hpp"
#include "fivebar_control/report/run_score.hpp"
#include "fivebar_control/runs/run_record.hpp"
#include "fivebar_control/support/errors.hpp"
#include "targets.hpp"

namespace fivebar_control::fuzz
{
namespace
{

void read_and_score(const std::string & text)
{
  RunRecord run;
  try
  {
    run = parse_run_record(text, "log.csv");
  }
  catch (const InputError &)
  {
    return;
  }
  require(run.size() > 0, "rows");
  require(run.state.size() == run.size() && run.late.size() == run.size(), "equal columns");
  for (const auto & column : {run.angle, run.reference, run.applied, run.measured_point})
  {
    require(column[0].size() == run.size() && column[1].size() == run.size(), "equal columns");
  }
  const RunScore score = score_of(run, nullptr);
  require(
    score.cycles >= 0 && score.cycles <= static_cast<std::int64_t>(run.size()),
    "no more cycles than rows");
}

}  // namespace

void run_log(Bytes bytes)
{
  const std::string text = text_of(bytes);
  read_and_score(text);
  const std::size_t names = text.find("\nt,");
  const std::size_t rows = names == std::string::npos ? names : text.find('\n', names + 1);
  if (rows != std::string::npos)
  {
    const std::size_t end = text.find("\n# ", rows);
    const std::size_t count = end == std::string::npos ? end : end - rows;
    read_and_score(with_checksum_of(std::string_view(text).substr(rows + 1, count), text));
  }
}

}  // namespace fivebar_control::fuzz
