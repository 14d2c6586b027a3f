// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "chain_tree.hpp"
#include "fivebar_control/multibody/chain.hpp"
#include "fivebar_control/multibody/form.hpp"

namespace fivebar_control::multibody
{

/// A body of a moving chain. Vectors are in ground axes.
template <class S>
struct LinkMotion
{
  S mass{}, inertia{}, angle{};
  Plane<S> to_centre, to_outer;  ///< from handle 1
  Twist<S> velocity;             ///< of handle 1
  Twist<S> momentum;             ///< of this body and all beyond, at handle 1
  Twist<S> force;                ///< on this body, at handle 1, without reactions
  Twist<S> acceleration;         ///< of handle 1
  Twist<S> reaction;             ///< on this body at handle 1

  Twist<S> inverse_mass_times(const Twist<S> & F) const
  {
    const S turning = (F.w - to_centre.x * F.y + to_centre.y * F.x) / inertia;
    return {F.x / mass + to_centre.y * turning, F.y / mass - to_centre.x * turning, turning};
  }
  Plane<S> rate_of(const Plane<S> & s) const { return {-(velocity.w * s.y), velocity.w * s.x}; }
  Plane<S> second_rate_of(const Plane<S> & s) const
  {
    const S square = velocity.w * velocity.w;
    return {-(acceleration.w * s.y) - square * s.x, acceleration.w * s.x - square * s.y};
  }
};

/// Motion of an open chain by divide and conquer: velocities and rates of joint momenta
/// (Maciąg 3.42, 3.44, 3.39, 3.45, 3.49-3.50, 3.58-3.59), then accelerations and reactions
/// (4.45-4.50).
template <class S>
class ChainDynamics
{
public:
  ChainDynamics(const Chain & chain, Team * team)
  : chain_(chain),
    tree_(chain.size(), chain.sliding, chain.axis_x, chain.axis_y, team),
    links_(chain.size())
  {
  }

  const std::vector<LinkMotion<S>> & links() const { return links_; }
  ChainTree<S> & tree() { return tree_; }

  /// y = (joint coordinates, joint momenta). The response is as the mechanism has it.
  void move(const Vector<S> & y, const Vector<S> & theta, Response<S> & response)
  {
    resize(response);
    turn(y, theta);
    find_velocities(y, theta);
    find_forces(theta, response);
  }

  /// The part of value(k) - (value carried from link k - 1 to its outer handle) along joint k,
  /// where value is a velocity at handle 1. Angles of further links only need the turning.
  template <class Value>
  S joint_part(std::size_t k, Value && value) const
  {
    const Twist<S> own = value(k);
    if (k == 0)
    {
      return chain_.sliding ? chain_.axis_x * own.x + chain_.axis_y * own.y : own.w;
    }
    return own.w - value(k - 1).w;
  }

  /// H p of joint k as a wrench.
  Twist<S> own_momentum(std::size_t k, const S & p) const
  {
    return k == 0 && chain_.sliding ? Twist<S>{chain_.axis_x * p, chain_.axis_y * p, S(0.0)}
                                    : Twist<S>{S(0.0), S(0.0), p};
  }

  static Twist<S> handle_1(const typename ChainTree<S>::Node & node)
  {
    return node.z11 * node.T1 + node.z12 * node.T2 + node.z10;
  }

  /// Where a load acts, from handle 1 of link k.
  Plane<S> point_of(std::size_t k, const ChainLoad & load, const Vector<S> & theta) const
  {
    using std::cos;
    using std::sin;
    const ChainLink & of = chain_.links[k];
    const S c = cos(links_[k].angle), s = sin(links_[k].angle);
    const S dx = load.at_x.at(theta) - of.inner_x.at(theta);
    const S dy = load.at_y.at(theta) - of.inner_y.at(theta);
    return {c * dx - s * dy, s * dx + c * dy};
  }

  /// y of a mechanism's point.
  Vector<S> state(const Vector<S> & q, const Vector<S> & v, const Vector<S> & theta);

private:
  /// Angles of all links, from the ground outwards.
  void turn(const Vector<S> & y, const Vector<S> & theta)
  {
    for (std::size_t k = 0; k < links_.size(); ++k)
    {
      const S & joint = y(static_cast<Eigen::Index>(k));
      links_[k].angle = k > 0            ? S(links_[k - 1].angle + joint)
                        : chain_.sliding ? chain_.angle.at(theta)
                                         : joint;
    }
  }

  void set_geometry(std::size_t k, const Vector<S> & theta)
  {
    using std::cos;
    using std::sin;
    const ChainLink & of = chain_.links[k];
    LinkMotion<S> & link = links_[k];
    const S c = cos(link.angle), s = sin(link.angle);
    const S inner_x = of.inner_x.at(theta), inner_y = of.inner_y.at(theta);
    const auto rotated = [&](const Value & x, const Value & y) -> Plane<S> {
      const S dx = x.at(theta) - inner_x, dy = y.at(theta) - inner_y;
      return {c * dx - s * dy, s * dx + c * dy};
    };
    link.mass = of.mass.at(theta);
    link.inertia = of.inertia.at(theta);
    link.to_centre = rotated(of.centre_x, of.centre_y);
    link.to_outer = rotated(of.outer_x, of.outer_y);
  }

  /// (4.49): z11 = M1^-1, z12 = z11 S12, z22 = S12^T z12.
  static void set_matrices(const LinkMotion<S> & link, typename ChainTree<S>::Node & node)
  {
    const Plane<S> & a = link.to_centre;
    const Plane<S> & s = link.to_outer;
    const S light = 1.0 / link.mass, quick = 1.0 / link.inertia;
    Matrix3<S> & z = node.z11;
    z.m[0][0] = light + a.y * a.y * quick;
    z.m[0][1] = z.m[1][0] = -(a.x * a.y * quick);
    z.m[0][2] = z.m[2][0] = a.y * quick;
    z.m[1][1] = light + a.x * a.x * quick;
    z.m[1][2] = z.m[2][1] = -(a.x * quick);
    z.m[2][2] = quick;
    for (int i = 0; i < 3; ++i)
    {
      node.z12.m[i][0] = z.m[i][0] - s.y * z.m[i][2];
      node.z12.m[i][1] = z.m[i][1] + s.x * z.m[i][2];
      node.z12.m[i][2] = z.m[i][2];
    }
    for (int i = 0; i < 3; ++i)
    {
      node.z22.m[0][i] = node.z12.m[0][i] - s.y * node.z12.m[2][i];
      node.z22.m[1][i] = node.z12.m[1][i] + s.x * node.z12.m[2][i];
      node.z22.m[2][i] = node.z12.m[2][i];
    }
  }

  void resize(Response<S> & response) const
  {
    const auto n = static_cast<Eigen::Index>(chain_.size());
    response.q.resize(3 * n);
    response.v.resize(3 * n);
    response.a.resize(3 * n);
    response.lambda.resize(2 * n);
    response.rate.resize(2 * n);
  }

  void find_velocities(const Vector<S> & y, const Vector<S> & theta);
  void find_forces(const Vector<S> & theta, Response<S> & response);
  Twist<S> force_on(std::size_t k, const Vector<S> & theta, const Plane<S> & gravity) const;
  S joint_torque(std::size_t k, const Vector<S> & theta) const;
  void describe(std::size_t k, const Plane<S> & handle, Response<S> & response) const;

  const Chain & chain_;
  ChainTree<S> tree_;
  std::vector<LinkMotion<S>> links_;
};

/// Maciąg 3.42, 3.44, 3.39, 3.45.
template <class S>
void ChainDynamics<S>::find_velocities(const Vector<S> & y, const Vector<S> & theta)
{
  const auto n = static_cast<Eigen::Index>(chain_.size());
  Plane<S> origin{chain_.base_x.at(theta), chain_.base_y.at(theta)};
  if (chain_.sliding)
  {
    origin = {origin.x + chain_.axis_x * y(0), origin.y + chain_.axis_y * y(0)};
  }
  tree_.set_origin(origin);
  tree_.template solve<Sweep::matrices>(
    [&](std::size_t k, auto & node) {
      LinkMotion<S> & link = links_[k];
      set_geometry(k, theta);
      set_matrices(link, node);
      const auto i = static_cast<Eigen::Index>(k);
      Twist<S> F = own_momentum(k, y(n + i));
      if (i + 1 < n)
      {
        F.w -= y(n + i + 1);
      }
      node.z10 = link.inverse_mass_times(F);
      node.z20 = carried(link.to_outer, node.z10);
      node.length = link.to_outer;
    },
    [&](std::size_t k, auto & node) {
      links_[k].velocity = handle_1(node);
      links_[k].momentum = node.T1 + own_momentum(k, y(n + static_cast<Eigen::Index>(k)));
    });
}

/// Of all springs of joint k, on link k.
template <class S>
S ChainDynamics<S>::joint_torque(std::size_t k, const Vector<S> & theta) const
{
  S torque(0.0);
  for (const ChainSpring & spring : chain_.links[k].springs)
  {
    S angle = links_[k].angle, rate = links_[k].velocity.w;
    if (k > 0)
    {
      angle -= links_[k - 1].angle;
      rate -= links_[k - 1].velocity.w;
    }
    torque -= spring.stiffness.at(theta) * (angle - spring.sign * spring.rest_angle.at(theta)) +
              spring.damping.at(theta) * rate + spring.sign * spring.torque.at(theta);
  }
  return torque;
}

/// Without reactions, at handle 1.
template <class S>
Twist<S> ChainDynamics<S>::force_on(
  std::size_t k, const Vector<S> & theta, const Plane<S> & gravity) const
{
  const LinkMotion<S> & link = links_[k];
  Twist<S> centre{link.mass * gravity.x, link.mass * gravity.y, S(0.0)};
  for (const ChainFriction & friction : chain_.links[k].frictions)
  {
    const Twist<S> v = carried(link.to_centre, link.velocity);
    const S c = friction.viscous.at(theta);
    (friction.component == 0   ? centre.x
     : friction.component == 1 ? centre.y
                               : centre.w) -= c * (friction.component == 0   ? v.x
                                                   : friction.component == 1 ? v.y
                                                                             : v.w);
  }
  Twist<S> force = shifted(link.to_centre, centre);
  for (const ChainLoad & load : chain_.links[k].loads)
  {
    const Twist<S> push{load.x.at(theta), load.y.at(theta), S(0.0)};
    force = force + shifted(point_of(k, load, theta), push);
  }
  force.w += joint_torque(k, theta);
  if (k + 1 < links_.size())
  {
    force.w -= joint_torque(k + 1, theta);
  }
  return force;
}

/// Rates of the joint momenta (3.49-3.50, 3.58-3.59), accelerations and reactions (4.45-4.50).
template <class S>
void ChainDynamics<S>::find_forces(const Vector<S> & theta, Response<S> & response)
{
  const auto n = static_cast<Eigen::Index>(chain_.size());
  const Plane<S> gravity{chain_.gravity_x.at(theta), chain_.gravity_y.at(theta)};
  tree_.template solve<Sweep::forces>(
    [&](std::size_t k, auto & node) {
      LinkMotion<S> & link = links_[k];
      response.rate(static_cast<Eigen::Index>(k)) =
        joint_part(k, [&](std::size_t i) { return links_[i].velocity; });
      node.force = link.force = force_on(k, theta, gravity);
      const S square = link.velocity.w * link.velocity.w;
      const Twist<S> centripetal{
        link.mass * square * link.to_centre.x, link.mass * square * link.to_centre.y, S(0.0)};
      node.z10 = link.inverse_mass_times(link.force + shifted(link.to_centre, centripetal));
      node.z20 =
        carried(link.to_outer, node.z10) + turned(link.rate_of(link.to_outer), link.velocity.w);
    },
    [&](std::size_t k, auto & node) {
      LinkMotion<S> & link = links_[k];
      const Twist<S> all = node.force + shifted(link.to_outer, node.beyond);
      // The momentum about a moving point changes by its velocity as well (3.58-3.59).
      response.rate(n + static_cast<Eigen::Index>(k)) =
        k == 0 && chain_.sliding
          ? S(chain_.axis_x * all.x + chain_.axis_y * all.y)
          : S(all.w - link.velocity.x * link.momentum.y + link.velocity.y * link.momentum.x);
      link.acceleration = handle_1(node);
      link.reaction = node.T1;
      describe(k, node.origin, response);
    });
}

template <class S>
void ChainDynamics<S>::describe(
  std::size_t k, const Plane<S> & handle, Response<S> & response) const
{
  const LinkMotion<S> & link = links_[k];
  const ChainLink & of = chain_.links[k];
  const Twist<S> v = carried(link.to_centre, link.velocity);
  const Twist<S> a = carried(link.to_centre, link.acceleration) +
                     turned(link.rate_of(link.to_centre), link.velocity.w);
  response.q.segment(of.first, 3) << handle.x + link.to_centre.x, handle.y + link.to_centre.y,
    link.angle;
  response.v.segment(of.first, 3) << v.x, v.y, v.w;
  response.a.segment(of.first, 3) << a.x, a.y, a.w;
  if (k == 0 && chain_.sliding)
  {
    // The rows of a prismatic joint: along the normal of the axis as it is given, and the angle.
    response.lambda(of.row) =
      (chain_.axis_y * link.reaction.x - chain_.axis_x * link.reaction.y) / chain_.axis_length;
    response.lambda(of.row + 1) = -link.reaction.w;
  }
  else
  {
    response.lambda(of.row) = -of.row_sign * link.reaction.x;
    response.lambda(of.row + 1) = -of.row_sign * link.reaction.y;
  }
}

template <class S>
Vector<S> ChainDynamics<S>::state(const Vector<S> & q, const Vector<S> & v, const Vector<S> & theta)
{
  const auto n = static_cast<Eigen::Index>(chain_.size());
  Vector<S> y(2 * n);
  Twist<S> momentum{S(0.0), S(0.0), S(0.0)};  // of all beyond, at the next handle
  for (std::size_t k = links_.size(); k-- > 0;)
  {
    LinkMotion<S> & link = links_[k];
    const int first = chain_.links[k].first;
    link.angle = q(first + 2);
    set_geometry(k, theta);
    const Twist<S> own{link.mass * v(first), link.mass * v(first + 1), link.inertia * v(first + 2)};
    momentum = shifted(link.to_centre, own) + shifted(link.to_outer, momentum);
    const auto i = static_cast<Eigen::Index>(k);
    y(i) = k > 0 ? S(q(first + 2) - q(chain_.links[k - 1].first + 2)) : q(first + 2);
    y(n + i) = momentum.w;
    if (k == 0 && chain_.sliding)
    {
      y(0) = chain_.axis_x * (q(first) - link.to_centre.x - chain_.base_x.at(theta)) +
             chain_.axis_y * (q(first + 1) - link.to_centre.y - chain_.base_y.at(theta));
      y(n) = chain_.axis_x * momentum.x + chain_.axis_y * momentum.y;
    }
  }
  return y;
}

}  // namespace fivebar_control::multibody
