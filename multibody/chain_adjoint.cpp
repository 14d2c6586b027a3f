// SPDX-License-Identifier: Apache-2.0
#include "chain_adjoint.hpp"

namespace fivebar_control::multibody
{

void ChainAdjoint::move(double t, const VectorD & y, const VectorD & theta)
{
  t_ = t;
  theta_ = theta;
  dynamics_->move(y, theta, response_);
  running_.resize(problem_->costs.size());
  for (std::size_t c = 0; c < problem_->costs.size(); ++c)
  {
    find_slopes(c, false, running_[c]);
  }
}

/// Costs of a chain read few coordinates; no others are filled in.
void ChainAdjoint::find_slopes(std::size_t cost, bool terminal, CostSlopes & slopes) const
{
  const Cost & of = *problem_->costs[cost];
  const std::vector<int> read = of.reads().coordinates;
  const auto coordinates = static_cast<Eigen::Index>(read.size());
  const Eigen::Index columns = coordinates + theta_.size();
  slopes.coordinates.setZero(response_.q.size());
  slopes.theta.resize(theta_.size());
  motion_.t = DualD(t_);
  motion_.q.resize(response_.q.size());
  motion_.v.resize(response_.q.size());
  motion_.theta = theta_.cast<DualD>();
  for (const int i : read)
  {
    motion_.q(i) = DualD(response_.q(i));
  }
  const auto variable = [&](Eigen::Index i) -> DualD & {
    return i < coordinates ? motion_.q(read[static_cast<std::size_t>(i)])
                           : motion_.theta(i - coordinates);
  };
  for (Eigen::Index first = 0; first < columns; first += dual_width)
  {
    const int count = static_cast<int>(std::min<Eigen::Index>(dual_width, columns - first));
    for (int d = 0; d < count; ++d)
    {
      variable(first + d)[d] = 1.0;
    }
    const DualD value = terminal ? of.terminal(motion_) : of.running(motion_);
    for (int d = 0; d < count; ++d)
    {
      const Eigen::Index i = first + d;
      variable(i)[d] = 0.0;
      (i < coordinates ? slopes.coordinates(read[static_cast<std::size_t>(i)])
                       : slopes.theta(i - coordinates)) = value[d];
    }
  }
}

/// 4.22, 4.26: from the ground outwards.
void ChainAdjoint::take(const JointAdjoint & at)
{
  const auto & links = dynamics_->links();
  joint_eta_ = at.eta;
  xi_.resize(links.size());
  eta_.resize(links.size());
  Twist<double> outer_xi, outer_eta;
  for (std::size_t k = 0; k < links.size(); ++k)
  {
    const auto i = static_cast<Eigen::Index>(k);
    xi_[k] = outer_xi + dynamics_->own_momentum(k, at.xi(i));
    eta_[k] = outer_eta + dynamics_->own_momentum(k, at.eta(i));
    const Plane<double> & s = links[k].to_outer;
    outer_xi = carried(s, xi_[k]);
    outer_eta = carried(s, eta_[k]) + turned(links[k].rate_of(s), xi_[k].w);
  }
}

void ChainAdjoint::absolute(VectorD & xi, VectorD & eta) const
{
  const auto & links = dynamics_->links();
  xi.resize(static_cast<Eigen::Index>(3 * links.size()));
  eta.resize(xi.size());
  for (std::size_t k = 0; k < links.size(); ++k)
  {
    const Plane<double> & s = links[k].to_centre;
    const Twist<double> centre_xi = carried(s, xi_[k]);
    const Twist<double> centre_eta = carried(s, eta_[k]) + turned(links[k].rate_of(s), xi_[k].w);
    const int first = chain_->links[k].first;
    xi.segment(first, 3) << centre_xi.x, centre_xi.y, centre_xi.w;
    eta.segment(first, 3) << centre_eta.x, centre_eta.y, centre_eta.w;
  }
}

/// Springs and dampers couple neighbours.
double ChainAdjoint::joint_term(std::size_t k) const
{
  const double xi = xi_[k].w - (k > 0 ? xi_[k - 1].w : 0.0);
  const double eta = eta_[k].w - (k > 0 ? eta_[k - 1].w : 0.0);
  double sum = 0.0;
  for (const ChainSpring & spring : chain_->links[k].springs)
  {
    sum += spring.stiffness.at(theta_) * xi - spring.damping.at(theta_) * eta;
  }
  return sum;
}

Twist<double> ChainAdjoint::residual(std::size_t k, const CostSlopes & h) const
{
  const auto & links = dynamics_->links();
  const LinkMotion<double> & link = links[k];
  const ChainLink & of = chain_->links[k];
  Twist<double> r{
    h.coordinates(of.first), h.coordinates(of.first + 1), h.coordinates(of.first + 2)};
  // (C^T lambda)_q has one entry per body.
  double entry = -(link.to_centre.x * link.reaction.x + link.to_centre.y * link.reaction.y);
  r.w += joint_term(k);
  if (k + 1 < links.size())
  {
    const Plane<double> s = link.to_outer - link.to_centre;
    entry -= s.x * links[k + 1].reaction.x + s.y * links[k + 1].reaction.y;
    r.w -= joint_term(k + 1);
  }
  for (const ChainLoad & load : of.loads)
  {
    const Plane<double> s = dynamics_->point_of(k, load, theta_) - link.to_centre;
    entry += s.x * load.x.at(theta_) + s.y * load.y.at(theta_);
  }
  r.w += entry * xi_[k].w;
  for (const ChainFriction & friction : of.frictions)
  {
    const Plane<double> & s = link.to_centre;
    const Twist<double> centre = carried(s, eta_[k]) + turned(link.rate_of(s), xi_[k].w);
    const double c = friction.viscous.at(theta_);
    (friction.component == 0   ? r.x
     : friction.component == 1 ? r.y
                               : r.w) -= c * (friction.component == 0   ? centre.x
                                              : friction.component == 1 ? centre.y
                                                                        : centre.w);
  }
  return r;
}

template <class Prepare>
VectorD ChainAdjoint::solve(Prepare && prepare)
{
  const std::size_t size = chain_->size();
  solution_.resize(size);
  dynamics_->tree().solve<Sweep::loads>(prepare, [&](std::size_t k, auto & node) {
    solution_[k] = ChainDynamics<double>::handle_1(node);
  });
  VectorD result(static_cast<Eigen::Index>(size));
  for (std::size_t k = 0; k < size; ++k)
  {
    result(static_cast<Eigen::Index>(k)) =
      dynamics_->joint_part(k, [&](std::size_t i) { return solution_[i]; });
  }
  return result;
}

JointAdjoint ChainAdjoint::rate(std::size_t cost)
{
  const auto & links = dynamics_->links();
  const CostSlopes & h = running_[cost];
  return {joint_eta_, solve([&](std::size_t k, auto & node) {
            const LinkMotion<double> & link = links[k];
            const auto bias = [&](const Plane<double> & s) {
              return turned(link.rate_of(s), 2.0 * eta_[k].w) +
                     turned(link.second_rate_of(s), xi_[k].w);
            };
            const Twist<double> b = bias(link.to_centre);
            const Twist<double> total =
              residual(k, h) + Twist<double>{link.mass * b.x, link.mass * b.y, link.inertia * b.w};
            node.z10 = -link.inverse_mass_times(shifted(link.to_centre, total));
            node.z20 = carried(link.to_outer, node.z10) + bias(link.to_outer);
          })};
}

JointAdjoint ChainAdjoint::terminal(std::size_t cost)
{
  CostSlopes S;
  find_slopes(cost, true, S);
  const auto & links = dynamics_->links();
  return {
    VectorD::Zero(static_cast<Eigen::Index>(links.size())), solve([&](std::size_t k, auto & node) {
      const auto at = S.coordinates.segment(chain_->links[k].first, 3);
      const Twist<double> centre{at(0), at(1), at(2)};
      node.z10 = links[k].inverse_mass_times(shifted(links[k].to_centre, centre));
      node.z20 = carried(links[k].to_outer, node.z10);
    })};
}

VectorD ChainAdjoint::terminal_by_theta(std::size_t cost) const
{
  CostSlopes S;
  find_slopes(cost, true, S);
  return S.theta;
}

/// 4.15: h_theta - xi^T f_theta.
VectorD ChainAdjoint::density(std::size_t cost) const
{
  VectorD result = running_[cost].theta;
  const auto subtract = [&](const Value & value, double slope) {
    if (value.parameter >= 0)
    {
      result(value.parameter) -= slope;
    }
  };
  for (const std::size_t k : driven_)
  {
    for (const ChainLoad & load : chain_->links[k].loads)
    {
      const Twist<double> there = carried(dynamics_->point_of(k, load, theta_), xi_[k]);
      subtract(load.x, there.x);
      subtract(load.y, there.y);
    }
    for (const ChainSpring & spring : chain_->links[k].springs)
    {
      subtract(spring.torque, -spring.sign * (xi_[k].w - (k > 0 ? xi_[k - 1].w : 0.0)));
    }
  }
  return result;
}

}  // namespace fivebar_control::multibody
