// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/planner/balance_request.hpp"

#include <fmt/core.h>

#include <cmath>
#include <numbers>

namespace fivebar_control
{
namespace
{

constexpr int schema_version = 1;
constexpr std::size_t most_intervals = 20000;

Eigen::Vector2d read_tilt(const YamlMap & map)
{
  const NumberRule rule = between(-std::numbers::pi, std::numbers::pi, "rad");
  return {map.number("a1", rule), map.number("a2", rule)};
}

BalanceWeights read_weights(const YamlMap & map)
{
  map.allow_only({"position", "tilt", "velocity", "end_position", "volts"});
  BalanceWeights w;
  w.position = map.number_or("position", not_negative("1/(m^2 s)"), w.position);
  w.tilt = map.number_or("tilt", not_negative("1/rad^2"), w.tilt);
  w.velocity = map.number_or("velocity", not_negative("w"), w.velocity);
  w.end_position = map.number_or("end_position", not_negative("1/m^2"), w.end_position);
  w.volts = map.number_or("volts", not_negative("1/(V^2 s)"), w.volts);
  return w;
}

void read_plan(const YamlMap & map, BalanceRequest & request)
{
  map.allow_only({"duration", "time_step", "voltage", "guess", "weights", "stages"});
  request.duration = map.number_or("duration", between(0.01, 100.0, "s"), request.duration);
  request.time_step = map.number_or("time_step", between(1e-4, 0.05, "s"), request.time_step);
  const double count = request.duration / request.time_step;
  if (std::abs(count - std::round(count)) > 1e-6 * count)
  {
    map.fail(
      "duration", fmt::format("expected a whole number of steps of {} s", request.time_step));
  }
  if (request.intervals() > most_intervals || request.intervals() < 2)
  {
    map.fail(
      "time_step", fmt::format("{} steps, expected 2 to {}", request.intervals(), most_intervals));
  }
  if (map.has("voltage"))
  {
    request.bound_by_robot = false;
    if (map.text("voltage") != "none")
    {
      request.bound = map.number("voltage", positive("V, or none"));
    }
  }
  if (map.has("guess") && map.choice("guess", {"upright", "zero"}) == 1)
  {
    request.guess = BalanceGuess::zero;
  }
}

/// Each stage is the one before with what it names.
void read_stages(const YamlMap & map, BalanceRequest & request)
{
  for (const YamlMap & entry : map.maps("stages"))
  {
    entry.allow_only({"a1", "a2", "velocity"});
    BalanceStage stage = request.stages.front();
    stage.tilt = read_tilt(entry);
    stage.weights.velocity = entry.number_or("velocity", not_negative("w"), stage.weights.velocity);
    request.stages.push_back(stage);
  }
  // The first one only held what they share; the plan is for `start`.
  const BalanceStage asked = request.stages.front();
  request.stages.erase(request.stages.begin());
  request.stages.push_back(asked);
}

}  // namespace

std::size_t BalanceRequest::intervals() const
{
  return static_cast<std::size_t>(std::llround(duration / time_step));
}

BalanceRequest read_balance_request(const YamlMap & map)
{
  map.allow_only({"schema", "name", "robot", "pendulum", "start", "plan", "control"});
  if (map.integer("schema", 1, 1000) > schema_version)
  {
    map.fail(
      "schema", fmt::format("this program reads such files up to schema {}", schema_version));
  }
  BalanceRequest request;
  request.name = map.text_or("name", "balance");
  request.robot = map.text_or("robot", "");
  request.pendulum = read_pendulum(map.map("pendulum"));
  const YamlMap start = map.map("start");
  start.allow_only({"a1", "a2"});
  BalanceStage asked;
  asked.tilt = read_tilt(start);
  request.stages = {asked};
  if (const auto plan = map.optional_map("plan"))
  {
    read_plan(*plan, request);
    if (const auto weights = plan->optional_map("weights"))
    {
      request.stages.front().weights = read_weights(*weights);
    }
    if (plan->has("stages"))
    {
      read_stages(*plan, request);
    }
  }
  request.text = map.canonical_text();
  return request;
}

}  // namespace fivebar_control
