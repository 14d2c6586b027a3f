// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "fivebar_control/multibody/trajectory.hpp"
#include "stepper.hpp"

namespace fivebar_control::multibody
{

std::size_t checkpoint_stride(const Problem & problem, const Settings & settings)
{
  const double steps = std::ceil(problem.duration / settings.step);
  const double wanted = settings.checkpoints == Settings::automatic_checkpoints
                          ? std::ceil(std::sqrt(steps))
                          : settings.checkpoints;
  return settings.checkpoints == 0 ? 0 : static_cast<std::size_t>(std::ceil(steps / wanted));
}

std::vector<Node> replay(
  const Problem & problem, const Settings & settings, const Trajectory & trajectory,
  const Phase & phase, std::size_t which)
{
  const Checkpoint & from = phase.checkpoints[which];
  const std::size_t last =
    which + 1 < phase.checkpoints.size() ? phase.checkpoints[which + 1].index : phase.length - 1;
  const Stepper<double> stepper(problem, settings, trajectory.rho);
  Instant<double> now{from.t, from.node.y, from.response};
  std::vector<Node> nodes{from.node};
  nodes.reserve(last - from.index + 1);
  long count = from.count;
  for (std::size_t k = from.index; k < last; ++k)
  {
    const double h = k + 2 == phase.length ? phase.last_step : phase.step;
    now = stepper.advance(*phase.form, now, h).to;
    nodes.push_back({now.t, now.y, now.response.rate, now.response.q});
    now.t = phase.origin + phase.step * static_cast<double>(++count);
  }
  return nodes;
}

}  // namespace fivebar_control::multibody
