// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/runs/run_log.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <filesystem>
#include <iterator>
#include <type_traits>

#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/monotonic_clock.hpp"
#include "fivebar_control/support/signal_sets.hpp"
#include "fivebar_control/support/yaml_text.hpp"

namespace fivebar_control
{
namespace
{

std::string guard_of(const GuardSettings & guard)
{
  std::string text;
  visit_guard(guard, [&text](const char * key, const auto & value) {
    text += fmt::format("{}: {}, ", key, value);
  });
  return fmt::format("{{{}switched_off: [{}]}}", text, fmt::join(switched_off_names(guard), ", "));
}

std::string header_of(const RunDescription & run)
{
  return fmt::format(
    "package_version: {}\nrobot: {{name: {}, fingerprint: {}}}\ncurve: {}\nhardware: {}\n"
    "mode: {}\nrate: {}\nvoltage_limit: {}\nfeedback: {{method: {}, kp: {}, kd: {}, ki: {}}}\n"
    "velocity: {{method: {}, cutoff: {}}}\n"
    "guard: {}\nstates: [idle, aligning, playing, stopping, holding, relaxing, fault, homing]\n",
    yaml_quoted(run.package_version), yaml_quoted(run.robot_name),
    yaml_quoted(run.robot_fingerprint), yaml_quoted(run.curve), yaml_quoted(run.hardware),
    yaml_quoted(run.mode), run.rate, run.voltage_limit, run.feedback_method, run.kp, run.kd, run.ki,
    run.velocity_method, run.velocity_cutoff, guard_of(run.guard));
}

void format_row(fmt::memory_buffer & buffer, const RunRow & row, bool with_truth)
{
  const auto put = [&buffer](const char *, const auto & value) {
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, bool> || std::is_same_v<Value, ControlState>)
    {
      fmt::format_to(std::back_inserter(buffer), "{},", static_cast<int>(value));
    }
    else
    {
      fmt::format_to(std::back_inserter(buffer), "{},", value);
    }
  };
  visit_run_columns(put, row);
  if (with_truth)
  {
    visit_truth_columns(put, row);
  }
  buffer[buffer.size() - 1] = '\n';
}

}  // namespace

RunLog::RunLog(
  const std::string & path, const RunDescription & run, const RobotModel & robot,
  bool wait_when_full)
: geometry_(robot.kinematics().geometry()),
  has_truth_(run.has_truth),
  wait_when_full_(wait_when_full),
  file_(path, ".unfinished"),
  table_(
    [this](std::string_view text) { file_.write(text); }, run_log_kind, header_of(run),
    run.has_truth ? run_column_names_with_truth() : run_column_names()),
  ring_(std::make_unique<Ring>())
{
  thread_ = std::thread([this] {
    leave_signals_to_others();
    write_until_told();
  });
}

RunLog::~RunLog() { stop_thread(); }

void RunLog::take(const CycleRecord & record) noexcept
{
  while (!ring_->push(record))
  {
    if (!wait_when_full_)
    {
      lost_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    std::this_thread::yield();
  }
}

void RunLog::finish(RunEnd end, Reason reason)
{
  stop_thread();
  try
  {
    if (failure_.empty())
    {
      table_.close(fmt::format(
        "ended: {}\nreason: {}\nlost_rows: {}\n", to_string(end), to_string(reason), lost()));
      file_.commit();
      return;
    }
  }
  catch (const InputError & error)
  {
    failure_ = error.what();
  }
  // A device keeps nothing.
  throw InputError(
    std::filesystem::is_regular_file(file_.unfinished_path())
      ? fmt::format(
          "{}; what could be written of it is in {} ('fivebar log recover' reads it)", failure_,
          file_.unfinished_path())
      : failure_);
}

void RunLog::stop_thread()
{
  ending_.store(true, std::memory_order_release);
  if (thread_.joinable())
  {
    thread_.join();
  }
}

void RunLog::write_until_told()
{
  // Polls: a wake-up call would be a system call in the real-time thread.
  constexpr auto pause = std::chrono::milliseconds(10);
  for (;;)
  {
    const bool last = ending_.load(std::memory_order_acquire);
    write_waiting_rows();
    if (last)
    {
      return;
    }
    if (!wait_when_full_ || ring_->read_available() == 0)
    {
      std::this_thread::sleep_for(wait_when_full_ ? pause / 10 : pause);
    }
  }
}

/// A black box: what the loop has done shall be readable however the process ends.
void RunLog::flush_file(bool has_rows)
{
  if (has_rows)
  {
    file_.keep_unfinished();
  }
  if (!wait_when_full_ && has_rows)
  {
    const std::int64_t now = monotonic_now_ns();
    const bool to_disk = now - on_disk_ns_ > 1'000'000'000;
    on_disk_ns_ = to_disk ? now : on_disk_ns_;
    file_.flush(to_disk);
  }
}

void RunLog::write_waiting_rows()
{
  fmt::memory_buffer buffer;
  const auto flush = [&] {
    if (failure_.empty())
    {
      try
      {
        table_.write_rows({buffer.data(), buffer.size()});
        flush_file(buffer.size() > 0);
      }
      catch (const InputError & error)
      {
        failure_ = error.what();  // told by finish(); the robot must not notice
      }
    }
    buffer.clear();
  };
  CycleRecord record;
  while (ring_->pop(record))
  {
    format_row(buffer, row_of(record, geometry_), has_truth_);
    if (buffer.size() > 60000)
    {
      flush();
    }
  }
  flush();
}

}  // namespace fivebar_control
