// SPDX-License-Identifier: Apache-2.0
// A thousand random curves, costs, bounds and robots through the planner. Whether a curve can be
// drawn is judged by kinematics alone (daemon/random_request.hpp). FIVEBAR_PLAN_SEED=N plans one of
// them and prints its curve file and the solver's history; FIVEBAR_PLAN_COUNT=N plans another
// number.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>

#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/planner/planner.hpp"
#include "model/robots.hpp"
#include "random_request.hpp"

namespace fivebar_control::test
{
namespace
{

constexpr std::uint64_t plan_count = 1000;
constexpr double required_share = 0.99;

struct PlanCase
{
  RobotModel robot;
  RandomRequest random;
};

PlanCase plan_case(std::uint64_t seed, const RandomRequestRange & range)
{
  static const std::array<RobotModel, 2> robots{default_robot(), unequal_robot()};
  Random random(seed);
  const RobotModel & base = random.pick(robots);
  RobotModel robot = random.chance(0.5) ? base : perturbed(random, base, 0.3);
  RandomRequest request = random_request(random, robot, range);
  return {std::move(robot), std::move(request)};
}

/// What the planner promises of every plan that it returns, converged or not; empty if it is kept.
std::string broken_promise(const RobotModel & robot, const Plan & plan)
{
  const PlanSamples & s = plan.samples;
  const double volts = plan.bounds.voltage * (1.0 + 1e-12);
  const double change = plan.bounds.voltage_rate * plan.time_step * (1.0 + 1e-9);
  for (std::size_t i = 0; i < s.size(); ++i)
  {
    const std::array<double, 9> row{s.t[i],     s.u1[i],    s.u4[i], s.phi1[i], s.phi4[i],
                                    s.dphi1[i], s.dphi4[i], s.x[i],  s.y[i]};
    if (!std::all_of(row.begin(), row.end(), [](double v) { return std::isfinite(v); }))
    {
      return "not finite";
    }
    if (std::abs(s.u1[i]) > volts || std::abs(s.u4[i]) > volts)
    {
      return "voltage";
    }
    if (
      i > 0 &&
      (std::abs(s.u1[i] - s.u1[i - 1]) > change || std::abs(s.u4[i] - s.u4[i - 1]) > change))
    {
      return "voltage rate";
    }
    const auto pose = robot.kinematics().forward({s.phi1[i], s.phi4[i]});
    if (!pose || pose->margins.parallel < robot.limits().singularity_margin)
    {
      return "singularity margin";
    }
  }
  return {};
}

/// How far above its limit the singularity margin stays. Almost zero: the motion is up against the
/// wall at which the planner's trials end, which is no bound that it knows.
double margin_left(const RobotModel & robot, const Plan & plan)
{
  double least = 1.0;
  for (std::size_t i = 0; i < plan.samples.size(); ++i)
  {
    const auto pose = robot.kinematics().forward({plan.samples.phi1[i], plan.samples.phi4[i]});
    least = std::min(least, pose ? pose->margins.parallel : 0.0);
  }
  return least - robot.limits().singularity_margin;
}

struct Tally
{
  int plans = 0, converged = 0, refused = 0, worst = 0;
  long iterations = 0;
};

void print_tally(const std::string & name, const Tally & t)
{
  std::printf(
    "  %-18s %6d %10d %9d %12.1f %7d\n", name.c_str(), t.plans, t.converged, t.refused,
    static_cast<double>(t.iterations) / t.plans, t.worst);
}

void plan_them(const RandomRequestRange & range)
{
  const char * replay = std::getenv("FIVEBAR_PLAN_SEED");
  const std::uint64_t first = replay == nullptr ? 1 : std::strtoull(replay, nullptr, 10);
  const char * many = std::getenv("FIVEBAR_PLAN_COUNT");
  const std::uint64_t count = replay != nullptr ? 1
                              : many == nullptr ? plan_count
                                                : std::strtoull(many, nullptr, 10);
  std::map<std::string, Tally> tallies;
  std::uint64_t worst_seed = 0;
  Tally all;
  for (std::uint64_t seed = first; seed < first + count; ++seed)
  {
    const PlanCase c = plan_case(seed, range);
    const PlanResult result = make_plan(c.robot, c.random.request);
    const Plan & plan = result.plan;
    EXPECT_EQ(broken_promise(c.robot, plan), "") << "seed " << seed << "\n" << c.random.yaml;
    const bool converged = plan.verdict == Verdict::converged;
    // Joint range and speed and the robot's own voltage limits are no bounds of the planner: such a
    // plan is refused before it is played.
    const bool refused = converged && !plan_fits(plan, c.robot);
    worst_seed = plan.iterations > all.worst ? seed : worst_seed;
    const bool rate_bound = std::isfinite(plan.bounds.voltage_rate);
    const std::string bounds = rate_bound                           ? "rate bound"
                               : std::isfinite(plan.bounds.voltage) ? "voltage bound"
                                                                    : "no bound";
    const bool zero = c.random.request.guess == InitialGuess::zero;
    for (Tally * tally :
         {&all, &tallies["curve " + c.random.kind], &tallies[bounds],
          &tallies[zero ? "guess zero" : "guess inverse"]})
    {
      ++tally->plans;
      tally->converged += converged ? 1 : 0;
      tally->refused += refused ? 1 : 0;
      tally->iterations += plan.iterations;
      tally->worst = std::max(tally->worst, plan.iterations);
    }
    if (!converged || replay != nullptr)
    {
      std::printf(
        "  seed %llu (%s, %s, guess %s): %s after %d iterations, projected gradient %.3g, "
        "%.3g above the singularity margin\n",
        static_cast<unsigned long long>(seed), c.random.kind.c_str(), bounds.c_str(),
        zero ? "zero" : "inverse dynamics", to_string(plan.verdict).c_str(), plan.iterations,
        plan.projected_gradient, margin_left(c.robot, plan));
    }
    if (replay != nullptr)
    {
      std::printf("%s", c.random.yaml.c_str());
      for (const Iteration & i : result.history)
      {
        std::printf(
          "  %d.%d J %.9g gradient %.3g step %.3g active %zu%s\n", i.stage, i.number,
          i.cost.total(), i.projected_gradient, i.step_length, i.active_bounds,
          i.bounded ? "" : " (unbounded)");
      }
    }
  }
  std::printf("  %-18s  plans  converged   refused   iterations  worst\n", "");
  for (const auto & [name, tally] : tallies)
  {
    print_tally(name, tally);
  }
  print_tally("all", all);
  std::printf("  most iterations: seed %llu\n", static_cast<unsigned long long>(worst_seed));
  EXPECT_GE(all.converged, required_share * all.plans);
}

TEST(RandomPlans, ConvergeAndKeepTheirBounds) { plan_them({}); }

/// Where most inputs are at a bound all the time.
TEST(RandomPlans, ConvergeAlsoWhereTheMotorsAreTooWeak)
{
  RandomRequestRange range;
  range.speed = {0.03, 1.2};
  range.voltage = {1.0, 12.0};
  plan_them(range);
}

}  // namespace
}  // namespace fivebar_control::test
