// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "fivebar_control/multibody/problem.hpp"

namespace fivebar_control::multibody
{

/// What a state of a form means: coordinates, accelerations, multipliers, and y'.
template <class S>
struct Response
{
  Vector<S> q, v, a, lambda, rate;
};

/// Derivatives of a Response: columns are the form's state, then theta.
struct ResponseTangent
{
  MatrixD q, v, a, lambda, rate;
};

/// Equations of motion as an explicit first-order system y' = f(t, y, theta). All sensitivity
/// methods that are not tied to one formulation are written against this.
class Form
{
public:
  explicit Form(std::shared_ptr<const System> system) : system_(std::move(system)) {}
  virtual ~Form() = default;
  const System & system() const { return *system_; }
  std::shared_ptr<const System> shared_system() const { return system_; }

  virtual Eigen::Index size() const = 0;
  /// `hint`: a configuration nearby, for forms that must solve for dependent coordinates.
  virtual void respond(
    double t, const VectorD & y, const VectorD & theta, const VectorD & hint,
    Response<double> & response) const = 0;
  virtual void respond(
    const Complex & t, const Vector<Complex> & y, const Vector<Complex> & theta,
    const VectorD & hint, Response<Complex> & response) const = 0;
  /// Needs the response at the same point.
  virtual ResponseTangent linearise(
    double t, const VectorD & y, const VectorD & theta,
    const Response<double> & response) const = 0;

  /// The state of a point (q, v).
  virtual VectorD state(const Point<double> & at) const = 0;
  virtual Vector<Complex> state(const Point<Complex> & at) const = 0;
  /// How the state changes along directions of (q, v, theta).
  virtual MatrixD state_tangent(const Point<double> & at, const Directions & along) const = 0;

  /// A measure in (0, 1] of how well conditioned the form is at q; 1 if it always is.
  virtual double quality(const Point<double> & at) const
  {
    (void)at;
    return 1.0;
  }

private:
  std::shared_ptr<const System> system_;
};

/// Index-1 (compliance 0) and penalty forms (compliance 1/alpha), y = (q, v).
std::unique_ptr<Form> make_acceleration_form(
  std::shared_ptr<const System> system, double compliance, double damping, double frequency);
/// y = (q, p*), 003 eq. (3.9).
std::unique_ptr<Form> make_hamilton_form(std::shared_ptr<const System> system);

/// Coordinates that parametrise the motion near `at`, by pivoting on Phi_q.
std::vector<int> choose_independent(const System & system, const Point<double> & at);

/// The form that the settings name, for a motion that starts at `at`.
std::unique_ptr<Form> make_form(
  std::shared_ptr<const System> system, const Settings & settings, const Point<double> & at);

}  // namespace fivebar_control::multibody
