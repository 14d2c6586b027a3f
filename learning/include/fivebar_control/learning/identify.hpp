// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fivebar_control/learning/output_error.hpp"
#include "fivebar_control/model/drives.hpp"

namespace fivebar_control
{

/// What may be found together.
enum class LumpGroup
{
  inertia,  ///< inertias and couplings
  gain,     ///< torque gain of motor 4 against motor 1
  damping,
  coulomb,
  tilt,     ///< gravity in the plane
  moments,  ///< first moments of links 1 and 4, where gravity shows them
  offsets,  ///< of the encoders
};
inline constexpr std::array<LumpGroup, 7> lump_groups{
  LumpGroup::inertia, LumpGroup::gain,    LumpGroup::damping, LumpGroup::coulomb,
  LumpGroup::tilt,    LumpGroup::moments, LumpGroup::offsets};
/// "inertia" and so on, as `--free` takes it.
const char * to_string(LumpGroup group);
LumpGroup group_of(Lump lump);

/// What drives may have beyond the rigid model (drives.hpp). A gap is given, never found.
enum class DriveGroup
{
  elastic,    ///< stiffness, damping and share of the rotor of each drive
  stribeck,   ///< friction at rest
  amplifier,  ///< lag and dead band
};
inline constexpr std::array<DriveGroup, 3> drive_groups{
  DriveGroup::elastic, DriveGroup::stribeck, DriveGroup::amplifier};
const char * to_string(DriveGroup group);

struct IdentifyOptions
{
  /// Nothing: inertia, gain, damping and coulomb, and tilt and moments where the data call for
  /// them.
  std::optional<std::vector<LumpGroup>> free;
  std::optional<int> delay;        ///< cycles; nothing: found
  int longest_delay = 6;           ///< cycles, of the search
  double coulomb_velocity = 1e-3;  ///< rad/s, width of dry friction in the model that is fitted
  int most_iterations = 40;
  /// Effects of the drives that are found in any case.
  std::vector<DriveGroup> drives;
  /// Whether others are added where the data call for them.
  bool extend = true;
  /// Called with a sentence about each step, if given.
  std::function<void(const std::string & sentence)> progress;
};

/// One number of the robot as the data show it.
struct Estimate
{
  std::string name;  ///< of a lump, or of a combination of lumps
  std::string unit;
  double value = 0.0;
  double sigma = 0.0;        ///< standard deviation
  double nominal = 0.0;      ///< the robot file's
  double independent = 0.0;  ///< sigma, if the errors of successive readings were independent
  double half_interval() const { return 1.959963984540054 * sigma; }  ///< of 95 %
};

struct Identification
{
  MotionModel model;
  LumpValues<double> sigma = LumpValues<double>::Zero();  ///< 0: not free
  std::array<bool, lump_count> is_free{};
  std::vector<Lump> at_bound;
  /// The combinations of inertias that motion shows by themselves (docs/learning.md).
  std::vector<Estimate> base;
  std::vector<Estimate> lumps;      ///< the free ones
  std::vector<std::string> unseen;  ///< directions that these data do not show, in words
  double least_known = 0.0;  ///< of all directions: share of a great surprise that is left open
  int delay = 0;             ///< cycles
  MotionModel undelayed;     ///< the rigid fit without the delay that was searched
  std::vector<double> chi_square_of;      ///< by delay, as far as it was searched; per reading
  double chi_square = 0.0;                ///< sum
  double readings = 0.0;                  ///< less the unknowns
  std::vector<double> chi_square_by_log;  ///< per reading
  double start_chi_square = 0.0;          ///< per reading, of the start values
  int iterations = 0;
  bool converged = false;
  double coulomb_velocity = 0.0;                    ///< rad/s
  Drives drives;                                    ///< the robot file's, with what was found
  Eigen::Vector2d rotor = Eigen::Vector2d::Ones();  ///< factors on the inertia, of elastic drives
  std::vector<DriveGroup> drive_groups;             ///< that were found
  std::vector<Estimate> drive_numbers;              ///< of these
  double rigid_chi_square = 0.0;                    ///< per reading, before drives were added

  double reduced() const { return chi_square / readings; }
};

/// Above the first the model does not explain the data well, above the second not at all.
inline constexpr double doubtful_misfit = 1.2;
inline constexpr double hopeless_misfit = 3.0;

/// Whether the data show a robot at all: nothing is at the edge of what is plausible, and no
/// direction is left open.
inline bool is_shown(const Identification & found)
{
  return found.at_bound.empty() && found.least_known < 1.0;
}

/// Finds the robot that makes the recorded motions of the volts that were applied. `robot` is what
/// was known before. Throws InputError if no start was found from which the model gives a motion.
Identification identify(
  const RobotModel & robot, const std::vector<RecordedMotion> & motions,
  const IdentifyOptions & options = {});

/// Readings that the identified model expects of one of the motions that it was found from.
std::vector<Eigen::Vector2d> predicted_readings(
  const RobotModel & robot, const std::vector<RecordedMotion> & motions, std::size_t motion,
  const Identification & found);

/// Least squares on the inverse dynamics of smoothed readings: start values; of the moments only
/// where they are sought.
LumpValues<double> start_values(
  const LumpModel & model, const std::vector<RecordedMotion> & motions, int delay,
  bool with_moments = false);

/// The robot with what was found: a file for `plan`. `coulomb_velocity` is the width of dry
/// friction that planning takes (docs/learning.md). Throws InputError where no real links can have
/// these inertias.
RobotParameters identified_robot(
  const RobotModel & robot, const Identification & found, double coulomb_velocity = 0.02);

}  // namespace fivebar_control
