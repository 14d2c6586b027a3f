// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fivebar_control/learning/learn.hpp"
#include "fivebar_control/learning/model_check.hpp"

namespace fivebar_control
{

struct SessionOptions
{
  int updates = 3;  ///< at most
  LearnOptions learn;
  /// Stops when the measured ISE is at most this times what rounding to counts alone gives.
  double near_floor = 1.1;
  /// A gain below this share is not told from chance.
  double least_gain = 0.02;
  /// How often the given plan is played again before anything is learned: how far runs of one plan
  /// lie apart is what no feedforward can gain.
  int repeats = 1;
  /// Whether the first run is asked if a rigid model can carry updates at all.
  bool check_model = true;
};

/// One run of a session.
struct Attempt
{
  int number = 0;  ///< 0: the plan as it was given
  Plan plan;
  double rate = 0.0;            ///< V, of the update that made it
  double ise = 0.0;             ///< m² s, measured
  double predicted_ise = 0.0;   ///< m² s, what the update before expected
  std::optional<double> truth;  ///< m² s, ISE of where P truly was
  double encoder_floor = 0.0;   ///< m² s
  std::string ended;            ///< as the log says it
  bool accepted = false;        ///< the best so far
};

/// Why a session came to its end.
enum class SessionEnd
{
  updates_done,   ///< as many as were asked for
  at_floor,       ///< rounding to counts, or what differs from run to run, is all that is left
  no_more_gain,   ///< smaller steps did not help either
  model_too_far,  ///< what happened was not what the model had predicted
  run_failed,     ///< a run did not finish
  resonance,      ///< refused: the robot swings in a way that its model does not know
};
const char * to_string(SessionEnd end);

struct Session
{
  std::vector<Attempt> attempts;
  std::size_t best = 0;
  double scatter = 0.0;       ///< m² s, by which the ISE of runs of the given plan differs
  double unrepeatable = 0.0;  ///< m² s, ISE of what differs between these runs
  std::optional<ModelCheck> check;
  SessionEnd end = SessionEnd::updates_done;
};

/// Plays a plan once on the robot and says what happened. Numbers: 0 the given plan, -1, -2, ...
/// the same again, 1, 2, ... after updates.
using PlayOnce = std::function<RunRecord(const Plan & plan, int number)>;

/// Plays, learns and repeats: goes back to the best plan and takes smaller steps where an update
/// made it worse or gained less than runs differ by themselves, stops at the floor and where what
/// happens is not what the model predicts, and ends at the first run that does not finish.
Session learn_by_runs(
  const RobotModel & robot, const Plan & plan, const std::string & name, const PlayOnce & play,
  const SessionOptions & options = {});

}  // namespace fivebar_control
