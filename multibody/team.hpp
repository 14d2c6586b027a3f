// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace fivebar_control::multibody
{

/// Threads that wait for short pieces of work: a sweep over a chain takes microseconds, so they
/// look for the next piece for a while before they sleep.
class Team
{
public:
  /// The caller is one of them.
  explicit Team(int threads);
  ~Team();
  Team(const Team &) = delete;
  Team & operator=(const Team &) = delete;

  int size() const { return static_cast<int>(threads_.size()) + 1; }
  /// Calls work(0 ... size - 1), each on its own thread, and returns when all are done. `work` must
  /// not throw.
  void run(const std::function<void(int)> & work);

private:
  void serve(int number);

  std::atomic<std::uint32_t> round_{0};
  std::atomic<int> busy_{0};
  std::atomic<bool> stopping_{false};
  const std::function<void(int)> * work_ = nullptr;
  std::vector<std::thread> threads_;
};

}  // namespace fivebar_control::multibody
