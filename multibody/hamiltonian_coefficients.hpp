// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/multibody/trajectory.hpp"
#include "kkt.hpp"

namespace fivebar_control::multibody
{

/// Everything that the adjoint equations need at one instant of the motion.
struct HamiltonianCoefficients
{
  double t = 0.0;
  Terms<double> terms;
  Lu<double> kkt;
  MatrixD Phi_q_second;  ///< Phi_q''
  MatrixD momentum_q;    ///< (M v)_q
  MatrixD f_q, f_v, f_v_rate;
  MatrixD reaction_q;          ///< (Phi_q^T lambda)_q
  MatrixD h_q, h_v, h_v_rate;  ///< of the running costs, one row per cost
  // Parameter derivatives at fixed state: of M v + Phi_q^T sigma, f + Phi_q'^T sigma, Phi', h.
  MatrixD momentum_theta, force_theta, constraint_rate_theta, h_theta;
};

/// Computes the coefficients along a motion in the Hamilton form.
class HamiltonianEquations
{
public:
  HamiltonianEquations(const Problem & problem, const Form & form, const VectorD & rho)
  : problem_(problem), form_(form), system_(form.system()), rho_(rho)
  {
  }

  HamiltonianCoefficients at(double t, const VectorD & y) const;

private:
  void first_slopes(
    const Point<double> & at, const Response<double> & response, const VectorD & sigma,
    HamiltonianCoefficients & c) const;
  void time_slopes(
    const Point<double> & at, const Response<double> & response, HamiltonianCoefficients & c) const;
  /// The point and what a cost sees of it, moving in time; velocities are seeded by the caller.
  void lift(
    const Point<double> & at, const Response<double> & response, Motion<DualDD> & motion) const;

  const Problem & problem_;
  const Form & form_;
  const System & system_;
  const VectorD & rho_;
};

}  // namespace fivebar_control::multibody
