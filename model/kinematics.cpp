// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/model/kinematics.hpp"

#include <Eigen/LU>
#include <cmath>
#include <numbers>

namespace fivebar_control
{
namespace
{

double sign_of(int value) { return value < 0 ? -1.0 : 1.0; }

/// Angle of the driven link from `pivot` whose distal link reaches `point`. `side` is the sign of
/// the sine from the driven to the distal link.
std::optional<double> driven_angle(
  const Eigen::Vector2d & pivot, double driven, double distal, const Eigen::Vector2d & point,
  double side)
{
  const Eigen::Vector2d d = point - pivot;
  const double distance = d.norm();
  const double cosine =
    (driven * driven + distance * distance - distal * distal) / (2.0 * driven * distance);
  if (!(std::abs(cosine) <= 1.0))
  {
    return std::nullopt;
  }
  // The elbow lies clockwise of the line to the point when the distal link turns left.
  return std::atan2(d.y(), d.x()) - side * std::acos(cosine);
}

double nearest_turn(double angle, double reference)
{
  return angle -
         2.0 * std::numbers::pi * std::round((angle - reference) / (2.0 * std::numbers::pi));
}

}  // namespace

std::optional<LinkagePose> Kinematics::forward(const Eigen::Vector2d & phi) const
{
  const Pose<double> pose = pose_at<double>(geometry_, phi[0], phi[1]);
  if (!std::isfinite(pose.s23))
  {
    return std::nullopt;
  }
  LinkagePose result;
  result.elbow_1 = geometry_.pivot_1 + geometry_.l1 * pose.e1;
  result.elbow_4 = geometry_.pivot_4 + geometry_.l4 * pose.e4;
  result.end_effector = end_effector<double>(geometry_, pose);
  result.phi2 = std::atan2(pose.e2.y(), pose.e2.x());
  result.phi3 = std::atan2(pose.e3.y(), pose.e3.x());
  result.margins = {
    std::abs(pose.s23), std::abs(cross<double>(pose.e1, pose.e2)),
    std::abs(cross<double>(pose.e4, pose.e3))};
  return result;
}

std::optional<InverseSolution> Kinematics::inverse(
  const Eigen::Vector2d & point, WorkingMode mode) const
{
  const auto phi1 =
    driven_angle(geometry_.pivot_1, geometry_.l1, geometry_.l2, point, sign_of(mode.elbow_1));
  const auto phi4 =
    driven_angle(geometry_.pivot_4, geometry_.l4, geometry_.l3, point, sign_of(mode.elbow_4));
  if (!phi1 || !phi4)
  {
    return std::nullopt;
  }
  InverseSolution solution;
  solution.phi = {nearest_turn(*phi1, 0.0), nearest_turn(*phi4, 0.0)};
  solution.working_mode = mode;
  const Eigen::Vector2d elbow_1 =
    geometry_.pivot_1 + geometry_.l1 * Eigen::Vector2d(std::cos(*phi1), std::sin(*phi1));
  const Eigen::Vector2d elbow_4 =
    geometry_.pivot_4 + geometry_.l4 * Eigen::Vector2d(std::cos(*phi4), std::sin(*phi4));
  const double turn = cross<double>(point - elbow_1, point - elbow_4);
  solution.assembly_mode = turn >= 0.0 ? AssemblyMode::left : AssemblyMode::right;
  return solution;
}

Kinematics::InverseSolutions Kinematics::inverse_all(const Eigen::Vector2d & point) const
{
  InverseSolutions solutions;
  for (const int elbow_1 : {1, -1})
  {
    for (const int elbow_4 : {1, -1})
    {
      if (const auto solution = inverse(point, {elbow_1, elbow_4}))
      {
        solutions.list[solutions.count++] = *solution;
      }
    }
  }
  return solutions;
}

WorkingMode Kinematics::working_mode(const Eigen::Vector2d & phi) const
{
  const Pose<double> pose = pose_at<double>(geometry_, phi[0], phi[1]);
  return {
    cross<double>(pose.e1, pose.e2) < 0.0 ? -1 : 1, cross<double>(pose.e4, pose.e3) < 0.0 ? -1 : 1};
}

Motion2 Kinematics::passive_motion(const Motion2 & driven) const
{
  const Pose<double> pose = pose_at<double>(geometry_, driven.position[0], driven.position[1]);
  const Eigen::Matrix2d map = passive_velocity_map<double>(geometry_, pose);
  Motion2 passive;
  passive.position = {std::atan2(pose.e2.y(), pose.e2.x()), std::atan2(pose.e3.y(), pose.e3.x())};
  passive.velocity = map * driven.velocity;
  passive.acceleration =
    map * driven.acceleration +
    passive_acceleration_bias<double>(geometry_, pose, driven.velocity, passive.velocity);
  return passive;
}

Motion2 Kinematics::forward_motion(const Motion2 & driven) const
{
  const Pose<double> pose = pose_at<double>(geometry_, driven.position[0], driven.position[1]);
  const Motion2 passive = passive_motion(driven);
  const double w1 = driven.velocity[0];
  const double w2 = passive.velocity[0];
  Motion2 point;
  point.position = end_effector<double>(geometry_, pose);
  point.velocity = geometry_.l1 * w1 * left_normal<double>(pose.e1) +
                   geometry_.l2 * w2 * left_normal<double>(pose.e2);
  point.acceleration =
    geometry_.l1 * (driven.acceleration[0] * left_normal<double>(pose.e1) - w1 * w1 * pose.e1) +
    geometry_.l2 * (passive.acceleration[0] * left_normal<double>(pose.e2) - w2 * w2 * pose.e2);
  return point;
}

std::optional<Motion2> Kinematics::inverse_motion(
  const Motion2 & point, WorkingMode mode, const Eigen::Vector2d & nearest_phi) const
{
  const auto solution = inverse(point.position, mode);
  if (!solution || static_cast<double>(solution->assembly_mode) != geometry_.mode)
  {
    return std::nullopt;
  }
  // Each chain alone: l_a n_a w_a + l_b n_b w_b = v. The dot product with e_b leaves w_a.
  const auto chain = [&](
                       const Eigen::Vector2d & pivot, double driven_length, double distal_length,
                       double phi) -> Eigen::Vector2d {
    const Eigen::Vector2d ea(std::cos(phi), std::sin(phi));
    const Eigen::Vector2d eb = (point.position - pivot - driven_length * ea) / distal_length;
    const double sine = cross<double>(ea, eb);
    const double w = point.velocity.dot(eb) / (driven_length * sine);
    const Eigen::Vector2d distal_velocity =
      point.velocity - driven_length * w * left_normal<double>(ea);
    const double wb = distal_velocity.dot(left_normal<double>(eb)) / distal_length;
    const double a =
      (point.acceleration.dot(eb) + driven_length * w * w * ea.dot(eb) + distal_length * wb * wb) /
      (driven_length * sine);
    return {w, a};
  };
  Motion2 driven;
  driven.position = {
    nearest_turn(solution->phi[0], nearest_phi[0]), nearest_turn(solution->phi[1], nearest_phi[1])};
  const Eigen::Vector2d first =
    chain(geometry_.pivot_1, geometry_.l1, geometry_.l2, driven.position[0]);
  const Eigen::Vector2d second =
    chain(geometry_.pivot_4, geometry_.l4, geometry_.l3, driven.position[1]);
  driven.velocity = {first[0], second[0]};
  driven.acceleration = {first[1], second[1]};
  if (!driven.velocity.allFinite() || !driven.acceleration.allFinite())
  {
    return std::nullopt;
  }
  return driven;
}

bool Kinematics::in_workspace(const Eigen::Vector2d & point, WorkingMode mode) const
{
  const auto solution = inverse(point, mode);
  return solution && static_cast<double>(solution->assembly_mode) == geometry_.mode;
}

}  // namespace fivebar_control
