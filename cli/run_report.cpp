// SPDX-License-Identifier: Apache-2.0
#include "run_report.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "terminal.hpp"

namespace fivebar_control::cli
{
namespace
{

nlohmann::json to_json(const TimeHistogram & times)
{
  nlohmann::json bins = nlohmann::json::array();
  times.for_each_bin([&](std::uint64_t upper_end, std::uint64_t count) {
    bins.push_back({upper_end, count});
  });
  return {{"count", times.count()},      {"min", times.smallest()},
          {"mean", times.mean()},        {"p50", times.quantile(0.5)},
          {"p99", times.quantile(0.99)}, {"p99_9", times.quantile(0.999)},
          {"max", times.largest()},      {"bins", std::move(bins)}};
}

std::string row(const char * name, const TimeHistogram & times)
{
  const auto us = [](auto ns) { return static_cast<double>(ns) * 1e-3; };
  return fmt::format(
    "  {:<14} {:>9.1f} {:>9.1f} {:>9.1f} {:>9.1f} {:>9.1f}\n", name, us(times.smallest()),
    us(times.mean()), us(times.quantile(0.99)), us(times.quantile(0.999)), us(times.largest()));
}

std::string in_brackets(const std::string & text) { return text.empty() ? "" : " (" + text + ")"; }

nlohmann::json commissioning_json(const Commissioning & commissioning)
{
  const auto or_null = [](const std::string & text) {
    return text.empty() ? nlohmann::json() : nlohmann::json(text);
  };
  return {
    {"state", commissioning.state},
    {"stamp", or_null(commissioning.stamp)},
    {"objection", or_null(commissioning.objection)}};
}

nlohmann::json fault_json(const RunOutcome & outcome)
{
  if (!outcome.finding && outcome.hardware_error == HardwareError::none)
  {
    return nullptr;
  }
  const Finding & f = outcome.finding;
  const auto number = [](double value) {
    return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
  };
  return {
    {"reason", to_string(f.reason)},
    {"message", f ? describe(f) : to_string(outcome.hardware_error)},
    {"joint", f.joint < 0 ? nlohmann::json(nullptr) : nlohmann::json(f.joint == 0 ? 1 : 4)},
    {"value", number(f.value)},
    {"limit", number(f.limit)},
    {"hardware_error", to_string(outcome.hardware_error)},
    {"device_status", describe_status(outcome.device_status)}};
}

nlohmann::json truth_json(const std::optional<TruePeaks> & truth, const TrackingScore & score)
{
  if (!truth)
  {
    return nullptr;
  }
  return {{"ise", score.true_ise.value_or(0.0)}, {"largest_error", score.largest_true_error},
          {"peak_speed", truth->speed},          {"peak_error", truth->error},
          {"peak_volts", truth->volts},          {"into_singularity", truth->into_singularity}};
}

nlohmann::json guard_json(const GuardSettings & guard)
{
  nlohmann::json json{{"switched_off", switched_off_names(guard)}};
  visit_guard(guard, [&json](const char * key, const auto & value) { json[key] = value; });
  return json;
}

nlohmann::json link_json(const LinkStatistics & link)
{
  return {
    {"round_trip_ns", to_json(link.round_trip)},
    {"requests", link.requests},
    {"late", link.late},
    {"lost", link.lost},
    {"lost_at_device", link.lost_at_device},
    {"bad_frames", link.bad_frames},
    {"stale_reads", link.stale_reads},
    {"reconnects", link.reconnects}};
}

nlohmann::json board_json(const PlayStatistics & board)
{
  return {
    {"cycles", board.cycles},
    {"lost_cycles", board.lost_cycles},
    {"repeats", board.repeats},
    {"resent", board.resent},
    {"unanswered", board.unanswered},
    {"longest_host_gap_ns", board.longest_gap_ns},
    {"least_buffered", board.least_buffered},
    {"clock_drift", board.drift}};
}

void add_player(nlohmann::json & json, const RunReport & report)
{
  json["played_by"] = report.board ? "board" : "host";
  json["board"] = report.board ? board_json(*report.board) : nlohmann::json(nullptr);
}

std::string timing_lines(const RunReport & report)
{
  std::string text = fmt::format(
    "  timing [us]    {:>9} {:>9} {:>9} {:>9} {:>9}\n", "min", "mean", "p99", "p99.9", "max");
  text += row("wake-up", report.timing.wake_up);
  text += row("cycle time", report.timing.cycle_time);
  text += row("work", report.timing.work);
  text += fmt::format(
    "  late cycles    {} of {}, skipped periods {}\n", report.timing.late_cycles,
    report.outcome.cycles, report.timing.skipped_periods);
  return text;
}

}  // namespace

std::string ending_sentence(const RunReport & report)
{
  const RunOutcome & outcome = report.outcome;
  const double time = static_cast<double>(outcome.cycles) / report.rate;
  switch (outcome.end)
  {
    case RunEnd::finished:
      return fmt::format("finished after {:.3f} s", time);
    case RunEnd::stopped:
      return fmt::format("stopped on request, at rest after {:.3f} s", time);
    case RunEnd::aborted:
      return fmt::format("aborted on request: zero volts after {:.3f} s", time);
    case RunEnd::refused:
      return fmt::format(
        "not started: {}{}{} [{}]",
        is_fault(outcome.finding.reason) ? "on the way to the plan's start " : "",
        describe(outcome.finding),
        outcome.finding.reason == Reason::not_at_start ? " (--align)" : "",
        to_string(outcome.finding.reason));
    case RunEnd::fault:
      return fmt::format(
        "stopped by the guard after {:.3f} s: {} [{}]", time, describe(outcome.finding),
        to_string(outcome.finding.reason));
    case RunEnd::hardware_fault:
      if (!outcome.finding)
      {
        return fmt::format(
          "hardware fault: {}: {}{}", report.hardware, to_string(outcome.hardware_error),
          in_brackets(report.explanation));
      }
      return fmt::format(
        "hardware fault after {:.3f} s: {}: {}{} (last error: {}) [{}]", time, report.hardware,
        describe(outcome.finding), in_brackets(describe_status(outcome.device_status)),
        to_string(outcome.hardware_error), to_string(outcome.finding.reason));
    case RunEnd::deactivated:
      return fmt::format("deactivated after {:.3f} s", time);
  }
  return "unknown";
}

namespace
{

/// What was read, and what is not watched.
std::string settings_text(const RunReport & report)
{
  std::string text;
  for (const auto & [kind, path] : report.files)
  {
    text += fmt::format("{} {} {}", text.empty() ? "  files         " : ",", kind, path);
  }
  text += text.empty() ? "" : "\n";
  if (const auto names = switched_off_names(report.guard); !names.empty())
  {
    text += fmt::format("  SWITCHED OFF   {}\n", fmt::join(names, ", "));
  }
  return text;
}

/// How the conversation with a board that played was.
std::string board_text(const RunReport & report)
{
  if (!report.board)
  {
    return {};
  }
  const PlayStatistics & board = *report.board;
  return fmt::format(
    "  board          played by itself: {} cycles told, {} lost, {} asked for again; this "
    "program "
    "away for {:.0f} ms at most,\n                 {:.2f} s of the path buffered at least; clock "
    "drift {:+.0f} ppm\n",
    board.cycles, board.lost_cycles, board.repeats,
    1e-6 * static_cast<double>(board.longest_gap_ns), board.least_buffered, 1e6 * board.drift);
}

/// What only a simulated robot knows.
std::string truth_text(const RunReport & report)
{
  std::string text;
  if (report.score.true_ise)
  {
    text += fmt::format(
      "  truth          ISE {:.4g} m^2 s, largest error {:.3f} mm, of where P really was\n",
      *report.score.true_ise, 1e3 * report.score.largest_true_error);
  }
  if (report.truth)
  {
    text += fmt::format(
      "  true motion    at most {:.2f} rad/s, {:.4f} rad off, {:.2f} V at the motors{}\n",
      report.truth->speed, report.truth->error, report.truth->volts,
      report.truth->into_singularity ? ", into the singularity" : "");
  }
  return text;
}

}  // namespace

std::string summary(const RunReport & report)
{
  const TrackingScore & score = report.score;
  std::string text = fmt::format(
    "{} of {} on {}: {}\n", report.mode, printable(report.curve), report.hardware,
    ending_sentence(report));
  text += fmt::format(
    "  tracking       ISE {:.4g} m^2 s, largest error {:.3f} mm, feedback {:.3f} V rms, largest "
    "voltage {:.2f} V, {} limited cycles\n",
    score.ise, 1e3 * score.largest_error, score.feedback_rms, score.largest_volts,
    score.limited_cycles);
  if (score.encoder_floor > 0.0)
  {
    text += fmt::format(
      "  encoder        rounding to counts alone gives an ISE of {:.4g} m^2 s\n",
      score.encoder_floor);
  }
  if (report.outcome.bounded_horizons + report.outcome.unfinished_horizons > 0)
  {
    text += fmt::format(
      "  horizon        a voltage limit was in the way in {} cycles; in {} it did not finish, and "
      "the regulator answered\n",
      report.outcome.bounded_horizons, report.outcome.unfinished_horizons);
  }
  text += truth_text(report);
  if (report.loop_error > 0.0)
  {
    text += fmt::format(
      "  closed loop    the simulation's links 2 and 3 were at most {:.2g} m apart\n",
      report.loop_error);
  }
  text += report.paced ? timing_lines(report) : "";
  text += board_text(report);
  if (report.link && !report.board)
  {
    const LinkStatistics & link = *report.link;
    text += row("round trip", link.round_trip);
    text += fmt::format(
      "  connection     {} requests, {} lost, {} late, {} stale reads; device missed {}; {} bad "
      "frames\n",
      link.requests, link.lost, link.late, link.stale_reads, link.lost_at_device, link.bad_frames);
  }
  text += settings_text(report);
  if (!report.log_failure.empty())
  {
    text += fmt::format("  log            NOT COMPLETE: {}\n", report.log_failure);
  }
  else if (!report.log.empty())
  {
    text += fmt::format(
      "  log            {}: {} rows, {} lost\n", report.log, report.log_rows, report.lost_rows);
  }
  return text;
}

nlohmann::json to_json(const RunReport & report)
{
  nlohmann::json json{
    {"schema", 1},
    {"content", "run"},
    {"ended", to_string(report.outcome.end)},
    {"fault", fault_json(report.outcome)},
    {"plan", report.plan},
    {"curve", report.curve},
    {"mode", report.mode},
    {"hardware", report.hardware},
    {"rate", report.rate},
    {"cycles", report.outcome.cycles},
    {"loop_error", report.loop_error}};
  json["commissioning"] = commissioning_json(report.commissioning);
  json["tracking"] = {
    {"ise", report.score.ise},
    {"encoder_floor", report.score.encoder_floor},
    {"largest_error", report.score.largest_error},
    {"feedback_rms", report.score.feedback_rms},
    {"largest_volts", report.score.largest_volts},
    {"limited_cycles", report.score.limited_cycles}};
  json["timing"] = {
    {"paced", report.paced},
    {"wake_up_ns", to_json(report.timing.wake_up)},
    {"cycle_time_ns", to_json(report.timing.cycle_time)},
    {"work_ns", to_json(report.timing.work)},
    {"late_cycles", report.timing.late_cycles},
    {"skipped_periods", report.timing.skipped_periods},
    {"controller_late_cycles", report.outcome.controller_late_cycles}};
  json["horizon"] = {
    {"bounded_cycles", report.outcome.bounded_horizons},
    {"unfinished_cycles", report.outcome.unfinished_horizons}};
  json["truth"] = truth_json(report.truth, report.score);
  json["guard"] = guard_json(report.guard);
  json["files"] = nlohmann::json::object();
  for (const auto & [kind, path] : report.files)
  {
    json["files"][kind] = path;
  }
  json["link"] = report.link ? link_json(*report.link) : nlohmann::json(nullptr);
  add_player(json, report);
  json["realtime"] = {
    {"fifo", report.realtime.fifo},
    {"pinned", report.realtime.pinned},
    {"memory_locked", report.realtime.memory_locked},
    {"awake", report.realtime.awake},
    {"complaints", report.realtime.complaints}};
  json["log"] = report.log.empty()
                  ? nlohmann::json(nullptr)
                  : nlohmann::json{
                      {"path", report.log},
                      {"rows", report.log_rows},
                      {"lost_rows", report.lost_rows},
                      {"failure", report.log_failure.empty() ? nlohmann::json(nullptr)
                                                             : nlohmann::json(report.log_failure)}};
  return json;
}

}  // namespace fivebar_control::cli
