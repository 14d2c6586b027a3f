// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/daemon/compared_laws.hpp"

#include <algorithm>

namespace fivebar_control
{
namespace
{

bool same_law(const ControllerSettings & a, const ControllerSettings & b)
{
  return a.gains.method == b.gains.method && a.velocity.method == b.velocity.method;
}

}  // namespace

std::vector<ComparedLaw> laws_to_compare(const ControllerSettings & file, const Plan & plan)
{
  constexpr ControlMode both = ControlMode::feedforward_and_feedback;
  ControllerSettings pd = file;
  pd.gains.method = FeedbackMethod::pd;
  if (pd.velocity.method == VelocityMethod::kalman)
  {
    pd.velocity.method = VelocityMethod::filtered_difference;
  }
  const bool observable = plan.lessons.empty() || plan.samples.has_learned();
  const std::string volts = plan.lessons.empty() ? "feedforward" : "learned";
  std::vector<ComparedLaw> laws{
    {"pd", "pd", ControlMode::feedback_only, pd}, {volts + "+pd", "feedforward_pd", both, pd}};
  if (observable)
  {
    ControllerSettings along = file;
    along.velocity.method = VelocityMethod::kalman;
    along.gains.method = FeedbackMethod::tvlqr;
    laws.push_back({volts + "+kalman+tvlqr", "feedforward_tvlqr", both, along});
    along.gains.method = FeedbackMethod::mpc;
    laws.push_back({volts + "+kalman+mpc", "feedforward_mpc", both, along});
  }
  const bool known = std::any_of(laws.begin(), laws.end(), [&](const ComparedLaw & law) {
    return same_law(law.settings, file);
  });
  const bool observer = file.velocity.method == VelocityMethod::kalman;
  if (!known && (observable || !observer))
  {
    laws.push_back(
      {volts + "+" + to_string(file.velocity.method) + "+" + to_string(file.gains.method),
       "feedforward_file", both, file});
  }
  return laws;
}

}  // namespace fivebar_control
