// SPDX-License-Identifier: Apache-2.0
#include "request_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "fivebar_control/support/errors.hpp"

namespace fivebar_control::cli
{
namespace
{

std::optional<double> voltage_limit_of(const std::string & text)
{
  if (text == "none")
  {
    return unbounded;
  }
  if (text == "robot")
  {
    return std::nullopt;
  }
  double value = 0.0;
  const char * end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !(value > 0.0) || !std::isfinite(value))
  {
    throw InputError(fmt::format(
      "--voltage-limit: expected a positive number [V], 'none' or 'robot', got '{}'", text));
  }
  return value;
}

}  // namespace

void RequestOptions::add_to(CLI::App & command)
{
  command.add_option("--solver", overrides.solver, "Solver (default: the curve file's)")
    ->check(CLI::IsMember({"riccati", "lbfgs", "mma", "slsqp"}))
    ->type_name("NAME");
  command
    .add_option(
      "--guess", overrides.guess,
      "Voltages to start from; zero is the published way (default: the curve file's)")
    ->check(CLI::IsMember({"inverse-dynamics", "zero"}))
    ->type_name("NAME");
  command
    .add_option(
      "--voltage-limit", voltage_limit,
      "Hard limit [V]; 'robot' is the robot's own (default: the curve file's)")
    ->type_name("V|none|robot");
  command
    .add_option(
      "--time-step", overrides.time_step,
      "Time between voltage nodes [s] (default: the curve file's)")
    ->type_name("S")
    ->check(CLI::PositiveNumber);
  command
    .add_option("--alpha", overrides.alpha, "Weight of the end error (default: the curve file's)")
    ->type_name("A")
    ->check(CLI::Range(0.0, 1.0));
  command
    .add_option(
      "--beta", overrides.beta, "Weight of the velocity error [s^2] (default: the curve file's)")
    ->type_name("B")
    ->check(CLI::NonNegativeNumber);
  command
    .add_option(
      "--gamma", overrides.gamma,
      "Weight of the soft voltage limit [m^2/V^2] (default: the curve file's)")
    ->type_name("G")
    ->check(CLI::NonNegativeNumber);
  command
    .add_option(
      "--soft-voltage", overrides.soft_voltage,
      "Soft voltage limit [V] (default: the curve file's)")
    ->type_name("V")
    ->check(CLI::PositiveNumber);
  command
    .add_option(
      "--rho", overrides.rho,
      "Weight of the voltage rate [m^2 s^2/V^2] (default: the curve file's)")
    ->type_name("R")
    ->check(CLI::NonNegativeNumber);
  command
    .add_option(
      "--max-iterations", overrides.max_iterations,
      "Stop after so many iterations (default: the curve file's)")
    ->type_name("N")
    ->check(CLI::PositiveNumber);
  command
    .add_option(
      "--tolerance", overrides.tolerance,
      "Stop when the cost changes by less than this share (default: the curve file's)")
    ->type_name("T")
    ->check(CLI::Range(1e-16, 1.0));
}

PlanRequest RequestOptions::apply(PlanRequest request) const
{
  RequestOverrides all = overrides;
  if (!voltage_limit.empty())
  {
    all.voltage_limit = voltage_limit_of(voltage_limit);
  }
  return with_overrides(std::move(request), all);
}

}  // namespace fivebar_control::cli
