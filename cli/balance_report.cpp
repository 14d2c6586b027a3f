// SPDX-License-Identifier: Apache-2.0
#include "balance_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "terminal.hpp"

namespace fivebar_control::cli
{
namespace
{

constexpr double degree = std::numbers::pi / 180.0;

}  // namespace

void print_plan(const BalanceResult & result, const BalanceQuality & q)
{
  const BalancePlan & plan = result.plan;
  fmt::print(
    "{}: {:.2f} s, {} nodes, volts within {}\n  {:>5} {:>12} {:>8} {:>11} {:>13} {:>10} {:>9}\n",
    plan.name, plan.duration(), plan.volts.size(),
    std::isfinite(plan.bound) ? fmt::format("{:g}", plan.bound) : "no bound", "stage", "tilt [deg]",
    "w", "iterations", "J", "|gradient|", "at bound");
  for (std::size_t i = 0; i < result.stages.size(); ++i)
  {
    const BalanceStageReport & s = result.stages[i];
    fmt::print(
      "  {:>5} {:>12} {:>8g} {:>11} {:>13.9g} {:>10.2g} {:>9}{}\n", i + 1,
      fmt::format("{:.3g}, {:.3g}", s.tilt[0] / degree, s.tilt[1] / degree), s.velocity_weight,
      s.solver.iterations, s.cost, s.solver.gradient, s.solver.active_bounds,
      s.solver.verdict == Verdict::converged ? "" : "  " + to_string(s.solver.verdict));
  }
  fmt::print(
    "  from {:.2f} degrees to {:.4f}, largest voltage {:.3f} V, P at most {:.1f} mm away, at the "
    "end {:.2f} mm; speed there {:.2g} m/s, turn {:.2g} rad/s; {:.2f} s of planning\n",
    q.start_tilt / degree, q.end_tilt / degree, q.largest_voltage, 1e3 * q.largest_displacement,
    1e3 * q.end_displacement, q.end_speed, q.end_turn, result.seconds);
}

nlohmann::json plan_json(const BalanceResult & result, const BalanceQuality & q)
{
  nlohmann::json stages = nlohmann::json::array();
  for (const BalanceStageReport & s : result.stages)
  {
    stages.push_back(
      {{"a1", s.tilt[0]},
       {"a2", s.tilt[1]},
       {"velocity", s.velocity_weight},
       {"verdict", to_string(s.solver.verdict)},
       {"iterations", s.solver.iterations},
       {"cost", s.cost},
       {"projected_gradient", s.solver.gradient},
       {"nodes_at_bound", s.solver.active_bounds},
       {"seconds", s.seconds}});
  }
  const BalancePlan & plan = result.plan;
  return {
    {"name", plan.name},
    {"fingerprint", plan.fingerprint},
    {"verdict", to_string(plan.verdict)},
    {"duration", plan.duration()},
    {"cost", plan.cost},
    {"cost_without_volts", plan.cost_published},
    {"start_tilt", q.start_tilt},
    {"largest_tilt", q.largest_tilt},
    {"end_tilt", q.end_tilt},
    {"largest_voltage", q.largest_voltage},
    {"largest_displacement", q.largest_displacement},
    {"end_displacement", q.end_displacement},
    {"end_speed", q.end_speed},
    {"end_turn", q.end_turn},
    {"seconds", result.seconds},
    {"stages", stages}};
}

nlohmann::json trial_json(const BalanceTrial & t, std::uint64_t number)
{
  return {
    {"trial", number},
    {"stood", t.stood},
    {"reason", to_string(t.finding)},
    {"time", t.time},
    {"largest_volts", t.largest_volts},
    {"largest_tilt", t.largest_tilt},
    {"held_tilt", t.held_tilt},
    {"held_distance", t.held_distance}};
}

std::string outcome_of(const BalanceTrial & t)
{
  return t.stood ? coloured(stdout, Colour::green, "stands")
                 : coloured(stdout, Colour::red, fmt::format("falls at {:.3f} s", t.time)) + " (" +
                     describe(t.finding) + ")";
}

void print_trial(const BalanceTrial & t, const BalanceTrialSettings & settings, double hold_time)
{
  fmt::print(
    "played on {} (parameters up to {:g} % wrong, {:g} counts per turn, seed {}): {}\n", t.engine,
    100.0 * settings.model_error, settings.plant.counts_per_turn, settings.seed, outcome_of(t));
  fmt::print(
    "  largest voltage {:.2f} V, P at most {:.1f} mm from home", t.largest_volts,
    1e3 * t.largest_distance);
  if (t.stood && hold_time > 1.0)
  {
    fmt::print(
      "; held for {:g} s, the last {:g} of them within {:.3f} degrees and {:.2f} mm", hold_time,
      std::max(0.0, hold_time - 1.0), t.held_tilt / degree, 1e3 * t.held_distance);
  }
  fmt::print("\n");
}

}  // namespace fivebar_control::cli
