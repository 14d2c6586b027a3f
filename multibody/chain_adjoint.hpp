// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "chain_dynamics.hpp"

namespace fivebar_control::multibody
{

/// xi^ and eta^ of the joints.
struct JointAdjoint
{
  VectorD xi, eta;
};

inline JointAdjoint advance(const JointAdjoint & from, double factor, const JointAdjoint & rate)
{
  return {from.xi + factor * rate.xi, from.eta + factor * rate.eta};
}

/// The adjoint equations of a chain at one instant of its motion
/// (Maciąg 4.22, 4.26, 4.41-4.44, 4.51- 4.54). At the centre of each body r = h_q + f_v^T eta -
/// (f_q - (C^T lambda)_q)^T xi, and at its handle 1, since eta_C' = S^T eta' + b with b = 2 S'^T
/// eta + S''^T xi: S (r + M b).
class ChainAdjoint
{
public:
  ChainAdjoint(const Problem & problem, const Chain & chain, Team * team)
  : problem_(&problem),
    chain_(&chain),
    dynamics_(std::make_unique<ChainDynamics<double>>(chain, team))
  {
  }

  void move(double t, const VectorD & y, const VectorD & theta);
  double time() const { return t_; }

  /// xi^' = eta^, eta^'.
  JointAdjoint rate(std::size_t cost, const JointAdjoint & at);
  /// Where the backward integration starts: M eta + C^T mu = S_q^T, xi = 0 (4.13).
  JointAdjoint terminal(std::size_t cost);
  /// d(cost)/d(theta) per second, and of the terminal cost.
  VectorD density(std::size_t cost, const JointAdjoint & at) const;
  VectorD terminal_by_theta(std::size_t cost) const;
  /// xi and eta in the mechanism's coordinates.
  void absolute(const JointAdjoint & at, VectorD & xi, VectorD & eta) const;

private:
  using Twists = std::vector<Twist<double>>;

  /// A cost's slopes by the coordinates it reads, and by theta.
  struct CostSlopes
  {
    VectorD coordinates, theta;
  };
  CostSlopes slopes(std::size_t cost, bool terminal) const;
  /// xi and eta at the handles 1 of all bodies.
  void expand(const JointAdjoint & at, Twists & xi, Twists & eta) const;
  /// r at the centres.
  Twists residual(std::size_t cost, const Twists & xi, const Twists & eta) const;
  void add_joint_terms(const Twists & xi, const Twists & eta, Twists & r) const;
  VectorD solve(const Twists & z10, const Twists & z20);

  const Problem * problem_;
  const Chain * chain_;
  std::unique_ptr<ChainDynamics<double>> dynamics_;
  double t_ = 0.0;
  VectorD theta_;
  Response<double> response_;
  std::vector<CostSlopes> running_;  ///< of all costs at this instant
};

}  // namespace fivebar_control::multibody
