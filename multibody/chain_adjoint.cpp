// SPDX-License-Identifier: Apache-2.0
#include "chain_adjoint.hpp"

namespace fivebar_control::multibody
{

void ChainAdjoint::move(double t, const VectorD & y, const VectorD & theta)
{
  t_ = t;
  theta_ = theta;
  dynamics_->move(y, theta);
  dynamics_->accelerate();
  dynamics_->describe(y, theta, response_);
  running_.clear();
  for (std::size_t c = 0; c < problem_->costs.size(); ++c)
  {
    running_.push_back(slopes(c, false));
  }
}

ChainAdjoint::CostSlopes ChainAdjoint::slopes(std::size_t cost, bool terminal) const
{
  const Cost & of = *problem_->costs[cost];
  const std::vector<int> read = of.reads().coordinates;
  const auto coordinates = static_cast<Eigen::Index>(read.size());
  const Eigen::Index columns = coordinates + theta_.size();
  CostSlopes result{VectorD(coordinates), VectorD(theta_.size())};
  Motion<DualD> motion{DualD(t_), response_.q.cast<DualD>(), response_.v.cast<DualD>(), {},
                       {},        theta_.cast<DualD>()};
  const auto variable = [&](Eigen::Index i) -> DualD & {
    return i < coordinates ? motion.q(read[static_cast<std::size_t>(i)])
                           : motion.theta(i - coordinates);
  };
  for (Eigen::Index first = 0; first < columns; first += dual_width)
  {
    const int count = static_cast<int>(std::min<Eigen::Index>(dual_width, columns - first));
    for (int d = 0; d < count; ++d)
    {
      variable(first + d)[d] = 1.0;
    }
    const DualD value = terminal ? of.terminal(motion) : of.running(motion);
    for (int d = 0; d < count; ++d)
    {
      const Eigen::Index i = first + d;
      variable(i)[d] = 0.0;
      (i < coordinates ? result.coordinates(i) : result.theta(i - coordinates)) = value[d];
    }
  }
  return result;
}

/// 4.22, 4.26: from the ground outwards.
void ChainAdjoint::expand(const JointAdjoint & at, Twists & xi, Twists & eta) const
{
  const auto & links = dynamics_->links();
  xi.resize(links.size());
  eta.resize(links.size());
  Twist<double> outer_xi, outer_eta;
  for (std::size_t k = 0; k < links.size(); ++k)
  {
    const auto i = static_cast<Eigen::Index>(k);
    xi[k] = outer_xi + dynamics_->own_momentum(k, at.xi(i));
    eta[k] = outer_eta + dynamics_->own_momentum(k, at.eta(i));
    const Plane<double> & s = links[k].to_outer;
    outer_xi = carried(s, xi[k]);
    outer_eta = carried(s, eta[k]) + turned(links[k].rate_of(s), xi[k].w);
  }
}

void ChainAdjoint::absolute(const JointAdjoint & at, VectorD & xi, VectorD & eta) const
{
  Twists handle_xi, handle_eta;
  expand(at, handle_xi, handle_eta);
  const auto & links = dynamics_->links();
  xi.resize(static_cast<Eigen::Index>(3 * links.size()));
  eta.resize(xi.size());
  for (std::size_t k = 0; k < links.size(); ++k)
  {
    const Plane<double> & s = links[k].to_centre;
    const Twist<double> centre_xi = carried(s, handle_xi[k]);
    const Twist<double> centre_eta =
      carried(s, handle_eta[k]) + turned(links[k].rate_of(s), handle_xi[k].w);
    const int first = chain_->links[k].first;
    xi.segment(first, 3) << centre_xi.x, centre_xi.y, centre_xi.w;
    eta.segment(first, 3) << centre_eta.x, centre_eta.y, centre_eta.w;
  }
}

/// Springs and dampers couple neighbours.
void ChainAdjoint::add_joint_terms(const Twists & xi, const Twists & eta, Twists & r) const
{
  for (std::size_t k = 0; k < r.size(); ++k)
  {
    for (const ChainSpring & spring : chain_->links[k].springs)
    {
      const double xi_joint = xi[k].w - (k > 0 ? xi[k - 1].w : 0.0);
      const double eta_joint = eta[k].w - (k > 0 ? eta[k - 1].w : 0.0);
      const double both =
        spring.stiffness.at(theta_) * xi_joint - spring.damping.at(theta_) * eta_joint;
      r[k].w += both;
      if (k > 0)
      {
        r[k - 1].w -= both;
      }
    }
  }
}

ChainAdjoint::Twists ChainAdjoint::residual(
  std::size_t cost, const Twists & xi, const Twists & eta) const
{
  const auto & links = dynamics_->links();
  Twists r(links.size());
  const CostSlopes & h = running_[cost];
  const std::vector<int> read = problem_->costs[cost]->reads().coordinates;
  VectorD by_coordinate = VectorD::Zero(response_.q.size());
  for (std::size_t i = 0; i < read.size(); ++i)
  {
    by_coordinate(read[i]) = h.coordinates(static_cast<Eigen::Index>(i));
  }
  for (std::size_t k = 0; k < links.size(); ++k)
  {
    const LinkMotion<double> & link = links[k];
    const int first = chain_->links[k].first;
    r[k] = {by_coordinate(first), by_coordinate(first + 1), by_coordinate(first + 2)};
    // (C^T lambda)_q has one entry per body.
    double entry = -(link.to_centre.x * link.reaction.x + link.to_centre.y * link.reaction.y);
    if (k + 1 < links.size())
    {
      const Plane<double> s = link.to_outer - link.to_centre;
      entry -= s.x * links[k + 1].reaction.x + s.y * links[k + 1].reaction.y;
    }
    r[k].w += entry * xi[k].w;
  }
  add_joint_terms(xi, eta, r);
  for (const ChainFriction & friction : chain_->frictions)
  {
    const auto k = static_cast<std::size_t>(friction.link);
    const Plane<double> & s = links[k].to_centre;
    const Twist<double> centre = carried(s, eta[k]) + turned(links[k].rate_of(s), xi[k].w);
    const double c = friction.viscous.at(theta_);
    (friction.component == 0   ? r[k].x
     : friction.component == 1 ? r[k].y
                               : r[k].w) -= c * (friction.component == 0   ? centre.x
                                                 : friction.component == 1 ? centre.y
                                                                           : centre.w);
  }
  for (const ChainLoad & load : chain_->loads)
  {
    const auto k = static_cast<std::size_t>(load.link);
    const Plane<double> s = dynamics_->point_of(load, theta_) - links[k].to_centre;
    r[k].w += (s.x * load.x.at(theta_) + s.y * load.y.at(theta_)) * xi[k].w;
  }
  return r;
}

/// The joint parts of the solution of M x + C^T mu = ..., by the tree of the motion.
VectorD ChainAdjoint::solve(const Twists & z10, const Twists & z20)
{
  Twists solution(z10.size());
  dynamics_->tree().solve<false>(
    [&](std::size_t k, auto & node) {
      node.z10 = z10[k];
      node.z20 = z20[k];
    },
    [&](std::size_t k, auto & node) { solution[k] = ChainDynamics<double>::handle_1(node); });
  VectorD result(static_cast<Eigen::Index>(z10.size()));
  for (std::size_t k = 0; k < z10.size(); ++k)
  {
    result(static_cast<Eigen::Index>(k)) =
      dynamics_->joint_part(k, [&](std::size_t i) { return solution[i]; });
  }
  return result;
}

JointAdjoint ChainAdjoint::rate(std::size_t cost, const JointAdjoint & at)
{
  Twists xi, eta;
  expand(at, xi, eta);
  const Twists r = residual(cost, xi, eta);
  const auto & links = dynamics_->links();
  Twists z10(links.size()), z20(links.size());
  for (std::size_t k = 0; k < links.size(); ++k)
  {
    const LinkMotion<double> & link = links[k];
    const auto bias = [&](const Plane<double> & s) {
      return turned(link.rate_of(s), 2.0 * eta[k].w) + turned(link.second_rate_of(s), xi[k].w);
    };
    const Twist<double> b = bias(link.to_centre);
    const Twist<double> total =
      r[k] + Twist<double>{link.mass * b.x, link.mass * b.y, link.inertia * b.w};
    z10[k] = -link.inverse_mass_times(shifted(link.to_centre, total));
    z20[k] = carried(link.to_outer, z10[k]) + bias(link.to_outer);
  }
  return {at.eta, solve(z10, z20)};
}

JointAdjoint ChainAdjoint::terminal(std::size_t cost)
{
  const CostSlopes S = slopes(cost, true);
  const std::vector<int> read = problem_->costs[cost]->reads().coordinates;
  VectorD by_coordinate = VectorD::Zero(response_.q.size());
  for (std::size_t i = 0; i < read.size(); ++i)
  {
    by_coordinate(read[i]) = S.coordinates(static_cast<Eigen::Index>(i));
  }
  const auto & links = dynamics_->links();
  Twists z10(links.size()), z20(links.size());
  for (std::size_t k = 0; k < links.size(); ++k)
  {
    const int first = chain_->links[k].first;
    const Twist<double> centre{
      by_coordinate(first), by_coordinate(first + 1), by_coordinate(first + 2)};
    z10[k] = links[k].inverse_mass_times(shifted(links[k].to_centre, centre));
    z20[k] = carried(links[k].to_outer, z10[k]);
  }
  return {VectorD::Zero(static_cast<Eigen::Index>(links.size())), solve(z10, z20)};
}

VectorD ChainAdjoint::terminal_by_theta(std::size_t cost) const { return slopes(cost, true).theta; }

/// 4.15: h_theta - xi^T f_theta.
VectorD ChainAdjoint::density(std::size_t cost, const JointAdjoint & at) const
{
  VectorD result = running_[cost].theta;
  Twists xi, eta;
  expand(at, xi, eta);
  const auto subtract = [&](const Value & value, double slope) {
    if (value.parameter >= 0)
    {
      result(value.parameter) -= slope;
    }
  };
  for (const ChainLoad & load : chain_->loads)
  {
    const Twist<double> there =
      carried(dynamics_->point_of(load, theta_), xi[static_cast<std::size_t>(load.link)]);
    subtract(load.x, there.x);
    subtract(load.y, there.y);
  }
  for (std::size_t k = 0; k < chain_->size(); ++k)
  {
    for (const ChainSpring & spring : chain_->links[k].springs)
    {
      subtract(spring.torque, -spring.sign * (xi[k].w - (k > 0 ? xi[k - 1].w : 0.0)));
    }
  }
  return result;
}

}  // namespace fivebar_control::multibody
