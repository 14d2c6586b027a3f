// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands.hpp"
#include "fivebar_control/multibody/mechanism_file.hpp"
#include "fivebar_control/multibody/sensitivity.hpp"
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

struct SensitivityArguments
{
  std::string file;
  std::string method = "adjoint";
  std::string formulation;
  std::vector<std::string> overrides;
  std::string json_file, series_file;
  bool check = false;
  int threads = 0;          ///< 0: the file's
  std::string checkpoints;  ///< a number or "auto"
};

struct TimedResult
{
  Gradient gradient;
  double seconds = 0.0;
};

TimedResult compute(
  const MechanismFile & file, const Settings & settings, Method method, const std::string & path)
{
  const auto begin = std::chrono::steady_clock::now();
  TimedResult result;
  result.gradient =
    concerning(path, [&] { return gradient(file.problem, settings, file.problem.rho, method); });
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

nlohmann::json to_json(
  const MechanismFile & file, const TimedResult & result, const Settings & settings, Method method)
{
  nlohmann::json costs = nlohmann::json::array();
  for (Eigen::Index i = 0; i < result.gradient.costs.size(); ++i)
  {
    const VectorD row = result.gradient.gradient.row(i).transpose();
    costs.push_back(
      {{"name", file.cost_names[static_cast<std::size_t>(i)]},
       {"cost", result.gradient.costs(i)},
       {"gradient", std::vector<double>(row.data(), row.data() + row.size())}});
  }
  const VectorD & rho = file.problem.rho;
  return {
    {"cost", costs[0]["cost"]},
    {"gradient", costs[0]["gradient"]},
    {"costs", costs},
    {"parameters", file.problem.parameter_names},
    {"values", std::vector<double>(rho.data(), rho.data() + rho.size())},
    {"method", name(method)},
    {"formulation", name(settings.formulation)},
    {"integrator", integrator_name(settings)},
    {"stored_states", result.gradient.stored_states},
    {"all_states", result.gradient.all_states},
    {"seconds", result.seconds}};
}

void print_gradient(const MechanismFile & file, const TimedResult & result)
{
  for (Eigen::Index i = 0; i < result.gradient.costs.size(); ++i)
  {
    fmt::print(
      "{} = {:.12g}\n", file.cost_names[static_cast<std::size_t>(i)], result.gradient.costs(i));
    for (Eigen::Index k = 0; k < file.problem.rho.size(); ++k)
    {
      fmt::print(
        "  {:40} = {:<16.10g} derivative {:.10g}\n",
        file.problem.parameter_names[static_cast<std::size_t>(k)], file.problem.rho(k),
        result.gradient.gradient(i, k));
    }
  }
}

/// "auto", or how many checkpoints are wanted.
int parse_checkpoints(const std::string & text)
{
  return text == "auto" ? Settings::automatic_checkpoints : std::stoi(text);
}

/// An empty text if `text` can be parsed, else why not.
std::string check_checkpoints(const std::string & text)
{
  const bool number = !text.empty() && text.size() < 9 &&
                      text.find_first_not_of("0123456789") == std::string::npos && text[0] != '0';
  return number || text == "auto" ? "" : "'" + text + "' is neither a positive number nor 'auto'";
}

/// The largest difference of two gradients, relative to the larger entries of each row.
double difference(const MatrixD & a, const MatrixD & b)
{
  double worst = 0.0;
  for (Eigen::Index i = 0; i < b.rows(); ++i)
  {
    const double scale = std::max(b.row(i).cwiseAbs().maxCoeff(), 1e-300);
    worst = std::max(worst, (a.row(i) - b.row(i)).cwiseAbs().maxCoeff() / scale);
  }
  return worst;
}

/// All methods in all formulations against complex steps; where a formulation is discrete in time,
/// against those of its own scheme.
int check_all(const MechanismFile & file, const SensitivityArguments & arguments)
{
  constexpr double bound = 1e-5, difference_bound = 1e-2;
  constexpr double second_order_bound = 1e-3;  // a continuous adjoint of a discrete scheme
  fmt::print("{:10} {:22} {:>12} {:>12}\n", "form", "method", "difference", "time [s]");
  bool agree = true;
  nlohmann::json rows = nlohmann::json::array();
  Settings settings = file.settings;
  settings.formulation = Formulation::index1;
  const MatrixD exact =
    compute(file, settings, Method::complex_step, arguments.file).gradient.gradient;
  for (const Formulation formulation : all_formulations())
  {
    settings.formulation = formulation;
    MatrixD reference = exact;
    if (
      traits(formulation).scheme != nullptr &&
      obstacle(file.problem, settings, Method::complex_step).empty())
    {
      reference = compute(file, settings, Method::complex_step, arguments.file).gradient.gradient;
    }
    for (const Method method : all_methods())
    {
      const std::string reason = obstacle(file.problem, settings, method);
      if (!reason.empty())
      {
        continue;
      }
      const TimedResult result = compute(file, settings, method, arguments.file);
      const double found = difference(result.gradient.gradient, reference);
      const bool numerical =
        method == Method::finite_difference || method == Method::central_difference;
      const bool continuous = method == Method::adjoint && traits(formulation).scheme != nullptr;
      const bool good = found <= (numerical    ? difference_bound
                                  : continuous ? second_order_bound
                                               : bound);
      agree = agree && good;
      fmt::print(
        "{:10} {:22} {:12.1e} {:12.3f}{}\n", name(formulation), name(method), found, result.seconds,
        good ? "" : "  " + coloured(stdout, Colour::red, "DIFFERS"));
      rows.push_back(
        {{"formulation", name(formulation)},
         {"method", name(method)},
         {"difference", found},
         {"seconds", result.seconds},
         {"agrees", good}});
    }
  }
  if (!arguments.json_file.empty())
  {
    write_file_atomically(
      output_target(arguments.json_file),
      nlohmann::json{{"agree", agree}, {"rows", rows}}.dump(2) + "\n");
  }
  return agree ? done : not_converged;
}

int run_sensitivity(const SensitivityArguments & arguments)
{
  std::vector<MechanismOverride> overrides;
  for (const std::string & one : arguments.overrides)
  {
    overrides.push_back(parse_override(one));
  }
  MechanismFile file = load_mechanism(arguments.file, overrides);
  file.settings.formulation =
    formulation_named(arguments.formulation).value_or(file.settings.formulation);
  if (arguments.threads > 0)
  {
    file.settings.threads = arguments.threads;
  }
  print_notes(file.notes);
  if (!arguments.series_file.empty())
  {
    write_file_atomically(output_target(arguments.series_file), concerning(arguments.file, [&] {
                            return series_of(
                              file, file.problem.rho, method_named(arguments.method));
                          }));
  }
  if (arguments.check)
  {
    return check_all(file, arguments);
  }
  if (!arguments.checkpoints.empty())
  {
    file.settings.checkpoints = parse_checkpoints(arguments.checkpoints);
  }
  const Method method = method_named(arguments.method).value_or(Method::adjoint);
  const TimedResult result = compute(file, file.settings, method, arguments.file);
  print_gradient(file, result);
  fmt::print(
    "{}, {}, {}: {:.3f} s\n", name(method), name(file.settings.formulation),
    integrator_name(file.settings), result.seconds);
  if (file.settings.checkpoints != 0)
  {
    fmt::print(
      "stored at one time: {} of {} states\n", result.gradient.stored_states,
      result.gradient.all_states);
  }
  if (!arguments.json_file.empty())
  {
    write_file_atomically(
      output_target(arguments.json_file),
      to_json(file, result, file.settings, method).dump(2) + "\n");
  }
  return done;
}

void add_choices(CLI::App & command, SensitivityArguments & arguments)
{
  std::vector<std::string> methods, formulations;
  for (const Method method : all_methods())
  {
    methods.emplace_back(name(method));
  }
  for (const Formulation formulation : all_formulations())
  {
    formulations.emplace_back(name(formulation));
  }
  command.add_option("--method", arguments.method, "Sensitivity method")
    ->type_name("NAME")
    ->check(CLI::IsMember(methods))
    ->capture_default_str();
  command
    .add_option(
      "--formulation", arguments.formulation, "Equations of motion, instead of the file's")
    ->type_name("NAME")
    ->check(CLI::IsMember(formulations));
}

}  // namespace

void add_sensitivity(CLI::App & app, int & exit_code)
{
  auto arguments = std::make_shared<SensitivityArguments>();
  CLI::App * command =
    app.add_subcommand("sensitivity", "Compute the cost of a mechanism's motion and its gradient");
  command->add_option("MECHANISM.yaml", arguments->file, "Mechanism file (docs/sensitivity.md)")
    ->required();
  add_choices(*command, *arguments);
  command
    ->add_option(
      "--set", arguments->overrides,
      "Replace a value of the file, as path.to.key=value; may be repeated")
    ->type_name("KEY=VALUE")
    ->expected(1)
    ->take_all();
  command
    ->add_option(
      "--threads", arguments->threads,
      "Threads of the piecewise adjoint and of divide and conquer, instead of the file's")
    ->type_name("N")
    ->check(CLI::Range(1, 256));
  command
    ->add_option(
      "--checkpoints", arguments->checkpoints,
      "Store only so many states of the motion and run the rest again: the same gradient with "
      "less memory; 'auto' takes the square root of the number of steps (adjoint, "
      "discrete-adjoint)")
    ->type_name("N|auto")
    ->check(CLI::Validator(check_checkpoints, "", "checkpoints"));
  add_output(*command, "--json", arguments->json_file, "Write the result here (JSON)");
  add_output(
    *command, "--series", arguments->series_file,
    "Write the motion here (CSV): coordinates, rates, accelerations, multipliers, residuals");
  command->add_flag("--check", arguments->check, "Compare all methods in all formulations")
    ->excludes("--checkpoints");
  command->footer(
    "The gradient is with respect to the parameters that the file lists; units are the file's,\n"
    "SI if it keeps to them.\n\n"
    "Example:\n"
    "  fivebar sensitivity config/mechanisms/fivebar_springs.yaml --method direct --set "
    "duration=1\n"
    "  fivebar sensitivity config/mechanisms/cart_chain.yaml --set pendula=31 --method hadca\n"
    "  fivebar sensitivity config/mechanisms/fivebar_springs.yaml --checkpoints auto\n"
    "  fivebar sensitivity config/mechanisms/fourbar_path.yaml --method direct\n"
    "\n"
    "Exit codes: 0 done; 2 bad usage or bad file; 3 --check found methods that disagree.");
  command->callback([arguments, &exit_code] { exit_code = run_sensitivity(*arguments); });
}

}  // namespace fivebar_control::cli
