// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "fivebar_control/multibody/sensitivity.hpp"
#include "mechanism_reader.hpp"

namespace fivebar_control::multibody
{

Quantity MechanismReader::quantity(const YamlMap & map, bool accelerations)
{
  Quantity result;
  result.order = map.integer_or("order", 0, accelerations ? 2 : 1, 0);
  if (map.has("coordinate"))
  {
    result.index = coordinate(map, "coordinate", map.text("coordinate"));
    return result;
  }
  if (map.has("multiplier"))
  {
    if (!accelerations)
    {
      map.fail("multiplier", "multipliers can be used in running costs only");
    }
    const auto found = joint_rows_.find(map.text("multiplier"));
    if (found == joint_rows_.end())
    {
      map.fail("multiplier", fmt::format("there is no rod or joint '{}'", map.text("multiplier")));
    }
    result.kind = Quantity::Kind::multiplier;
    result.index =
      found->second.first + map.integer_or("component", 0, found->second.second - 1, 0);
    return result;
  }
  if (map.has("input"))
  {
    const auto found = inputs_.find(map.text("input"));
    if (found == inputs_.end())
    {
      map.fail("input", fmt::format("there is no input '{}'", map.text("input")));
    }
    result.kind = Quantity::Kind::parameter;
    result.index = static_cast<int>(parameter_paths_.size()) + found->second;
    return result;
  }
  result.anchor = anchor(map, "of", map.text("of"));
  result.kind =
    map.choice("axis", {"x", "y"}) == 0 ? Quantity::Kind::anchor_x : Quantity::Kind::anchor_y;
  return result;
}

void MechanismReader::read_modes(MechanismFile & file)
{
  modes_["start"] = 0;
  file.problem.modes.push_back(make_system(mechanism_));
  const auto map = yaml_.optional_map("modes");
  if (!map)
  {
    return;
  }
  for (const std::string & name : map->keys())
  {
    const YamlMap one = map->map(name);
    one.allow_only({"joints"});
    Mechanism changed = mechanism_;
    read_joints(one, "modes." + name + ".", changed);
    changed.parameters = mechanism_.parameters;
    modes_[name] = static_cast<int>(file.problem.modes.size());
    file.problem.modes.push_back(make_system(changed));
  }
}

void MechanismReader::read_initial(MechanismFile & file)
{
  const VectorD estimate =
    Eigen::Map<const VectorD>(start_.data(), static_cast<Eigen::Index>(start_.size()));
  std::vector<Hold> holds;
  const auto initial = yaml_.optional_map("initial");
  if (initial)
  {
    initial->allow_only({"hold"});
    const YamlMap held = initial->map("hold");
    for (const std::string & name : held.keys())
    {
      const YamlMap one = held.map(name);
      const std::string path = "initial.hold." + name;
      one.allow_only({"of", "axis", "coordinate", "rod", "position", "velocity"});
      Hold hold;
      if (one.has("rod"))
      {
        const auto found = rods_.find(one.text("rod"));
        if (found == rods_.end())
        {
          one.fail("rod", fmt::format("there is no rod '{}'", one.text("rod")));
        }
        hold.quantity.kind = Quantity::Kind::rod_angle;
        hold.quantity.anchor = mechanism_.rods[found->second].from;
        hold.quantity.other = mechanism_.rods[found->second].to;
      }
      else
      {
        hold.quantity = quantity(one, false);
      }
      hold.position = value(one, path, "position", any_number("m or rad"));
      hold.velocity = value_or(one, path, "velocity", any_number("m/s or rad/s"), 0.0);
      holds.push_back(hold);
    }
    const int freedom = file.problem.modes.front()->freedom();
    if (static_cast<int>(holds.size()) != freedom)
    {
      initial->fail(
        "hold", fmt::format(
                  "{} quantities are held, but the mechanism has {} degrees of freedom",
                  holds.size(), freedom));
    }
  }
  else
  {
    // At rest, with the best independent coordinates of the start positions held.
    const VectorD theta = VectorD::Map(file.problem.rho.data(), file.problem.structural);
    VectorD local(file.problem.local_parameters());
    local << theta, VectorD::Zero(local.size() - theta.size());
    for (int index : choose_independent(
           *file.problem.modes.front(), {0.0, estimate, VectorD::Zero(estimate.size()), local}))
    {
      Hold hold;
      hold.quantity.index = index;
      hold.position = estimate(index);
      holds.push_back(hold);
    }
  }
  file.problem.initial = make_initial(shared_, estimate, holds);
}

void MechanismReader::read_costs(MechanismFile & file)
{
  const YamlMap costs = yaml_.map("costs");
  for (const std::string & name : costs.keys())
  {
    std::vector<CostTerm> terms;
    for (const YamlMap & one : costs.maps(name))
    {
      one.allow_only(
        {"of", "axis", "coordinate", "multiplier", "component", "input", "order", "target", "power",
         "weight", "when"});
      CostTerm term;
      term.terminal = one.has("when") && one.choice("when", {"running", "end"}) == 1;
      term.quantity = quantity(one, !term.terminal);
      term.target = one.number_or("target", any_number("of the quantity"), 0.0);
      term.power = one.integer_or("power", 1, 8, 2);
      term.weight = one.number_or("weight", any_number("weight"), 1.0);
      terms.push_back(term);
    }
    if (terms.empty())
    {
      costs.fail(name, "expected at least one term");
    }
    file.problem.costs.push_back(make_cost(shared_, terms));
    file.cost_names.push_back(name);
  }
  if (file.problem.costs.empty())
  {
    yaml_.fail("costs", "expected at least one cost");
  }
}

std::shared_ptr<const EventFunction> MechanismReader::threshold(
  const YamlMap & map, const std::string & path)
{
  const Quantity watched = quantity(map, false);
  const bool falls = map.has("falls_below");
  if (falls == map.has("rises_above"))
  {
    map.fail("", "expected either falls_below or rises_above");
  }
  const Value level =
    value(map, path, falls ? "falls_below" : "rises_above", any_number("of the quantity"));
  return make_event_function(shared_, watched, level, falls ? 1.0 : -1.0);
}

void MechanismReader::read_events(MechanismFile & file)
{
  const auto mode = [&](
                      const YamlMap & map, const std::string & key, const std::string & fallback) {
    const std::string name = map.text_or(key, fallback);
    const auto found = modes_.find(name);
    if (found == modes_.end())
    {
      map.fail(key, fmt::format("there is no mode '{}'", name));
    }
    return found->second;
  };
  if (const auto map = yaml_.optional_map("events"))
  {
    for (const std::string & name : map->keys())
    {
      const YamlMap one = map->map(name);
      one.allow_only(
        {"of", "axis", "coordinate", "order", "falls_below", "rises_above", "velocities", "impact",
         "mode", "next_mode"});
      Event event;
      event.function = threshold(one, "events." + name);
      event.mode = mode(one, "mode", "start");
      event.next_mode = mode(one, "next_mode", one.text_or("mode", "start"));
      if (one.has("impact"))
      {
        one.choice("impact", {"inelastic"});
        event.law = JumpLaw::inelastic_impact;
      }
      if (const auto velocities = one.optional_map("velocities"))
      {
        event.law = JumpLaw::given_velocities;
        for (const std::string & key : velocities->keys())
        {
          event.factors.push_back(
            {coordinate(*velocities, key, key), velocities->number(key, any_number("factor"))});
        }
        const int freedom =
          file.problem.modes[static_cast<std::size_t>(event.next_mode)]->freedom();
        if (static_cast<int>(event.factors.size()) != freedom)
        {
          one.fail(
            "velocities", fmt::format(
                            "{} velocities are given, but the mechanism has {} degrees of freedom",
                            event.factors.size(), freedom));
        }
      }
      file.problem.events.push_back(event);
    }
  }
  if (const auto map = yaml_.optional_map("end"))
  {
    map->allow_only({"of", "axis", "coordinate", "order", "falls_below", "rises_above"});
    file.problem.end = threshold(*map, "end");
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
    settings.integrator =
      static_cast<Integrator>(yaml_.choice("integrator", {"rk4", "trapezoidal", "adaptive"}));
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
  if (yaml_.has("independent"))
  {
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
  if (const auto bounds = yaml_.optional_map("bounds"))
  {
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
}

MechanismFile MechanismReader::read()
{
  yaml_.allow_only({"gravity",   "ground",      "points",
                    "rods",      "bodies",      "shafts",
                    "joints",    "springs",     "torsion_springs",
                    "loads",     "motors",      "inputs",
                    "modes",     "initial",     "parameters",
                    "bounds",    "costs",       "events",
                    "end",       "duration",    "step",
                    "tolerance", "formulation", "integrator",
                    "penalty",   "independent", "threads",
                    "intervals", "description"});
  MechanismFile file;
  try
  {
    read_parameters();
    read_inputs();
    read_places();
    read_rods();
    read_bodies();
    read_joints(yaml_, "", mechanism_);
    read_forces();
    mechanism_.parameters = static_cast<int>(parameter_paths_.size() + input_signals_.size());
    shared_ = std::make_shared<const Mechanism>(mechanism_);
    read_modes(file);
    read_costs(file);
    read_events(file);
    // Positions of the start may be parameters too, so rho is complete only after them.
    file.problem.structural = static_cast<int>(parameter_paths_.size());
    if (yaml_.has("initial"))
    {
      read_initial(file);
      finish(file);
    }
    else
    {
      finish(file);
      read_initial(file);
    }
    read_settings(file);
    const VectorD theta = file.problem.local(0.0, file.problem.rho);
    assemble<double>(*file.problem.modes.front(), *file.problem.initial, theta);
  }
  catch (const MechanismError & error)
  {
    throw InputError({yaml_.file()}, error.what());
  }
  return file;
}

MechanismFile read_mechanism(const YamlMap & yaml) { return MechanismReader(yaml).read(); }

MechanismFile load_mechanism(
  const std::string & path, const std::vector<MechanismOverride> & overrides)
{
  YamlMap yaml = YamlMap::load(path);
  for (const auto & [key, value] : overrides)
  {
    yaml.set(key, value);
  }
  return read_mechanism(yaml);
}

}  // namespace fivebar_control::multibody
