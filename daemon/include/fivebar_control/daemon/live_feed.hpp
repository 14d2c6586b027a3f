// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <boost/lockfree/spsc_queue.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "fivebar_control/controller/cycle_record.hpp"
#include "fivebar_control/daemon/run_loop.hpp"
#include "fivebar_control/model/robot_model.hpp"

namespace fivebar_control
{

/// What spectators of a run get to see, about 30 times a second. take() is the loop's side: a
/// lock-free ring, a record that finds it full is not shown. A thread of its own makes messages out
/// of the records; spectators wait for the newest one, and a slow one misses some.
class LiveFeed : public RecordSink
{
public:
  /// Records go on to `next`, if given, before anything else.
  LiveFeed(const RobotModel & robot, const RunStatus & status, RecordSink * next);
  ~LiveFeed() override;

  void take(const CycleRecord & record) noexcept override;

  struct Message
  {
    std::uint64_t number = 0;  ///< from 1; 0: there is none yet
    std::string json;
    bool last = false;
  };
  /// The newest message, as soon as it is newer than `number`; otherwise what there is at the end
  /// of the time.
  Message newer_than(std::uint64_t number, std::chrono::milliseconds patience);

  /// Shows what is left and says how the run ended.
  void finish(const std::string & ending);

private:
  using Ring = boost::lockfree::spsc_queue<CycleRecord, boost::lockfree::capacity<4096>>;

  void show_until_told();
  void show_waiting_records(const std::string & ending);

  Geometry<double> geometry_;
  const RunStatus & status_;
  RecordSink * next_;
  std::unique_ptr<Ring> ring_;
  std::atomic<bool> ending_{false};
  CycleRecord newest_;  // of the thread
  bool has_record_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  Message message_;
  std::thread thread_;
};

}  // namespace fivebar_control
