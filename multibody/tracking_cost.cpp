// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/multibody/tracking_cost.hpp"

#include "planar.hpp"

namespace fivebar_control::multibody
{
namespace
{

/// The reference near a time that may carry derivatives: its Taylor polynomial of first order.
template <class S>
struct ReferenceAt
{
  Plane<S> position, velocity;

  ReferenceAt(const ReferenceCurve & curve, const S & t)
  {
    const double base = real_part(t);
    const ReferencePoint point = curve(base);
    const S step = t - base;
    position = {
      point.position[0] + point.velocity[0] * step, point.position[1] + point.velocity[1] * step};
    velocity = {
      point.velocity[0] + point.acceleration[0] * step,
      point.velocity[1] + point.acceleration[1] * step};
  }
};

class TrackingCost final : public CostOf<TrackingCost>
{
public:
  TrackingCost(std::shared_ptr<const Mechanism> mechanism, const Tracking & tracking)
  : mechanism_(std::move(mechanism)), tracking_(tracking)
  {
  }
  CostReads reads() const override
  {
    return {tracking_.beta != 0.0, false, coordinates_of(*mechanism_, tracking_.point)};
  }

  template <class S>
  S g(const Motion<S> & at) const
  {
    const AnchorState<S> r = anchor_state(*mechanism_, tracking_.point, at.q, at.v, at.theta);
    const ReferenceAt<S> reference(tracking_.reference, at.t);
    const Plane<S> error = r.position - reference.position;
    const Plane<S> rate = r.velocity - reference.velocity;
    return (1.0 - tracking_.alpha) * (dot(error, error) + tracking_.beta * dot(rate, rate));
  }
  template <class S>
  S w(const Motion<S> & at) const
  {
    const AnchorState<S> r = anchor_state(*mechanism_, tracking_.point, at.q, at.v, at.theta);
    const Plane<S> error = r.position - ReferenceAt<S>(tracking_.reference, at.t).position;
    return tracking_.alpha * dot(error, error);
  }

private:
  std::shared_ptr<const Mechanism> mechanism_;
  Tracking tracking_;
};

}  // namespace

std::shared_ptr<const Cost> make_tracking_cost(
  std::shared_ptr<const Mechanism> mechanism, const Tracking & tracking)
{
  return std::make_shared<TrackingCost>(std::move(mechanism), tracking);
}

}  // namespace fivebar_control::multibody
