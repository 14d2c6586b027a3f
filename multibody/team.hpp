// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace fivebar_control::multibody
{

/// Shorter chains are faster on one thread (bench_chain).
constexpr std::size_t least_bodies_for_threads = 64;

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
  template <class Work>
  void run(const Work & work)
  {
    begin([](const void * it, int number) { (*static_cast<const Work *>(it))(number); }, &work);
    work(0);
    wait();
  }

private:
  using Call = void (*)(const void *, int);
  void begin(Call call, const void * work);
  void wait();
  void serve(int number);

  // What the caller writes and what the others write: a line of memory each, so that a word about
  // new work takes its way once.
  alignas(64) std::atomic<std::uint32_t> round_{0};
  bool stopping_ = false;
  Call call_ = nullptr;
  const void * work_ = nullptr;
  alignas(64) std::atomic<std::uint32_t> finished_{0};  ///< pieces of all rounds
  alignas(64) std::uint32_t due_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace fivebar_control::multibody
