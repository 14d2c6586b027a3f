// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/planner/request_overrides.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace fivebar_control
{
namespace
{

constexpr std::array<std::pair<const char *, SolverKind>, 4> solvers{{
  {"riccati", SolverKind::riccati},
  {"lbfgs", SolverKind::lbfgs},
  {"mma", SolverKind::mma},
  {"slsqp", SolverKind::slsqp},
}};

constexpr std::array<std::pair<const char *, InitialGuess>, 2> guesses{{
  {"inverse-dynamics", InitialGuess::inverse_dynamics},
  {"zero", InitialGuess::zero},
}};

/// Sets `target` to the value that `name` stands for.
template <class Choices, class Value>
void choose(
  const char * key, const std::optional<std::string> & name, const Choices & choices,
  Value & target)
{
  if (!name)
  {
    return;
  }
  std::string known;
  for (const auto & [text, value] : choices)
  {
    if (*name == text)
    {
      target = value;
      return;
    }
    known += known.empty() ? text : std::string(", ") + text;
  }
  throw InputError::of(key, fmt::format("expected one of {}, got '{}'", known, *name));
}

/// Sets `target` if the number lies within the limits; NaN lies nowhere.
template <class Value>
void replace(
  const char * key, const std::optional<Value> & value, double minimum, double maximum,
  const char * expectation, Value & target)
{
  if (!value)
  {
    return;
  }
  const auto number = static_cast<double>(*value);
  if (!(number >= minimum && number <= maximum))
  {
    throw InputError::of(key, fmt::format("expected {}, got {}", expectation, number));
  }
  target = *value;
}

void replace_weights(const RequestOverrides & o, CostWeights & cost)
{
  constexpr double most = std::numeric_limits<double>::max();
  constexpr double least = std::numeric_limits<double>::min();
  replace("alpha", o.alpha, 0.0, 1.0, "a number from 0 to 1", cost.alpha);
  replace("beta", o.beta, 0.0, most, "a number [s^2], 0 or more", cost.beta);
  replace("gamma", o.gamma, 0.0, most, "a number [m^2/V^2], 0 or more", cost.gamma);
  replace("soft_voltage", o.soft_voltage, least, most, "a positive number [V]", cost.soft_voltage);
  replace("rho", o.rho, 0.0, most, "a number [m^2 s^2/V^2], 0 or more", cost.rho);
  if (cost.gamma > 0.0 && cost.soft_voltage <= 0.0)
  {
    throw InputError::of("gamma", "needs a soft voltage, the voltage above which it counts [V]");
  }
}

}  // namespace

PlanRequest with_overrides(PlanRequest request, const RequestOverrides & overrides)
{
  choose("solver", overrides.solver, solvers, request.solver);
  choose("guess", overrides.guess, guesses, request.guess);
  if (overrides.voltage_limit)
  {
    const std::optional<double> & limit = *overrides.voltage_limit;
    if (limit && !(*limit > 0.0))
    {
      throw InputError::of(
        "voltage_limit", fmt::format("expected a positive number [V], got {}", *limit));
    }
    request.voltage = limit;
  }
  replace_weights(overrides, request.stages.back());
  replace(
    "max_iterations", overrides.max_iterations, 1.0, 1e9, "a positive number",
    request.options.max_iterations);
  replace(
    "tolerance", overrides.tolerance, 1e-16, 1.0, "a number from 1e-16 to 1",
    request.options.tolerance);
  if (overrides.time_step)
  {
    replace(
      "time_step", overrides.time_step, std::numeric_limits<double>::min(),
      std::numeric_limits<double>::max(), "a positive number [s]", request.time_step);
    try
    {
      request.intervals = count_intervals(request.curve->duration(), request.time_step);
    }
    catch (const InputError & error)
    {
      throw InputError::of("time_step", error.what());
    }
  }
  return request;
}

}  // namespace fivebar_control
