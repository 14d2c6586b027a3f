#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <cstddef>

namespace fivebar_control
{

/// Forward-mode automatic differentiation: a value with N first derivatives. T may itself be a
/// Dual, which gives second derivatives.
template <class T, std::size_t N>
struct Dual
{
  T value{};
  std::array<T, N> derivative{};

  Dual() = default;
  // Implicit, so that constants mix with duals as with plain numbers.
  Dual(double constant) : value(constant) {}  // NOLINT(google-explicit-constructor)
  Dual(const T & v, std::size_t index) : value(v) { derivative[index] = T(1.0); }

  Dual & operator+=(const Dual & o) { return *this = *this + o; }
  Dual & operator-=(const Dual & o) { return *this = *this - o; }
  Dual & operator*=(const Dual & o) { return *this = *this * o; }
  Dual & operator/=(const Dual & o) { return *this = *this / o; }

  /// f(a) with f'(a): the chain rule.
  friend Dual chain(const Dual & a, const T & f, const T & slope)
  {
    Dual r;
    r.value = f;
    for (std::size_t i = 0; i < N; ++i)
    {
      r.derivative[i] = slope * a.derivative[i];
    }
    return r;
  }
  friend Dual operator-(const Dual & a) { return chain(a, -a.value, T(-1.0)); }
  friend Dual operator+(Dual a, const Dual & b)
  {
    a.value = a.value + b.value;
    for (std::size_t i = 0; i < N; ++i)
    {
      a.derivative[i] = a.derivative[i] + b.derivative[i];
    }
    return a;
  }
  friend Dual operator-(const Dual & a, const Dual & b) { return a + (-b); }
  friend Dual operator*(const Dual & a, const Dual & b)
  {
    Dual r;
    r.value = a.value * b.value;
    for (std::size_t i = 0; i < N; ++i)
    {
      r.derivative[i] = a.derivative[i] * b.value + a.value * b.derivative[i];
    }
    return r;
  }
  friend Dual operator/(const Dual & a, const Dual & b)
  {
    const T inverse = T(1.0) / b.value;
    return a * chain(b, inverse, -inverse * inverse);
  }
  friend bool operator!=(const Dual & a, const Dual & b)
  {
    return a.value != b.value || a.derivative != b.derivative;
  }
  friend bool operator==(const Dual & a, const Dual & b) { return !(a != b); }
  friend Dual sin(const Dual & a)
  {
    using std::cos;
    using std::sin;
    return chain(a, sin(a.value), cos(a.value));
  }
  friend Dual cos(const Dual & a)
  {
    using std::cos;
    using std::sin;
    return chain(a, cos(a.value), -sin(a.value));
  }
  friend Dual sqrt(const Dual & a)
  {
    using std::sqrt;
    const T root = sqrt(a.value);
    return chain(a, root, T(0.5) / root);
  }
  friend Dual tanh(const Dual & a)
  {
    using std::tanh;
    const T f = tanh(a.value);
    return chain(a, f, T(1.0) - f * f);
  }
};

}  // namespace fivebar_control

namespace Eigen
{
template <class T, std::size_t N>
struct NumTraits<fivebar_control::Dual<T, N>> : GenericNumTraits<fivebar_control::Dual<T, N>>
{
  using Real = fivebar_control::Dual<T, N>;
  using NonInteger = Real;
  using Nested = Real;
  using Literal = Real;
  enum
  {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 1,
    AddCost = static_cast<int>(N) + 1,
    MulCost = 2 * static_cast<int>(N) + 1
  };
};
}  // namespace Eigen
