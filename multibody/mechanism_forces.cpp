// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "mechanism_reader.hpp"

namespace fivebar_control::multibody
{

void MechanismReader::read_inputs()
{
  const auto map = yaml_.optional_map("inputs");
  if (!map)
  {
    return;
  }
  for (const std::string & name : map->keys())
  {
    const YamlMap one = map->map(name);
    one.allow_only({"step", "nodes", "zeros"});
    Input input;
    input.step = one.number("step", positive("s"));
    if (one.has("zeros"))
    {
      input.nodes = VectorD::Zero(one.integer("zeros", 1, 1000000));
    }
    else
    {
      const std::vector<double> nodes = one.numbers("nodes", 0, any_number("value"));
      if (nodes.empty())
      {
        one.fail("nodes", "expected at least one value");
      }
      input.nodes =
        Eigen::Map<const VectorD>(nodes.data(), static_cast<Eigen::Index>(nodes.size()));
    }
    inputs_[name] = static_cast<int>(input_signals_.size());
    input_names_.push_back(name);
    input_signals_.push_back(input);
  }
}

/// Calls a member function with each entry of a section and its path.
template <class Read>
void MechanismReader::each(const char * section, Read && read)
{
  if (const auto map = yaml_.optional_map(section))
  {
    for (const std::string & name : map->keys())
    {
      (this->*read)(map->map(name), fmt::format("{}.{}", section, name));
    }
  }
}

void MechanismReader::read_forces()
{
  each("springs", &MechanismReader::read_spring);
  each(
    "torsion_springs",
    mechanism_.space ? &MechanismReader::read_joint_spring : &MechanismReader::read_torsion_spring);
  each("frictions", &MechanismReader::read_friction);
  each("loads", &MechanismReader::read_load);
  each(
    "motors", mechanism_.space ? &MechanismReader::read_joint_motor : &MechanismReader::read_motor);
}

void MechanismReader::read_spring(const YamlMap & one, const std::string & path)
{
  one.allow_only({"between", "stiffness", "rest_length", "damping", "force"});
  Spring spring;
  const auto between = anchors(one, "between");
  spring.a = between[0];
  spring.b = between[1];
  spring.stiffness = value_or(one, path, "stiffness", any_number("N/m"), 0.0);
  spring.rest_length = value_or(one, path, "rest_length", not_negative("m"), 0.0);
  spring.damping = value_or(one, path, "damping", any_number("N s/m"), 0.0);
  spring.force = value_or_input(one, path, "force", any_number("N"));
  mechanism_.springs.push_back(spring);
}

void MechanismReader::read_torsion_spring(const YamlMap & one, const std::string & path)
{
  one.allow_only({"between", "stiffness", "rest_angle", "damping", "torque"});
  TorsionSpring spring;
  const std::vector<std::string> names = one.texts("between", 2);
  const auto angle = [&](const std::string & name) {
    return name == "ground" ? -1 : coordinate(one, "between", name + ".angle");
  };
  spring.a = angle(names[0]);
  spring.b = angle(names[1]);
  spring.stiffness = value_or(one, path, "stiffness", any_number("N m/rad"), 0.0);
  spring.rest_angle = value_or(one, path, "rest_angle", any_number("rad"), 0.0);
  spring.damping = value_or(one, path, "damping", any_number("N m s/rad"), 0.0);
  spring.torque = value_or_input(one, path, "torque", any_number("N m"));
  mechanism_.torsion_springs.push_back(spring);
}

void MechanismReader::read_friction(const YamlMap & one, const std::string & path)
{
  one.allow_only({"coordinate", "viscous", "coulomb", "width"});
  Friction friction;
  friction.coordinate = coordinate(one, "coordinate", one.text("coordinate"));
  friction.viscous = value_or(one, path, "viscous", not_negative("N s/m or N m s/rad"), 0.0);
  friction.coulomb = value_or(one, path, "coulomb", not_negative("N or N m"), 0.0);
  friction.width = one.has("coulomb") ? value(one, path, "width", positive("m/s or rad/s"))
                                      : value_or(one, path, "width", positive("m/s or rad/s"), 1.0);
  mechanism_.frictions.push_back(friction);
}

void MechanismReader::read_load(const YamlMap & one, const std::string & path)
{
  one.allow_only(
    mechanism_.space ? std::vector<std::string>{"at", "x", "y", "z"}
                     : std::vector<std::string>{"at", "x", "y"});
  Load load;
  load.at = anchor(one, "at", one.text("at"));
  load.x = value_or_input(one, path, "x", any_number("N"));
  load.y = value_or_input(one, path, "y", any_number("N"));
  load.z = value_or_input(one, path, "z", any_number("N"));
  mechanism_.loads.push_back(load);
}

void MechanismReader::read_motor(const YamlMap & one, const std::string & path)
{
  one.allow_only({"shaft", "torque_constant", "back_emf", "resistance", "friction", "voltage"});
  Motor motor;
  motor.shaft = shaft(one);
  motor.torque_constant = value(one, path, "torque_constant", positive("N m/A"));
  motor.back_emf = value(one, path, "back_emf", not_negative("V s/rad"));
  motor.resistance = value(one, path, "resistance", positive("ohm"));
  motor.friction = value_or(one, path, "friction", not_negative("N m s/rad"), 0.0);
  motor.voltage = value_or_input(one, path, "voltage", any_number("V"));
  mechanism_.motors.push_back(motor);
}

}  // namespace fivebar_control::multibody
