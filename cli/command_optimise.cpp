// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands.hpp"
#include "fivebar_control/multibody/mechanism_file.hpp"
#include "fivebar_control/multibody/optimise.hpp"
#include "fivebar_control/multibody/series.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/errors.hpp"
#include "notes.hpp"
#include "output_file.hpp"
#include "terminal.hpp"

namespace fivebar_control::cli
{
namespace
{

using namespace multibody;  // NOLINT(google-build-using-namespace)

struct OptimiseArguments
{
  std::string file, solver = "gauss-newton", method = "discrete-adjoint", formulation;
  std::vector<std::string> overrides, stages;
  std::string out, json_file, series_file;
  OptimisationLimits limits;
};

const char * word(OptimisationEnd end)
{
  switch (end)
  {
    case OptimisationEnd::converged:
      return "converged";
    case OptimisationEnd::stalled:
      return "stalled";
    case OptimisationEnd::iterations:
      return "evaluation limit";
  }
  return "?";
}

/// One stage and how it went.
struct Stage
{
  MechanismFile file;
  Optimisation result;
  double seconds = 0.0;
};

std::vector<MechanismOverride> parsed(const std::vector<std::string> & texts)
{
  std::vector<MechanismOverride> overrides;
  for (const std::string & text : texts)
  {
    overrides.push_back(parse_override(text));
  }
  return overrides;
}

/// Those of the command line, else the file's, else one that changes nothing.
std::vector<std::vector<MechanismOverride>> stages_of(
  const OptimiseArguments & arguments, const std::vector<MechanismOverride> & common)
{
  std::vector<std::vector<MechanismOverride>> stages;
  for (const std::string & text : arguments.stages)
  {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin < text.size();)
    {
      const std::size_t end = std::min(text.find(';', begin), text.size());
      parts.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    stages.push_back(parsed(parts));
  }
  if (stages.empty())
  {
    stages = load_mechanism(arguments.file, common).stages;
  }
  if (stages.empty())
  {
    stages.emplace_back();
  }
  return stages;
}

Optimisation solve(const OptimiseArguments & arguments, const MechanismFile & file)
{
  const Problem & problem = file.problem;
  if (problem.parameters() == 0)
  {
    throw InputError({arguments.file}, "there are no parameters to be found");
  }
  return concerning(arguments.file, [&] {
    if (arguments.solver == "gauss-newton")
    {
      const std::string reason = riccati_obstacle(problem, file.settings);
      if (!reason.empty())
      {
        fmt::print("dense Gauss-Newton, because {}\n", reason);
      }
      return reason.empty() ? riccati_gauss_newton(problem, file.settings, arguments.limits)
                            : gauss_newton(problem, file.settings, arguments.limits);
    }
    return quasi_newton(
      problem, file.settings, *method_named(arguments.method), arguments.limits,
      arguments.solver == "slsqp" ? QuasiNewton::slsqp : QuasiNewton::lbfgs);
  });
}

void print_result(const Stage & stage)
{
  const Optimisation & result = stage.result;
  const std::vector<std::string> & names = stage.file.problem.parameter_names;
  constexpr std::size_t most = 12;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i)
  {
    fmt::print("  {:40} = {:.10g}\n", names[i], result.rho(static_cast<Eigen::Index>(i)));
  }
  if (names.size() > most)
  {
    fmt::print("  ... {} more (--out, --json)\n", names.size() - most);
  }
  const bool good = result.converged;
  fmt::print(
    "{}: cost {:.10g} after {} iterations, {} evaluations, {:.3f} s; largest gradient {:.3g}, "
    "largest parameter {:.6g}\n",
    coloured(stdout, good ? Colour::green : Colour::red, word(result.end)), result.cost,
    result.iterations, result.evaluations, stage.seconds, result.gradient,
    result.rho.cwiseAbs().maxCoeff());
}

std::string values_as_csv(const Stage & stage)
{
  std::string text = "parameter,value\n";
  for (Eigen::Index i = 0; i < stage.result.rho.size(); ++i)
  {
    text += fmt::format(
      "{},{}\n", stage.file.problem.parameter_names[static_cast<std::size_t>(i)],
      stage.result.rho(i));
  }
  return text;
}

nlohmann::json to_json(const std::vector<Stage> & stages, const OptimiseArguments & arguments)
{
  nlohmann::json list = nlohmann::json::array();
  for (const Stage & stage : stages)
  {
    std::vector<double> costs;
    for (const OptimisationStep & step : stage.result.history)
    {
      costs.push_back(step.cost);
    }
    list.push_back(
      {{"verdict", word(stage.result.end)},
       {"cost", stage.result.cost},
       {"gradient", stage.result.gradient},
       {"iterations", stage.result.iterations},
       {"evaluations", stage.result.evaluations},
       {"seconds", stage.seconds},
       {"history", costs}});
  }
  const Stage & last = stages.back();
  const VectorD & rho = last.result.rho;
  return {
    {"converged", last.result.converged},
    {"verdict", word(last.result.end)},
    {"cost", last.result.cost},
    {"parameters", last.file.problem.parameter_names},
    {"values", std::vector<double>(rho.data(), rho.data() + rho.size())},
    {"solver", arguments.solver},
    {"formulation", name(last.file.settings.formulation)},
    {"stages", list}};
}

int run_optimise(const OptimiseArguments & arguments)
{
  const std::vector<MechanismOverride> common = parsed(arguments.overrides);
  std::vector<Stage> stages;
  for (const auto & changes : stages_of(arguments, common))
  {
    std::vector<MechanismOverride> overrides = common;
    overrides.insert(overrides.end(), changes.begin(), changes.end());
    Stage stage{load_mechanism(arguments.file, overrides), {}, 0.0};
    stage.file.settings.formulation =
      formulation_named(arguments.formulation).value_or(stage.file.settings.formulation);
    if (!stages.empty())
    {
      if (stages.back().result.rho.size() != stage.file.problem.rho.size())
      {
        throw InputError({arguments.file}, "a stage has other parameters than the one before");
      }
      stage.file.problem.rho = stages.back().result.rho;
    }
    if (stages.empty())
    {
      print_notes(stage.file.notes);
    }
    fmt::print("stage {}\n", stages.size() + 1);
    const auto begin = std::chrono::steady_clock::now();
    stage.result = solve(arguments, stage.file);
    stage.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    print_result(stage);
    stages.push_back(std::move(stage));
  }
  const Stage & last = stages.back();
  if (!arguments.out.empty())
  {
    write_file_atomically(output_target(arguments.out), values_as_csv(last));
  }
  if (!arguments.series_file.empty())
  {
    write_file_atomically(
      output_target(arguments.series_file), series_of(last.file, last.result.rho));
  }
  if (!arguments.json_file.empty())
  {
    write_file_atomically(
      output_target(arguments.json_file), to_json(stages, arguments).dump(2) + "\n");
  }
  return last.result.converged ? done : not_converged;
}

std::vector<std::string> names_of_methods()
{
  std::vector<std::string> names;
  for (const Method method : all_methods())
  {
    names.emplace_back(name(method));
  }
  return names;
}

std::vector<std::string> names_of_formulations()
{
  std::vector<std::string> names;
  for (const Formulation formulation : all_formulations())
  {
    names.emplace_back(name(formulation));
  }
  return names;
}

void add_choices(CLI::App & command, OptimiseArguments & arguments)
{
  command.add_option("--solver", arguments.solver, "How to search")
    ->type_name("NAME")
    ->check(CLI::IsMember({"gauss-newton", "lbfgs", "slsqp"}))
    ->capture_default_str();
  command.add_option("--method", arguments.method, "Gradient for lbfgs and slsqp")
    ->type_name("NAME")
    ->check(CLI::IsMember(names_of_methods()))
    ->capture_default_str();
  command
    .add_option(
      "--formulation", arguments.formulation, "Equations of motion, instead of the file's")
    ->type_name("NAME")
    ->check(CLI::IsMember(names_of_formulations()));
  command
    .add_option(
      "--set", arguments.overrides,
      "Replace a value of the file, as path.to.key=value; may be repeated")
    ->type_name("KEY=VALUE")
    ->expected(1)
    ->take_all();
  command
    .add_option(
      "--stage", arguments.stages,
      "Values for one stage, as key=value;key=value; repeated stages start where the one before "
      "ended (default: the file's stages)")
    ->type_name("CHANGES")
    ->expected(1)
    ->take_all();
  command
    .add_option("--max-evaluations", arguments.limits.evaluations, "Simulations in each stage")
    ->type_name("N")
    ->check(CLI::Range(1, 1000000))
    ->capture_default_str();
  command
    .add_option(
      "--gradient", arguments.limits.gradient, "Largest entry of the gradient that counts as zero")
    ->type_name("SIZE")
    ->check(CLI::Range(0.0, 1e300))
    ->capture_default_str();
  command.add_option("--cost", arguments.limits.cost, "A cost that is low enough")
    ->type_name("COST")
    ->check(CLI::Range(0.0, 1e300))
    ->capture_default_str();
}

}  // namespace

void add_optimise(CLI::App & app, int & exit_code)
{
  auto arguments = std::make_shared<OptimiseArguments>();
  CLI::App * command = app.add_subcommand(
    "optimise", "Find parameters or inputs of a mechanism that make its first cost small");
  command->add_option("MECHANISM.yaml", arguments->file, "Mechanism file (docs/sensitivity.md)")
    ->required();
  add_choices(*command, *arguments);
  add_output(*command, "--out", arguments->out, "Write the parameters here (CSV)");
  add_output(*command, "--json", arguments->json_file, "Write the result here (JSON)");
  add_output(*command, "--series", arguments->series_file, "Write the motion here (CSV)");
  command->footer(
    "Parameters are those that the file lists; bounds are kept. gauss-newton needs a cost that is "
    "a\n"
    "sum of squares; where only nodes of inputs are parameters, its work is proportional to their\n"
    "number.\n\n"
    "Examples:\n"
    "  fivebar optimise config/mechanisms/cart_stabilisation.yaml --json result.json\n"
    "  fivebar optimise config/mechanisms/fivebar_springs.yaml --set duration=1 --solver lbfgs\n\n"
    "Exit codes: 0 converged; 2 bad usage or bad file; 3 not converged.");
  arguments->limits.progress = [](int iteration, double cost, double gradient) {
    fmt::print("{:5}  cost {:<18.10g} largest gradient {:.3g}\n", iteration, cost, gradient);
  };
  command->callback([arguments, &exit_code] { exit_code = run_optimise(*arguments); });
}

}  // namespace fivebar_control::cli
