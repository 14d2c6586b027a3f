// SPDX-License-Identifier: Apache-2.0
#include "mechanism_reader.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "fivebar_control/multibody/chain.hpp"

namespace fivebar_control::multibody
{

Value MechanismReader::registered(const std::string & path, double number)
{
  const auto found = parameter_index_.find(path);
  if (found == parameter_index_.end())
  {
    return number;
  }
  nominal_[static_cast<std::size_t>(found->second)] = number;
  return Value::of_parameter(found->second);
}

Value MechanismReader::value(
  const YamlMap & map, const std::string & path, const std::string & key, const NumberRule & rule)
{
  return registered(path + "." + key, map.number(key, rule));
}

Value MechanismReader::value_or(
  const YamlMap & map, const std::string & path, const std::string & key, const NumberRule & rule,
  double fallback)
{
  return registered(path + "." + key, map.number_or(key, rule, fallback));
}

Value MechanismReader::value_or_input(
  const YamlMap & map, const std::string & path, const std::string & key, const NumberRule & rule)
{
  if (map.has(key))
  {
    const auto found = inputs_.find(map.text(key));
    if (found != inputs_.end())
    {
      return Value::of_parameter(static_cast<int>(parameter_paths_.size()) + found->second);
    }
  }
  NumberRule with_inputs = rule;
  with_inputs.expectation += " or the name of an input";
  return value_or(map, path, key, with_inputs, 0.0);
}

std::array<Value, 2> MechanismReader::pair(
  const YamlMap & map, const std::string & path, const std::string & key, const NumberRule & rule)
{
  const std::vector<double> numbers = map.numbers(key, 2, rule);
  const std::string full = path.empty() ? key : path + "." + key;
  return {registered(full + ".x", numbers[0]), registered(full + ".y", numbers[1])};
}

Anchor MechanismReader::anchor(
  const YamlMap & map, const std::string & key, const std::string & name) const
{
  const auto found = anchors_.find(name);
  if (found == anchors_.end())
  {
    std::vector<std::string> names;
    for (const auto & [known, unused] : anchors_)
    {
      names.push_back(known);
    }
    map.fail(
      key, fmt::format("there is no point '{}'; there are {}", name, fmt::join(names, ", ")));
  }
  return found->second;
}

std::array<Anchor, 2> MechanismReader::anchors(const YamlMap & map, const std::string & key) const
{
  const std::vector<std::string> names = map.texts(key, 2);
  return {anchor(map, key, names[0]), anchor(map, key, names[1])};
}

int MechanismReader::coordinate(
  const YamlMap & map, const std::string & key, const std::string & name) const
{
  const int index = find_coordinate(mechanism_, name);
  if (index < 0)
  {
    map.fail(
      key, fmt::format(
             "there is no coordinate '{}'; there are {}", name,
             fmt::join(mechanism_.coordinate_names, ", ")));
  }
  return index;
}

void MechanismReader::read_moving_parts()
{
  std::vector<std::string> keys{
    "gravity",     "ground",      "bodies",      "joints",       "springs",    "torsion_springs",
    "frictions",   "loads",       "inputs",      "initial",      "parameters", "bounds",
    "costs",       "events",      "end",         "step",         "penalty",    "duration",
    "tolerance",   "formulation", "integrator",  "threads",      "stages",     "modes",
    "independent", "intervals",   "description", "alpha_method", "motors"};
  const bool spatial = yaml_.has("coordinates");
  const std::vector<std::string> planar{"points", "rods", "pendula", "pendulum", "shafts"};
  const std::vector<std::string> space{"coordinates", "reference_point", "opened", "closures"};
  for (const std::string & key : planar)
  {
    if (spatial && yaml_.has(key))
    {
      yaml_.fail(key, "only a planar mechanism, one without 'coordinates', can have this");
    }
  }
  keys.insert(keys.end(), planar.begin(), planar.end());
  keys.insert(keys.end(), space.begin(), space.end());
  yaml_.allow_only(keys);
  read_parameters();
  read_inputs();
  if (spatial)
  {
    read_space();
  }
  else
  {
    for (const std::string & key : space)
    {
      if (yaml_.has(key))
      {
        yaml_.fail(key, "only a spatial mechanism, one with 'coordinates', can have this");
      }
    }
    read_places();
    read_rods();
    read_bodies();
    read_shafts();
    read_pendula();
    read_joints(yaml_, "", mechanism_);
    hang_pendula();
  }
  read_forces();
}

MechanismFile MechanismReader::read()
{
  MechanismFile file;
  try
  {
    read_moving_parts();
    mechanism_.parameters = static_cast<int>(parameter_paths_.size() + input_signals_.size());
    shared_ = std::make_shared<const Mechanism>(mechanism_);
    file.mechanism = shared_;
    file.anchors = anchors_;
    file.input_names = input_names_;
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
    read_stages(file);
    // The work of this check grows with the third power; a long chain cannot be put together
    // wrongly.
    constexpr std::size_t long_chain = 100;
    if (
      file.settings.formulation != Formulation::hadca || mechanism_.bodies.size() < long_chain ||
      !chain_obstacle(mechanism_).empty())
    {
      const VectorD theta = file.problem.local(0.0, file.problem.rho);
      assemble<double>(*file.problem.modes.front(), *file.problem.initial, theta);
    }
  }
  catch (const MechanismError & error)
  {
    throw InputError({yaml_.file()}, error.what());
  }
  return file;
}

MechanismFile read_mechanism(const YamlMap & yaml) { return MechanismReader(yaml).read(); }

MechanismOverride parse_override(const std::string & text)
{
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
  {
    throw InputError(fmt::format("{}: expected path.to.key=value", text));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

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
