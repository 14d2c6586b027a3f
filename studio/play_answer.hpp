// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan_answer.hpp"

namespace fivebar_control
{

/// What is to be played, and on which plant (studio_plant()).
struct PlayQuestion
{
  CurveText curve;
  std::string plant;
  /// Laws to play by their keys ("pd", "feedforward_pd", ...); empty: all.
  std::vector<std::string> laws;
};

/// The plan of a curve file's text, played on a simulated robot with each law, as JSON: verdict,
/// figures and the course of each run. Throws InputError.
std::string answer_play(const Desk & desk, const PlayQuestion & question, const GoOn & go_on);

/// The same of logs in the folder, which are runs of a plan there.
std::string answer_logs(
  const Desk & desk, const std::string & plan, const std::vector<std::string> & logs);

}  // namespace fivebar_control
