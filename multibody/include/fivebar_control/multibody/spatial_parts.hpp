// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "fivebar_control/multibody/value.hpp"

namespace fivebar_control::multibody
{

using Direction = std::array<double, 3>;
/// A constant rotation matrix, by columns.
using Orientation = std::array<Direction, 3>;

/// How the bodies of a spatial mechanism are described. The equations are written once, for bodies
/// that hang on each other by joints; only what the joints are differs.
enum class Coordinates
{
  absolute,  ///< each body floats on the ground: position and Euler parameters; joints constrain
  natural,   ///< each body has the position and the three axes of its frame as coordinates
  joint,     ///< a tree of joints gives the coordinates, loops are closed by constraints
};

/// Where the motion of a body is measured while the equations of a tree are accumulated
/// (López Varela, chapter 3).
enum class MassReference
{
  centre,  ///< its centre of mass: RTdyn0
  origin,  ///< its point at the origin of the ground: RTdyn1
};

/// The equations that close a loop.
enum class Closure
{
  minimal,      ///< as many as the joint has constraints
  coincidence,  ///< those of López Varela: axes and points coincide, with redundant equations
};

struct SpatialBody
{
  std::string name;
  Value mass;
  std::array<Value, 6> inertia;  ///< xx yy zz xy xz yz about the centre of mass, in its frame
  std::array<Value, 3> centre;   ///< of mass, in its frame
  Direction start{};             ///< where the origin of its frame starts
  Orientation start_axes{};      ///< how its frame stands at the start
};

/// A joint between point a and point b. Its angles are zero where the bodies stand as at the start.
struct SpatialJoint
{
  enum class Type
  {
    revolute,     ///< turns about the axis
    prismatic,    ///< slides along the axis
    cardan,       ///< turns about an axis of a, then about an axis of b, perpendicular to it
    cylindrical,  ///< slides along the axis and turns about it
    spherical,    ///< turns about the point
    planar,       ///< slides in the plane normal to the axis and turns about the axis
    floating,     ///< free
  };
  std::string name;
  Type type = Type::revolute;
  Anchor a, b;         ///< ground or body
  Direction axis{};    ///< in a's frame, of length 1
  Direction side{};    ///< in a's frame, perpendicular to the axis
  Direction second{};  ///< in b's frame: the second axis of a Cardan joint
  Orientation zero{};  ///< b's frame seen from a's where the angles are zero
  int first = -1;      ///< its first coordinate, or -1 where it closes a loop
  int coordinates() const;
  /// Number of quantities that `component` can name: angles and travels.
  int components() const;
  int constraints(Closure closure) const;
};

/// How a body hangs on the one before it.
struct SpatialLink
{
  SpatialJoint joint;
  int body = 0;
  int parent = -1;        ///< -1: the ground
  bool reversed = false;  ///< the body is on the joint's side a
  int first = 0;          ///< first coordinate
  std::vector<int> path;  ///< coordinates that move the body, from the ground outwards
};

struct SpatialParts
{
  Coordinates coordinates = Coordinates::absolute;
  MassReference reference_point = MassReference::centre;
  Closure closure = Closure::minimal;
  std::vector<SpatialBody> bodies;
  std::vector<SpatialJoint> joints;
  std::vector<SpatialLink> links;  ///< one per body, parents first; empty: natural coordinates
  std::vector<int> link_of_body;
  std::vector<int> closures;  ///< numbers of the joints that become constraints
  std::vector<int> cut;       ///< joints that must not be in the tree

  struct TorsionSpring
  {
    int joint = 0, component = 0;
    Value stiffness, rest_angle, damping, torque;
  };
  std::vector<TorsionSpring> torsion_springs;

  /// tau = n (kt (V - km n w) / R - B n w) on a joint's angle, where n is the gear ratio; the rotor
  /// turns n times as fast as the joint.
  struct Motor
  {
    int joint = 0, component = 0;
    Value torque_constant, back_emf, resistance, friction, voltage, ratio, rotor_inertia;

    template <class S>
    S torque(const S & rate, const Vector<S> & theta) const
    {
      const S n = ratio.at(theta);
      const S speed = n * rate;
      return n * (torque_constant.at(theta) * (voltage.at(theta) - back_emf.at(theta) * speed) /
                    resistance.at(theta) -
                  friction.at(theta) * speed);
    }
    /// At the joint's side of the gear.
    template <class S>
    S inertia(const Vector<S> & theta) const
    {
      return ratio.at(theta) * ratio.at(theta) * rotor_inertia.at(theta);
    }
    bool has_inertia() const
    {
      return rotor_inertia.parameter >= 0 || rotor_inertia.constant > 0.0;
    }
  };
  std::vector<Motor> motors;
};

}  // namespace fivebar_control::multibody
