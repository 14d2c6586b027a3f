// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <numbers>

#include "fivebar_control/multibody/spatial_parts.hpp"

namespace fivebar_control
{

template <class T, int N>
Dual<T, N> atan(const Dual<T, N> & x)
{
  using std::atan;
  return chain(x, T(atan(x.value)), T(T(1.0) / (1.0 + x.value * x.value)));
}

}  // namespace fivebar_control

namespace fivebar_control::multibody
{

template <class S>
struct Space
{
  S x{}, y{}, z{};

  Space & operator+=(const Space & o)
  {
    x += o.x;
    y += o.y;
    z += o.z;
    return *this;
  }
  Space & operator-=(const Space & o)
  {
    x -= o.x;
    y -= o.y;
    z -= o.z;
    return *this;
  }
  friend Space operator+(Space a, const Space & b) { return a += b; }
  friend Space operator-(Space a, const Space & b) { return a -= b; }
  friend Space operator-(const Space & a) { return {-a.x, -a.y, -a.z}; }
  friend Space operator*(const S & f, const Space & a) { return {f * a.x, f * a.y, f * a.z}; }
  friend S dot(const Space & a, const Space & b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
  friend Space cross(const Space & a, const Space & b)
  {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  }
};

template <class S>
Space<S> space(double x, double y, double z)
{
  return {S(x), S(y), S(z)};
}
template <class S>
Space<S> space(const Direction & d)
{
  return space<S>(d[0], d[1], d[2]);
}
template <class S>
Space<S> space(const std::array<Value, 3> & values, const Vector<S> & theta)
{
  return {values[0].at(theta), values[1].at(theta), values[2].at(theta)};
}
template <class S>
Space<S> unit(int axis)
{
  return space<S>(axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0);
}

/// A 3 x 3 matrix by its columns: a rotation, or an inertia.
template <class S>
struct Columns3
{
  Space<S> x{}, y{}, z{};

  const Space<S> & operator[](int k) const { return k == 0 ? x : k == 1 ? y : z; }
  Space<S> & operator[](int k) { return k == 0 ? x : k == 1 ? y : z; }
  friend Space<S> operator*(const Columns3 & A, const Space<S> & s)
  {
    return s.x * A.x + s.y * A.y + s.z * A.z;
  }
  friend Columns3 operator*(const Columns3 & A, const Columns3 & B)
  {
    return {A * B.x, A * B.y, A * B.z};
  }
  friend Columns3 operator+(const Columns3 & A, const Columns3 & B)
  {
    return {A.x + B.x, A.y + B.y, A.z + B.z};
  }
  friend Columns3 operator-(const Columns3 & A, const Columns3 & B)
  {
    return {A.x - B.x, A.y - B.y, A.z - B.z};
  }
  Columns3 & operator+=(const Columns3 & B)
  {
    x += B.x;
    y += B.y;
    z += B.z;
    return *this;
  }
  Columns3 transposed() const { return {{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}; }
};

template <class S>
Columns3<S> columns(const Orientation & axes)
{
  return {space<S>(axes[0]), space<S>(axes[1]), space<S>(axes[2])};
}
template <class S>
Columns3<S> identity()
{
  return {unit<S>(0), unit<S>(1), unit<S>(2)};
}
/// a b^T
template <class S>
Columns3<S> outer(const Space<S> & a, const Space<S> & b)
{
  return {b.x * a, b.y * a, b.z * a};
}
/// (a . b) I - a b^T, which turns into m (...) for a point mass at a = b.
template <class S>
Columns3<S> lever(const Space<S> & a, const Space<S> & b)
{
  const S d = dot(a, b);
  Columns3<S> result = outer<S>(-a, b);
  result.x.x += d;
  result.y.y += d;
  result.z.z += d;
  return result;
}
/// a x each column
template <class S>
Columns3<S> cross(const Space<S> & a, const Columns3<S> & B)
{
  return {cross(a, B.x), cross(a, B.y), cross(a, B.z)};
}

/// Rotation about a unit vector, with cos and sin of the angle.
template <class S>
Columns3<S> rotation(const Space<S> & axis, const S & c, const S & s)
{
  const S rest = 1.0 - c;
  Columns3<S> result;
  for (int k = 0; k < 3; ++k)
  {
    const Space<S> e = unit<S>(k);
    result[k] = c * e + (rest * dot(axis, e)) * axis + s * cross(axis, e);
  }
  return result;
}

/// The motion of a body, or what a coordinate's rate adds to it: the velocity of its point at the
/// origin of the ground, and its angular velocity.
template <class S>
struct Screw
{
  Space<S> v{}, w{};
  Screw & operator+=(const Screw & o)
  {
    v += o.v;
    w += o.w;
    return *this;
  }
  friend Screw operator*(const S & f, const Screw & a) { return {f * a.v, f * a.w}; }
  /// With the velocity of the point at `place` instead.
  Screw at(const Space<S> & place) const { return {v + cross(w, place), w}; }
};

/// A force and its moment about the origin of the ground; or momentum and angular momentum.
template <class S>
struct Wrench
{
  Space<S> f{}, n{};
  Wrench & operator+=(const Wrench & o)
  {
    f += o.f;
    n += o.n;
    return *this;
  }
  Wrench & operator-=(const Wrench & o)
  {
    f -= o.f;
    n -= o.n;
    return *this;
  }
  friend S dot(const Screw<S> & motion, const Wrench & force)
  {
    return dot(motion.v, force.f) + dot(motion.w, force.n);
  }
};

/// The angle with this sine and cosine (times any positive number) nearest to `near`; its slopes
/// are those of the arctangent.
template <class S>
S angle_of(const S & sine, const S & cosine, double near)
{
  using std::atan;
  const double base = std::atan2(real_part(sine), real_part(cosine));
  const double s = std::sin(base), c = std::cos(base);
  const double turn = 2.0 * std::numbers::pi;
  return S(atan((c * sine - s * cosine) / (c * cosine + s * sine))) +
         S(base + turn * std::round((near - base) / turn));
}

}  // namespace fivebar_control::multibody
