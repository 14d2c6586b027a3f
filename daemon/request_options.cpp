#include "request_options.hpp"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <map>
#include <stdexcept>

#include "fivebar_control/support/file_error.hpp"

namespace fivebar_control::cli
{
namespace
{

const std::map<std::string, SolverKind> solvers{
  {"riccati", SolverKind::riccati},
  {"lbfgs", SolverKind::lbfgs},
  {"mma", SolverKind::mma},
  {"slsqp", SolverKind::slsqp}};

const std::map<std::string, InitialGuess> guesses{
  {"inverse-dynamics", InitialGuess::inverse_dynamics}, {"zero", InitialGuess::zero}};

}  // namespace

void RequestOptions::add_to(CLI::App & command)
{
  command.add_option("--solver", solver, "Solver (default: the curve file's)")
    ->check(CLI::IsMember({"riccati", "lbfgs", "mma", "slsqp"}))
    ->type_name("NAME");
  command
    .add_option(
      "--guess", guess, "First voltages; zero is the published way (default: the curve file's)")
    ->check(CLI::IsMember({"inverse-dynamics", "zero"}))
    ->type_name("NAME");
  command
    .add_option(
      "--voltage-limit", voltage_limit,
      "Hard limit [V]; 'robot' is the robot's own (default: the curve file's)")
    ->type_name("V|none|robot");
  command
    .add_option(
      "--time-step", time_step, "Time between voltage nodes [s] (default: the curve file's)")
    ->type_name("S")
    ->check(CLI::PositiveNumber);
  command.add_option("--alpha", alpha, "Weight of the end error (default: the curve file's)")
    ->type_name("A")
    ->check(CLI::Range(0.0, 1.0));
  command
    .add_option("--beta", beta, "Weight of the velocity error [s^2] (default: the curve file's)")
    ->type_name("B")
    ->check(CLI::NonNegativeNumber);
  command
    .add_option(
      "--gamma", gamma, "Weight of the soft voltage limit [m^2/V^2] (default: the curve file's)")
    ->type_name("G")
    ->check(CLI::NonNegativeNumber);
  command
    .add_option(
      "--soft-voltage", soft_voltage, "Soft voltage limit [V] (default: the curve file's)")
    ->type_name("V")
    ->check(CLI::PositiveNumber);
  command
    .add_option(
      "--rho", rho, "Weight of the voltage rate [m^2 s^2/V^2] (default: the curve file's)")
    ->type_name("R")
    ->check(CLI::NonNegativeNumber);
  command
    .add_option(
      "--max-iterations", max_iterations,
      "Stop after so many iterations (default: the curve file's)")
    ->type_name("N")
    ->check(CLI::PositiveNumber);
  command
    .add_option(
      "--tolerance", tolerance,
      "Relative change of the cost that counts as none (default: the curve file's)")
    ->type_name("T")
    ->check(CLI::Range(1e-16, 1.0));
}

PlanRequest RequestOptions::apply(PlanRequest request) const
{
  if (!solver.empty())
  {
    request.solver = solvers.at(solver);
  }
  if (!guess.empty())
  {
    request.guess = guesses.at(guess);
  }
  if (voltage_limit == "none")
  {
    request.voltage = unbounded;
  }
  else if (voltage_limit == "robot")
  {
    request.voltage.reset();
  }
  else if (!voltage_limit.empty())
  {
    double value = 0.0;
    const char * end = voltage_limit.data() + voltage_limit.size();
    const auto [stop, error] = std::from_chars(voltage_limit.data(), end, value);
    if (error != std::errc() || stop != end || !(value > 0.0) || !std::isfinite(value))
    {
      throw FileError(fmt::format(
        "--voltage-limit: expected a positive number [V], 'none' or 'robot', got '{}'",
        voltage_limit));
    }
    request.voltage = value;
  }
  CostWeights & cost = request.stages.back();
  cost.alpha = alpha.value_or(cost.alpha);
  cost.beta = beta.value_or(cost.beta);
  cost.gamma = gamma.value_or(cost.gamma);
  cost.soft_voltage = soft_voltage.value_or(cost.soft_voltage);
  cost.rho = rho.value_or(cost.rho);
  if (cost.gamma > 0.0 && cost.soft_voltage <= 0.0)
  {
    throw FileError("--gamma: needs --soft-voltage, the voltage above which it counts [V]");
  }
  request.options.max_iterations = max_iterations.value_or(request.options.max_iterations);
  request.options.tolerance = tolerance.value_or(request.options.tolerance);
  if (time_step)
  {
    request.time_step = *time_step;
    try
    {
      request.intervals = count_intervals(request.curve->duration(), request.time_step);
    }
    catch (const std::invalid_argument & error)
    {
      throw FileError(fmt::format("--time-step: {}", error.what()));
    }
  }
  return request;
}

}  // namespace fivebar_control::cli
