// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fivebar_control/multibody/event.hpp"
#include "fivebar_control/multibody/problem.hpp"
#include "fivebar_control/multibody/spatial_parts.hpp"

namespace fivebar_control::multibody
{

/// A rigid rod between two moving or fixed points (natural coordinates): its mass and, unless
/// `rigid` is off, the constraint that keeps its length.
struct Rod
{
  Anchor from, to;  ///< ground or point
  Value mass, length;
  Value centre;         ///< distance of the centre of mass from `from`
  Value inertia;        ///< about the centre of mass
  bool uniform = true;  ///< centre and inertia follow from mass and length
};

/// A rigid body with coordinates (x, y, angle) of its centre of mass: the mass matrix is constant.
struct Body
{
  int first = 0;             ///< index of x in q
  Value mass, inertia;       ///< inertia about the centre of mass
  Value centre_x, centre_y;  ///< centre of mass in the body's frame
};

/// A shaft that only turns.
struct Shaft
{
  int coordinate = 0;
  Value inertia;
};

struct DriveTable;

struct Joint
{
  enum class Type
  {
    revolute,   ///< two anchors coincide
    prismatic,  ///< b slides along the axis (x, y) of a's frame and does not turn against a
    line,       ///< anchor b stays on the line through anchor a along (x, y) of a's frame
    gear,       ///< angle of shaft - ratio * angle of body = offset
    drive,      ///< coordinate = offset + rate t, or the table's value
  };
  Type type = Type::revolute;
  Anchor a, b;
  Value x, y;           ///< axis
  Value offset, ratio;  ///< relative angle (prismatic), gear ratio, drive rate
  int shaft = 0;        ///< coordinate of the shaft (gear), driven coordinate (drive)
  std::shared_ptr<const DriveTable> table;  ///< of a drive, or null
  int constraints() const;
};

/// Spring, damper and actuator between two anchors: k (l - l0) + c l' + force (Schaffer A.168).
struct Spring
{
  Anchor a, b;
  Value stiffness, rest_length, damping, force;

  template <class S>
  S tension(const S & length, const S & rate, const Vector<S> & theta) const
  {
    return stiffness.at(theta) * (length - rest_length.at(theta)) + damping.at(theta) * rate +
           force.at(theta);
  }
};

/// Angular spring and damper between two angles (coordinate -1 is the ground).
struct TorsionSpring
{
  int a = -1, b = -1;
  Value stiffness, rest_angle, damping, torque;
};

/// Friction of a coordinate against the ground: viscous w + coulomb tanh(w / width).
struct Friction
{
  int coordinate = 0;
  Value viscous, coulomb, width;

  template <class S>
  S force(const S & speed, const Vector<S> & theta) const
  {
    using std::tanh;
    return viscous.at(theta) * speed + coulomb.at(theta) * tanh(speed / width.at(theta));
  }
};

/// A constant force (or one that an input gives) on an anchor, in ground axes.
struct Load
{
  Anchor at;
  Value x, y, z{};
};

/// tau = kt (V - km w) / R - B w on a shaft (Maciąg 5.6).
struct Motor
{
  int shaft = 0;
  Value torque_constant, back_emf, resistance, friction, voltage;
};

/// A mechanism: what the builder collects and the equations are assembled from.
struct Mechanism
{
  int coordinates = 0;
  int parameters = 0;  ///< length of theta
  Value gravity_x, gravity_y, gravity_z;
  std::vector<Rod> rods;
  std::vector<Body> bodies;
  std::vector<Shaft> shafts;
  std::vector<Joint> joints;
  std::vector<Spring> springs;
  std::vector<TorsionSpring> torsion_springs;
  std::vector<Friction> frictions;
  std::vector<Load> loads;
  std::vector<Motor> motors;
  std::vector<std::string> coordinate_names;
  std::optional<SpatialParts> space;  ///< bodies and joints of a spatial mechanism

  int add_point(const std::string & name);
  int add_body(const std::string & name, const Body & body);
  int add_shaft(const std::string & name, const Value & inertia);
};

/// Index of a coordinate by name ("p2.y", "link_1.angle"), or -1.
int find_coordinate(const Mechanism & mechanism, const std::string & name);

/// Throws MechanismError for a mechanism without moving parts or with negative masses and the like.
std::shared_ptr<const System> make_system(Mechanism mechanism);
/// The same without constraints that only repeat others, found at a start that is nearly right;
/// their rows are named in `left_out`.
std::shared_ptr<const System> make_system(
  Mechanism mechanism, const VectorD & start, const VectorD & theta, std::vector<int> & left_out);

/// A scalar that costs, events and initial conditions are made of.
struct Quantity
{
  enum class Kind
  {
    coordinate,  ///< q, v or a of one coordinate, by `order`
    anchor_x,
    anchor_y,
    anchor_z,    ///< position, velocity or acceleration of an anchor
    joint,       ///< angle or travel number other_index of spatial joint `index`
    multiplier,  ///< lambda[index]
    parameter,   ///< theta[index], an input for example
    rod_angle,   ///< only for initial conditions: angle of the rod from anchor to anchor
    difference,  ///< of two coordinates, index and other_index: a relative angle
    time,        ///< t, for events
  };
  Kind kind = Kind::coordinate;
  int index = 0;
  int other_index = 0;
  int order = 0;
  double near = 0.0;  ///< an angle that is not a coordinate is told within half a turn of this
  Anchor anchor, other;
};

/// weight * (quantity - target)^power, as a running or a terminal cost.
struct CostTerm
{
  Quantity quantity;
  Value target;
  double weight = 1.0;
  int power = 2;
  bool terminal = false;
};
std::shared_ptr<const Cost> make_cost(
  std::shared_ptr<const Mechanism> mechanism, std::vector<CostTerm> terms);

/// sign * (quantity - level), of order 0 or 1.
std::shared_ptr<const EventFunction> make_event_function(
  std::shared_ptr<const Mechanism> mechanism, const Quantity & quantity, const Value & level,
  double sign);

/// quantity = position and its rate = velocity at the start.
struct Hold
{
  Quantity quantity;
  Value position, velocity;
};
std::shared_ptr<const InitialConditions> make_initial(
  std::shared_ptr<const Mechanism> mechanism, VectorD estimate, std::vector<Hold> holds);
/// At rest where all forces balance, near the estimate.
std::shared_ptr<const InitialConditions> make_equilibrium(
  std::shared_ptr<const System> system, std::vector<int> independent, VectorD estimate);

}  // namespace fivebar_control::multibody
