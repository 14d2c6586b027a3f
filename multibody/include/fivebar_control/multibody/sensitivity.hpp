// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fivebar_control/multibody/trajectory.hpp"

namespace fivebar_control::multibody
{

/// Costs and their derivatives, one row per cost.
struct Gradient
{
  VectorD costs;
  MatrixD gradient;
  /// The most states of the motion that were stored at one time, and how many it has; counted by
  /// the methods that know checkpoints.
  std::size_t stored_states = 0, all_states = 0;
};

enum class Method
{
  direct,   ///< tangent linear model, exact for the integrator (Dopico et al. 37; Corner 2.14-2.49)
  adjoint,  ///< continuous adjoint of y' = f (Dopico et al. adjoint-1, 64-70; Corner 3.19-3.29)
  adjoint_semi_explicit,      ///< adjoint-2 of Maggi's equations (Dopico et al. 71-83)
  discrete_adjoint,           ///< transpose of the integrator's own tangent
  hamiltonian_adjoint,        ///< xi, eta, mu in absolute coordinates (Maciąg 4.11-4.16, B.7)
  hamiltonian_adjoint_joint,  ///< the same in joint space (Maciąg 4.29-4.30)
  piecewise_adjoint,  ///< multiple shooting in time, intervals in parallel (Schaffer, chapter 5)
  hadca_adjoint,      ///< Hamiltonian adjoint of a chain, divide and conquer (Maciąg 4.5)
  finite_difference,
  central_difference,
  complex_step,
};

Gradient gradient(
  const Problem & problem, const Settings & settings, const VectorD & rho, Method method);

/// Why this method cannot be used here, or nothing.
std::string obstacle(const Problem & problem, const Settings & settings, Method method);

Gradient direct(const Problem & problem, const Settings & settings, const VectorD & rho);
Gradient adjoint(const Problem & problem, const Settings & settings, const VectorD & rho);
Gradient adjoint_semi_explicit(
  const Problem & problem, const Settings & settings, const VectorD & rho);
Gradient discrete_adjoint(const Problem & problem, const Settings & settings, const VectorD & rho);
/// The continuous adjoint of ALI3-P (López Varela 5.86-5.101, corrected), `adjoint` of that form.
Gradient ali3p_adjoint(const Problem & problem, const Settings & settings, const VectorD & rho);
/// `adjoint` of the kinematic form (López Varela 5.25-5.29): algebraic at each instant.
Gradient kinematic_adjoint(const Problem & problem, const Settings & settings, const VectorD & rho);
Gradient piecewise_adjoint(const Problem & problem, const Settings & settings, const VectorD & rho);
Gradient finite_difference(
  const Problem & problem, const Settings & settings, const VectorD & rho, double delta);
Gradient central_difference(
  const Problem & problem, const Settings & settings, const VectorD & rho, double delta);
Gradient complex_step(const Problem & problem, const Settings & settings, const VectorD & rho);

/// The adjoint of a motion that is already known.
MatrixD adjoint_of(
  const Problem & problem, const Settings & settings, const Trajectory & trajectory);
MatrixD piecewise_adjoint_of(
  const Problem & problem, const Settings & settings, const Trajectory & trajectory);

/// State sensitivities at the end of the motion beside the gradient (dq/drho, dv/drho).
struct DirectResult
{
  Gradient gradient;
  MatrixD q, v;
  /// Gauss-Newton's matrix 2 integral r_rho^T r_rho of the first cost, if asked for.
  MatrixD gauss_newton;
};
DirectResult direct_with_states(
  const Problem & problem, const Settings & settings, const VectorD & rho, bool gauss_newton);

const char * name(Method method);
const char * name(Formulation formulation);
const char * name(Integrator integrator);
/// How these settings step: the formulation's own scheme, or the integrator.
const char * integrator_name(const Settings & settings);
const std::vector<Method> & all_methods();
const std::vector<Formulation> & all_formulations();
/// What has this name; nothing if it is none.
std::optional<Method> method_named(const std::string & text);
std::optional<Formulation> formulation_named(const std::string & text);

}  // namespace fivebar_control::multibody
