// SPDX-License-Identifier: Apache-2.0
#include "mechanism_film.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "fivebar_control/multibody/mechanism_file.hpp"
#include "fivebar_control/multibody/series.hpp"
#include "fivebar_control/multibody/spatial_motion.hpp"
#include "fivebar_control/support/csv_table.hpp"
#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/text_file.hpp"

namespace fivebar_control::cli
{
namespace
{

using namespace multibody;  // NOLINT(google-build-using-namespace)

using Points = std::vector<Eigen::Vector2d>;
constexpr std::size_t largest_series = 500000000;  ///< bytes

/// Looks at a spatial mechanism from the front right and a little from above: parallel projection
/// with gravity downwards, or z upwards where there is none.
class View
{
public:
  explicit View(const Eigen::Vector3d & gravity)
  {
    const bool heavy = gravity.norm() > 0.0;
    const Eigen::Vector3d up =
      heavy ? Eigen::Vector3d(-gravity.normalized()) : Eigen::Vector3d(Eigen::Vector3d::UnitZ());
    Eigen::Index across = 0;
    up.cwiseAbs().minCoeff(&across);
    const Eigen::Vector3d front =
      (Eigen::Vector3d::Unit(across) - up.dot(Eigen::Vector3d::Unit(across)) * up).normalized();
    const Eigen::Vector3d side = up.cross(front);
    constexpr double turn = 0.6, rise = 0.35;  // rad
    right_ = std::cos(turn) * front + std::sin(turn) * side;
    const Eigen::Vector3d away = up.cross(right_);
    up_ = std::cos(rise) * up + std::sin(rise) * away;
  }
  Eigen::Vector2d operator()(const Direction & place) const
  {
    const Eigen::Vector3d p(place[0], place[1], place[2]);
    return {right_.dot(p), up_.dot(p)};
  }

private:
  Eigen::Vector3d right_, up_;
};

class Filming
{
public:
  Filming(const MechanismFile & file, const CsvTable & series)
  : mechanism_(*file.mechanism),
    series_(series),
    theta_(file.problem.local(0.0, file.problem.rho)),
    view_(Eigen::Vector3d(
      mechanism_.gravity_x.at(theta_), mechanism_.gravity_y.at(theta_),
      mechanism_.gravity_z.at(theta_)))
  {
    for (const std::string & name : mechanism_.coordinate_names)
    {
      coordinates_.push_back(&column(series, name));
    }
  }

  Skeleton film(const MechanismFile & file, const std::string & title)
  {
    skeleton_.title = title;
    skeleton_.time = column(series_, "t");
    for (const Rod & rod : mechanism_.rods)
    {
      skeleton_.bars.push_back({places(rod.from), places(rod.to), false});
    }
    for (std::size_t body = 0; body < mechanism_.bodies.size(); ++body)
    {
      add_body(static_cast<int>(body), file.anchors);
    }
    if (mechanism_.space)
    {
      add_spatial_parts(file.anchors);
    }
    for (const Spring & spring : mechanism_.springs)
    {
      skeleton_.bars.push_back({places(spring.a), places(spring.b), true});
    }
    for (const Joint & joint : mechanism_.joints)
    {
      const bool slides = joint.type == Joint::Type::prismatic || joint.type == Joint::Type::line;
      if (slides && joint.a.kind == Anchor::Kind::ground)
      {
        const Points from = places(joint.a);
        const Eigen::Vector2d axis(joint.x.at(theta_), joint.y.at(theta_));
        skeleton_.rails.push_back({from, {from.front() + axis}, false});
      }
    }
    if (!skeleton_.bars.empty())
    {
      skeleton_.trace = last_end();
    }
    for (const std::string & name : file.input_names)
    {
      const std::vector<double> & values = column(series_, "input_" + name);
      const auto [low, high] = std::minmax_element(values.begin(), values.end());
      if (*low < *high)
      {
        skeleton_.signals.push_back({name, values});
      }
    }
    return skeleton_;
  }

private:
  std::size_t rows() const { return series_.rows(); }
  double q(int coordinate, std::size_t row) const
  {
    return (*coordinates_[static_cast<std::size_t>(coordinate)])[row];
  }

  Points places(const Anchor & anchor) const
  {
    Points points(rows());
    for (std::size_t i = 0; i < rows(); ++i)
    {
      points[i] = place(anchor, i);
    }
    return points;
  }

  VectorD configuration(std::size_t row) const
  {
    VectorD result(static_cast<Eigen::Index>(coordinates_.size()));
    for (Eigen::Index k = 0; k < result.size(); ++k)
    {
      result(k) = q(static_cast<int>(k), row);
    }
    return result;
  }

  Eigen::Vector2d place(const Anchor & anchor, std::size_t row) const
  {
    if (mechanism_.space)
    {
      return view_(place_in_space(mechanism_, anchor, configuration(row), theta_));
    }
    if (anchor.kind == Anchor::Kind::ground)
    {
      return {anchor.x.at(theta_), anchor.y.at(theta_)};
    }
    if (anchor.kind == Anchor::Kind::point)
    {
      return {q(anchor.index, row), q(anchor.index + 1, row)};
    }
    const Body & body = mechanism_.bodies[static_cast<std::size_t>(anchor.index)];
    const double angle = q(body.first + 2, row);
    const double x = anchor.x.at(theta_) - body.centre_x.at(theta_);
    const double y = anchor.y.at(theta_) - body.centre_y.at(theta_);
    return {
      q(body.first, row) + std::cos(angle) * x - std::sin(angle) * y,
      q(body.first + 1, row) + std::sin(angle) * x + std::cos(angle) * y};
  }

  /// Lines between its points; a block where it has one point only.
  void add_body(int body, const std::map<std::string, Anchor> & anchors)
  {
    std::vector<Points> points;
    for (const auto & [name, anchor] : anchors)
    {
      if (anchor.kind == Anchor::Kind::body && anchor.index == body)
      {
        points.push_back(places(anchor));
      }
    }
    if (points.size() < 2)
    {
      const Body & of = mechanism_.bodies[static_cast<std::size_t>(body)];
      skeleton_.blocks.push_back(places({Anchor::Kind::body, body, of.centre_x, of.centre_y}));
    }
    for (std::size_t i = 1; i < points.size(); ++i)
    {
      skeleton_.bars.push_back({points[i - 1], points[i], false});
    }
  }

  /// Each body as lines from its centre of mass to its points, or between two points.
  void add_spatial_parts(const std::map<std::string, Anchor> & anchors)
  {
    const SpatialParts & space = *mechanism_.space;
    skeleton_.across = "parallel projection: to the right [m]";
    skeleton_.upwards = "upwards [m]";
    for (std::size_t body = 0; body < space.bodies.size(); ++body)
    {
      std::vector<Points> points;
      for (const auto & [name, anchor] : anchors)
      {
        if (anchor.kind == Anchor::Kind::body && anchor.index == static_cast<int>(body))
        {
          points.push_back(places(anchor));
        }
      }
      const auto & c = space.bodies[body].centre;
      const Points centre = places({Anchor::Kind::body, static_cast<int>(body), c[0], c[1], c[2]});
      if (points.size() < 2)
      {
        skeleton_.blocks.push_back(centre);
      }
      else if (points.size() == 2)
      {
        skeleton_.bars.push_back({points[0], points[1], false});
      }
      else
      {
        for (const Points & point : points)
        {
          skeleton_.bars.push_back({centre, point, false});
        }
      }
    }
    for (const SpatialJoint & joint : space.joints)
    {
      const bool slides = joint.type == SpatialJoint::Type::prismatic ||
                          joint.type == SpatialJoint::Type::cylindrical;
      if (slides && joint.a.kind == Anchor::Kind::ground)
      {
        add_rail(joint);
      }
    }
  }

  /// As far as the slide goes.
  void add_rail(const SpatialJoint & joint)
  {
    double low = 0.0, high = 0.0;
    const Eigen::Vector3d axis(joint.axis[0], joint.axis[1], joint.axis[2]);
    const Direction from = place_in_space(mechanism_, joint.a, configuration(0), theta_);
    const Eigen::Vector3d start(from[0], from[1], from[2]);
    for (std::size_t i = 0; i < rows(); ++i)
    {
      const Direction b = place_in_space(mechanism_, joint.b, configuration(i), theta_);
      const double travel = axis.dot(Eigen::Vector3d(b[0], b[1], b[2]) - start);
      low = std::min(low, travel);
      high = std::max(high, travel);
    }
    const auto along = [&](double travel) {
      const Eigen::Vector3d at = start + travel * axis;
      return Points(rows(), view_({at.x(), at.y(), at.z()}));
    };
    skeleton_.bars.push_back({along(low), along(high), true});
  }

  /// The end of the last bar that is no spring: what moves most in a chain.
  Points last_end() const
  {
    Points end;
    for (const Skeleton::Bar & bar : skeleton_.bars)
    {
      if (!bar.spring)
      {
        end = bar.to;
      }
    }
    return end;
  }

  const Mechanism & mechanism_;
  const CsvTable & series_;
  VectorD theta_;
  View view_;
  std::vector<const std::vector<double> *> coordinates_;
  Skeleton skeleton_;
};

}  // namespace

Skeleton skeleton_of_mechanism(
  const std::string & file, const std::string & series, const std::vector<std::string> & overrides)
{
  std::vector<MechanismOverride> changes;
  for (const std::string & one : overrides)
  {
    changes.push_back(parse_override(one));
  }
  const MechanismFile mechanism = load_mechanism(file, changes);
  const std::string text =
    series.empty() ? concerning(file, [&] { return series_of(mechanism, mechanism.problem.rho); })
                   : read_text_file(series, largest_series);
  std::vector<std::string> required{"t"};
  for (const std::string & name : mechanism.mechanism->coordinate_names)
  {
    required.push_back(name);
  }
  for (const std::string & name : mechanism.input_names)
  {
    required.push_back("input_" + name);
  }
  const CsvTable table = parse_csv(text, series.empty() ? file : series, required);
  if (table.rows() < 2)
  {
    throw InputError({series}, "expected at least two rows");
  }
  const std::string title = std::filesystem::path(file).stem().string();
  return Filming(mechanism, table).film(mechanism, title);
}

}  // namespace fivebar_control::cli
