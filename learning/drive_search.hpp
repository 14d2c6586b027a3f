// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "correlated_covariance.hpp"
#include "fivebar_control/learning/identify.hpp"

namespace fivebar_control
{

inline void say(const IdentifyOptions & options, const std::string & sentence)
{
  if (options.progress)
  {
    options.progress(sentence);
  }
}

/// Adds what the drives have beyond the rigid model: what is asked for, what the robot file already
/// says, and what the data call for. `found` is the rigid result.
void extend_by_drives(
  const LumpModel & model, const std::vector<RecordedMotion> & motions,
  const IdentifyOptions & options, const std::vector<int> & free_lumps, Identification & found);

/// What a fit says about how well it knows its unknowns; the free lumps come first among them.
struct FitInformation
{
  Eigen::MatrixXd information;
  std::vector<Scores> scores;  ///< of each log
};

/// Deviations and words of the free lumps; the covariance of all unknowns.
Eigen::MatrixXd fill_deviations(
  const LumpModel & model, const std::vector<RecordedMotion> & motions,
  const std::vector<int> & free, const FitInformation & fit, Identification & found);

}  // namespace fivebar_control
