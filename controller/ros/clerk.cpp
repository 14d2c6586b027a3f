// SPDX-License-Identifier: Apache-2.0
#include "clerk.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace fivebar_control
{
namespace
{

constexpr std::size_t most_jobs = 8;
constexpr std::chrono::seconds patience(1);

}  // namespace

struct Clerk::Desk
{
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Job> jobs;
  bool leaving = false;
  bool left = false;
  std::thread::id worker;

  void work()
  {
    std::unique_lock lock(mutex);
    while (!leaving || !jobs.empty())
    {
      if (jobs.empty())
      {
        changed.wait(lock);
        continue;
      }
      Job job = std::move(jobs.front());
      jobs.pop_front();
      lock.unlock();
      job();
      job = nullptr;  // what it held goes before the next is looked for
      lock.lock();
    }
    left = true;
    changed.notify_all();
  }
};

Clerk::Clerk() : desk_(std::make_shared<Desk>())
{
  // Detached, because a job that hangs cannot be joined; the desk outlives whoever is last.
  std::thread worker([desk = desk_]() { desk->work(); });
  desk_->worker = worker.get_id();
  worker.detach();
}

Clerk::~Clerk()
{
  std::unique_lock lock(desk_->mutex);
  desk_->leaving = true;
  desk_->changed.notify_all();
  if (std::this_thread::get_id() != desk_->worker)
  {
    desk_->changed.wait_for(lock, patience, [this]() { return desk_->left; });
  }
  std::deque<Job> dropped;
  dropped.swap(desk_->jobs);
  lock.unlock();  // what the dropped jobs hold goes without the lock
}

bool Clerk::take(Job job)
{
  const std::lock_guard lock(desk_->mutex);
  if (desk_->jobs.size() >= most_jobs)
  {
    return false;
  }
  desk_->jobs.push_back(std::move(job));
  desk_->changed.notify_all();
  return true;
}

}  // namespace fivebar_control
