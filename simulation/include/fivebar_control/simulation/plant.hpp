// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "fivebar_control/model/robot_model.hpp"
#include "fivebar_control/simulation/plant_effects.hpp"
#include "fivebar_control/simulation/plant_faults.hpp"

namespace fivebar_control
{

/// How a simulated robot differs from the model that the plan was made with, and what its sensors
/// and amplifier are like. The defaults are the model itself with good electronics.
struct PlantParameters
{
  std::string name = "model";
  /// The robot that it truly is, where that is not the one that was planned for.
  std::shared_ptr<const RobotModel> robot;
  double link_mass_scale = 1.0;
  double link_inertia_scale = 1.0;
  double rotor_inertia_scale = 1.0;
  double motor_damping_scale = 1.0;
  double torque_constant_scale = 1.0;
  double resistance_scale = 1.0;
  // Friction at the driven joints, in place of the robot file's where given.
  std::optional<double> viscous;           ///< N m s/rad
  std::optional<double> coulomb;           ///< N m
  std::optional<double> coulomb_velocity;  ///< rad/s
  /// rad, lowest and highest angles; without a rebound. None: the joints turn freely.
  std::optional<std::array<Eigen::Vector2d, 2>> end_stops;
  double supply_voltage = 24.0;  ///< V that the amplifier has, +-
  double counts_per_turn = 4096.0;
  double angle_noise = 0.0;  ///< rad, standard deviation before quantisation
  std::uint64_t seed = 1;
  static constexpr int longest_delay = 20;
  int delay_cycles = 0;                  ///< from write() to the motors, at most longest_delay
  double integration_step = 5e-5;        ///< s, at most; docs/control.md shows the convergence
  double watchdog_time = 0.1;            ///< s without write() until the board goes to zero volts
  std::optional<Eigen::Vector2d> start;  ///< rad, where the robot stands at first
  PlantFaults faults;                    ///< what is broken or wired wrongly
  PlantEffects effects;                  ///< what the model does not know
};

/// Throws InputError with file, line, column and key.
PlantParameters load_plant(const std::string & path);
PlantParameters parse_plant(const std::string & text, const std::string & name);

/// The physics of `robot`, or of the plant's own robot where it has one, with the plant's
/// deviations.
Physics<double> plant_physics(const RobotModel & robot, const PlantParameters & plant);
/// The robot that the plant is, as a model of its own: for engines that are given a description.
RobotModel plant_model(const RobotModel & robot, const PlantParameters & plant);
/// The drives of the same robot, with the plant's effects. Throws InputError where a drive that
/// yields has a rotor without inertia.
Drives plant_drives(const RobotModel & robot, const PlantParameters & plant);
/// V s/rad of link speed, that the motors generate.
Eigen::Vector2d back_emf_of(const Physics<double> & physics);

}  // namespace fivebar_control
