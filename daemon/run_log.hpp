#pragma once

#include <atomic>
#include <boost/lockfree/spsc_queue.hpp>
#include <memory>
#include <string>
#include <thread>

#include "fivebar_control/controller/cycle_record.hpp"
#include "fivebar_control/model/robot_model.hpp"
#include "fivebar_control/planner/plan.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/checksum.hpp"
#include "run_loop.hpp"

namespace fivebar_control
{

/// Writes a run log (docs/operation.md, "Run log") from a thread of its own. take() puts a record
/// into a lock-free ring; if the ring is full, the record is lost and counted, or, where time does
/// not matter, waited for. The file appears under its name when finish() has written all of it.
class RunLog : public RecordSink
{
public:
  /// Opens the file (FileError if it cannot be written) and starts the thread. `header` is YAML.
  RunLog(
    const std::string & path, const std::string & header, const RobotModel & robot,
    bool wait_when_full);
  ~RunLog() override;

  void take(const CycleRecord & record) noexcept override;

  /// Writes what is left and the trailer (YAML lines), renames. Throws FileError if any write had
  /// failed; the target is then as it was before the run.
  void finish(const std::string & trailer);

  std::int64_t rows() const { return rows_; }
  std::int64_t lost() const { return lost_.load(std::memory_order_relaxed); }

private:
  static constexpr std::size_t ring_size = 16384;  // 16 s at 1 kHz
  using Ring = boost::lockfree::spsc_queue<CycleRecord, boost::lockfree::capacity<ring_size>>;

  void write_until_told();
  void write_waiting_rows();
  void stop_thread();

  Geometry<double> geometry_;
  bool wait_when_full_;
  AtomicFile file_;
  std::unique_ptr<Ring> ring_;
  std::atomic<std::int64_t> lost_{0};
  std::atomic<bool> ending_{false};
  // Of the thread, until it is joined.
  Checksum checksum_;
  std::int64_t rows_ = 0;
  std::string failure_;
  std::thread thread_;
};

/// The YAML of a log's header. Nothing in it depends on when or how fast the run was: logs of equal
/// runs are equal.
std::string run_log_header(
  const Plan & plan, const RobotModel & robot, const ControllerSettings & settings,
  const std::string & hardware, const std::string & mode, double rate);
/// The YAML of what a log says at its end.
std::string run_log_ending(const RunOutcome & outcome);

/// Each line with "# " before it.
std::string commented(const std::string & yaml);

}  // namespace fivebar_control
