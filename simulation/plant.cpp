// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/simulation/plant.hpp"

#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <iterator>
#include <numbers>

#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/support/errors.hpp"
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
  std::vector<std::string> keys{"viscous", "coulomb", "coulomb_velocity"};
  keys.insert(keys.end(), std::begin(friction_effect_keys), std::end(friction_effect_keys));
  map.allow_only(keys);
  read_friction_effects(map, plant.effects);
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

void read_encoder(const YamlMap & map, PlantParameters & plant)
{
  std::vector<std::string> keys{"counts_per_turn", "noise", "seed"};
  keys.insert(keys.end(), std::begin(encoder_fault_keys), std::end(encoder_fault_keys));
  keys.insert(keys.end(), std::begin(encoder_effect_keys), std::end(encoder_effect_keys));
  map.allow_only(keys);
  plant.counts_per_turn =
    map.number_or("counts_per_turn", between(1.0, 1e12, "counts"), plant.counts_per_turn);
  plant.angle_noise = map.number_or("noise", not_negative("rad"), 0.0);
  plant.seed = static_cast<std::uint64_t>(map.integer_or("seed", 0, 2147483647, 1));
  plant.faults.encoder = read_encoder_faults(map);
  read_encoder_effects(map, plant.effects);
}

PlantParameters read_plant(const YamlMap & map)
{
  std::vector<std::string> known{"schema",         "name",          "robot",    "scale",
                                 "friction",       "encoder",       "wiring",   "belt",
                                 "supply_voltage", "delay_cycles",  "start",    "integration_step",
                                 "zero_volts",     "watchdog_time", "end_stops"};
  known.insert(known.end(), std::begin(effect_keys), std::end(effect_keys));
  map.allow_only(known);
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
    read_encoder(*encoder, plant);
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
  read_effects(map, plant.effects);
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
  const Eigen::Vector2d of_this_run = conditions_of(plant.effects.variation).friction;
  for (std::size_t i = 0; i < 2; ++i)
  {
    Friction<double> & friction = physics.friction[i];
    const double factor = of_this_run[static_cast<Eigen::Index>(i)];
    friction.viscous = factor * plant.viscous.value_or(friction.viscous);
    friction.coulomb = factor * plant.coulomb.value_or(friction.coulomb);
    friction.coulomb_velocity = plant.coulomb_velocity.value_or(friction.coulomb_velocity);
    physics.motors[i].damping *= factor;
  }
  return physics;
}

RobotModel plant_model(const RobotModel & robot, const PlantParameters & plant)
{
  RobotParameters parameters = robot.parameters();
  parameters.physics = plant_physics(robot, plant);
  return RobotModel(parameters);
}

Drives plant_drives(const RobotModel & robot, const PlantParameters & plant)
{
  const PlantEffects & effects = plant.effects;
  const RobotModel & true_robot = plant.robot ? *plant.robot : robot;
  const Physics<double> physics = plant_physics(robot, plant);
  const Eigen::Vector2d rotor = rotor_inertia_at_links(physics);
  const AssemblyMode mode = robot.parameters().assembly_mode;
  const Eigen::Vector2d home = robot.parameters().home;
  const Eigen::Vector2d links =
    mass_matrix<double>(lump(physics, mode), home[0], home[1]).diagonal() - rotor;
  const Eigen::Vector2d of_this_run = conditions_of(effects.variation).friction;
  Drives drives = true_robot.parameters().drives;
  for (int i = 0; i < 2; ++i)
  {
    Drive & drive = drives[static_cast<std::size_t>(i)];
    drive.stiffness = effects.stiffness.value_or(drive.stiffness);
    if (effects.frequency)
    {
      drive.stiffness = links[i] * std::pow(2.0 * std::numbers::pi * *effects.frequency, 2);
    }
    drive.damping = effects.damping.value_or(drive.damping);
    if (effects.damping_ratio)
    {
      drive.damping = 2.0 * *effects.damping_ratio * std::sqrt(drive.stiffness * links[i]);
    }
    drive.gap = effects.gap.value_or(drive.gap);
    drive.stribeck = of_this_run[i] * effects.stribeck.value_or(drive.stribeck);
    drive.stribeck_velocity = effects.stribeck_velocity.value_or(drive.stribeck_velocity);
    drive.lag = effects.lag.value_or(drive.lag);
    drive.dead_band = effects.dead_band.value_or(drive.dead_band);
    drive.encoder_on_motor = effects.encoder_on_motor.value_or(drive.encoder_on_motor);
    if (!drive.is_rigid() && !(rotor[i] > 0.0))
    {
      throw InputError(fmt::format(
        "plant '{}': a drive that yields needs a rotor with inertia; motor {} has none", plant.name,
        i == 0 ? 1 : 4));
    }
  }
  return drives;
}

Eigen::Vector2d back_emf_of(const Physics<double> & physics)
{
  const auto constant = [](const Motor<double> & motor) {
    return motor.gear_ratio * motor.back_emf_constant;
  };
  return {constant(physics.motors[0]), constant(physics.motors[1])};
}

}  // namespace fivebar_control
