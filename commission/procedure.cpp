// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/commission/procedure.hpp"

namespace fivebar_control::commission
{
namespace
{

template <class Work>
StepResult guarded(Bench & bench, const std::string & name, Work && work)
{
  StepResult result;
  result.name = name;
  bench.driver.take_peaks();
  try
  {
    work(result);
  }
  catch (const StepStopped &)
  {
    result.end = StepEnd::interrupted;
  }
  catch (const StepFailed &)
  {
    result.end = StepEnd::failed;
  }
  bench.driver.hardware().disarm();
  const Driver::Peaks peaks = bench.driver.take_peaks();
  result.peak_volts = peaks.volts;
  result.peak_speed = peaks.speed;
  result.peak_excursion = peaks.excursion;
  return result;
}

}  // namespace

StepResult run_step(Bench & bench, const Step & step)
{
  return guarded(bench, step.name, [&](StepResult & result) { step.run(bench, result); });
}

std::vector<StepResult> run_check(Bench & bench, const CheckOptions & options)
{
  std::vector<StepResult> results;
  const auto run = [&](const std::string & name, bool wanted, auto && work) {
    if (wanted && (results.empty() || results.back().end != StepEnd::interrupted))
    {
      results.push_back(guarded(bench, name, work));
    }
  };
  using Result = StepResult &;
  run("connection", true, [&](Result r) { check_connection(bench, r); });
  run("turning_1", options.turned_by_hand, [&](Result r) { check_turning(bench, r, 0); });
  run("turning_4", options.turned_by_hand, [&](Result r) { check_turning(bench, r, 1); });
  run("watchdog", options.driven, [&](Result r) { check_watchdog(bench, r); });
  run("pair_1", options.driven, [&](Result r) { check_pair(bench, r, 0); });
  const bool first_pair = results.back().end == StepEnd::passed;
  run("pair_4", options.driven, [&](Result r) { check_pair(bench, r, 1); });
  // Motors that move something else than their joints say nothing about counts.
  const bool pairs = options.driven && first_pair && results.back().end == StepEnd::passed;
  run("response_1", pairs, [&](Result r) { measure_response(bench, r, 0); });
  run("response_4", pairs, [&](Result r) { measure_response(bench, r, 1); });
  return results;
}

const char * verdict(const Measurement & measurement)
{
  return measurement.skipped ? "skipped" : (measurement.passed ? "pass" : "FAIL");
}

}  // namespace fivebar_control::commission
