// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/multibody/spatial_parts.hpp"

#include "fivebar_control/support/errors.hpp"
#include "spatial_kinematics.hpp"

namespace fivebar_control::multibody
{

int SpatialJoint::coordinates() const
{
  switch (type)
  {
    case Type::revolute:
    case Type::prismatic:
      return 1;
    case Type::cardan:
    case Type::cylindrical:
      return 2;
    case Type::planar:
      return 3;
    case Type::spherical:
      return 4;
    case Type::floating:
      return 7;
  }
  throw InternalError("unknown type of joint");
}

int SpatialJoint::components() const
{
  return type == Type::spherical || type == Type::floating ? 0 : coordinates();
}

int SpatialJoint::constraints(Closure closure) const
{
  const bool redundant = closure == Closure::coincidence;
  switch (type)
  {
    case Type::revolute:
      return redundant ? 6 : 5;
    case Type::prismatic:
      return redundant ? 9 : 5;
    case Type::cardan:
      return 4;
    case Type::cylindrical:
      return redundant ? 6 : 4;
    case Type::planar:
      return redundant ? 4 : 3;
    case Type::spherical:
      return 3;
    case Type::floating:
      return 0;
  }
  throw InternalError("unknown type of joint");
}

bool is_angle(const SpatialJoint & joint, int component)
{
  using Type = SpatialJoint::Type;
  return joint.type == Type::revolute || joint.type == Type::cardan ||
         (joint.type == Type::cylindrical && component == 1) ||
         (joint.type == Type::planar && component == 2);
}

std::vector<int> moving_coordinates(const SpatialParts & parts, const Anchor & anchor)
{
  if (anchor.kind == Anchor::Kind::ground)
  {
    return {};
  }
  if (parts.links.empty())
  {
    std::vector<int> result(12);
    for (int k = 0; k < 12; ++k)
    {
      result[static_cast<std::size_t>(k)] = 12 * anchor.index + k;
    }
    return result;
  }
  const auto body = static_cast<std::size_t>(anchor.index);
  return parts.links[static_cast<std::size_t>(parts.link_of_body[body])].path;
}

}  // namespace fivebar_control::multibody
