// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <optional>

#include "fivebar_control/model/parameters.hpp"
#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{

// Symbols: phi_i is the absolute angle of link i, counter-clockwise from +x. Links 1 and 4 point
// from their pivot to their elbow, links 2 and 3 from elbow 1 and elbow 4 to the end-effector P.
// e_i is the unit vector along link i, n_i its left normal, S_ij = n_i . e_j = sin(phi_j - phi_i),
// C_ij = e_i . e_j. docs/model.md derives what follows.

template <class S>
inline S cross(const Vector2<S> & a, const Vector2<S> & b)
{
  return a[0] * b[1] - a[1] * b[0];
}

template <class S>
inline S dot(const Vector2<S> & a, const Vector2<S> & b)
{
  return a[0] * b[0] + a[1] * b[1];
}

/// Voltages or angles with which the linkage does not close, or comes too near a singularity.
class LeavesWorkspace : public NotReachable
{
public:
  using NotReachable::NotReachable;
  LeavesWorkspace(const std::string & message, double last_time)
  : NotReachable(message), time(last_time)
  {
  }
  std::optional<double> time;  ///< s, the last moment at which it did close, where that is known
};

/// What kinematics needs of the robot.
template <class S>
struct Geometry
{
  Vector2<S> pivot_1, pivot_4;
  S l1, l2, l3, l4;
  double mode = 1.0;  ///< +1 for AssemblyMode::left, -1 for right
};

template <class S>
Geometry<S> geometry_of(const Physics<S> & physics, AssemblyMode mode)
{
  return {physics.pivot_1,          physics.pivot_4,         physics.links[0].length,
          physics.links[1].length,  physics.links[2].length, physics.links[3].length,
          static_cast<double>(mode)};
}

/// The closed linkage at given driven angles, as unit vectors; no passive angle is ever formed.
/// Outside the workspace of the angles (the elbows too far apart or too near) the entries are NaN.
template <class S>
struct Pose
{
  Vector2<S> e1, e2, e3, e4;
  S s23;  ///< sine from link 2 to link 3; zero where the distal links are aligned
};

/// Intersection of the distal circles around the elbows.
template <class S>
inline Pose<S> close_linkage(const Geometry<S> & g, const Vector2<S> & e1, const Vector2<S> & e4)
{
  using std::sqrt;
  Pose<S> pose;
  pose.e1 = e1;
  pose.e4 = e4;
  const S dx = (g.pivot_4[0] - g.pivot_1[0]) + g.l4 * e4[0] - g.l1 * e1[0];
  const S dy = (g.pivot_4[1] - g.pivot_1[1]) + g.l4 * e4[1] - g.l1 * e1[1];
  const S distance_squared = dx * dx + dy * dy;
  const S inverse = S(1.0) / distance_squared;
  // P - elbow 1 = along * d + across * perp(d)
  const S along = S(0.5) + S(0.5) * (g.l2 * g.l2 - g.l3 * g.l3) * inverse;
  const S across = S(g.mode) * sqrt(g.l2 * g.l2 * inverse - along * along);
  const S px = along * dx - across * dy;
  const S py = along * dy + across * dx;
  const S i2 = S(1.0) / g.l2;
  const S i3 = S(1.0) / g.l3;
  pose.e2 = Vector2<S>(px * i2, py * i2);
  pose.e3 = Vector2<S>((px - dx) * i3, (py - dy) * i3);
  pose.s23 = across * distance_squared * i2 * i3;
  return pose;
}

template <class S>
inline Pose<S> pose_at(const Geometry<S> & g, const S & phi1, const S & phi4)
{
  using std::cos;
  using std::sin;
  return close_linkage<S>(g, Vector2<S>(cos(phi1), sin(phi1)), Vector2<S>(cos(phi4), sin(phi4)));
}

/// Velocities of the passive links: (w2, w3) = matrix * (w1, w4).
template <class S>
inline Matrix2<S> passive_velocity_map(const Geometry<S> & g, const Pose<S> & p)
{
  const S i2 = S(1.0) / (g.l2 * p.s23);
  const S i3 = S(1.0) / (g.l3 * p.s23);
  Matrix2<S> map;
  map(0, 0) = -g.l1 * cross<S>(p.e1, p.e3) * i2;
  map(0, 1) = g.l4 * cross<S>(p.e4, p.e3) * i2;
  map(1, 0) = -g.l1 * cross<S>(p.e1, p.e2) * i3;
  map(1, 1) = g.l4 * cross<S>(p.e4, p.e2) * i3;
  return map;
}

/// Passive accelerations at zero driven acceleration: (w2', w3') = map * (w1', w4') + this.
template <class S>
inline Vector2<S> passive_acceleration_bias(
  const Geometry<S> & g, const Pose<S> & p, const Vector2<S> & driven, const Vector2<S> & passive)
{
  const S q1 = g.l1 * driven[0] * driven[0];
  const S q4 = g.l4 * driven[1] * driven[1];
  const S q2 = g.l2 * passive[0] * passive[0];
  const S q3 = g.l3 * passive[1] * passive[1];
  const S c23 = dot<S>(p.e2, p.e3);
  return {
    (q1 * dot<S>(p.e1, p.e3) + q2 * c23 - q4 * dot<S>(p.e4, p.e3) - q3) / (g.l2 * p.s23),
    (q1 * dot<S>(p.e1, p.e2) + q2 - q4 * dot<S>(p.e4, p.e2) - q3 * c23) / (g.l3 * p.s23)};
}

template <class S>
inline Vector2<S> left_normal(const Vector2<S> & e)
{
  return {-e[1], e[0]};
}

template <class S>
inline Vector2<S> end_effector(const Geometry<S> & g, const Pose<S> & p)
{
  return g.pivot_1 + g.l1 * p.e1 + g.l2 * p.e2;
}

/// The same at driven angles; NaN where the linkage cannot close.
inline Eigen::Vector2d end_effector_at(const Geometry<double> & g, const Eigen::Vector2d & phi)
{
  return end_effector<double>(g, pose_at<double>(g, phi[0], phi[1]));
}

/// dP/d(phi1, phi4).
template <class S>
inline Matrix2<S> end_effector_jacobian(
  const Geometry<S> & g, const Pose<S> & p, const Matrix2<S> & passive_map)
{
  const Vector2<S> n1 = left_normal<S>(p.e1);
  const Vector2<S> n2 = left_normal<S>(p.e2);
  Matrix2<S> jacobian;
  jacobian.col(0) = g.l1 * n1 + g.l2 * passive_map(0, 0) * n2;
  jacobian.col(1) = g.l2 * passive_map(0, 1) * n2;
  return jacobian;
}

/// Position, velocity and acceleration of a point or of a pair of angles.
struct Motion2
{
  Eigen::Vector2d position = Eigen::Vector2d::Zero();
  Eigen::Vector2d velocity = Eigen::Vector2d::Zero();
  Eigen::Vector2d acceleration = Eigen::Vector2d::Zero();
};

/// Sines of the angles whose vanishing makes the linkage singular.
struct SingularityMargins
{
  double parallel = 0.0;  ///< |sin| between links 2 and 3: forward kinematics and forces degenerate
  double serial_1 = 0.0;  ///< |sin| between links 1 and 2: inverse kinematics degenerates
  double serial_4 = 0.0;  ///< |sin| between links 4 and 3
};

/// The linkage in user terms: everything follows from the driven angles.
struct LinkagePose
{
  Eigen::Vector2d elbow_1, elbow_4, end_effector;  ///< m
  double phi2 = 0.0;                               ///< rad, in (-pi, pi]
  double phi3 = 0.0;
  SingularityMargins margins;
};

/// Elbow choices of the inverse kinematics: the signs of S_12 and S_43.
struct WorkingMode
{
  int elbow_1 = 1;
  int elbow_4 = 1;
  bool operator==(const WorkingMode &) const = default;
};

struct InverseSolution
{
  Eigen::Vector2d phi;  ///< rad, (phi1, phi4), each in (-pi, pi]
  WorkingMode working_mode;
  AssemblyMode assembly_mode;  ///< the one this solution closes in
};

/// Kinematics of one robot in double precision. All functions are pure.
class Kinematics
{
public:
  explicit Kinematics(const Geometry<double> & geometry) : geometry_(geometry) {}
  const Geometry<double> & geometry() const { return geometry_; }

  /// Nothing where the linkage cannot close.
  std::optional<LinkagePose> forward(const Eigen::Vector2d & phi) const;
  /// Nothing if `point` cannot be reached with this working mode.
  std::optional<InverseSolution> inverse(const Eigen::Vector2d & point, WorkingMode mode) const;
  /// All of the up to four solutions, whatever their assembly mode.
  struct InverseSolutions
  {
    std::array<InverseSolution, 4> list;
    std::size_t count = 0;
  };
  InverseSolutions inverse_all(const Eigen::Vector2d & point) const;
  WorkingMode working_mode(const Eigen::Vector2d & phi) const;

  /// P, its velocity and acceleration from those of the driven angles. The linkage must close.
  Motion2 forward_motion(const Motion2 & driven) const;
  /// Driven angles, velocities and accelerations from those of P; the branch nearest to
  /// `nearest_phi` modulo full turns. Nothing if unreachable or at a serial singularity.
  std::optional<Motion2> inverse_motion(
    const Motion2 & point, WorkingMode mode, const Eigen::Vector2d & nearest_phi) const;
  /// Angles of the passive links (phi2, phi3) with their derivatives.
  Motion2 passive_motion(const Motion2 & driven) const;

  /// Can P be at `point` in this working mode and the robot's assembly mode?
  bool in_workspace(const Eigen::Vector2d & point, WorkingMode mode) const;

private:
  Geometry<double> geometry_;
};

}  // namespace fivebar_control
