// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cmath>

namespace fivebar_control
{

/// Four doubles that are computed on together. `Arch` is a tag per instruction set, so that the
/// same templates compiled for two of them are different functions.
template <class Arch>
struct Pack
{
  using Lanes = double __attribute__((vector_size(32)));
  static constexpr std::size_t size = 4;
  Lanes v;

  Pack() = default;
  explicit Pack(double value) : v{value, value, value, value} {}
  explicit Pack(Lanes lanes) : v(lanes) {}
  /// Reads four neighbours; no alignment needed.
  static Pack load(const double * p)
  {
    Pack result;
    __builtin_memcpy(&result.v, p, sizeof(Lanes));
    return result;
  }
  double lane(std::size_t i) const { return v[i]; }

  Pack & operator+=(Pack o)
  {
    v += o.v;
    return *this;
  }
  Pack & operator-=(Pack o)
  {
    v -= o.v;
    return *this;
  }
  friend Pack operator+(Pack a, Pack b) { return Pack(a.v + b.v); }
  friend Pack operator-(Pack a, Pack b) { return Pack(a.v - b.v); }
  friend Pack operator*(Pack a, Pack b) { return Pack(a.v * b.v); }
  friend Pack operator/(Pack a, Pack b) { return Pack(a.v / b.v); }
  friend Pack operator-(Pack a) { return Pack(-a.v); }
  friend Pack sqrt(Pack a)
  {
    return Pack(Lanes{
      __builtin_sqrt(a.v[0]), __builtin_sqrt(a.v[1]), __builtin_sqrt(a.v[2]),
      __builtin_sqrt(a.v[3])});
  }
  friend Pack tanh(Pack a)
  {
    return Pack(Lanes{
      __builtin_tanh(a.v[0]), __builtin_tanh(a.v[1]), __builtin_tanh(a.v[2]),
      __builtin_tanh(a.v[3])});
  }
};

}  // namespace fivebar_control

namespace Eigen
{
template <class Arch>
struct NumTraits<fivebar_control::Pack<Arch>> : GenericNumTraits<fivebar_control::Pack<Arch>>
{
  using Real = fivebar_control::Pack<Arch>;
  using NonInteger = Real;
  using Nested = Real;
  using Literal = Real;
  enum
  {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 0,
    ReadCost = 1,
    AddCost = 1,
    MulCost = 1
  };
};
}  // namespace Eigen
