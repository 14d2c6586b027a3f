// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fivebar_control/learning/identify.hpp"
#include "fivebar_control/plan/plan.hpp"

namespace fivebar_control
{

/// A motion that shows a robot's parameters: how long, how bold, what for.
struct ExciteOptions
{
  /// What it is for; empty: inertia, gain, damping and coulomb.
  std::vector<LumpGroup> for_groups;
  double duration = 5.0;  ///< s
  double ramp = 0.5;      ///< s, from rest to the full series and back
  int counts_per_turn = 4096;
  double noise = 0.0;    ///< rad, of the encoders before rounding
  double rate = 1000.0;  ///< Hz of the loop that will play it
  /// Shares of the robot's limits; the rest is left to the feedback, which has to make up for what
  /// the robot file does not know.
  double volts_share = 0.6, speed_share = 0.8;
  double clearance = 0.1;  ///< rad from joint ranges, and in the sines of both singularity margins
  std::uint64_t seed = 1;
  int most_motions = 1500;  ///< that are tried
  std::string name = "excitation";
};

/// How well one run should show one parameter.
struct ExpectedSigma
{
  std::string name, unit;
  double sigma = 0.0;      ///< standard deviation
  double reference = 0.0;  ///< what it is a share of
  bool wanted = true;      ///< one that the motion was made for
  double share() const { return sigma / reference; }
};

struct Excitation
{
  Plan plan;
  std::vector<ExpectedSigma> expected;
  int motions = 0;           ///< tried
  double first_worst = 0.0;  ///< the worst share before the search
  bool cancelled = false;
  /// The largest share of the wanted.
  double worst() const;
};

/// After each round of the search: motions tried so far, worst share so far; false ends it.
using ExciteProgress = std::function<bool(int motions, double worst)>;

/// The motion from rest to rest that makes the worst relative standard deviation of the wanted
/// parameters small, within the limits. Throws InputError where there is no room to move.
Excitation excite(
  const RobotModel & robot, const ExciteOptions & options, const ExciteProgress & progress = {});

/// What a run that follows this plan should show.
std::vector<ExpectedSigma> expected_sigmas(
  const RobotModel & robot, const Plan & plan, const ExciteOptions & options);

}  // namespace fivebar_control
