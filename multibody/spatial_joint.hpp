// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "space.hpp"

namespace fivebar_control::multibody
{

/// How a joint's coordinates z place b's frame in a's, in a's axes (López Varela, table 3.1): the
/// rotation, the way from point a to point b, and what the coordinates' rates do to them. v is the
/// velocity of point b.
template <class S>
struct JointMotion
{
  Columns3<S> rotation;
  Space<S> way{};
  int count = 0;
  std::array<Space<S>, 7> v{}, w{}, w_rate{};
};

namespace joint_detail
{

/// Turns by Euler parameters p, which need not have length 1: w = 2 E p' / |p|^2.
template <class S>
void add_turns(const S * p, const S * rate, int first, JointMotion<S> & out)
{
  const Space<S> e{p[1], p[2], p[3]}, e_rate{rate[1], rate[2], rate[3]};
  const S square = p[0] * p[0] + dot(e, e);
  const S growth = 2.0 * (p[0] * rate[0] + dot(e, e_rate)) / square;
  const S factor = 2.0 / square;
  const auto column = [&](int k, const S & e0, const Space<S> & of) {
    return k == 0 ? -of : e0 * unit<S>(k - 1) + cross(of, unit<S>(k - 1));
  };
  for (int k = 0; k < 4; ++k)
  {
    const auto i = static_cast<std::size_t>(first + k);
    out.w[i] = factor * column(k, p[0], e);
    out.w_rate[i] = factor * column(k, rate[0], e_rate) - growth * out.w[i];
  }
  const S inverse = 1.0 / square;
  for (int k = 0; k < 3; ++k)
  {
    const Space<S> u = unit<S>(k);
    out.rotation[k] = inverse * ((p[0] * p[0] - dot(e, e)) * u + (2.0 * dot(e, u)) * e +
                                 (2.0 * p[0]) * cross(e, u));
  }
}

template <class S>
Columns3<S> turned(const Direction & axis, const S & angle)
{
  using std::cos;
  using std::sin;
  return rotation<S>(space<S>(axis), S(cos(angle)), S(sin(angle)));
}

}  // namespace joint_detail

template <class S>
JointMotion<S> joint_motion(const SpatialJoint & joint, const S * z, const S * rate)
{
  using Type = SpatialJoint::Type;
  JointMotion<S> out;
  out.count = joint.coordinates();
  const Columns3<S> zero = columns<S>(joint.zero);
  const Space<S> axis = space<S>(joint.axis);
  out.rotation = zero;
  switch (joint.type)
  {
    case Type::revolute:
      out.w[0] = axis;
      out.rotation = joint_detail::turned<S>(joint.axis, z[0]) * zero;
      break;
    case Type::prismatic:
      out.v[0] = axis;
      out.way = z[0] * axis;
      break;
    case Type::cardan: {
      const Columns3<S> first = joint_detail::turned<S>(joint.axis, z[0]) * zero;
      out.w[0] = axis;
      out.w[1] = first * space<S>(joint.second);
      out.w_rate[1] = rate[0] * cross(axis, out.w[1]);
      out.rotation = first * joint_detail::turned<S>(joint.second, z[1]);
      break;
    }
    case Type::cylindrical:
      out.v[0] = axis;
      out.way = z[0] * axis;
      out.w[1] = axis;
      out.rotation = joint_detail::turned<S>(joint.axis, z[1]) * zero;
      break;
    case Type::spherical:
      joint_detail::add_turns(z, rate, 0, out);
      break;
    case Type::planar:
      out.v[0] = space<S>(joint.side);
      out.v[1] = cross(axis, out.v[0]);
      out.way = z[0] * out.v[0] + z[1] * out.v[1];
      out.w[2] = axis;
      out.rotation = joint_detail::turned<S>(joint.axis, z[2]) * zero;
      break;
    case Type::floating:
      for (int k = 0; k < 3; ++k)
      {
        out.v[static_cast<std::size_t>(k)] = unit<S>(k);
      }
      out.way = {z[0], z[1], z[2]};
      joint_detail::add_turns(z + 3, rate + 3, 3, out);
      break;
  }
  return out;
}

/// Euler parameters of a joint have to keep length 1: the first of the four, or -1.
inline int euler_parameters(const SpatialJoint & joint)
{
  return joint.type == SpatialJoint::Type::spherical  ? 0
         : joint.type == SpatialJoint::Type::floating ? 3
                                                      : -1;
}

}  // namespace fivebar_control::multibody
