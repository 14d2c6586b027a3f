// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spatial_accumulation.hpp"
#include "spatial_joint.hpp"

namespace fivebar_control::multibody
{

/// A motion (velocity, angular velocity) or a force (force, moment), both at the ground's origin.
template <class S>
using Six = std::array<S, 6>;

template <class S>
Six<S> listed(const Space<S> & a, const Space<S> & b)
{
  return {a.x, a.y, a.z, b.x, b.y, b.z};
}

template <class S>
S inner(const Six<S> & a, const Six<S> & b)
{
  S sum(0.0);
  for (std::size_t i = 0; i < 6; ++i)
  {
    sum += a[i] * b[i];
  }
  return sum;
}

template <class S>
void add(Six<S> & to, const S & factor, const Six<S> & what)
{
  for (std::size_t i = 0; i < 6; ++i)
  {
    to[i] += factor * what[i];
  }
}

/// What hangs on a joint, as the joint feels it: force = inertia * acceleration + offset.
template <class S>
struct Articulated
{
  std::array<Six<S>, 6> inertia{};
  Six<S> offset{};

  Six<S> times(const Six<S> & motion) const
  {
    Six<S> result;
    for (std::size_t i = 0; i < 6; ++i)
    {
      result[i] = inner(inertia[i], motion);
    }
    return result;
  }
  void operator+=(const Articulated & other)
  {
    for (std::size_t i = 0; i < 6; ++i)
    {
      add(inertia[i], S(1.0), other.inertia[i]);
    }
    add(offset, S(1.0), other.offset);
  }
};

/// A joint's ways to move. Euler parameters move three ways only: about the ground's axes.
template <class S>
struct Ways
{
  std::size_t count = 0;
  std::array<Six<S>, 6> motion{}, force{};  ///< and inertia * motion
  std::array<Six<S>, 6> factors{};          ///< L below, D on the diagonal, of motion^T force
  Six<S> drive{};                           ///< what is left of the applied forces
  Six<S> bias{};                            ///< acceleration without accelerated coordinates

  void factor()
  {
    for (std::size_t j = 0; j < count; ++j)
    {
      for (std::size_t i = j; i < count; ++i)
      {
        for (std::size_t k = 0; k < j; ++k)
        {
          factors[i][j] -= factors[i][k] * factors[k][k] * factors[j][k];
        }
        if (i > j)
        {
          factors[i][j] = factors[i][j] / factors[j][j];
        }
      }
    }
  }
  Six<S> solve(Six<S> b) const
  {
    for (std::size_t i = 0; i < count; ++i)
    {
      for (std::size_t k = 0; k < i; ++k)
      {
        b[i] -= factors[i][k] * b[k];
      }
    }
    for (std::size_t i = count; i-- > 0;)
    {
      b[i] = b[i] / factors[i][i];
      for (std::size_t k = i + 1; k < count; ++k)
      {
        b[i] -= factors[k][i] * b[k];
      }
    }
    return b;
  }
};

/// Accelerations of a spatial tree: inwards what hangs on each joint, outwards how it moves.
template <class S>
class TreeSweep
{
public:
  TreeSweep(const Mechanism & mechanism, const Point<S> & at)
  : mechanism_(mechanism),
    parts_(*mechanism.space),
    at_(at),
    kinematics_(mechanism, at.q, at.v, at.theta),
    forces_(mechanism, kinematics_, at.v, at.theta),
    bodies_(parts_.bodies.size()),
    ways_(parts_.links.size()),
    rotors_(static_cast<std::size_t>(mechanism.coordinates))
  {
    for (const auto & motor : parts_.motors)
    {
      const SpatialJoint & joint = parts_.joints[static_cast<std::size_t>(motor.joint)];
      rotors_[static_cast<std::size_t>(joint.first + motor.component)] += motor.inertia(at.theta);
    }
  }

  Vector<S> accelerations()
  {
    for (std::size_t i = 0; i < bodies_.size(); ++i)
    {
      start(static_cast<int>(i));
    }
    for (std::size_t i = parts_.links.size(); i-- > 0;)
    {
      inwards(i);
    }
    Vector<S> result = Vector<S>::Constant(mechanism_.coordinates, S(0.0));
    std::vector<Six<S>> moving(bodies_.size());
    for (std::size_t i = 0; i < parts_.links.size(); ++i)
    {
      outwards(i, moving, result);
    }
    return result;
  }

private:
  void start(int number)
  {
    const auto i = static_cast<std::size_t>(number);
    const SpatialBody & body = parts_.bodies[i];
    const BodyState<S> & state = kinematics_.body(number);
    const Space<S> centre = state.place(space<S>(body.centre, at_.theta));
    Inertia<S> own;
    own.mass = body.mass.at(at_.theta);
    own.turning = central_inertia(body, state.axes, at_.theta);
    const Columns3<S> half = cross(state.motion.w, own.turning);
    own.turning_rate = half + half.transposed();
    own = own.shifted(centre, state.motion.at(centre).v);
    for (int k = 0; k < 3; ++k)
    {
      const Wrench<S> by_v = own.times({unit<S>(k), {}}), by_w = own.times({{}, unit<S>(k)});
      bodies_[i].inertia[static_cast<std::size_t>(k)] = listed(by_v.f, by_v.n);
      bodies_[i].inertia[static_cast<std::size_t>(k + 3)] = listed(by_w.f, by_w.n);
    }
    Wrench<S> needed = own.rate_times(state.motion);
    needed -= forces_.on_body[i];
    bodies_[i].offset = listed(needed.f, needed.n);
  }

  /// The screws of a link, and what forces on its coordinates do along them.
  void set_ways(const SpatialLink & link, Ways<S> & ways)
  {
    const int turns = euler_parameters(link.joint);
    const int plain = turns < 0 ? link.joint.coordinates() : turns;
    for (int k = 0; k < link.joint.coordinates(); ++k)
    {
      const int coordinate = link.first + k;
      const Screw<S> & rate = kinematics_.screw_rate(coordinate);
      add(ways.bias, at_.v(coordinate), listed(rate.v, rate.w));
      if (k < plain)
      {
        const Screw<S> & screw = kinematics_.screw(coordinate);
        ways.motion[ways.count] = listed(screw.v, screw.w);
        ways.drive[ways.count++] = forces_.on_coordinate(coordinate);
      }
    }
    if (turns >= 0)
    {
      const Space<S> b = kinematics_.place(link.joint.b);
      for (int k = 0; k < 3; ++k)
      {
        ways.motion[ways.count++] = listed(cross(b, unit<S>(k)), unit<S>(k));
      }
    }
  }

  void inwards(std::size_t number)
  {
    const SpatialLink & link = parts_.links[number];
    Articulated<S> & body = bodies_[static_cast<std::size_t>(link.body)];
    Ways<S> & ways = ways_[number];
    set_ways(link, ways);
    const int turns = euler_parameters(link.joint);
    const auto plain = static_cast<std::size_t>(turns < 0 ? link.joint.coordinates() : turns);
    Six<S> held = body.times(ways.bias);
    add(held, S(1.0), body.offset);
    for (std::size_t i = 0; i < ways.count; ++i)
    {
      ways.force[i] = body.times(ways.motion[i]);
      ways.drive[i] -= inner(ways.motion[i], held);
      for (std::size_t j = 0; j <= i; ++j)
      {
        ways.factors[i][j] = inner(ways.motion[i], ways.force[j]);
      }
      if (i < plain)
      {
        ways.factors[i][i] += rotors_[static_cast<std::size_t>(link.first) + i];
      }
    }
    ways.factor();
    if (link.parent < 0)
    {
      return;
    }
    Articulated<S> passed = body;
    passed.offset = held;
    const Six<S> pushed = ways.solve(ways.drive);
    for (std::size_t i = 0; i < ways.count; ++i)
    {
      add(passed.offset, pushed[i], ways.force[i]);
    }
    for (std::size_t r = 0; r < 6; ++r)
    {
      Six<S> row{};
      for (std::size_t i = 0; i < ways.count; ++i)
      {
        row[i] = ways.force[i][r];
      }
      row = ways.solve(row);
      for (std::size_t i = 0; i < ways.count; ++i)
      {
        add(passed.inertia[r], S(-row[i]), ways.force[i]);
      }
    }
    bodies_[static_cast<std::size_t>(link.parent)] += passed;
  }

  void outwards(std::size_t number, std::vector<Six<S>> & moving, Vector<S> & result)
  {
    const SpatialLink & link = parts_.links[number];
    const Ways<S> & ways = ways_[number];
    Six<S> motion{};
    if (link.parent >= 0)
    {
      motion = moving[static_cast<std::size_t>(link.parent)];
    }
    Six<S> drive = ways.drive;
    for (std::size_t i = 0; i < ways.count; ++i)
    {
      drive[i] -= inner(ways.force[i], motion);
    }
    const Six<S> found = ways.solve(drive);
    add(motion, S(1.0), ways.bias);
    for (std::size_t i = 0; i < ways.count; ++i)
    {
      add(motion, found[i], ways.motion[i]);
    }
    moving[static_cast<std::size_t>(link.body)] = motion;
    const int turns = euler_parameters(link.joint);
    const int plain = turns < 0 ? link.joint.coordinates() : turns;
    for (int k = 0; k < plain; ++k)
    {
      result(link.first + k) = found[static_cast<std::size_t>(k)];
    }
    if (turns >= 0)
    {
      const auto first = static_cast<std::size_t>(plain);
      set_euler(link.first + turns, {found[first], found[first + 1], found[first + 2]}, result);
    }
  }

  /// Euler parameters that turn with this angular acceleration (besides the bias) and keep their
  /// length: their screws satisfy sum w_k w_k^T = 4 / |p|^2.
  void set_euler(int first, const Space<S> & turning, Vector<S> & result) const
  {
    S square(0.0), rate_square(0.0);
    for (int k = first; k < first + 4; ++k)
    {
      square += at_.q(k) * at_.q(k);
      rate_square += at_.v(k) * at_.v(k);
    }
    for (int k = first; k < first + 4; ++k)
    {
      result(k) =
        0.25 * square * dot(kinematics_.screw(k).w, turning) - at_.q(k) * rate_square / square;
    }
  }

  const Mechanism & mechanism_;
  const SpatialParts & parts_;
  const Point<S> & at_;
  SpatialKinematics<S> kinematics_;
  AppliedForces<S> forces_;
  std::vector<Articulated<S>> bodies_;
  std::vector<Ways<S>> ways_;
  std::vector<S> rotors_;
};

}  // namespace fivebar_control::multibody
