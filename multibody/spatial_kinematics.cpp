// SPDX-License-Identifier: Apache-2.0
#include "spatial_kinematics.hpp"

#include <algorithm>

#include "spatial_joint.hpp"

namespace fivebar_control::multibody
{

template <class S>
SpatialKinematics<S>::SpatialKinematics(
  const Mechanism & mechanism, const Vector<S> & q, const Vector<S> & v, const Vector<S> & theta)
: parts_(*mechanism.space), q_(q), v_(v), theta_(theta), bodies_(parts_.bodies.size())
{
  if (natural())
  {
    place_natural_bodies();
    return;
  }
  screws_.resize(static_cast<std::size_t>(mechanism.coordinates));
  screw_rates_.resize(screws_.size());
  for (const SpatialLink & link : parts_.links)
  {
    hang(link);
  }
}

template <class S>
void SpatialKinematics<S>::place_natural_bodies()
{
  for (std::size_t i = 0; i < bodies_.size(); ++i)
  {
    const auto first = static_cast<Eigen::Index>(12 * i);
    const auto triple = [first](const Vector<S> & of, int k) {
      return Space<S>{of(first + 3 * k), of(first + 3 * k + 1), of(first + 3 * k + 2)};
    };
    BodyState<S> & body = bodies_[i];
    body.origin = triple(q_, 0);
    for (int k = 0; k < 3; ++k)
    {
      body.axes[k] = triple(q_, k + 1);
      body.motion.w += S(0.5) * cross(body.axes[k], triple(v_, k + 1));
    }
    body.motion.v = triple(v_, 0) - cross(body.motion.w, body.origin);
  }
}

template <class S>
void SpatialKinematics<S>::hang(const SpatialLink & link)
{
  const SpatialJoint & joint = link.joint;
  const JointMotion<S> relative =
    joint_motion<S>(joint, q_.data() + link.first, v_.data() + link.first);
  BodyState<S> before;
  before.axes = identity<S>();
  if (link.parent >= 0)
  {
    before = bodies_[static_cast<std::size_t>(link.parent)];
  }
  BodyState<S> & body = bodies_[static_cast<std::size_t>(link.body)];
  // `a_axes`, `a_turning`: of the joint's side a; `b`: its point b in space, and its velocity.
  Columns3<S> a_axes = before.axes;
  Space<S> b;
  if (link.reversed)
  {
    b = before.place(local(joint.b));
    body.axes = a_axes = before.axes * relative.rotation.transposed();
    body.origin = b - a_axes * (relative.way + local(joint.a));
  }
  else
  {
    b = before.place(local(joint.a) + relative.way);
    body.axes = before.axes * relative.rotation;
    body.origin = b - body.axes * local(joint.b);
  }
  Space<S> a_turning = before.motion.w;
  Space<S> b_rate = before.motion.at(b).v;
  for (int k = 0; k < relative.count; ++k)
  {
    const auto i = static_cast<std::size_t>(k);
    const S & rate = v_(link.first + k);
    if (link.reversed)
    {
      a_turning -= rate * (a_axes * relative.w[i]);
    }
    else
    {
      b_rate += rate * (a_axes * relative.v[i]);
    }
  }
  body.motion = before.motion;
  body.bias = before.bias;
  const S sign(link.reversed ? -1.0 : 1.0);
  for (int k = 0; k < relative.count; ++k)
  {
    const auto i = static_cast<std::size_t>(k);
    const Space<S> v = a_axes * relative.v[i], w = a_axes * relative.w[i];
    const Space<S> v_rate = cross(a_turning, v);
    const Space<S> w_rate = cross(a_turning, w) + a_axes * relative.w_rate[i];
    const auto coordinate = static_cast<std::size_t>(link.first + k);
    screws_[coordinate] = sign * Screw<S>{v + cross(b, w), w};
    screw_rates_[coordinate] =
      sign * Screw<S>{v_rate + cross(b_rate, w) + cross(b, w_rate), w_rate};
    const S & rate = v_(link.first + k);
    body.motion += rate * screws_[coordinate];
    body.bias += rate * screw_rates_[coordinate];
  }
}

template <class S>
const std::vector<int> & SpatialKinematics<S>::path(int body) const
{
  const int link = parts_.link_of_body[static_cast<std::size_t>(body)];
  return parts_.links[static_cast<std::size_t>(link)].path;
}

template <class S>
Space<S> SpatialKinematics<S>::place(const Anchor & anchor) const
{
  return anchor.kind == Anchor::Kind::ground ? local(anchor)
                                             : body(anchor.index).place(local(anchor));
}

template <class S>
Space<S> SpatialKinematics<S>::velocity(const Anchor & anchor) const
{
  if (anchor.kind == Anchor::Kind::ground)
  {
    return {};
  }
  return natural() ? point(anchor).rate : body(anchor.index).motion.at(place(anchor)).v;
}

template <class S>
Slot<S> SpatialKinematics<S>::point(const Anchor & anchor) const
{
  Slot<S> result;
  result.value = place(anchor);
  if (anchor.kind == Anchor::Kind::ground)
  {
    return result;
  }
  if (natural())
  {
    result = direction(anchor, local(anchor));
    result.value = place(anchor);
    for (int j = 0; j < 3; ++j)
    {
      result.index.push_back(12 * anchor.index + j);
      result.column.push_back(unit<S>(j));
      result.rate += v_(12 * anchor.index + j) * unit<S>(j);
    }
    result.column_rate.resize(result.column.size());
    return result;
  }
  result.rate = body(anchor.index).motion.at(result.value).v;
  result.index = path(anchor.index);
  for (const int k : result.index)
  {
    result.column.push_back(screw(k).at(result.value).v);
    result.column_rate.push_back(screw_rate(k).at(result.value).v + cross(screw(k).w, result.rate));
  }
  return result;
}

template <class S>
Slot<S> SpatialKinematics<S>::direction(const Anchor & of, const Space<S> & local_direction) const
{
  Slot<S> result;
  result.value = axes_of(of) * local_direction;
  if (of.kind == Anchor::Kind::ground)
  {
    return result;
  }
  if (natural())
  {
    const std::array<S, 3> parts{local_direction.x, local_direction.y, local_direction.z};
    for (int k = 0; k < 3; ++k)
    {
      for (int j = 0; j < 3; ++j)
      {
        const int coordinate = 12 * of.index + 3 + 3 * k + j;
        result.index.push_back(coordinate);
        result.column.push_back(parts[static_cast<std::size_t>(k)] * unit<S>(j));
        result.rate += v_(coordinate) * result.column.back();
      }
    }
    result.column_rate.resize(result.column.size());
    return result;
  }
  const Space<S> & w = body(of.index).motion.w;
  result.rate = cross(w, result.value);
  result.index = path(of.index);
  for (const int k : result.index)
  {
    result.column.push_back(cross(screw(k).w, result.value));
    result.column_rate.push_back(
      cross(screw_rate(k).w, result.value) + cross(screw(k).w, result.rate));
  }
  return result;
}

template <class S>
Slot<S> SpatialKinematics<S>::turning(const Anchor & of) const
{
  Slot<S> result;
  if (of.kind == Anchor::Kind::ground)
  {
    return result;
  }
  result.rate = body(of.index).motion.w;
  if (!natural())
  {
    result.index = path(of.index);
    for (const int k : result.index)
    {
      result.column.push_back(screw(k).w);
      result.column_rate.push_back(screw_rate(k).w);
    }
    return result;
  }
  for (int k = 0; k < 3; ++k)
  {
    const int first = 12 * of.index + 3 + 3 * k;
    const Space<S> rate{v_(first), v_(first + 1), v_(first + 2)};
    for (int j = 0; j < 3; ++j)
    {
      result.index.push_back(first + j);
      result.column.push_back(S(0.5) * cross(body(of.index).axes[k], unit<S>(j)));
      result.column_rate.push_back(S(0.5) * cross(rate, unit<S>(j)));
    }
  }
  return result;
}

template <class S>
Space<S> SpatialKinematics<S>::axis(const SpatialJoint & joint, int component) const
{
  return joint.type == SpatialJoint::Type::cardan && component == 1
           ? axes_of(joint.b) * space<S>(joint.second)
           : axes_of(joint.a) * space<S>(joint.axis);
}

template <class S>
Space<S> SpatialKinematics<S>::travel_axis(const SpatialJoint & joint, int component) const
{
  const Space<S> axis = space<S>(joint.axis);
  if (joint.type != SpatialJoint::Type::planar)
  {
    return axis;
  }
  const Space<S> side = space<S>(joint.side);
  return component == 0 ? side : cross(axis, side);
}

template <class S>
S SpatialKinematics<S>::angle_rate(const SpatialJoint & joint, int component) const
{
  Space<S> relative{};
  if (joint.b.kind == Anchor::Kind::body)
  {
    relative += body(joint.b.index).motion.w;
  }
  if (joint.a.kind == Anchor::Kind::body)
  {
    relative -= body(joint.a.index).motion.w;
  }
  return dot(axis(joint, component), relative);
}

template <class S>
S SpatialKinematics<S>::measured_angle(const SpatialJoint & joint, int component, double near) const
{
  const Columns3<S> A = axes_of(joint.a), B = axes_of(joint.b);
  const Columns3<S> zero = columns<S>(joint.zero);
  if (joint.type == SpatialJoint::Type::cardan && component == 1)
  {
    const Space<S> second = space<S>(joint.second);
    const Space<S> first = zero.transposed() * space<S>(joint.axis);
    const Space<S> axis_a = A * space<S>(joint.axis);
    return angle_of<S>(-dot(B * cross(second, first), axis_a), dot(B * first, axis_a), near);
  }
  const Space<S> axis = space<S>(joint.axis);
  const Space<S> side =
    joint.type == SpatialJoint::Type::cardan ? zero * space<S>(joint.second) : space<S>(joint.side);
  const Space<S> turned = B * (zero.transposed() * side);
  return angle_of<S>(dot(A * cross(axis, side), turned), dot(A * side, turned), near);
}

template <class S>
S SpatialKinematics<S>::measure(const SpatialJoint & joint, int component, double near) const
{
  if (joint.first >= 0)
  {
    return q_(joint.first + component);
  }
  if (is_angle(joint, component))
  {
    return measured_angle(joint, component, near);
  }
  return dot(axes_of(joint.a) * travel_axis(joint, component), place(joint.b) - place(joint.a));
}

template <class S>
S SpatialKinematics<S>::measure_rate(const SpatialJoint & joint, int component) const
{
  if (joint.first >= 0)
  {
    return v_(joint.first + component);
  }
  if (is_angle(joint, component))
  {
    return angle_rate(joint, component);
  }
  const Slot<S> along = direction(joint.a, travel_axis(joint, component));
  return dot(along.rate, place(joint.b) - place(joint.a)) +
         dot(along.value, velocity(joint.b) - velocity(joint.a));
}

template <class S>
Slot<S> SpatialKinematics<S>::axis_slot(const SpatialJoint & joint, int component) const
{
  return joint.type == SpatialJoint::Type::cardan && component == 1
           ? direction(joint.b, space<S>(joint.second))
           : direction(joint.a, space<S>(joint.axis));
}

template <class S>
AngleSlopes<S> SpatialKinematics<S>::angle_slopes(const SpatialJoint & joint, int component) const
{
  if (joint.first >= 0)
  {
    return {{joint.first + component}, {S(1.0)}, {S(0.0)}};
  }
  const Slot<S> along = axis_slot(joint, component);
  // A coordinate that moves both sides must appear once.
  std::vector<int> index;
  std::vector<Space<S>> column, column_rate;
  const auto add = [&](const Slot<S> & of, double sign) {
    for (std::size_t k = 0; k < of.index.size(); ++k)
    {
      const auto found = std::find(index.begin(), index.end(), of.index[k]);
      const auto place = static_cast<std::size_t>(found - index.begin());
      if (found == index.end())
      {
        index.push_back(of.index[k]);
        column.emplace_back();
        column_rate.emplace_back();
      }
      column[place] += S(sign) * of.column[k];
      column_rate[place] += S(sign) * of.column_rate[k];
    }
  };
  add(turning(joint.b), 1.0);
  add(turning(joint.a), -1.0);
  AngleSlopes<S> result;
  result.index = index;
  for (std::size_t k = 0; k < index.size(); ++k)
  {
    result.value.push_back(dot(along.value, column[k]));
    result.rate.push_back(dot(along.rate, column[k]) + dot(along.value, column_rate[k]));
  }
  return result;
}

template <class S>
S SpatialKinematics<S>::measure_acceleration(
  const SpatialJoint & joint, int component, const Vector<S> & a) const
{
  if (joint.first >= 0)
  {
    return a(joint.first + component);
  }
  if (is_angle(joint, component))
  {
    const Slot<S> along = axis_slot(joint, component);
    const Slot<S> ta = turning(joint.a), tb = turning(joint.b);
    return dot(along.rate, tb.rate - ta.rate) +
           dot(along.value, acceleration(tb, a) - acceleration(ta, a));
  }
  const Slot<S> along = direction(joint.a, travel_axis(joint, component));
  const Slot<S> pa = point(joint.a), pb = point(joint.b);
  return dot(acceleration(along, a), pb.value - pa.value) +
         S(2.0) * dot(along.rate, pb.rate - pa.rate) +
         dot(along.value, acceleration(pb, a) - acceleration(pa, a));
}

template class SpatialKinematics<double>;
template class SpatialKinematics<Complex>;
template class SpatialKinematics<DualD>;
template class SpatialKinematics<DualDD>;

}  // namespace fivebar_control::multibody
