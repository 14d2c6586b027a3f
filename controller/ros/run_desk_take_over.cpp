// SPDX-License-Identifier: Apache-2.0
#include "run_desk.hpp"

// One run goes on from another one, without a halt between them.

namespace fivebar_control
{

std::optional<RunDesk::Playing> RunDesk::playing() const
{
  const std::lock_guard lock(mutex_);
  if (!running_ || next_ || last_news_.run != run_)
  {
    return std::nullopt;
  }
  return Playing{run_, running_->plan, last_news_};
}

void RunDesk::take_over(std::uint64_t run, std::int64_t at_ns, RunJob job)
{
  std::unique_lock lock(mutex_);
  bool possible = handover_->active && running_ && run_ == run && !next_ && !stop_requested_;
  if (possible)
  {
    RunRequest request;
    request.command = ControlCommand::start;
    request.run = ++runs_;
    request.takes_over_at = at_ns;
    request.mode = job.mode;
    request.plan = &job.plan->playable;
    request.gains = job.plan->gains ? &*job.plan->gains : nullptr;
    request.tolerances = job.tolerances;
    possible = handover_->requests.push(request);
    next_run_ = request.run;
  }
  if (possible)
  {
    next_ = std::move(job);
    return;
  }
  lock.unlock();
  job.on_missed();
}

std::function<void()> RunDesk::promote_next()
{
  if (!next_)
  {
    return nullptr;
  }
  running_ = std::move(next_);
  next_.reset();
  run_ = next_run_;
  log_file_.clear();
  stop_requested_ = false;
  const std::weak_ptr<RunDesk> weak = weak_from_this();
  return
    [weak, run = run_, on_begin = running_->on_begin, is_withdrawn = running_->is_withdrawn]() {
      if (on_begin)
      {
        on_begin(run);
      }
      const auto self = weak.lock();
      if (self && is_withdrawn())
      {
        self->stop(run);
      }
    };
}

void RunDesk::miss_next()
{
  std::unique_lock lock(mutex_);
  if (!next_)
  {
    return;
  }
  const auto on_missed = next_->on_missed;
  next_.reset();
  lock.unlock();
  on_missed();
}

}  // namespace fivebar_control
