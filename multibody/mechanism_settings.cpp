// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "fivebar_control/multibody/sensitivity.hpp"
#include "mechanism_reader.hpp"

namespace fivebar_control::multibody
{

void MechanismReader::read_parameters()
{
  if (!yaml_.has("parameters"))
  {
    return;
  }
  for (const std::string & path : yaml_.texts("parameters", 0))
  {
    if (parameter_index_.count(path) > 0)
    {
      yaml_.fail("parameters", fmt::format("'{}' is listed twice", path));
    }
    if (path.rfind("inputs.", 0) == 0)
    {
      input_parameters_.push_back(path.substr(7));
      continue;
    }
    parameter_index_[path] = static_cast<int>(parameter_paths_.size());
    parameter_paths_.push_back(path);
  }
  nominal_.resize(parameter_paths_.size());
}

/// Fills rho with the numbers that were met on the way, and reads the bounds.
void MechanismReader::finish(MechanismFile & file)
{
  Problem & problem = file.problem;
  problem.structural = static_cast<int>(parameter_paths_.size());
  std::vector<double> rho;
  for (std::size_t i = 0; i < parameter_paths_.size(); ++i)
  {
    if (!nominal_[i])
    {
      yaml_.fail(
        "parameters", fmt::format(
                        "'{}' names no number of this mechanism (like springs.NAME.rest_length)",
                        parameter_paths_[i]));
    }
    rho.push_back(*nominal_[i]);
    problem.parameter_names.push_back(parameter_paths_[i]);
  }
  for (const std::string & wanted : input_parameters_)
  {
    const auto found = inputs_.find(wanted);
    if (found == inputs_.end())
    {
      yaml_.fail("parameters", fmt::format("there is no input '{}'", wanted));
    }
    Input & input = input_signals_[static_cast<std::size_t>(found->second)];
    input.first_parameter = static_cast<int>(rho.size());
    for (Eigen::Index k = 0; k < input.nodes.size(); ++k)
    {
      rho.push_back(input.nodes(k));
      problem.parameter_names.push_back(fmt::format("inputs.{}.{}", wanted, k));
    }
  }
  problem.inputs = input_signals_;
  problem.rho = Eigen::Map<const VectorD>(rho.data(), static_cast<Eigen::Index>(rho.size()));
  read_bounds(problem);
}

void MechanismReader::read_bounds(Problem & problem) const
{
  const auto bounds = yaml_.optional_map("bounds");
  if (!bounds)
  {
    return;
  }
  problem.lower = VectorD::Constant(problem.rho.size(), -HUGE_VAL);
  problem.upper = VectorD::Constant(problem.rho.size(), HUGE_VAL);
  for (const std::string & path : bounds->keys())
  {
    const auto found =
      std::find(problem.parameter_names.begin(), problem.parameter_names.end(), path);
    if (found == problem.parameter_names.end())
    {
      bounds->fail(path, "this is not one of the parameters");
    }
    const std::vector<double> range = bounds->numbers(path, 2, any_number("of the parameter"));
    const auto i = found - problem.parameter_names.begin();
    problem.lower(i) = range[0];
    problem.upper(i) = range[1];
    if (!(range[0] < range[1]))
    {
      bounds->fail(path, "the lower bound must be below the upper one");
    }
  }
}

void MechanismReader::read_settings(MechanismFile & file)
{
  file.problem.duration = yaml_.number("duration", positive("s"));
  Settings & settings = file.settings;
  const auto formulation_names = [] {
    std::vector<std::string> names;
    for (const Formulation formulation : all_formulations())
    {
      names.emplace_back(name(formulation));
    }
    return names;
  }();
  if (yaml_.has("formulation"))
  {
    settings.formulation = all_formulations()[yaml_.choice("formulation", formulation_names)];
  }
  if (yaml_.has("integrator"))
  {
    settings.integrator = static_cast<Integrator>(
      yaml_.choice("integrator", {"rk4", "trapezoidal", "adaptive", "bdf"}));
  }
  settings.step = yaml_.number_or("step", positive("s"), settings.step);
  if (settings.step > file.problem.duration)
  {
    yaml_.fail("step", "the step is longer than the duration");
  }
  if (file.problem.duration / settings.step > 1e7)
  {
    yaml_.fail("step", "more than ten million steps");
  }
  settings.tolerance =
    yaml_.number_or("tolerance", between(1e-15, 1e-1, "relative"), settings.tolerance);
  settings.threads = yaml_.integer_or("threads", 1, 256, settings.threads);
  settings.intervals = yaml_.integer_or("intervals", 1, 1000000, settings.intervals);
  read_penalty(settings);
  read_alpha_method(settings);
  read_independent(file);
}

void MechanismReader::read_stages(MechanismFile & file) const
{
  if (!yaml_.has("stages"))
  {
    return;
  }
  for (const YamlMap & one : yaml_.maps("stages"))
  {
    one.allow_only({"set"});
    std::vector<MechanismOverride> stage;
    for (const std::string & text : one.texts("set", 0))
    {
      stage.push_back(one.judged_at("set", [&] { return parse_override(text); }));
    }
    file.stages.push_back(std::move(stage));
  }
}

void MechanismReader::read_penalty(Settings & settings) const
{
  if (const auto map = yaml_.optional_map("penalty"))
  {
    map->allow_only({"factor", "damping", "frequency", "projection"});
    settings.penalty = map->number_or("factor", positive("alpha"), settings.penalty);
    settings.penalty_damping =
      map->number_or("damping", not_negative("xi"), settings.penalty_damping);
    settings.penalty_frequency =
      map->number_or("frequency", not_negative("1/s"), settings.penalty_frequency);
    settings.projection = map->number_or("projection", positive("scale"), settings.projection);
  }
}

void MechanismReader::read_alpha_method(Settings & settings) const
{
  if (const auto map = yaml_.optional_map("alpha_method"))
  {
    map->allow_only({"spectral_radius", "hht"});
    if (map->has("spectral_radius") && map->has("hht"))
    {
      map->fail("hht", "give either spectral_radius (generalised-alpha) or hht");
    }
    settings.spectral_radius = map->number_or(
      "spectral_radius", between(0.0, 0.999, "of high frequencies"), settings.spectral_radius);
    settings.hht = map->number_or("hht", between(1e-3, 1.0 / 3.0, "alpha"), settings.hht);
  }
}

void MechanismReader::read_independent(MechanismFile & file)
{
  if (!yaml_.has("independent"))
  {
    return;
  }
  Settings & settings = file.settings;
  for (const std::string & one : yaml_.texts("independent", 0))
  {
    settings.independent.push_back(coordinate(yaml_, "independent", one));
  }
  const int freedom = file.problem.modes.front()->freedom();
  if (static_cast<int>(settings.independent.size()) != freedom)
  {
    yaml_.fail(
      "independent", fmt::format(
                       "{} coordinates are named, but the mechanism has {} degrees of freedom",
                       settings.independent.size(), freedom));
  }
}

}  // namespace fivebar_control::multibody
