// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planar.hpp"

namespace fivebar_control::multibody
{

// Planar vectors (x, y, turning) at a point, in ground axes: velocities or wrenches. Written out
// because they must work for every scalar and be fast for double.

template <class S>
struct Twist
{
  S x{}, y{}, w{};

  friend Twist operator+(const Twist & a, const Twist & b)
  {
    return {a.x + b.x, a.y + b.y, a.w + b.w};
  }
  friend Twist operator-(const Twist & a, const Twist & b)
  {
    return {a.x - b.x, a.y - b.y, a.w - b.w};
  }
  friend Twist operator-(const Twist & a) { return {-a.x, -a.y, -a.w}; }
};

template <class S>
struct Matrix3
{
  S m[3][3]{};
};

template <class S>
Twist<S> operator*(const Matrix3<S> & a, const Twist<S> & v)
{
  const auto row = [&](int i) { return a.m[i][0] * v.x + a.m[i][1] * v.y + a.m[i][2] * v.w; };
  return {row(0), row(1), row(2)};
}

template <class S>
Twist<S> transposed_times(const Matrix3<S> & a, const Twist<S> & v)
{
  const auto column = [&](int i) { return a.m[0][i] * v.x + a.m[1][i] * v.y + a.m[2][i] * v.w; };
  return {column(0), column(1), column(2)};
}

template <class S>
Matrix3<S> operator*(const Matrix3<S> & a, const Matrix3<S> & b)
{
  Matrix3<S> c;
  for (int i = 0; i < 3; ++i)
  {
    for (int j = 0; j < 3; ++j)
    {
      c.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
    }
  }
  return c;
}

template <class S>
Matrix3<S> transposed(const Matrix3<S> & a)
{
  Matrix3<S> c;
  for (int i = 0; i < 3; ++i)
  {
    for (int j = 0; j < 3; ++j)
    {
      c.m[i][j] = a.m[j][i];
    }
  }
  return c;
}

template <class S>
void add(Matrix3<S> & a, const Matrix3<S> & b, double factor)
{
  for (int i = 0; i < 3; ++i)
  {
    for (int j = 0; j < 3; ++j)
    {
      a.m[i][j] += factor * b.m[i][j];
    }
  }
}

/// S(s) F: a wrench at the point s further on, seen from here.
template <class S>
Twist<S> shifted(const Plane<S> & s, const Twist<S> & F)
{
  return {F.x, F.y, F.w + s.x * F.y - s.y * F.x};
}

/// S(s)^T V: the velocity of the point s further on.
template <class S>
Twist<S> carried(const Plane<S> & s, const Twist<S> & V)
{
  return {V.x - s.y * V.w, V.y + s.x * V.w, V.w};
}

/// What a changing s adds: S(s)^T - 1 applied to a turning.
template <class S>
Twist<S> turned(const Plane<S> & s, const S & w)
{
  return {-(s.y * w), s.x * w, S(0.0)};
}

template <class S>
Plane<S> turned_left(const Plane<S> & s)
{
  return {-s.y, s.x};
}

}  // namespace fivebar_control::multibody
