// SPDX-License-Identifier: Apache-2.0
// Plan files: refused with a InputError, or a plan that writes and reads back to the last bit and
// that can be played within its own volts.
#include <algorithm>
#include <cmath>

#include "checksummed.hpp"
#include "fivebar_control/controller/player.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/support/errors.hpp"
#include "known_robot.hpp"
#include "targets.hpp"

namespace fivebar_control::fuzz
{
namespace
{

void play(const PlanSamples & samples)
{
  double most = 0.0;
  for (std::size_t i = 0; i < samples.size(); ++i)
  {
    most = std::max({most, std::abs(samples.u1[i]), std::abs(samples.u4[i])});
  }
  const PlayablePlan playable(samples);
  require(playable.duration() > 0.0, "a duration");
  std::size_t interval = 0;
  for (const double share : {0.0, 0.001, 0.3, 0.5, 0.999, 1.0, 1.1})
  {
    const Reference r = playable.at(share * playable.duration(), interval);
    require(
      r.feedforward.cwiseAbs().maxCoeff() <= most * (1.0 + 1e-12),
      "no more volts between nodes than at nodes");
  }
}

/// A plan that fits keeps the limits wherever it may be looked at.
void look_between(const PlanSamples & samples)
{
  constexpr double angle_slack = 1e-3;  // rad: what a path does within a millisecond
  constexpr double speed_slack = 1.05;
  constexpr int most_looks = 20000;
  const Limits & limits = known_robot().limits();
  const PlayablePlan path(samples);
  const double step = std::max(3.7e-4, path.duration() / most_looks);
  std::size_t interval = 0;
  for (double t = 0.0; t <= path.duration(); t += step)
  {
    const Reference r = path.at(t, interval);
    for (int j = 0; j < 2; ++j)
    {
      const auto i = static_cast<std::size_t>(j);
      require(r.phi[j] >= limits.joint_minimum[i] - angle_slack, "joint range between nodes");
      require(r.phi[j] <= limits.joint_maximum[i] + angle_slack, "joint range between nodes");
      require(std::abs(r.speed[j]) <= speed_slack * limits.joint_speed, "speed between nodes");
    }
    const auto pose = known_robot().kinematics().forward(r.phi);
    require(pose.has_value(), "the linkage closes between nodes");
    require(
      pose->margins.parallel >= 0.9 * limits.singularity_margin,
      "singularity margin between nodes");
  }
}

void read_write_play(const std::string & text)
{
  Plan plan;
  try
  {
    plan = parse_plan(text, "plan.csv");
  }
  catch (const InputError &)
  {
    return;
  }
  const std::string written = plan_text(plan);
  require(plan_text(parse_plan(written, "again")) == written, "what is written reads back");
  play(plan.samples);
  try
  {
    plan.robot_fingerprint = known_robot().fingerprint();  // no fuzzer finds that one
    require_plan_fits(plan, known_robot(), "plan.csv");
  }
  catch (const InputError &)
  {
    return;
  }
  look_between(plan.samples);
}

}  // namespace

void plan_file(Bytes bytes)
{
  const std::string text = text_of(bytes);
  read_write_play(text);
  const std::size_t names = text.find("\nt,");
  const std::size_t rows = names == std::string::npos ? names : text.find('\n', names + 1);
  if (rows != std::string::npos)
  {
    read_write_play(with_checksum_of(std::string_view(text).substr(rows + 1), text));
  }
}

}  // namespace fivebar_control::fuzz
