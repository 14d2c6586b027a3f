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
    for (std::size_t k = 0; k < chain.size(); ++k)
    {
      bool moved = false;
      for (const ChainLoad & load : chain.links[k].loads)
      {
        moved = moved || load.x.parameter >= 0 || load.y.parameter >= 0;
      }
      for (const ChainSpring & spring : chain.links[k].springs)
      {
        moved = moved || spring.torque.parameter >= 0;
      }
      if (moved)
      {
        driven_.push_back(k);
      }
    }
  }

  void move(double t, const VectorD & y, const VectorD & theta);
  double time() const { return t_; }

  /// Where the backward integration starts: M eta + C^T mu = S_q^T, xi = 0 (4.13).
  JointAdjoint terminal(std::size_t cost);
  VectorD terminal_by_theta(std::size_t cost) const;

  /// Takes the adjoint that the following ask about.
  void take(const JointAdjoint & at);
  /// xi^' = eta^, eta^'.
  JointAdjoint rate(std::size_t cost);
  /// d(cost)/d(theta) per second.
  VectorD density(std::size_t cost) const;
  /// xi and eta in the mechanism's coordinates.
  void absolute(VectorD & xi, VectorD & eta) const;

private:
  /// A cost's slopes by all coordinates, and by theta.
  struct CostSlopes
  {
    VectorD coordinates, theta;
  };
  void find_slopes(std::size_t cost, bool terminal, CostSlopes & slopes) const;
  /// r at the centre of body k.
  Twist<double> residual(std::size_t k, const CostSlopes & h) const;
  /// Torque between body k and the one before.
  double joint_term(std::size_t k) const;
  /// The joint parts of the solution of M x + C^T mu = ..., by the tree of the motion.
  template <class Prepare>
  VectorD solve(Prepare && prepare);

  const Problem * problem_;
  const Chain * chain_;
  std::unique_ptr<ChainDynamics<double>> dynamics_;
  double t_ = 0.0;
  VectorD theta_;
  Response<double> response_;
  std::vector<CostSlopes> running_;      ///< of all costs at this instant
  mutable Motion<DualD> motion_;         ///< for the slopes
  std::vector<Twist<double>> xi_, eta_;  ///< at the handles 1
  std::vector<Twist<double>> solution_;
  VectorD joint_eta_;
  std::vector<std::size_t> driven_;  ///< links whose loads or torques are parameters
};

}  // namespace fivebar_control::multibody
