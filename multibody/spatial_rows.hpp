// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/multibody/system.hpp"
#include "spatial_kinematics.hpp"

namespace fivebar_control::multibody
{

/// Writes the constraints of spatial joints, one row after the other. All of them are sums of
/// products of points and directions (Schaffer 4.38-4.81; López Varela, section 3.6).
template <class S>
class SpatialRows
{
public:
  SpatialRows(const SpatialKinematics<S> & at, const Vector<S> & v, Terms<S> & out)
  : at_(at), v_(v), out_(out)
  {
  }

  Eigen::Index next() { return row_++; }

  void add_euler_parameters(const Vector<S> & q, int first)
  {
    const Eigen::Index row = next();
    out_.Phi(row) = S(-1.0);
    for (int k = first; k < first + 4; ++k)
    {
      out_.Phi(row) += q(k) * q(k);
      out_.Phi_q(row, k) = 2.0 * q(k);
      out_.Phi_q_rate(row, k) = 2.0 * v_(k);
    }
  }

  /// The three axes of each frame have length 1 and are perpendicular.
  void add_natural_bodies()
  {
    const int count = static_cast<int>(at_.parts().bodies.size());
    for (int body = 0; body < count; ++body)
    {
      const Anchor frame{Anchor::Kind::body, body, 0.0, 0.0, 0.0};
      for (int i = 0; i < 3; ++i)
      {
        for (int j = i; j < 3; ++j)
        {
          out_.Phi(row_) = S(i == j ? -1.0 : 0.0);
          add_product(
            row_, at_.direction(frame, unit<S>(i)), at_.direction(frame, unit<S>(j)), 1.0);
          ++row_;
        }
      }
    }
  }

  void add_joint(const SpatialJoint & joint, Closure closure)
  {
    using Type = SpatialJoint::Type;
    if (joint.type == Type::floating)
    {
      return;
    }
    const Columns3<S> zero = columns<S>(joint.zero).transposed();
    const Space<S> axis = space<S>(joint.axis), side = space<S>(joint.side);
    const Space<S> other = cross(axis, side);
    const auto a = [&](const Space<S> & local) { return at_.direction(joint.a, local); };
    const auto b = [&](const Space<S> & in_a) { return at_.direction(joint.b, zero * in_a); };
    const bool slides = joint.type == Type::prismatic || joint.type == Type::cylindrical;
    if (joint.type != Type::planar && !slides)
    {
      add_same_point(joint);
    }
    if (joint.type == Type::cardan)
    {
      add_dot(a(axis), at_.direction(joint.b, space<S>(joint.second)));
    }
    if (joint.type == Type::cardan || joint.type == Type::spherical)
    {
      return;
    }
    if (closure == Closure::coincidence)
    {
      add_same_direction(a(axis), b(axis));
    }
    else
    {
      add_dot(a(side), b(axis));
      add_dot(a(other), b(axis));
    }
    if (joint.type == Type::planar)
    {
      add_along(joint, a(axis));
    }
    if (slides)
    {
      add_slide(joint, closure, axis, side, other);
    }
    if (joint.type == Type::prismatic)
    {
      closure == Closure::coincidence ? add_same_direction(a(side), b(side))
                                      : add_dot(a(side), b(other));
    }
  }

private:
  /// Adds factor * u . w and its derivatives.
  void add_product(Eigen::Index row, const Slot<S> & u, const Slot<S> & w, double factor)
  {
    out_.Phi(row) += factor * dot(u.value, w.value);
    const auto one = [&](const Slot<S> & moving, const Slot<S> & held) {
      for (std::size_t k = 0; k < moving.index.size(); ++k)
      {
        out_.Phi_q(row, moving.index[k]) += factor * dot(moving.column[k], held.value);
        out_.Phi_q_rate(row, moving.index[k]) +=
          factor * (dot(moving.column_rate[k], held.value) + dot(moving.column[k], held.rate));
      }
    };
    one(u, w);
    one(w, u);
  }
  void add_dot(const Slot<S> & u, const Slot<S> & w) { add_product(next(), u, w, 1.0); }

  static Slot<S> constant(const Space<S> & value)
  {
    Slot<S> result;
    result.value = value;
    return result;
  }

  /// The way from a to b has no part along u.
  void add_along(const SpatialJoint & joint, const Slot<S> & u)
  {
    const Eigen::Index row = next();
    add_product(row, u, at_.point(joint.b), 1.0);
    add_product(row, u, at_.point(joint.a), -1.0);
  }

  void add_same_point(const SpatialJoint & joint)
  {
    const Slot<S> a = at_.point(joint.a), b = at_.point(joint.b);
    for (int k = 0; k < 3; ++k)
    {
      const Slot<S> e = constant(unit<S>(k));
      const Eigen::Index row = next();
      add_product(row, e, b, 1.0);
      add_product(row, e, a, -1.0);
    }
  }

  void add_same_direction(const Slot<S> & a, const Slot<S> & b)
  {
    for (int k = 0; k < 3; ++k)
    {
      const Slot<S> e = constant(unit<S>(k));
      const Eigen::Index row = next();
      add_product(row, e, b, 1.0);
      add_product(row, e, a, -1.0);
    }
  }

  /// The way from a to b is along the axis: no part across it, or axis x way = 0.
  void add_slide(
    const SpatialJoint & joint, Closure closure, const Space<S> & axis, const Space<S> & side,
    const Space<S> & other)
  {
    if (closure == Closure::minimal)
    {
      add_along(joint, at_.direction(joint.a, side));
      add_along(joint, at_.direction(joint.a, other));
      return;
    }
    const Slot<S> along = at_.direction(joint.a, axis);
    for (int k = 0; k < 3; ++k)
    {
      const Eigen::Index row = next();
      add_product(row, along, crossed(at_.point(joint.b), k), 1.0);
      add_product(row, along, crossed(at_.point(joint.a), k), -1.0);
    }
  }

  /// p x e_k
  static Slot<S> crossed(Slot<S> p, int k)
  {
    const Space<S> e = unit<S>(k);
    p.value = cross(p.value, e);
    p.rate = cross(p.rate, e);
    for (std::size_t i = 0; i < p.column.size(); ++i)
    {
      p.column[i] = cross(p.column[i], e);
      p.column_rate[i] = cross(p.column_rate[i], e);
    }
    return p;
  }

  const SpatialKinematics<S> & at_;
  const Vector<S> & v_;
  Terms<S> & out_;
  Eigen::Index row_ = 0;
};

}  // namespace fivebar_control::multibody
