// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fivebar_control/plan/plan.hpp"
#include "monitor.hpp"

namespace fivebar_control::soak
{

struct Options
{
  double hours = 24.0;  ///< of robot time, at least
  std::uint64_t seed = 1;
  bool fast = true;                     ///< false: each cycle takes its time
  int jobs = 1;                         ///< episodes at the same time
  std::optional<std::int64_t> episode;  ///< only this one
};

/// A promise that was not kept, and how to see it again.
struct Violation
{
  std::string what;
  std::int64_t episode = 0, run = 0, cycle = 0;
};

/// Resident memory of the process, in kB.
struct Memory
{
  std::int64_t begin = 0;  ///< when the first episodes had touched everything
  std::int64_t end = 0, largest = 0;
};

struct Result
{
  std::int64_t episodes = 0;
  Counters counters;
  Memory memory;
  double seconds = 0.0;  ///< of wall time, without the planning
  std::optional<Violation> violation;
};

inline constexpr std::int64_t period_ns = 1'000'000;
inline constexpr double episode_seconds = 60.0;  ///< of robot time, at least
inline constexpr int pool_size = 40;
/// More growth than this is a leak.
inline constexpr std::int64_t largest_growth = 2048;  // kB

/// What all episodes share; read only.
struct Pool
{
  const RobotModel & robot;
  ControllerSettings settings;
  std::vector<Plan> plans;
  std::vector<PlayablePlan> playable;
};

/// Plans a pool of random motions, all within the robot's limits.
Pool make_pool(const RobotModel & robot, const ControllerSettings & settings, std::uint64_t seed);

/// Robot seconds done of all; called now and then, from one thread at a time.
using Report = std::function<void(double done, double all)>;

/// Plays episodes until the hours are over or a promise is broken. The same seed gives the same
/// counters and checksum, whatever the number of jobs.
Result run(const Pool & pool, const Options & options, const Report & report);

}  // namespace fivebar_control::soak
