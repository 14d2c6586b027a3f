// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
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

/// What a formulation is able to do, declared in one table (form.cpp): methods ask here instead of
/// knowing formulations.
struct FormTraits
{
  const char * name;
  /// How it steps, where it is discrete in time by itself; null: y' = f(t, y), any integrator.
  const char * scheme;
  bool events;          ///< steps of any length, so that events can be met
  bool momenta;         ///< the state holds momenta: the Hamiltonian adjoint belongs to it
  bool projected_mass;  ///< has M_bar and Q_bar of independent coordinates (Dopico et al. 11-12)
  bool chain;           ///< for open chains of bodies only
  bool driven;          ///< for mechanisms without degrees of freedom
  bool tree;            ///< for spatial trees in joint coordinates only
};
const FormTraits & traits(Formulation formulation);

/// Derivatives of one step of a form that is discrete in time. Directions are columns.
class StepTangent
{
public:
  virtual ~StepTangent() = default;
  /// The change of y at the end by changes of y at the start and of theta at the end.
  virtual MatrixD forward(const MatrixD & state, const MatrixD & theta) const = 0;
  /// The transpose: turns derivatives by y at the end into those by y at the start, and adds those
  /// by theta to `theta` (one row per column of `end`).
  virtual MatrixD backward(const MatrixD & end, MatrixD & theta) const = 0;
};

/// The step of a form that is discrete in time, from (t, y) to t + h, where theta belongs to the
/// end. Costs are integrated over it by the trapezoidal rule.
class DiscreteScheme
{
public:
  virtual ~DiscreteScheme() = default;
  virtual VectorD step(double t, const VectorD & y, double h, const VectorD & theta) const = 0;
  virtual Vector<Complex> step(
    double t, const Vector<Complex> & y, double h, const Vector<Complex> & theta) const = 0;
  /// `end` is what the step led to.
  virtual std::unique_ptr<StepTangent> linearise_step(
    double t, const VectorD & y, double h, const VectorD & end, const VectorD & theta) const = 0;
};

/// Equations of motion as a first-order system y' = f(t, y, theta), or as a scheme that is discrete
/// in time. All sensitivity methods that are not tied to one formulation are written against this.
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

  /// The form's own step, or null where its rate is to be integrated.
  virtual const DiscreteScheme * scheme() const { return nullptr; }
  /// A form of the same system that is better conditioned at this point, or null where this one is
  /// good enough.
  virtual std::unique_ptr<Form> better(const Point<double> & at) const
  {
    (void)at;
    return nullptr;
  }

private:
  std::shared_ptr<const System> system_;
};

/// Index-1 (compliance 0) and penalty forms (compliance 1/alpha), y = (q, v).
std::unique_ptr<Form> make_acceleration_form(
  std::shared_ptr<const System> system, double compliance, double damping, double frequency);
/// y = (q, p*), Maciąg eq. (3.9).
std::unique_ptr<Form> make_hamilton_form(std::shared_ptr<const System> system);
/// y = (q, v, a, lambda): index-3 augmented Lagrangian with velocity and acceleration projections
/// and the trapezoidal member of Newmark's family (López Varela, section 3; docs/sensitivity.md has
/// the corrected equations).
std::unique_ptr<Form> make_ali3p_form(
  std::shared_ptr<const System> system, const Settings & settings);

/// y = (q, v, a, lambda, average): index-3 equations by a generalised-alpha scheme
/// (alpha_method.hpp).
std::unique_ptr<Form> make_index3_form(
  std::shared_ptr<const System> system, const Settings & settings);
/// Without state: positions, velocities, accelerations and multipliers follow from drives. Throws
/// MechanismError if degrees of freedom are left.
std::unique_ptr<Form> make_kinematic_form(std::shared_ptr<const System> system);

/// y = (joint coordinates, joint momenta) of an open chain, by divide and conquer (Maciąg 3.4).
/// Throws MechanismError if the system is no such chain.
std::unique_ptr<Form> make_hadca_form(std::shared_ptr<const System> system, int threads);

/// y = (q, v) of a spatial tree in joint coordinates; work proportional to the number of bodies
/// (López Varela, section 3.3). Throws MechanismError if the system is no such tree.
std::unique_ptr<Form> make_recursive_form(std::shared_ptr<const System> system);
/// Why a mechanism is no such tree, or "".
std::string tree_obstacle(const System & system);

/// Coordinates that parametrise the motion near `at`, by pivoting on Phi_q.
std::vector<int> choose_independent(const System & system, const Point<double> & at);

/// The form that the settings name, for a motion that starts at `at`.
std::unique_ptr<Form> make_form(
  std::shared_ptr<const System> system, const Settings & settings, const Point<double> & at);

}  // namespace fivebar_control::multibody
