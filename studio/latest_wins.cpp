// SPDX-License-Identifier: Apache-2.0
#include "latest_wins.hpp"

#include <algorithm>
#include <exception>

#include "fivebar_control/support/signal_sets.hpp"

namespace fivebar_control
{

LatestWins::LatestWins(std::chrono::milliseconds patience) : patience_(patience)
{
  const SignalsLeftToOthers by_the_thread;  // it inherits it
  thread_ = std::thread([this] { work_until_closed(); });
}

LatestWins::~LatestWins()
{
  close();
  thread_.join();
}

void LatestWins::close()
{
  const std::lock_guard lock(mutex_);
  closed_ = true;
  if (running_)
  {
    running_->outdated = true;
  }
  for (const auto & item : waiting_)
  {
    item->over = true;
  }
  waiting_.clear();
  changed_.notify_all();
}

std::optional<std::string> LatestWins::ask(const std::string & client, Work work)
{
  auto item = std::make_shared<Item>();
  item->client = client;
  item->work = std::move(work);
  std::unique_lock lock(mutex_);
  if (closed_)
  {
    return std::nullopt;
  }
  const auto old = std::find_if(
    waiting_.begin(), waiting_.end(), [&](const auto & other) { return other->client == client; });
  if (old != waiting_.end())
  {
    (*old)->over = true;
    *old = item;  // its turn stays
  }
  else
  {
    waiting_.push_back(item);
  }
  if (running_ && running_->client == client)
  {
    running_->outdated = true;
  }
  changed_.notify_all();
  changed_.wait(lock, [&] { return item->over; });
  if (item->failure)
  {
    std::rethrow_exception(item->failure);
  }
  return item->answer;
}

void LatestWins::do_work(Item & item) const
{
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + patience_;
  bool whole = true;
  const GoOn go_on = [&] {
    whole = !item.outdated.load() || Clock::now() < end;
    return whole;
  };
  try
  {
    std::string answer = item.work(go_on);
    if (whole)
    {
      item.answer = std::move(answer);
    }
  }
  catch (...)
  {
    item.failure = std::current_exception();
  }
}

void LatestWins::work_until_closed()
{
  std::unique_lock lock(mutex_);
  for (;;)
  {
    changed_.wait(lock, [&] { return closed_ || !waiting_.empty(); });
    if (closed_)
    {
      return;
    }
    running_ = waiting_.front();
    waiting_.pop_front();
    const std::shared_ptr<Item> item = running_;
    lock.unlock();
    do_work(*item);
    lock.lock();
    item->over = true;
    running_.reset();
    changed_.notify_all();
  }
}

}  // namespace fivebar_control
