// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/plan/playable_plan.hpp"

#include <algorithm>

namespace fivebar_control
{

PlayablePlan::PlayablePlan(const PlanSamples & samples) : duration_(samples.t.back())
{
  nodes_.reserve(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i)
  {
    nodes_.push_back(
      {samples.t[i], samples.volts(i), samples.phi(i), samples.speed(i), samples.learned(i),
       samples.lead(i)});
  }
}

Reference PlayablePlan::at(double time, std::size_t & interval) const
{
  while (interval + 2 < nodes_.size() && nodes_[interval + 1].t <= time)
  {
    ++interval;
  }
  const Node & a = nodes_[interval];
  const Node & b = nodes_[interval + 1];
  const double h = b.t - a.t;
  const double s = std::clamp((time - a.t) / h, 0.0, 1.0);
  const double r = 1.0 - s;
  Reference reference;
  reference.feedforward = r * a.voltage + s * b.voltage;
  reference.learned = r * a.learned + s * b.learned;
  reference.lead = r * a.lead + s * b.lead;
  const Eigen::Vector2d rise = b.phi - a.phi;
  reference.phi =
    a.phi + (s * s * (3.0 - 2.0 * s)) * rise + (h * s * r) * (r * a.speed - s * b.speed);
  reference.speed =
    (6.0 * s * r / h) * rise + (r * (1.0 - 3.0 * s)) * a.speed + (s * (3.0 * s - 2.0)) * b.speed;
  return reference;
}

}  // namespace fivebar_control
