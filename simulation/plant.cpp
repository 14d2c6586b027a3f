// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/simulation/plant.hpp"

#include <filesystem>
#include <iterator>

#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/support/yaml_map.hpp"

namespace fivebar_control
{
namespace
{

constexpr int schema_version = 1;

NumberRule scale() { return between(0.01, 100.0, "factor"); }

void read_scales(const YamlMap & map, PlantParameters & plant)
{
  map.allow_only(
    {"link_mass", "link_inertia", "rotor_inertia", "motor_damping", "torque_constant",
     "resistance"});
  plant.link_mass_scale = map.number_or("link_mass", scale(), 1.0);
  plant.link_inertia_scale = map.number_or("link_inertia", scale(), 1.0);
  plant.rotor_inertia_scale = map.number_or("rotor_inertia", scale(), 1.0);
  plant.motor_damping_scale = map.number_or("motor_damping", scale(), 1.0);
  plant.torque_constant_scale = map.number_or("torque_constant", scale(), 1.0);
  plant.resistance_scale = map.number_or("resistance", scale(), 1.0);
}

void read_friction(const YamlMap & map, PlantParameters & plant)
{
  map.allow_only({"viscous", "coulomb", "coulomb_velocity"});
  if (map.has("viscous"))
  {
    plant.viscous = map.number("viscous", not_negative("N m s/rad"));
  }
  if (map.has("coulomb"))
  {
    plant.coulomb = map.number("coulomb", not_negative("N m"));
  }
  if (map.has("coulomb_velocity"))
  {
    plant.coulomb_velocity = map.number("coulomb_velocity", positive("rad/s"));
  }
}

/// The plant's own robot file; relative to the plant file.
std::shared_ptr<const RobotModel> read_robot(const YamlMap & map)
{
  std::filesystem::path path = map.text("robot");
  if (path.is_relative())
  {
    path = std::filesystem::path(map.file()).parent_path() / path;
  }
  return std::make_shared<const RobotModel>(
    map.judged_at("robot", [&] { return load_robot(path.string()); }));
}

void read_places(const YamlMap & map, PlantParameters & plant)
{
  if (const auto stops = map.optional_map("end_stops"))
  {
    stops->allow_only({"phi1", "phi4"});
    const std::vector<double> phi1 = stops->numbers("phi1", 2, any_number("rad"));
    const std::vector<double> phi4 = stops->numbers("phi4", 2, any_number("rad"));
    if (!(phi1[0] < phi1[1] && phi4[0] < phi4[1]))
    {
      map.fail("end_stops", "expected angles [lowest, highest] in rad, the first below the second");
    }
    plant.end_stops = {Eigen::Vector2d(phi1[0], phi4[0]), Eigen::Vector2d(phi1[1], phi4[1])};
  }
  if (const auto start = map.optional_map("start"))
  {
    start->allow_only({"phi1", "phi4"});
    plant.start = Eigen::Vector2d(
      start->number("phi1", any_number("rad")), start->number("phi4", any_number("rad")));
  }
}

PlantParameters read_plant(const YamlMap & map)
{
  map.allow_only(
    {"schema", "name", "robot", "scale", "friction", "supply_voltage", "encoder", "delay_cycles",
     "integration_step", "watchdog_time", "start", "end_stops", "wiring", "belt", "zero_volts"});
  map.integer("schema", 1, schema_version);
  PlantParameters plant;
  plant.name = map.text_or("name", "unnamed");
  if (map.has("robot"))
  {
    plant.robot = read_robot(map);
  }
  if (const auto scales = map.optional_map("scale"))
  {
    read_scales(*scales, plant);
  }
  if (const auto friction = map.optional_map("friction"))
  {
    read_friction(*friction, plant);
  }
  plant.supply_voltage = map.number_or("supply_voltage", positive("V"), plant.supply_voltage);
  if (const auto encoder = map.optional_map("encoder"))
  {
    std::vector<std::string> keys{"counts_per_turn", "noise", "seed"};
    keys.insert(keys.end(), std::begin(encoder_fault_keys), std::end(encoder_fault_keys));
    encoder->allow_only(keys);
    plant.counts_per_turn =
      encoder->number_or("counts_per_turn", between(1.0, 1e12, "counts"), plant.counts_per_turn);
    plant.angle_noise = encoder->number_or("noise", not_negative("rad"), 0.0);
    plant.seed = static_cast<std::uint64_t>(encoder->integer_or("seed", 0, 2147483647, 1));
    plant.faults.encoder = read_encoder_faults(*encoder);
  }
  plant.delay_cycles = map.integer_or("delay_cycles", 0, PlantParameters::longest_delay, 0);
  plant.integration_step =
    map.number_or("integration_step", between(1e-7, 1e-3, "s"), plant.integration_step);
  plant.watchdog_time =
    map.number_or("watchdog_time", between(1e-3, 10.0, "s"), plant.watchdog_time);
  if (const auto wiring = map.optional_map("wiring"))
  {
    plant.faults.wiring = read_wiring(*wiring);
  }
  if (const auto belt = map.optional_map("belt"))
  {
    read_belt(*belt, plant.faults);
  }
  plant.faults.coasts = map.has("zero_volts") && map.choice("zero_volts", {"brake", "coast"}) == 1;
  read_places(map, plant);
  return plant;
}

}  // namespace

PlantParameters load_plant(const std::string & path) { return read_plant(YamlMap::load(path)); }

PlantParameters parse_plant(const std::string & text, const std::string & name)
{
  return read_plant(YamlMap::parse(text, name));
}

Physics<double> plant_physics(const RobotModel & robot, const PlantParameters & plant)
{
  Physics<double> physics = plant.robot ? plant.robot->physics() : robot.physics();
  for (Link<double> & link : physics.links)
  {
    link.mass *= plant.link_mass_scale;
    link.inertia *= plant.link_inertia_scale;
  }
  for (Motor<double> & motor : physics.motors)
  {
    motor.rotor_inertia *= plant.rotor_inertia_scale;
    motor.damping *= plant.motor_damping_scale;
    motor.torque_constant *= plant.torque_constant_scale;
    motor.resistance *= plant.resistance_scale;
  }
  for (Friction<double> & friction : physics.friction)
  {
    friction.viscous = plant.viscous.value_or(friction.viscous);
    friction.coulomb = plant.coulomb.value_or(friction.coulomb);
    friction.coulomb_velocity = plant.coulomb_velocity.value_or(friction.coulomb_velocity);
  }
  return physics;
}

Eigen::Vector2d back_emf_of(const Physics<double> & physics)
{
  const auto constant = [](const Motor<double> & motor) {
    return motor.gear_ratio * motor.back_emf_constant;
  };
  return {constant(physics.motors[0]), constant(physics.motors[1])};
}

}  // namespace fivebar_control
