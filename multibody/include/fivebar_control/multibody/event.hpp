// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <cmath>

#include "fivebar_control/multibody/system.hpp"

namespace fivebar_control::multibody
{

/// r(t, q, v, theta); something happens where it falls through zero.
class EventFunction
{
public:
  virtual ~EventFunction() = default;
  virtual double value(const Point<double> & at) const = 0;
  virtual Complex value(const Point<Complex> & at) const = 0;
  virtual DualD value(const Point<DualD> & at) const = 0;
};

/// Turns `template <class S> S r(const Point<S> &) const` into an EventFunction.
template <class Derived>
class EventFunctionOf : public EventFunction
{
public:
  double value(const Point<double> & at) const final { return self().r(at); }
  Complex value(const Point<Complex> & at) const final { return self().r(at); }
  DualD value(const Point<DualD> & at) const final { return self().r(at); }

private:
  const Derived & self() const { return static_cast<const Derived &>(*this); }
};

/// What an event does to the velocities. Positions are continuous.
enum class JumpLaw
{
  none,              ///< only the equations change (Corner 2.45)
  given_velocities,  ///< v+ of the named coordinates is factor * v-, the others follow
                     ///< (Corner 2.83-2.84)
  inelastic_impact,  ///< momentum is kept but for impulses of the new constraints (Corner 2.85)
};

struct Event
{
  std::shared_ptr<const EventFunction> function;
  int mode = 0;              ///< the mode in which it is watched
  int next_mode = 0;         ///< the mode after it
  double after = 0.0;        ///< watched in steps that begin at this time or later, s
  double before = HUGE_VAL;  ///< and end at this one or earlier
  JumpLaw law = JumpLaw::none;
  struct Factor
  {
    int coordinate = 0;
    double factor = 1.0;
  };
  std::vector<Factor> factors;  ///< for given_velocities, one per degree of freedom
};

}  // namespace fivebar_control::multibody
