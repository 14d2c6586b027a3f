// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace fivebar_control
{

/// Asked now and then by a work that may be outdated: false means that nobody waits for it.
using GoOn = std::function<bool()>;

/// One thread that works for several clients. Of each client only the newest question counts: one
/// that still waits is dropped at once, one at work may go on for a moment, so that a page that
/// asks without a break sees answers all the same. Clients take turns.
class LatestWins
{
public:
  using Work = std::function<std::string(const GoOn &)>;

  /// A work that is outdated goes on until it has taken this long.
  explicit LatestWins(std::chrono::milliseconds patience = std::chrono::milliseconds(150));
  ~LatestWins();
  LatestWins(const LatestWins &) = delete;
  LatestWins & operator=(const LatestWins &) = delete;

  /// Waits for the answer; nothing if a newer question of the same client came. Throws what the
  /// work threw.
  std::optional<std::string> ask(const std::string & client, Work work);
  /// Ends all waiting; nothing is answered any more.
  void close();

private:
  struct Item
  {
    std::string client;
    Work work;
    std::optional<std::string> answer;
    std::exception_ptr failure;
    std::atomic<bool> outdated{false};
    bool over = false;
  };

  void work_until_closed();
  void do_work(Item & item) const;

  std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Item>> waiting_;
  std::shared_ptr<Item> running_;
  bool closed_ = false;
  std::thread thread_;
};

}  // namespace fivebar_control
