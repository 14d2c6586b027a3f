// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "commands.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/planner/planner.hpp"
#include "fivebar_control/studio/plan_outcome.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/config_location.hpp"
#include "fivebar_control/support/errors.hpp"
#include "output_file.hpp"
#include "request_options.hpp"
#include "terminal.hpp"

namespace fivebar_control::cli
{
namespace
{

using nlohmann::json;

struct PlanArguments
{
  std::vector<std::string> curves;
  std::string robot;
  std::string out;
  std::string json_file;
  RequestOptions request;
  bool quiet = false;
};

/// A curve file's outcome and where its plan is.
struct WrittenPlan : PlanOutcome
{
  std::string plan_path;
  int code = done;
};

WrittenPlan plan_and_write(
  const RobotModel & robot, const PlanRequest & request, const std::string & out,
  const Progress & progress)
{
  WrittenPlan written{plan_one(robot, request, progress), out};
  if (written.result)
  {
    save_plan(written.result->plan, output_target(out));
  }
  const int codes[] = {done, bad_usage, not_converged};
  written.code = codes[static_cast<int>(written.end)];
  return written;
}

/// Prints each iteration: on a terminal in one line that is rewritten, otherwise line by line.
class ProgressPrinter
{
public:
  ProgressPrinter(double tolerance, bool quiet)
  : tolerance_(tolerance), terminal_(rewrites_lines(stderr)), quiet_(quiet)
  {
  }

  bool operator()(const Iteration & iteration)
  {
    if (quiet_)
    {
      return true;
    }
    const double cost = iteration.cost.total();
    const double change = previous_ > 0.0 ? std::abs(previous_ - cost) / previous_ : 1.0;
    previous_ = cost;
    if (!terminal_)
    {
      fmt::print(
        stderr,
        "stage {} iteration {:3d}  J = {:.10e}  |dJ/du| = {:.2e}  step {:.3g}  bounds {}{}\n",
        iteration.stage + 1, iteration.number, cost, iteration.projected_gradient,
        iteration.step_length, iteration.active_bounds, iteration.bounded ? "" : "  (released)");
      return true;
    }
    const double done =
      std::clamp(std::log(std::max(change, 1e-300)) / std::log(tolerance_), 0.0, 1.0);
    const auto filled = static_cast<std::size_t>(std::lround(20.0 * done));
    fmt::print(
      stderr, "\r[{}{}] stage {} iteration {:3d}  J = {:.6e}\033[K", std::string(filled, '#'),
      std::string(20 - filled, '.'), iteration.stage + 1, iteration.number, cost);
    return true;
  }

  void finish() const
  {
    if (!quiet_ && terminal_)
    {
      fmt::print(stderr, "\r\033[K");
    }
  }

private:
  double tolerance_;
  bool terminal_;
  bool quiet_;
  double previous_ = 0.0;
};

std::string default_output(const std::string & curve)
{
  return std::filesystem::path(curve).stem().string() + ".plan.csv";
}

json iteration_json(const Iteration & i)
{
  return {{"stage", i.stage + 1},         {"iteration", i.number},
          {"cost", i.cost.total()},       {"projected_gradient", i.projected_gradient},
          {"step_length", i.step_length}, {"active_bounds", i.active_bounds},
          {"bounded", i.bounded}};
}

json bound_json(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

json outcome_json(const std::string & curve, const WrittenPlan & outcome)
{
  if (!outcome.result)
  {
    return {{"file", curve}, {"error", outcome.error}};
  }
  const PlanResult & r = *outcome.result;
  const Plan & p = r.plan;
  const PlanQuality & q = p.quality;
  const CostParts & parts = r.history.back().cost;
  json history = json::array();
  for (const Iteration & iteration : r.history)
  {
    history.push_back(iteration_json(iteration));
  }
  return {
    {"file", curve},
    {"plan", outcome.plan_path},
    {"curve", p.curve_name},
    {"robot", p.robot_name},
    {"fingerprint", p.robot_fingerprint},
    {"nodes", p.samples.size()},
    {"time_step", p.time_step},
    {"voltage_limit", bound_json(p.bounds.voltage)},
    {"voltage_rate_limit", bound_json(p.bounds.voltage_rate)},
    {"solver", p.solver},
    {"verdict", to_string(p.verdict)},
    {"iterations", p.iterations},
    {"seconds", r.seconds},
    {"cost", q.cost},
    {"cost_parts",
     {{"position", parts.position},
      {"velocity", parts.velocity},
      {"terminal", parts.terminal},
      {"soft_limit", parts.soft},
      {"rate", parts.rate}}},
    {"projected_gradient", p.projected_gradient},
    {"ise", q.ise},
    {"largest_error", q.largest_error},
    {"largest_error_time", q.largest_error_time},
    {"end_error", q.end_error},
    {"largest_voltage", q.largest_voltage},
    {"first_voltage", q.first_voltage},
    {"first_interval_cost_share", q.first_interval_cost_share},
    {"accuracy_missed", !outcome.shortcoming.empty()},
    {"warnings", r.warnings},
    {"history", history}};
}

void print_summary(const WrittenPlan & outcome, const PlanRequest & request)
{
  const PlanResult & r = *outcome.result;
  const Plan & p = r.plan;
  const PlanQuality & q = p.quality;
  const CostParts & parts = r.history.back().cost;
  const char * guess = request.guess == InitialGuess::zero ? "zero" : "inverse dynamics";
  fmt::print(
    "{} on {}\n"
    "  {} after {} iterations, {:.2f} ms ({} from {}, {} nodes of {:.4g} s)\n"
    "  cost J            {:.6e}  (position {:.3e}, velocity {:.3e}, end {:.3e}, soft {:.3e}, rate "
    "{:.3e})\n"
    "  |dJ/du|           {:.2e} m^2/V (projected on the bounds)\n"
    "  ISE to the curve  {:.4e} m^2 s\n"
    "  largest error     {:.4g} mm at t = {:.4g} s; at the end {:.4g} mm\n",
    p.curve_name, p.robot_name, to_string(p.verdict), p.iterations, 1e3 * r.seconds, p.solver,
    guess, p.samples.size(), p.time_step, q.cost, parts.position, parts.velocity, parts.terminal,
    parts.soft, parts.rate, p.projected_gradient, q.ise, 1e3 * q.largest_error,
    q.largest_error_time, 1e3 * q.end_error);
  fmt::print(
    "  largest voltage   {:.4g} V{}\n", q.largest_voltage,
    std::isfinite(p.bounds.voltage) ? fmt::format(" (limit {:.4g} V)", p.bounds.voltage)
                                    : std::string(" (no limit)"));
  if (outcome.rehearsed)
  {
    fmt::print(
      "  drives            the feedforward knows them: ISE {:.3e} m^2 s of the model with drives, "
      "{:.3e} without\n",
      outcome.rehearsed->second, outcome.rehearsed->first);
  }
  fmt::print("  plan              {}\n", output_name(outcome.plan_path));
}

void print_warnings(const WrittenPlan & outcome)
{
  for (const std::string & warning : outcome.result->warnings)
  {
    fmt::print(
      stderr, "{} {}: {}\n", coloured(stderr, Colour::yellow, "warning:"),
      outcome.result->plan.curve_name, warning);
  }
  if (!outcome.shortcoming.empty())
  {
    fmt::print(
      stderr, "{} {}: {}\n", coloured(stderr, Colour::red, "fivebar:"),
      outcome.result->plan.curve_name, outcome.shortcoming);
  }
}

int plan_single(const PlanArguments & arguments, const RobotModel & robot)
{
  const std::string & curve = arguments.curves.front();
  const PlanRequest request = arguments.request.apply(load_plan_request(curve));
  const std::string out = arguments.out.empty() ? default_output(curve) : arguments.out;
  ProgressPrinter printer(request.options.tolerance, arguments.quiet);
  const WrittenPlan outcome =
    plan_and_write(robot, request, out, [&](const Iteration & i) { return printer(i); });
  printer.finish();
  if (!outcome.result)
  {
    fmt::print(
      stderr, "{} {}: {}\n", coloured(stderr, Colour::red, "fivebar:"), curve, outcome.error);
    return outcome.code;
  }
  if (!arguments.quiet)
  {
    print_summary(outcome, request);
  }
  print_warnings(outcome);
  if (!arguments.json_file.empty())
  {
    write_file_atomically(
      output_target(arguments.json_file), outcome_json(curve, outcome).dump(2) + "\n");
  }
  return outcome.code;
}

void print_line(const std::string & curve, const WrittenPlan & outcome, bool quiet)
{
  if (!outcome.result)
  {
    fmt::print(
      stderr, "{} {}: {}\n", coloured(stderr, Colour::red, "fivebar:"), curve, outcome.error);
    return;
  }
  const Plan & p = outcome.result->plan;
  if (!quiet)
  {
    fmt::print(
      "{:24} {:15} {:3d} iterations {:8.2f} ms  J = {:.6e}  largest error {:8.4f} mm  {}\n",
      p.curve_name, to_string(p.verdict), p.iterations, 1e3 * outcome.result->seconds,
      p.quality.cost, 1e3 * p.quality.largest_error, outcome.plan_path);
  }
  print_warnings(outcome);
}

/// Plans all, on all cores; one line each as they finish.
std::vector<WrittenPlan> plan_in_parallel(
  const PlanArguments & arguments, const RobotModel & robot,
  const std::vector<PlanRequest> & requests, const std::filesystem::path & folder)
{
  std::vector<WrittenPlan> outcomes(requests.size());
  std::atomic<std::size_t> next{0};
  std::mutex printing;
  const auto work = [&] {
    for (std::size_t i = next++; i < requests.size(); i = next++)
    {
      const std::string out = (folder / default_output(arguments.curves[i])).string();
      try
      {
        outcomes[i] = plan_and_write(robot, requests[i], out, {});
      }
      catch (const InputError & error)
      {
        outcomes[i].error = error.what();
        outcomes[i].code = bad_usage;
        outcomes[i].result.reset();
      }
      const std::lock_guard lock(printing);
      print_line(arguments.curves[i], outcomes[i], arguments.quiet);
    }
  };
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < std::min(cores, requests.size()); ++i)
  {
    threads.emplace_back(work);
  }
  for (std::thread & thread : threads)
  {
    thread.join();
  }
  return outcomes;
}

int plan_many(const PlanArguments & arguments, const RobotModel & robot)
{
  if (arguments.out == "-")
  {
    throw InputError("--out: several curves need a folder; standard output takes one plan");
  }
  const std::filesystem::path folder = arguments.out.empty() ? "." : arguments.out;
  std::filesystem::create_directories(folder);
  std::vector<PlanRequest> requests;
  for (const std::string & curve : arguments.curves)
  {
    requests.push_back(arguments.request.apply(load_plan_request(curve)));
  }
  const std::vector<WrittenPlan> outcomes = plan_in_parallel(arguments, robot, requests, folder);
  int code = done;
  json plans = json::array();
  for (std::size_t i = 0; i < outcomes.size(); ++i)
  {
    plans.push_back(outcome_json(arguments.curves[i], outcomes[i]));
    code = outcomes[i].code == bad_usage || code == done ? outcomes[i].code : code;
  }
  if (!arguments.json_file.empty())
  {
    write_file_atomically(
      output_target(arguments.json_file), json{{"plans", plans}}.dump(2) + "\n");
  }
  return code;
}

}  // namespace

void add_plan(CLI::App & app, int & exit_code)
{
  auto arguments = std::make_shared<PlanArguments>();
  CLI::App * command =
    app.add_subcommand("plan", "Compute the motor voltages with which the robot follows a curve");
  command->add_option("CURVE.yaml", arguments->curves, "Curve files, such as config/curves/b.yaml")
    ->required();
  command->add_option("--robot", arguments->robot, robot_text)->type_name("FILE.yaml");
  add_output(
    *command, "--out", arguments->out,
    "Plan to write; with several curves the folder for them (default: CURVE.plan.csv here)");
  add_output(
    *command, "--json", arguments->json_file, "Write figures and the solver's history here (JSON)");
  arguments->request.add_to(*command);
  command->add_flag("--quiet", arguments->quiet, "Print warnings and errors only");
  command->footer(
    "docs/planning.md explains the weights and the keys of curve files.\n\n"
    "Examples:\n"
    "  fivebar plan config/curves/b.yaml --out b.plan.csv\n"
    "  fivebar plan config/curves/c.yaml --guess zero --voltage-limit none --json c.json\n"
    "  fivebar plan config/curves/*.yaml --out plans/\n\n"
    "Exit codes: 0 converged; 2 bad usage, bad file, a curve out of reach or a motion that "
    "'fivebar\n"
    "run' would refuse (nothing is written); 3 not converged, or further from the curve than its\n"
    "'accuracy' (the plan is written all the same).");
  command->callback([arguments, &exit_code] {
    const RobotModel robot = load_robot(given_or_config(arguments->robot, "robot.yaml"));
    exit_code =
      arguments->curves.size() == 1 ? plan_single(*arguments, robot) : plan_many(*arguments, robot);
  });
}

}  // namespace fivebar_control::cli
