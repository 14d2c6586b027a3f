// SPDX-License-Identifier: Apache-2.0
#include "soak.hpp"

#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <mutex>
#include <thread>

#include "episode.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/planner/planner.hpp"
#include "random_request.hpp"

#include <unistd.h>

namespace fivebar_control::soak
{
namespace
{

/// kB; 0 if the system does not tell.
std::int64_t resident_memory()
{
  std::ifstream file("/proc/self/statm");
  std::int64_t total = 0;
  std::int64_t resident = 0;
  return file >> total >> resident ? resident * (sysconf(_SC_PAGESIZE) / 1024) : 0;
}

/// Hands out episodes to the threads and adds up what they bring back.
class Soak
{
public:
  Soak(const Pool & pool, const Options & options, const Report & report)
  : pool_(pool), options_(options), report_(report)
  {
    const double episodes = std::ceil(options.hours * 3600.0 / episode_seconds);
    result_.episodes = options.episode ? 1 : std::max<std::int64_t>(1, std::llround(episodes));
    warm_up_ = std::max<std::int64_t>(1, result_.episodes / 20);
  }

  Result run()
  {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::thread> threads;
    for (int i = 1; i < options_.jobs; ++i)
    {
      threads.emplace_back([this] { work(); });
    }
    work();
    for (std::thread & thread : threads)
    {
      thread.join();
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    result_.seconds = elapsed.count();
    return result_;
  }

private:
  void work()
  {
    for (;;)
    {
      const std::int64_t next = next_.fetch_add(1);
      if (next >= result_.episodes || stop_.load())
      {
        return;
      }
      const std::int64_t number = options_.episode.value_or(next);
      add(run_episode(pool_, options_.seed, number, options_.fast));
    }
  }

  void add(const EpisodeResult & episode)
  {
    const std::scoped_lock lock(mutex_);
    result_.counters.add(episode.counters);
    ++done_;
    const std::int64_t memory = resident_memory();
    result_.memory.begin = done_ <= warm_up_ ? memory : result_.memory.begin;
    result_.memory.end = memory;
    result_.memory.largest = std::max(result_.memory.largest, memory);
    // With several jobs the first in number is the one to tell.
    if (
      episode.violation &&
      (!result_.violation || episode.violation->episode < result_.violation->episode))
    {
      result_.violation = episode.violation;
      stop_.store(true);
    }
    report_(
      static_cast<double>(done_) * episode_seconds,
      static_cast<double>(result_.episodes) * episode_seconds);
  }

  const Pool & pool_;
  const Options & options_;
  const Report & report_;
  std::atomic<std::int64_t> next_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::int64_t done_ = 0;
  std::int64_t warm_up_ = 1;
  Result result_;
};

}  // namespace

Pool make_pool(const RobotModel & robot, const ControllerSettings & settings, std::uint64_t seed)
{
  Pool pool{robot, settings, {}, {}};
  Random random(seed);
  RandomRequestRange range;
  range.speed = {0.05, 0.4};
  range.duration = {0.5, 5.0};
  range.any_options = false;
  while (pool.plans.size() < static_cast<std::size_t>(pool_size))
  {
    const RandomRequest drawn = random_request(random, robot, range);
    PlanResult result = make_plan(robot, drawn.request);
    if (result.plan.verdict == Verdict::converged && plan_fits(result.plan, robot))
    {
      pool.playable.emplace_back(result.plan.samples);
      pool.plans.push_back(std::move(result.plan));
    }
  }
  return pool;
}

Result run(const Pool & pool, const Options & options, const Report & report)
{
  Result result = Soak(pool, options, report).run();
  const std::int64_t growth = result.memory.end - result.memory.begin;
  if (!result.violation && growth > largest_growth)
  {
    result.violation = Violation{"the memory grew", result.episodes, 0, 0};
  }
  return result;
}

}  // namespace fivebar_control::soak
