// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/multibody/mechanism.hpp"
#include "space.hpp"

namespace fivebar_control::multibody
{

/// A vector of space that depends on the coordinates `index`: d/dt = sum of column * rate of the
/// coordinate.
template <class S>
struct Slot
{
  Space<S> value{}, rate{};
  std::vector<int> index;
  std::vector<Space<S>> column, column_rate;
};

/// How a joint's angle depends on the coordinates: its rate is the sum of value * rate of them.
template <class S>
struct AngleSlopes
{
  std::vector<int> index;
  std::vector<S> value, rate;
};

template <class S>
struct BodyState
{
  Columns3<S> axes;  ///< of its frame
  Space<S> origin;   ///< of its frame
  Screw<S> motion;   ///< velocities
  Screw<S> bias;     ///< accelerations as far as they do not come from accelerated coordinates
  Space<S> place(const Space<S> & local) const { return origin + axes * local; }
};

/// Where all bodies of a spatial mechanism are and how they move; what the coordinates contribute.
template <class S>
class SpatialKinematics
{
public:
  SpatialKinematics(
    const Mechanism & mechanism, const Vector<S> & q, const Vector<S> & v, const Vector<S> & theta);

  const SpatialParts & parts() const { return parts_; }
  bool natural() const { return parts_.links.empty(); }
  const BodyState<S> & body(int number) const { return bodies_[static_cast<std::size_t>(number)]; }
  /// What a unit rate of the coordinate does to all bodies behind it. Not for natural coordinates.
  const Screw<S> & screw(int coordinate) const
  {
    return screws_[static_cast<std::size_t>(coordinate)];
  }
  const Screw<S> & screw_rate(int coordinate) const
  {
    return screw_rates_[static_cast<std::size_t>(coordinate)];
  }
  const std::vector<int> & path(int body) const;

  Space<S> place(const Anchor & anchor) const;
  Space<S> velocity(const Anchor & anchor) const;
  Slot<S> point(const Anchor & anchor) const;
  /// A direction that is fixed in a body, or in the ground.
  Slot<S> direction(const Anchor & of, const Space<S> & local) const;
  /// Value: nothing; rate: angular velocity.
  Slot<S> turning(const Anchor & of) const;
  /// The axis of an angle of a joint, in space. Number `component` of the joint must be an angle.
  Space<S> axis(const SpatialJoint & joint, int component) const;
  /// Relative angular velocity along that axis.
  S angle_rate(const SpatialJoint & joint, int component) const;
  /// Angle or travel, from the coordinate where the joint has one, else within a turn of `near`.
  S measure(const SpatialJoint & joint, int component, double near) const;
  S measure_rate(const SpatialJoint & joint, int component) const;
  S measure_acceleration(const SpatialJoint & joint, int component, const Vector<S> & a) const;
  AngleSlopes<S> angle_slopes(const SpatialJoint & joint, int component) const;
  Space<S> acceleration(const Slot<S> & slot, const Vector<S> & a) const
  {
    Space<S> result{};
    for (std::size_t k = 0; k < slot.index.size(); ++k)
    {
      result += a(slot.index[k]) * slot.column[k] + v_(slot.index[k]) * slot.column_rate[k];
    }
    return result;
  }

private:
  void place_natural_bodies();
  void hang(const SpatialLink & link);
  Space<S> local(const Anchor & anchor) const
  {
    return {anchor.x.at(theta_), anchor.y.at(theta_), anchor.z.at(theta_)};
  }
  Columns3<S> axes_of(const Anchor & anchor) const
  {
    return anchor.kind == Anchor::Kind::ground ? identity<S>() : body(anchor.index).axes;
  }
  /// The axis of an angle as a direction of the body that carries it.
  Slot<S> axis_slot(const SpatialJoint & joint, int component) const;
  S measured_angle(const SpatialJoint & joint, int component, double near) const;
  Space<S> travel_axis(const SpatialJoint & joint, int component) const;

  const SpatialParts & parts_;
  const Vector<S> & q_;
  const Vector<S> & v_;
  const Vector<S> & theta_;
  std::vector<BodyState<S>> bodies_;
  std::vector<Screw<S>> screws_, screw_rates_;
};

extern template class SpatialKinematics<double>;
extern template class SpatialKinematics<Complex>;
extern template class SpatialKinematics<DualD>;
extern template class SpatialKinematics<DualDD>;

/// Whether a component of a joint is an angle, not a travel.
bool is_angle(const SpatialJoint & joint, int component);
/// Coordinates that a body, a point or a joint's quantity depends on.
std::vector<int> moving_coordinates(const SpatialParts & parts, const Anchor & anchor);

/// The equations of a spatial mechanism, which make_system() has judged.
std::shared_ptr<const System> make_spatial_system(Mechanism mechanism);

}  // namespace fivebar_control::multibody
