// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>

#include "fivebar_control/multibody/mechanism.hpp"

namespace fivebar_control::multibody
{

struct ReferencePoint
{
  std::array<double, 2> position, velocity, acceleration;
};
using ReferenceCurve = std::function<ReferencePoint(double t)>;

/// How a point r of the mechanism follows a curve r*:
/// (1 - alpha) integral (|r - r*|^2 + beta |r' - r*'|^2) dt + alpha |r - r*|^2 at the end.
struct Tracking
{
  Anchor point;
  ReferenceCurve reference;
  double alpha = 0.0, beta = 0.0;
};
std::shared_ptr<const Cost> make_tracking_cost(
  std::shared_ptr<const Mechanism> mechanism, const Tracking & tracking);

}  // namespace fivebar_control::multibody
