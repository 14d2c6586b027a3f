// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cmath>

#include "fivebar_control/multibody/form.hpp"
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
    if (map.has("minus"))
    {
      result.kind = Quantity::Kind::difference;
      result.other_index = coordinate(map, "minus", map.text("minus"));
    }
    return result;
  }
  if (map.has("joint"))
  {
    const auto [joint, component] = joint_component(map);
    result.kind = Quantity::Kind::joint;
    result.index = joint;
    result.other_index = component;
    return result;
  }
  if (map.has("multiplier"))
  {
    if (!accelerations)
    {
      map.fail("multiplier", "multipliers can be used in running costs only");
    }
    if (!reactions_known_)
    {
      map.fail("multiplier", "the constraints are redundant: their multipliers are not determined");
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
  std::vector<std::string> axes{"x", "y", "z"};
  axes.resize(mechanism_.space ? 3 : 2);
  constexpr std::array kinds{
    Quantity::Kind::anchor_x, Quantity::Kind::anchor_y, Quantity::Kind::anchor_z};
  result.kind = kinds[map.choice("axis", axes)];
  return result;
}

/// Parameters as far as they are read, inputs at the start.
VectorD MechanismReader::provisional_theta() const
{
  VectorD theta(static_cast<Eigen::Index>(nominal_.size() + input_signals_.size()));
  Eigen::Index i = 0;
  for (const auto & number : nominal_)
  {
    theta(i++) = number.value_or(0.0);
  }
  for (const Input & input : input_signals_)
  {
    theta(i++) = input.nodes(0);
  }
  return theta;
}

void MechanismReader::leave_out_redundant(MechanismFile & file, const std::vector<int> & rows) const
{
  std::vector<std::string> names;
  for (const auto & [name, place] : joint_rows_)
  {
    for (const int row : rows)
    {
      if (row >= place.first && row < place.first + place.second)
      {
        names.push_back(name);
        break;
      }
    }
  }
  file.notes.push_back(fmt::format(
    "the constraints are redundant: {} of them repeat what others enforce and are left out (of "
    "{}). "
    "The motion is the same, but how the joints share the reactions cannot be determined.",
    rows.size(), fmt::join(names, ", ")));
}

void MechanismReader::read_modes(MechanismFile & file)
{
  modes_["start"] = 0;
  std::vector<int> left_out;
  file.problem.modes.push_back(make_system(
    mechanism_, Eigen::Map<const VectorD>(start_.data(), static_cast<Eigen::Index>(start_.size())),
    provisional_theta(), left_out));
  if (!left_out.empty())
  {
    leave_out_redundant(file, left_out);
    reactions_known_ = false;
  }
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
    mechanism_.space ? add_closures(one, changed)
                     : read_joints(one, "modes." + name + ".", changed);
    changed.parameters = mechanism_.parameters;
    modes_[name] = static_cast<int>(file.problem.modes.size());
    file.problem.modes.push_back(make_system(changed));
  }
}

Hold MechanismReader::read_hold(const YamlMap & one, const std::string & path)
{
  one.allow_only(
    {"of", "axis", "coordinate", "minus", "rod", "joint", "component", "position", "velocity"});
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
  hold.quantity.near = one.number("position", any_number("m or rad"));
  hold.velocity = value_or(one, path, "velocity", any_number("m/s or rad/s"), 0.0);
  return hold;
}

void MechanismReader::read_initial(MechanismFile & file)
{
  const VectorD estimate =
    Eigen::Map<const VectorD>(start_.data(), static_cast<Eigen::Index>(start_.size()));
  std::vector<Hold> holds = pendulum_holds_;
  const auto initial = yaml_.optional_map("initial");
  if (initial)
  {
    initial->allow_only({"hold", "equilibrium"});
    if (initial->has("equilibrium"))
    {
      if (initial->has("hold") || !initial->boolean_or("equilibrium", false))
      {
        initial->fail("equilibrium", "expected either 'equilibrium: true' or quantities to hold");
      }
      read_equilibrium(file, estimate);
      return;
    }
    const YamlMap held = initial->map("hold");
    for (const std::string & name : held.keys())
    {
      const YamlMap one = held.map(name);
      holds.push_back(read_hold(one, "initial.hold." + name));
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

/// At rest where the forces balance, near the start positions.
void MechanismReader::read_equilibrium(MechanismFile & file, const VectorD & estimate)
{
  const auto & system = file.problem.modes.front();
  file.problem.initial = make_equilibrium(
    system,
    choose_independent(
      *system, {0.0, estimate, VectorD::Zero(estimate.size()), provisional_theta()}),
    estimate);
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
        {"of", "axis", "coordinate", "minus", "multiplier", "joint", "component", "input", "order",
         "target", "power", "weight", "when"});
      CostTerm term;
      term.terminal = one.has("when") && one.choice("when", {"running", "end"}) == 1;
      term.quantity = quantity(one, !term.terminal);
      term.target = one.number_or("target", any_number("of the quantity"), 0.0);
      term.quantity.near = term.target.constant;
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
  if (map.has("at"))
  {
    for (const char * key :
         {"of", "axis", "coordinate", "minus", "joint", "component", "order", "falls_below",
          "rises_above"})
    {
      if (map.has(key))
      {
        map.fail(key, "an event at a given time watches nothing else");
      }
    }
    Quantity time;
    time.kind = Quantity::Kind::time;
    return make_event_function(shared_, time, value(map, path, "at", positive("s")), -1.0);
  }
  Quantity watched = quantity(map, false);
  const bool falls = map.has("falls_below");
  if (falls == map.has("rises_above"))
  {
    map.fail("", "expected either falls_below or rises_above");
  }
  const Value level =
    value(map, path, falls ? "falls_below" : "rises_above", any_number("of the quantity"));
  watched.near = map.number(falls ? "falls_below" : "rises_above", any_number("of the quantity"));
  return make_event_function(shared_, watched, level, falls ? 1.0 : -1.0);
}

namespace
{

const std::vector<std::string> event_keys{"of",          "axis",       "coordinate", "minus",
                                          "joint",       "component",  "order",      "falls_below",
                                          "rises_above", "velocities", "impact",     "mode",
                                          "next_mode",   "at",         "after",      "before"};

}  // namespace

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
      one.allow_only(event_keys);
      Event event;
      event.after = one.number_or("after", not_negative("s"), 0.0);
      event.before = one.number_or("before", positive("s"), HUGE_VAL);
      if (!(event.before > event.after))
      {
        one.fail("before", "expected a time later than 'after'");
      }
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
    map->allow_only(
      {"of", "axis", "coordinate", "minus", "joint", "component", "order", "falls_below",
       "rises_above"});
    file.problem.end = threshold(*map, "end");
  }
}

}  // namespace fivebar_control::multibody
