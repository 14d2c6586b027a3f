// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/planner/methods/named_gradient.hpp"
#include "fivebar_control/planner/planner.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/config_location.hpp"
#include "fivebar_control/support/errors.hpp"
#include "output_file.hpp"
#include "request_options.hpp"

namespace fivebar_control::cli
{
namespace
{

struct GradientArguments
{
  std::string curve;
  std::string robot;
  std::string method = "discrete-adjoint";
  std::string at = "zero";
  std::string json_file;
  RequestOptions request;
};

struct TimedGradient
{
  std::string method;
  GradientResult result;
  double seconds = 0.0;
};

void fill_voltages(const std::string & at, const TrackingProblem & problem, Trajectory & trajectory)
{
  if (at == "zero")
  {
    return;  // a new trajectory has zero voltages
  }
  const Plan plan = load_plan(at);
  if (plan.samples.size() != problem.nodes())
  {
    throw InputError(fmt::format(
      "{}: the plan has {} nodes, the curve needs {}", at, plan.samples.size(), problem.nodes()));
  }
  std::copy(plan.samples.u1.begin(), plan.samples.u1.end(), trajectory.input[0]);
  std::copy(plan.samples.u4.begin(), plan.samples.u4.end(), trajectory.input[1]);
}

double norm_of(const std::vector<Eigen::Vector2d> & gradient)
{
  double sum = 0.0;
  for (const Eigen::Vector2d & g : gradient)
  {
    sum += g.squaredNorm();
  }
  return std::sqrt(sum);
}

double relative_difference(
  const std::vector<Eigen::Vector2d> & a, const std::vector<Eigen::Vector2d> & b)
{
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i)
  {
    sum += (a[i] - b[i]).squaredNorm();
  }
  return std::sqrt(sum) / norm_of(b);
}

nlohmann::json gradient_json(
  const TimedGradient & gradient, const std::string & curve, double time_step)
{
  std::vector<double> t;
  std::vector<double> g1;
  std::vector<double> g4;
  for (std::size_t i = 0; i < gradient.result.gradient.size(); ++i)
  {
    t.push_back(static_cast<double>(i) * time_step);
    g1.push_back(gradient.result.gradient[i][0]);
    g4.push_back(gradient.result.gradient[i][1]);
  }
  return {
    {"curve", curve},
    {"method", gradient.method},
    {"cost", gradient.result.cost},
    {"gradient_norm", norm_of(gradient.result.gradient)},
    {"seconds", gradient.seconds},
    {"t", t},
    {"du1", g1},
    {"du4", g4}};
}

int run_gradient(const GradientArguments & arguments)
{
  const RobotModel robot = load_robot(given_or_config(arguments.robot, "robot.yaml"));
  const PlanRequest request = arguments.request.apply(load_plan_request(arguments.curve));
  const TrackingProblem problem = concerning(
    arguments.curve, [&] { return make_problem(robot, request, request.stages.back()); });
  Trajectory trajectory;
  trajectory.resize(problem.nodes());
  fill_voltages(arguments.at, problem, trajectory);

  const std::vector<std::string> names = arguments.method == "all"
                                           ? gradient_method_names()
                                           : std::vector<std::string>{arguments.method};
  std::vector<TimedGradient> gradients;
  nlohmann::json all = nlohmann::json::array();
  fmt::print(
    "{:20} {:>22} {:>22} {:>12} {:>14}\n", "method", "cost J", "|dJ/du| [m^2/V]", "time [ms]",
    names.size() > 1 ? "rel. difference" : "");
  for (const std::string & name : names)
  {
    TimedGradient gradient;
    gradient.method = name;
    const auto begin = std::chrono::steady_clock::now();
    gradient.result = concerning(arguments.at, [&] {
      return named_gradient(name, problem, robot, *request.curve, trajectory);
    });
    gradient.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    fmt::print(
      "{:20} {:22.15e} {:22.15e} {:12.3f}", name, gradient.result.cost,
      norm_of(gradient.result.gradient), 1e3 * gradient.seconds);
    if (!gradients.empty())
    {
      fmt::print(
        " {:14.1e}",
        relative_difference(gradient.result.gradient, gradients.front().result.gradient));
    }
    fmt::print("\n");
    all.push_back(gradient_json(gradient, request.name, problem.step));
    gradients.push_back(std::move(gradient));
  }
  if (!arguments.json_file.empty())
  {
    const nlohmann::json content = all.size() == 1 ? all[0] : nlohmann::json{{"gradients", all}};
    write_file_atomically(output_target(arguments.json_file), content.dump() + "\n");
  }
  return done;
}

}  // namespace

void add_gradient(CLI::App & app, int & exit_code)
{
  auto arguments = std::make_shared<GradientArguments>();
  CLI::App * command = app.add_subcommand(
    "gradient", "Compute the gradient of the planning cost by any of six methods");
  command->add_option("CURVE.yaml", arguments->curve, "Curve file")->required();
  command->add_option("--robot", arguments->robot, robot_text)->type_name("FILE.yaml");
  std::vector<std::string> choices = gradient_method_names();
  choices.emplace_back("all");
  command->add_option("--method", arguments->method, "Method, or 'all' to compare them")
    ->type_name("NAME")
    ->check(CLI::IsMember(choices))
    ->capture_default_str();
  command->add_option("--at", arguments->at, "Voltages: 'zero' or those of a plan")
    ->type_name("zero|PLAN.csv")
    ->capture_default_str();
  add_output(*command, "--json", arguments->json_file, "Write cost and gradient here (JSON)");
  arguments->request.add_to(*command);
  command->footer(
    "The gradient is with respect to the voltages at the nodes, in m^2/V. The Hamiltonian methods\n"
    "discretise the continuous adjoint: they differ from the others by the discretisation "
    "error.\n\n"
    "Example:\n"
    "  fivebar gradient config/curves/b.yaml --method all --at b.plan.csv\n\n"
    "Exit codes: 0 done; 2 bad usage or bad file.");
  command->callback([arguments, &exit_code] { exit_code = run_gradient(*arguments); });
}

}  // namespace fivebar_control::cli
