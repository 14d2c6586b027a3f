// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/multibody/spatial_motion.hpp"

#include "spatial_accumulation.hpp"
#include "spatial_joint.hpp"

namespace fivebar_control::multibody
{
namespace
{

Direction listed(const Space<double> & a) { return {a.x, a.y, a.z}; }

}  // namespace

int constraint_count(const Mechanism & mechanism)
{
  const SpatialParts & parts = *mechanism.space;
  int count =
    parts.coordinates == Coordinates::natural ? 6 * static_cast<int>(parts.bodies.size()) : 0;
  for (const SpatialLink & link : parts.links)
  {
    count += euler_parameters(link.joint) < 0 ? 0 : 1;
  }
  for (const int joint : parts.closures)
  {
    count += parts.joints[static_cast<std::size_t>(joint)].constraints(parts.closure);
  }
  return count + static_cast<int>(mechanism.joints.size());
}

Direction place_in_space(
  const Mechanism & mechanism, const Anchor & anchor, const VectorD & q, const VectorD & theta)
{
  const VectorD rest = VectorD::Zero(q.size());
  return listed(SpatialKinematics<double>(mechanism, q, rest, theta).place(anchor));
}

BodyMotion body_motion(const Mechanism & mechanism, int body, const Point<double> & at)
{
  const SpatialKinematics<double> kinematics(mechanism, at.q, at.v, at.theta);
  const SpatialBody & of = mechanism.space->bodies[static_cast<std::size_t>(body)];
  const BodyState<double> & state = kinematics.body(body);
  const Anchor centre{Anchor::Kind::body, body, of.centre[0], of.centre[1], of.centre[2]};
  const Columns3<double> inertia = central_inertia(of, state.axes, at.theta);
  return {
    listed(kinematics.place(centre)),
    listed(kinematics.velocity(centre)),
    listed(state.motion.w),
    {listed(state.axes.x), listed(state.axes.y), listed(state.axes.z)},
    {listed(inertia.x), listed(inertia.y), listed(inertia.z)}};
}

}  // namespace fivebar_control::multibody
