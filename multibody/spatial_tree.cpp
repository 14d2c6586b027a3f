// SPDX-License-Identifier: Apache-2.0
#include "spatial_tree.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

#include "space.hpp"

namespace fivebar_control::multibody
{
namespace
{

using Vec = Space<double>;
using Axes = Columns3<double>;

Direction listed(const Vec & a) { return {a.x, a.y, a.z}; }
Orientation listed(const Axes & A) { return {listed(A.x), listed(A.y), listed(A.z)}; }

Axes start_axes(const SpatialParts & parts, const Anchor & anchor)
{
  return anchor.kind == Anchor::Kind::body
           ? columns<double>(parts.bodies[static_cast<std::size_t>(anchor.index)].start_axes)
           : identity<double>();
}

Vec start_place(const SpatialParts & parts, const Anchor & anchor)
{
  const Vec local{anchor.x.constant, anchor.y.constant, anchor.z.constant};
  if (anchor.kind == Anchor::Kind::ground)
  {
    return local;
  }
  const SpatialBody & body = parts.bodies[static_cast<std::size_t>(anchor.index)];
  return space<double>(body.start) + columns<double>(body.start_axes) * local;
}

/// Euler parameters of a rotation, by the largest of them.
std::array<double, 4> euler(const Axes & A)
{
  const double trace = A.x.x + A.y.y + A.z.z;
  const std::array<double, 4> squares{
    1.0 + trace, 1.0 + 2.0 * A.x.x - trace, 1.0 + 2.0 * A.y.y - trace, 1.0 + 2.0 * A.z.z - trace};
  const auto largest = std::max_element(squares.begin(), squares.end()) - squares.begin();
  const double root = std::sqrt(squares[static_cast<std::size_t>(largest)]);
  const std::array<double, 3> skew{A.y.z - A.z.y, A.z.x - A.x.z, A.x.y - A.y.x};
  const std::array<std::array<double, 4>, 4> products{{
    {squares[0], skew[0], skew[1], skew[2]},
    {skew[0], squares[1], A.x.y + A.y.x, A.z.x + A.x.z},
    {skew[1], A.x.y + A.y.x, squares[2], A.y.z + A.z.y},
    {skew[2], A.z.x + A.x.z, A.y.z + A.z.y, squares[3]},
  }};
  std::array<double, 4> p{};
  for (std::size_t k = 0; k < 4; ++k)
  {
    p[k] = products[static_cast<std::size_t>(largest)][k] / (2.0 * root);
  }
  return p;
}

const std::vector<std::string> & coordinate_suffixes(SpatialJoint::Type type)
{
  using Type = SpatialJoint::Type;
  static const std::vector<std::string> revolute{"angle"}, prismatic{"travel"},
    cardan{"angle_1", "angle_2"}, cylindrical{"travel", "angle"}, spherical{"e0", "e1", "e2", "e3"},
    planar{"x", "y", "angle"}, floating{"x", "y", "z", "e0", "e1", "e2", "e3"};
  switch (type)
  {
    case Type::revolute:
      return revolute;
    case Type::prismatic:
      return prismatic;
    case Type::cardan:
      return cardan;
    case Type::cylindrical:
      return cylindrical;
    case Type::spherical:
      return spherical;
    case Type::planar:
      return planar;
    case Type::floating:
      return floating;
  }
  throw InternalError("unknown type of joint");
}

class Layout
{
public:
  Layout(Mechanism & mechanism, std::vector<double> & start)
  : mechanism_(mechanism), parts_(*mechanism.space), start_(start)
  {
  }

  void natural()
  {
    static const char * const names[]{"", "u_", "v_", "w_"};
    for (const SpatialBody & body : parts_.bodies)
    {
      for (int k = 0; k < 4; ++k)
      {
        const Direction & of =
          k == 0 ? body.start : body.start_axes[static_cast<std::size_t>(k - 1)];
        for (std::size_t j = 0; j < 3; ++j)
        {
          add(body.name + "." + names[k] + "xyz"[j], of[j]);
        }
      }
    }
    close(std::vector<bool>(parts_.joints.size(), false));
  }

  void tree()
  {
    const std::vector<bool> kept = parts_.coordinates == Coordinates::joint
                                     ? spanning_tree()
                                     : std::vector<bool>(parts_.joints.size(), false);
    parts_.link_of_body.assign(parts_.bodies.size(), -1);
    reach_from(-1, kept);
    for (std::size_t body = 0; body < parts_.bodies.size(); ++body)
    {
      if (parts_.link_of_body[body] < 0)
      {
        float_freely(static_cast<int>(body));
        reach_from(static_cast<int>(body), kept);
      }
    }
    close(kept);
  }

private:
  static int body_of(const Anchor & anchor)
  {
    return anchor.kind == Anchor::Kind::body ? anchor.index : -1;
  }

  void add(const std::string & name, double value)
  {
    mechanism_.coordinate_names.push_back(name);
    ++mechanism_.coordinates;
    start_.push_back(value);
  }

  void close(const std::vector<bool> & kept)
  {
    for (std::size_t i = 0; i < kept.size(); ++i)
    {
      if (!kept[i])
      {
        parts_.closures.push_back(static_cast<int>(i));
      }
    }
  }

  /// The joints with the fewest coordinates that connect the bodies; the rest opens the loops.
  std::vector<bool> spanning_tree() const
  {
    std::vector<std::size_t> order(parts_.joints.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return parts_.joints[a].coordinates() < parts_.joints[b].coordinates();
    });
    std::vector<int> group(parts_.bodies.size() + 1);
    std::iota(group.begin(), group.end(), 0);
    std::vector<bool> kept(parts_.joints.size(), false);
    for (const std::size_t i : order)
    {
      const SpatialJoint & joint = parts_.joints[i];
      const int a = group[static_cast<std::size_t>(body_of(joint.a) + 1)];
      const int b = group[static_cast<std::size_t>(body_of(joint.b) + 1)];
      const bool opened =
        std::find(parts_.cut.begin(), parts_.cut.end(), static_cast<int>(i)) != parts_.cut.end();
      if (a != b && !opened)
      {
        kept[i] = true;
        std::replace(group.begin(), group.end(), b, a);
      }
    }
    return kept;
  }

  /// Hangs all bodies that the kept joints connect to `root`, nearest first.
  void reach_from(int root, const std::vector<bool> & kept)
  {
    std::deque<int> waiting{root};
    while (!waiting.empty())
    {
      const int parent = waiting.front();
      waiting.pop_front();
      for (std::size_t i = 0; i < kept.size(); ++i)
      {
        SpatialJoint & joint = parts_.joints[i];
        const int a = body_of(joint.a), b = body_of(joint.b);
        if (!kept[i] || joint.first >= 0 || (a != parent && b != parent))
        {
          continue;
        }
        SpatialLink link;
        link.parent = parent;
        link.reversed = b == parent;
        link.body = link.reversed ? a : b;
        joint.first = mechanism_.coordinates;
        link.joint = joint;
        hang(link, joint.name);
        waiting.push_back(link.body);
      }
    }
  }

  void float_freely(int body)
  {
    SpatialLink link;
    link.joint.type = SpatialJoint::Type::floating;
    link.joint.b = {Anchor::Kind::body, body, 0.0, 0.0, 0.0};
    settle_joint(parts_, link.joint);
    link.body = body;
    link.joint.first = mechanism_.coordinates;
    hang(link, parts_.bodies[static_cast<std::size_t>(body)].name);
  }

  void hang(SpatialLink link, const std::string & name)
  {
    link.first = mechanism_.coordinates;
    const std::vector<double> start = start_of(link.joint);
    const std::vector<std::string> & suffixes = coordinate_suffixes(link.joint.type);
    if (link.parent >= 0)
    {
      const auto above =
        static_cast<std::size_t>(parts_.link_of_body[static_cast<std::size_t>(link.parent)]);
      link.path = parts_.links[above].path;
    }
    for (std::size_t k = 0; k < start.size(); ++k)
    {
      link.path.push_back(mechanism_.coordinates);
      add(name + "." + suffixes[k], start[k]);
    }
    parts_.link_of_body[static_cast<std::size_t>(link.body)] =
      static_cast<int>(parts_.links.size());
    parts_.links.push_back(std::move(link));
  }

  std::vector<double> start_of(const SpatialJoint & joint) const
  {
    using Type = SpatialJoint::Type;
    const Axes A = start_axes(parts_, joint.a);
    const Vec way = A.transposed() * (start_place(parts_, joint.b) - start_place(parts_, joint.a));
    const Vec axis = space<double>(joint.axis), side = space<double>(joint.side);
    const std::array<double, 4> p = euler(columns<double>(joint.zero));
    switch (joint.type)
    {
      case Type::revolute:
        return {0.0};
      case Type::cardan:
        return {0.0, 0.0};
      case Type::prismatic:
        return {dot(axis, way)};
      case Type::cylindrical:
        return {dot(axis, way), 0.0};
      case Type::planar:
        return {dot(side, way), dot(cross(axis, side), way), 0.0};
      case Type::spherical:
        return {p[0], p[1], p[2], p[3]};
      case Type::floating:
        return {way.x, way.y, way.z, p[0], p[1], p[2], p[3]};
    }
    throw InternalError("unknown type of joint");
  }

  Mechanism & mechanism_;
  SpatialParts & parts_;
  std::vector<double> & start_;
};

}  // namespace

Orientation orientation(const Direction & turn)
{
  const Vec v = space<double>(turn);
  const double angle = std::sqrt(dot(v, v));
  if (angle == 0.0)
  {
    return listed(identity<double>());
  }
  return listed(rotation<double>((1.0 / angle) * v, std::cos(angle), std::sin(angle)));
}

void settle_joint(const SpatialParts & parts, SpatialJoint & joint)
{
  joint.zero = listed(start_axes(parts, joint.a).transposed() * start_axes(parts, joint.b));
  const Vec axis = space<double>(joint.axis);
  int least = 0;
  for (int k = 1; k < 3; ++k)
  {
    if (
      std::abs(joint.axis[static_cast<std::size_t>(k)]) <
      std::abs(joint.axis[static_cast<std::size_t>(least)]))
    {
      least = k;
    }
  }
  const Vec across = cross(axis, unit<double>(least));
  const double length = std::sqrt(dot(across, across));
  if (length > 0.0)
  {
    joint.side = listed((1.0 / length) * across);
  }
}

void lay_out(Mechanism & mechanism, std::vector<double> & start)
{
  Layout layout(mechanism, start);
  mechanism.space->coordinates == Coordinates::natural ? layout.natural() : layout.tree();
}

}  // namespace fivebar_control::multibody
