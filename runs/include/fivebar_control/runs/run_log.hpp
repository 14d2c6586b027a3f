// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <boost/lockfree/spsc_queue.hpp>
#include <memory>
#include <string>
#include <thread>

#include "fivebar_control/runs/run_columns.hpp"
#include "fivebar_control/runs/run_description.hpp"
#include "fivebar_control/runs/run_end.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/sealed_table.hpp"

namespace fivebar_control
{

inline constexpr SealedKind run_log_kind{"run log", "fivebar run --log", 2, 2'000'000'000};

/// Writes a run log (docs/operation.md, "Run log") from a thread of its own. take() puts a record
/// into a lock-free ring; if the ring is full, the record is lost and counted, or, where time does
/// not matter, waited for. The file appears under its name when finish() has written all of it.
class RunLog : public RecordSink
{
public:
  /// Opens the file (InputError if it cannot be written) and starts the thread.
  RunLog(
    const std::string & path, const RunDescription & run, const RobotModel & robot,
    bool wait_when_full);
  ~RunLog() override;

  void take(const CycleRecord & record) noexcept override;

  /// Writes what is left and how the run ended, renames. Throws InputError if any write had failed;
  /// the target is then as it was before the run, and the rows so far are beside it, under a name
  /// with `.unfinished` in it. So they are if the process dies.
  void finish(RunEnd end, Reason reason);

  std::int64_t rows() const { return table_.rows(); }
  std::int64_t lost() const { return lost_.load(std::memory_order_relaxed); }

private:
  static constexpr std::size_t ring_size = 16384;  // 16 s at 1 kHz
  using Ring = boost::lockfree::spsc_queue<CycleRecord, boost::lockfree::capacity<ring_size>>;

  void write_until_told();
  void write_waiting_rows();
  void flush_file(bool has_rows);
  void stop_thread();

  Geometry<double> geometry_;
  bool has_truth_;
  bool wait_when_full_;
  AtomicFile file_;
  SealedWriter table_;  ///< of the thread, until it is joined
  std::unique_ptr<Ring> ring_;
  std::atomic<std::int64_t> lost_{0};
  std::atomic<bool> ending_{false};
  std::string failure_;  ///< of the thread, too
  std::int64_t on_disk_ns_ = 0;
  std::thread thread_;
};

}  // namespace fivebar_control
