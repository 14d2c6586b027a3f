// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/multibody/system.hpp"

namespace fivebar_control::multibody
{

/// How the motion starts: one position and one velocity condition per degree of freedom, which
/// together with the constraints fix q and v (Schaffer, section 4.3.1, hypothesis 2).
class InitialConditions
{
public:
  virtual ~InitialConditions() = default;
  /// A configuration near the wanted one; it chooses the assembly mode.
  virtual VectorD estimate() const = 0;
  /// Residuals that vanish at the start; the velocity ones are linear in v.
  virtual void evaluate(
    const Point<double> & at, Vector<double> & position, Vector<double> & velocity) const = 0;
  virtual void evaluate(
    const Point<Complex> & at, Vector<Complex> & position, Vector<Complex> & velocity) const = 0;
  virtual void evaluate(
    const Point<DualD> & at, Vector<DualD> & position, Vector<DualD> & velocity) const = 0;
};

/// Turns `template <class S> void conditions(const Point<S> &, Vector<S> &, Vector<S> &) const`
/// into InitialConditions.
template <class Derived>
class InitialConditionsOf : public InitialConditions
{
public:
  void evaluate(const Point<double> & at, VectorD & h, VectorD & h_rate) const final
  {
    self().conditions(at, h, h_rate);
  }
  void evaluate(
    const Point<Complex> & at, Vector<Complex> & h, Vector<Complex> & h_rate) const final
  {
    self().conditions(at, h, h_rate);
  }
  void evaluate(const Point<DualD> & at, Vector<DualD> & h, Vector<DualD> & h_rate) const final
  {
    self().conditions(at, h, h_rate);
  }

private:
  const Derived & self() const { return static_cast<const Derived &>(*this); }
};

template <class S>
struct InitialState
{
  Vector<S> q, v;
};

/// The start of the motion at t = 0. Throws MechanismError if it cannot be assembled, if
/// constraints are redundant or if the configuration is singular.
template <class S>
InitialState<S> assemble(
  const System & system, const InitialConditions & initial, const Vector<S> & theta);

/// dq/dtheta and dv/dtheta of the start, one column per entry of theta.
struct InitialTangent
{
  MatrixD q, v;
};
InitialTangent initial_tangent(
  const System & system, const InitialConditions & initial, const Point<double> & start);

/// Refuses a start that no method could continue: redundant constraints, singular configuration,
/// mass matrix not positive on the free directions. Throws MechanismError.
void check_start(const System & system, const Point<double> & start);

}  // namespace fivebar_control::multibody
