// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fivebar_control/multibody/mechanism.hpp"

namespace fivebar_control::multibody
{

/// Torque between a link and the one before it: stiffness (angle - rest) + damping rate + torque,
/// against the link's turning.
struct ChainSpring
{
  Value stiffness, rest_angle, damping, torque;
  double sign = 1.0;  ///< of rest angle and torque
};

struct ChainLoad
{
  Value at_x, at_y;  ///< in the body's frame
  Value x, y;
};

struct ChainFriction
{
  int component = 0;  ///< x, y of the centre, or the angle
  Value viscous;
};

/// A body of an open chain and the joint that carries it. Handle 1 is the joint to the body before
/// (or the ground), handle 2 the joint to the next one.
struct ChainLink
{
  int first = 0;          ///< coordinate of the body's x in q
  int row = 0;            ///< first multiplier of the joint
  double row_sign = 1.0;  ///< +1 if the body is the second of the joint's two
  Value mass, inertia, centre_x, centre_y;
  Value inner_x, inner_y;            ///< handle 1 in the body's frame
  Value outer_x, outer_y;            ///< handle 2; the centre for the last body
  std::vector<ChainSpring> springs;  ///< between it and the body before
  std::vector<ChainLoad> loads;
  std::vector<ChainFriction> frictions;
};

/// An open chain of bodies: the first one turns about a fixed point or slides along a fixed axis,
/// each further one hangs on a revolute joint (Maciąg, section 3.4 and chapter 6).
struct Chain
{
  std::vector<ChainLink> links;
  bool sliding = false;               ///< the first body slides
  Value base_x, base_y;               ///< where the first joint is
  double axis_x = 1.0, axis_y = 0.0;  ///< of the sliding, length 1
  double axis_length = 1.0;           ///< as the mechanism has it
  Value angle;                        ///< at which the first body slides
  Value gravity_x, gravity_y;

  std::size_t size() const { return links.size(); }
};

/// Throws MechanismError with the reason if the mechanism is no such chain.
Chain make_chain(const Mechanism & mechanism);
/// That reason, or nothing.
std::string chain_obstacle(const Mechanism & mechanism);

}  // namespace fivebar_control::multibody
