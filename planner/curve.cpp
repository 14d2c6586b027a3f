// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/planner/curve.hpp"

#include <fmt/core.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>

namespace fivebar_control
{
namespace
{

class LissajousCurve : public Curve
{
public:
  explicit LissajousCurve(const Lissajous & l) : l_(l) {}
  double duration() const override { return l_.duration; }
  Motion2 at(double t) const override
  {
    Motion2 m;
    for (int i = 0; i < 2; ++i)
    {
      const double w = l_.angular_frequency[i];
      const double s = std::sin(w * t + l_.phase[i]);
      const double c = std::cos(w * t + l_.phase[i]);
      m.position[i] = l_.center[i] + l_.amplitude[i] * s;
      m.velocity[i] = l_.amplitude[i] * w * c;
      m.acceleration[i] = -l_.amplitude[i] * w * w * s;
    }
    return m;
  }

private:
  Lissajous l_;
};

/// Straight pieces with constant-acceleration blends at the inner points.
class PolylineCurve : public Curve
{
public:
  explicit PolylineCurve(const Polyline & p) : points_(p.points), blend_(p.blend)
  {
    times_.push_back(0.0);
    for (std::size_t i = 1; i < points_.size(); ++i)
    {
      const Eigen::Vector2d line = points_[i] - points_[i - 1];
      const double time = line.norm() / p.speed;
      const double share = (i > 1 ? 0.5 : 0.0) + (i + 1 < points_.size() ? 0.5 : 0.0);
      if (!(time > share * blend_))
      {
        throw InputError(fmt::format(
          "the line to point {} takes {:.4g} s, which is too short for its blends of {:.4g} s",
          i + 1, time, share * blend_));
      }
      times_.push_back(times_.back() + time);
      velocities_.push_back(line / time);
    }
  }
  double duration() const override { return times_.back(); }
  Motion2 at(double t) const override
  {
    for (std::size_t i = 1; i + 1 < points_.size(); ++i)
    {
      const double since = t - (times_[i] - 0.5 * blend_);
      if (since >= 0.0 && since < blend_)
      {
        const Eigen::Vector2d turn = (velocities_[i] - velocities_[i - 1]) / blend_;
        return {
          points_[i] + velocities_[i - 1] * (t - times_[i]) + 0.5 * since * since * turn,
          velocities_[i - 1] + since * turn, turn};
      }
    }
    const auto after = std::upper_bound(times_.begin() + 1, times_.end() - 1, t);
    const auto i = static_cast<std::size_t>(after - times_.begin()) - 1;
    return {points_[i] + velocities_[i] * (t - times_[i]), velocities_[i], Eigen::Vector2d::Zero()};
  }

private:
  std::vector<Eigen::Vector2d> points_;
  std::vector<Eigen::Vector2d> velocities_;
  std::vector<double> times_;
  double blend_;
};

/// Cubic spline given by the second derivatives at its knots.
class SplineCurve : public Curve
{
public:
  explicit SplineCurve(const SplinePath & path) : times_(path.times), points_(path.points)
  {
    for (std::size_t i = 1; i < times_.size(); ++i)
    {
      if (!(times_[i] > times_[i - 1]))
      {
        throw InputError(
          fmt::format("time must increase, got {:.6g} s after {:.6g} s", times_[i], times_[i - 1]));
      }
    }
    solve(path.at_rest_at_ends);
  }
  double duration() const override { return times_.back() - times_.front(); }
  Motion2 at(double t) const override
  {
    const double time = t + times_.front();
    const auto after = std::upper_bound(times_.begin() + 1, times_.end() - 1, time);
    const auto i = static_cast<std::size_t>(after - times_.begin()) - 1;
    const double h = times_[i + 1] - times_[i];
    const double a = (times_[i + 1] - time) / h;
    const double b = 1.0 - a;
    const Eigen::Vector2d & m0 = curvature_[i];
    const Eigen::Vector2d & m1 = curvature_[i + 1];
    return {
      a * points_[i] + b * points_[i + 1] +
        h * h / 6.0 * ((a * a * a - a) * m0 + (b * b * b - b) * m1),
      (points_[i + 1] - points_[i]) / h +
        h / 6.0 * ((3.0 * b * b - 1.0) * m1 - (3.0 * a * a - 1.0) * m0),
      a * m0 + b * m1};
  }

private:
  /// Continuity of the slope at the knots is a tridiagonal system for the second derivatives.
  void solve(bool at_rest)
  {
    const std::size_t n = times_.size();
    std::vector<double> diagonal(n, 1.0);
    std::vector<double> below(n, 0.0);
    std::vector<double> above(n, 0.0);
    curvature_.assign(n, Eigen::Vector2d::Zero());
    const auto spacing = [this](std::size_t i) { return times_[i + 1] - times_[i]; };
    const auto slope = [this, &spacing](std::size_t i) -> Eigen::Vector2d {
      return (points_[i + 1] - points_[i]) / spacing(i);
    };
    for (std::size_t i = 1; i + 1 < n; ++i)
    {
      below[i] = spacing(i - 1) / 6.0;
      diagonal[i] = (spacing(i - 1) + spacing(i)) / 3.0;
      above[i] = spacing(i) / 6.0;
      curvature_[i] = slope(i) - slope(i - 1);
    }
    if (at_rest)
    {
      diagonal[0] = spacing(0) / 3.0;
      above[0] = spacing(0) / 6.0;
      curvature_[0] = slope(0);
      diagonal[n - 1] = spacing(n - 2) / 3.0;
      below[n - 1] = spacing(n - 2) / 6.0;
      curvature_[n - 1] = -slope(n - 2);
    }
    for (std::size_t i = 1; i < n; ++i)
    {
      const double factor = below[i] / diagonal[i - 1];
      diagonal[i] -= factor * above[i - 1];
      curvature_[i] -= factor * curvature_[i - 1];
    }
    curvature_[n - 1] /= diagonal[n - 1];
    for (std::size_t i = n - 1; i-- > 0;)
    {
      curvature_[i] = (curvature_[i] - above[i] * curvature_[i + 1]) / diagonal[i];
    }
  }

  std::vector<double> times_;
  std::vector<Eigen::Vector2d> points_;
  std::vector<Eigen::Vector2d> curvature_;
};

class PlacedCurve : public Curve
{
public:
  PlacedCurve(CurvePointer curve, const Placement & p)
  : curve_(std::move(curve)),
    linear_(p.scale * Eigen::Rotation2Dd(p.rotate).toRotationMatrix()),
    offset_(p.about - linear_ * p.about + p.translate)
  {
  }
  double duration() const override { return curve_->duration(); }
  Motion2 at(double t) const override
  {
    const Motion2 m = curve_->at(t);
    return {linear_ * m.position + offset_, linear_ * m.velocity, linear_ * m.acceleration};
  }

private:
  CurvePointer curve_;
  Eigen::Matrix2d linear_;
  Eigen::Vector2d offset_;
};

/// Path parameter s(t) with s' going from 0 to 1 along 3z² - 2z³ and back.
class RampedCurve : public Curve
{
public:
  RampedCurve(CurvePointer curve, double in, double out)
  : curve_(std::move(curve)), in_(in), out_(out), duration_(curve_->duration() + 0.5 * (in + out))
  {
  }
  double duration() const override { return duration_; }
  Motion2 at(double t) const override
  {
    double s = t - 0.5 * in_;
    double rate = 1.0;
    double change = 0.0;
    const double left = duration_ - t;
    if (t < in_)
    {
      const double z = t / in_;
      s = in_ * z * z * z * (1.0 - 0.5 * z);
      rate = z * z * (3.0 - 2.0 * z);
      change = 6.0 * z * (1.0 - z) / in_;
    }
    else if (left < out_)
    {
      const double z = left / out_;
      s = curve_->duration() - out_ * z * z * z * (1.0 - 0.5 * z);
      rate = z * z * (3.0 - 2.0 * z);
      change = -6.0 * z * (1.0 - z) / out_;
    }
    const Motion2 m = curve_->at(s);
    return {m.position, rate * m.velocity, rate * rate * m.acceleration + change * m.velocity};
  }

private:
  CurvePointer curve_;
  double in_, out_, duration_;
};

}  // namespace

CurvePointer make_curve(const Lissajous & lissajous)
{
  return std::make_shared<LissajousCurve>(lissajous);
}

CurvePointer make_curve(const Circle & c)
{
  const double w = 2.0 * std::numbers::pi * c.turns / c.duration;
  const double quarter = 0.5 * std::numbers::pi;
  return std::make_shared<LissajousCurve>(Lissajous{
    c.center, {c.radius, c.radius}, {w, w}, {c.start_angle + quarter, c.start_angle}, c.duration});
}

CurvePointer make_curve(const Polyline & polyline)
{
  return std::make_shared<PolylineCurve>(polyline);
}

CurvePointer make_curve(const SplinePath & spline) { return std::make_shared<SplineCurve>(spline); }

CurvePointer place(CurvePointer curve, const Placement & placement)
{
  return std::make_shared<PlacedCurve>(std::move(curve), placement);
}

CurvePointer ramp(CurvePointer curve, double ramp_in, double ramp_out)
{
  if (ramp_in == 0.0 && ramp_out == 0.0)
  {
    return curve;
  }
  return std::make_shared<RampedCurve>(std::move(curve), ramp_in, ramp_out);
}

}  // namespace fivebar_control
