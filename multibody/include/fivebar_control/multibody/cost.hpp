// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fivebar_control/multibody/scalar.hpp"

namespace fivebar_control::multibody
{

/// Everything that a running cost may depend on.
template <class S>
struct Motion
{
  S t{};
  Vector<S> q, v, a, lambda, theta;
};

/// What a cost reads of a motion.
struct CostReads
{
  bool velocities = false;
  bool accelerations = false;    ///< or multipliers
  std::vector<int> coordinates;  ///< indices in q whose positions, rates or accelerations are read
};

/// psi = integral of g(t, q, v, a, lambda, theta) dt + w(t, q, v, theta) at the end
/// (Corner 2.5, 2.62).
class Cost
{
public:
  virtual ~Cost() = default;
  virtual double running(const Motion<double> & motion) const = 0;
  virtual Complex running(const Motion<Complex> & motion) const = 0;
  virtual DualD running(const Motion<DualD> & motion) const = 0;
  virtual DualDD running(const Motion<DualDD> & motion) const = 0;
  virtual double terminal(const Motion<double> & motion) const = 0;
  virtual Complex terminal(const Motion<Complex> & motion) const = 0;
  virtual DualD terminal(const Motion<DualD> & motion) const = 0;

  /// What is read, declared: not every method handles everything.
  virtual CostReads reads() const = 0;

  /// For Gauss-Newton: whether both parts are sums of squares.
  virtual bool is_sum_of_squares() const { return false; }
  /// What is squared, of the running or of the terminal part.
  virtual void residuals(
    const Motion<DualD> & motion, bool of_terminal, Vector<DualD> & values) const
  {
    (void)motion;
    (void)of_terminal;
    values.resize(0);
  }
};

/// Turns templates `S g(const Motion<S> &) const` and `S w(const Motion<S> &) const` into a Cost.
template <class Derived>
class CostOf : public Cost
{
public:
  double running(const Motion<double> & motion) const final { return self().g(motion); }
  Complex running(const Motion<Complex> & motion) const final { return self().g(motion); }
  DualD running(const Motion<DualD> & motion) const final { return self().g(motion); }
  DualDD running(const Motion<DualDD> & motion) const final { return self().g(motion); }
  double terminal(const Motion<double> & motion) const final { return self().w(motion); }
  Complex terminal(const Motion<Complex> & motion) const final { return self().w(motion); }
  DualD terminal(const Motion<DualD> & motion) const final { return self().w(motion); }

private:
  const Derived & self() const { return static_cast<const Derived &>(*this); }
};

}  // namespace fivebar_control::multibody
