// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>

namespace fivebar_control
{

/// A number with its first derivatives in N directions (forward automatic differentiation).
/// T may itself be a Dual, which gives second derivatives.
template <class T, int N>
struct Dual
{
  T value{};
  std::array<T, static_cast<std::size_t>(N)> slope{};

  Dual() = default;
  // Implicit, so that constants mix with duals as with plain numbers.
  Dual(double constant) : value(constant) {}  // NOLINT(google-explicit-constructor)
  explicit Dual(const T & constant) requires(!std::is_same_v<T, double>) : value(constant) {}
  /// The variable of this direction.
  Dual(const T & at, int direction) : value(at) { (*this)[direction] = T(1.0); }

  T & operator[](int direction) { return slope[static_cast<std::size_t>(direction)]; }
  const T & operator[](int direction) const { return slope[static_cast<std::size_t>(direction)]; }

  Dual & operator+=(const Dual & other)
  {
    value += other.value;
    for (std::size_t i = 0; i < slope.size(); ++i)
    {
      slope[i] += other.slope[i];
    }
    return *this;
  }
  Dual & operator-=(const Dual & other)
  {
    value -= other.value;
    for (std::size_t i = 0; i < slope.size(); ++i)
    {
      slope[i] -= other.slope[i];
    }
    return *this;
  }
  Dual & operator*=(const Dual & other)
  {
    for (std::size_t i = 0; i < slope.size(); ++i)
    {
      slope[i] = slope[i] * other.value + value * other.slope[i];
    }
    value *= other.value;
    return *this;
  }
  Dual & operator/=(const Dual & other)
  {
    const T inverse = T(1.0) / other.value;
    value *= inverse;
    for (std::size_t i = 0; i < slope.size(); ++i)
    {
      slope[i] = (slope[i] - value * other.slope[i]) * inverse;
    }
    return *this;
  }
  Dual & operator*=(double factor)
  {
    value *= factor;
    for (T & derivative : slope)
    {
      derivative *= factor;
    }
    return *this;
  }

  friend Dual operator+(Dual a, const Dual & b) { return a += b; }
  friend Dual operator-(Dual a, const Dual & b) { return a -= b; }
  friend Dual operator*(Dual a, const Dual & b) { return a *= b; }
  friend Dual operator/(Dual a, const Dual & b) { return a /= b; }
  friend Dual operator*(Dual a, double b) { return a *= b; }
  friend Dual operator*(double a, Dual b) { return b *= a; }
  friend Dual operator+(Dual a, double b)
  {
    a.value += b;
    return a;
  }
  friend Dual operator+(double a, Dual b) { return b + a; }
  friend Dual operator-(Dual a, double b)
  {
    a.value -= b;
    return a;
  }
  friend Dual operator-(double a, const Dual & b) { return a + (-1.0) * b; }
  friend Dual operator-(const Dual & a) { return (-1.0) * a; }
  // Eigen skips what equals zero: a zero with a slope must not.
  friend bool operator==(const Dual & a, const Dual & b) = default;
};

/// f(x) with f' known: the chain rule for one-argument functions.
template <class T, int N>
Dual<T, N> chain(const Dual<T, N> & x, const T & value, const T & derivative)
{
  Dual<T, N> result;
  result.value = value;
  for (std::size_t i = 0; i < result.slope.size(); ++i)
  {
    result.slope[i] = derivative * x.slope[i];
  }
  return result;
}

template <class T, int N>
Dual<T, N> sqrt(const Dual<T, N> & x)
{
  using std::sqrt;
  const T root = sqrt(x.value);
  return chain(x, root, T(0.5) / root);
}

template <class T, int N>
Dual<T, N> sin(const Dual<T, N> & x)
{
  using std::cos;
  using std::sin;
  return chain(x, T(sin(x.value)), T(cos(x.value)));
}

template <class T, int N>
Dual<T, N> cos(const Dual<T, N> & x)
{
  using std::cos;
  using std::sin;
  return chain(x, T(cos(x.value)), T(-sin(x.value)));
}

template <class T, int N>
Dual<T, N> tanh(const Dual<T, N> & x)
{
  using std::tanh;
  const T value = tanh(x.value);
  return chain(x, value, T(1.0 - value * value));
}

/// The plain number below all derivatives and imaginary parts.
inline double real_part(double x) { return x; }
inline double real_part(const std::complex<double> & x) { return x.real(); }
template <class T, int N>
double real_part(const Dual<T, N> & x)
{
  return real_part(x.value);
}

}  // namespace fivebar_control

namespace Eigen
{

template <class T, int N>
struct NumTraits<fivebar_control::Dual<T, N>> : NumTraits<double>
{
  using Real = fivebar_control::Dual<T, N>;
  using NonInteger = Real;
  using Nested = Real;
  enum
  {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = N,
    AddCost = N,
    MulCost = 3 * N
  };
};

}  // namespace Eigen
