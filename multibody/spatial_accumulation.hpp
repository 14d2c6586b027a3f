// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/multibody/system.hpp"
#include "spatial_forces.hpp"

namespace fivebar_control::multibody
{

/// Mass, first moment and moment of inertia about a reference point, in the ground's axes, and
/// their rates where that point moves.
template <class S>
struct Inertia
{
  S mass{};
  Space<S> moment{}, moment_rate{};
  Columns3<S> turning{}, turning_rate{};

  Inertia & operator+=(const Inertia & o)
  {
    mass += o.mass;
    moment += o.moment;
    moment_rate += o.moment_rate;
    turning += o.turning;
    turning_rate += o.turning_rate;
    return *this;
  }
  /// Momentum and angular momentum of a motion that is given at the reference point.
  Wrench<S> times(const Screw<S> & motion) const
  {
    return {
      mass * motion.v - cross(moment, motion.w), cross(moment, motion.v) + turning * motion.w};
  }
  Wrench<S> rate_times(const Screw<S> & motion) const
  {
    return {-cross(moment_rate, motion.w), cross(moment_rate, motion.v) + turning_rate * motion.w};
  }
  /// About a point from which the old one is at d.
  Inertia shifted(const Space<S> & d, const Space<S> & d_rate) const
  {
    Inertia result = *this;
    const auto mixed = [](const Space<S> & a, const Space<S> & b) {
      const Columns3<S> one = lever(a, b);
      return one + one.transposed();
    };
    const Columns3<S> own = mixed(d, d_rate);
    result.moment += mass * d;
    result.moment_rate += mass * d_rate;
    result.turning += mixed(d, moment);
    result.turning_rate += mixed(d_rate, moment) + mixed(d, moment_rate);
    const Columns3<S> square = lever(d, d);
    for (int k = 0; k < 3; ++k)
    {
      result.turning[k] += mass * square[k];
      result.turning_rate[k] += mass * own[k];
    }
    return result;
  }
};

/// I of a body about its centre of mass in the ground's axes.
template <class S>
Columns3<S> central_inertia(
  const SpatialBody & body, const Columns3<S> & axes, const Vector<S> & theta)
{
  const auto at = [&](int k) { return body.inertia[static_cast<std::size_t>(k)].at(theta); };
  const Columns3<S> own{{at(0), at(3), at(4)}, {at(3), at(1), at(5)}, {at(4), at(5), at(2)}};
  return axes * (own * axes.transposed());
}

/// Mass matrix and forces of a tree of bodies, from its leaves to the ground (López Varela,
/// section 3.2): what hangs on a joint is one rigid body to it. The reference points make no
/// difference to the result: centres of mass (RTdyn0), or the ground's origin (RTdyn1).
template <class S>
class TreeAccumulation
{
public:
  TreeAccumulation(
    const SpatialKinematics<S> & at, const Vector<S> & v, const Vector<S> & theta,
    const AppliedForces<S> & forces)
  : at_(at), v_(v), parts_(at.parts())
  {
    const std::size_t count = parts_.bodies.size();
    reference_.resize(count);
    reference_rate_.resize(count);
    inertia_.resize(count);
    force_.resize(count);
    for (std::size_t i = 0; i < count; ++i)
    {
      start(i, theta, forces);
    }
  }

  void add_to(Terms<S> & out)
  {
    for (std::size_t i = parts_.links.size(); i-- > 0;)
    {
      const SpatialLink & link = parts_.links[i];
      const auto body = static_cast<std::size_t>(link.body);
      for (int k = link.first; k < link.first + link.joint.coordinates(); ++k)
      {
        add_row(k, link, out);
      }
      if (link.parent >= 0)
      {
        pass_on(body, static_cast<std::size_t>(link.parent));
      }
    }
  }

private:
  bool centres() const { return parts_.reference_point == MassReference::centre; }

  void start(std::size_t i, const Vector<S> & theta, const AppliedForces<S> & forces)
  {
    const SpatialBody & body = parts_.bodies[i];
    const BodyState<S> & state = at_.body(static_cast<int>(i));
    const Space<S> centre = state.place(space<S>(body.centre, theta));
    const Space<S> centre_rate = state.motion.at(centre).v;
    if (centres())
    {
      reference_[i] = centre;
      reference_rate_[i] = centre_rate;
    }
    Inertia<S> own;
    own.mass = body.mass.at(theta);
    own.turning = central_inertia(body, state.axes, theta);
    const Columns3<S> half = cross(state.motion.w, own.turning);
    own.turning_rate = half + half.transposed();
    inertia_[i] = centres() ? own : own.shifted(centre, centre_rate);

    const Space<S> & x = reference_[i];
    const Screw<S> motion = state.motion.at(x);
    Screw<S> bias = state.bias.at(x);
    bias.v += cross(state.motion.w, reference_rate_[i]);
    const Wrench<S> momentum = inertia_[i].times(motion);
    Wrench<S> force = forces.on_body[i];
    force.n -= cross(x, force.f);
    force -= inertia_[i].times(bias);
    force -= inertia_[i].rate_times(motion);
    force.n -= cross(reference_rate_[i], momentum.f);
    force_[i] = force;
  }

  void pass_on(std::size_t from, std::size_t to)
  {
    if (!centres())
    {
      inertia_[to] += inertia_[from];
      force_[to] += force_[from];
      return;
    }
    const Space<S> d = reference_[from] - reference_[to];
    inertia_[to] += inertia_[from].shifted(d, reference_rate_[from] - reference_rate_[to]);
    Wrench<S> moved = force_[from];
    moved.n += cross(d, moved.f);
    force_[to] += moved;
  }

  Screw<S> screw(int k, std::size_t body) const
  {
    return centres() ? at_.screw(k).at(reference_[body]) : at_.screw(k);
  }
  Screw<S> screw_rate(int k, std::size_t body) const
  {
    Screw<S> result = at_.screw_rate(k);
    if (centres())
    {
      result = result.at(reference_[body]);
      result.v += cross(at_.screw(k).w, reference_rate_[body]);
    }
    return result;
  }

  void add_row(int k, const SpatialLink & link, Terms<S> & out)
  {
    const auto body = static_cast<std::size_t>(link.body);
    const Screw<S> own = screw(k, body), own_rate = screw_rate(k, body);
    const Wrench<S> momentum = inertia_[body].times(own);
    Wrench<S> momentum_rate = inertia_[body].times(own_rate);
    momentum_rate += inertia_[body].rate_times(own);
    out.Q(k) += dot(own, force_[body]);
    for (const int j : link.path)
    {
      if (j > k && j >= link.first)
      {
        continue;
      }
      const Screw<S> other = screw(j, body);
      out.M(k, j) = dot(other, momentum);
      out.M_rate(k, j) = dot(other, momentum_rate) + dot(screw_rate(j, body), momentum);
      out.M(j, k) = S(out.M(k, j));
      out.M_rate(j, k) = S(out.M_rate(k, j));
    }
  }

  const SpatialKinematics<S> & at_;
  const Vector<S> & v_;
  const SpatialParts & parts_;
  std::vector<Space<S>> reference_, reference_rate_;
  std::vector<Inertia<S>> inertia_;
  std::vector<Wrench<S>> force_;
};

}  // namespace fivebar_control::multibody
