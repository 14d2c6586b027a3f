// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "fivebar_control/model/kinematics.hpp"

namespace fivebar_control
{

/// A path of the end-effector over time: position (m), velocity and acceleration for t in
/// [0, duration()]. Immutable.
class Curve
{
public:
  virtual ~Curve() = default;
  virtual double duration() const = 0;
  virtual Motion2 at(double t) const = 0;
};

using CurvePointer = std::shared_ptr<const Curve>;

/// x_i = center_i + amplitude_i sin(angular_frequency_i t + phase_i) (Maciąg, eq. 7.1).
struct Lissajous
{
  Eigen::Vector2d center, amplitude, angular_frequency, phase;
  double duration;
};
CurvePointer make_curve(const Lissajous & lissajous);

/// Once or several times around, at constant speed; a negative number of turns goes clockwise.
struct Circle
{
  Eigen::Vector2d center;
  double radius, start_angle, turns, duration;
};
CurvePointer make_curve(const Circle & circle);

/// Straight lines at constant speed; around each inner corner the velocity changes linearly during
/// `blend` seconds, so the path passes the corner at a distance.
struct Polyline
{
  std::vector<Eigen::Vector2d> points;
  double speed;
  double blend;
};
/// Throws InputError if a line is too short for its blends.
CurvePointer make_curve(const Polyline & polyline);

/// Cubic spline through points at given times; at the ends at rest, or with free (natural) ends.
struct SplinePath
{
  std::vector<double> times;
  std::vector<Eigen::Vector2d> points;
  bool at_rest_at_ends;
};
/// Throws InputError unless the times increase strictly.
CurvePointer make_curve(const SplinePath & spline);

/// Scales and turns about a point, then moves.
struct Placement
{
  Eigen::Vector2d about;
  Eigen::Vector2d translate = Eigen::Vector2d::Zero();
  double scale = 1.0;
  double rotate = 0.0;  ///< rad
};
CurvePointer place(CurvePointer curve, const Placement & placement);

/// Runs through the same path, but gets going from rest during the first `ramp_in` seconds and
/// comes to rest during the last `ramp_out` seconds. Lasts longer by half of both.
CurvePointer ramp(CurvePointer curve, double ramp_in, double ramp_out);

}  // namespace fivebar_control
