// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>

#include "fivebar_control/report/motion.hpp"
#include "fivebar_control/report/picture.hpp"

namespace fivebar_control
{

namespace palette
{
inline constexpr Color motor_1{0.11, 0.37, 0.65};
inline constexpr Color motor_4{0.82, 0.36, 0.10};
inline constexpr Color trace{0.05, 0.55, 0.42};
inline constexpr Color link{0.27, 0.31, 0.38};
inline constexpr Color ink{0.13, 0.15, 0.18};
inline constexpr Color faint{0.45, 0.48, 0.52};
inline constexpr Color grid{0.88, 0.89, 0.91};
inline constexpr Color curve{0.82, 0.84, 0.88};
inline constexpr Color white{1.0, 1.0, 1.0};
}  // namespace palette

/// A rectangle of the picture with axes: values to pixels.
struct Plot
{
  double left, top, width, height;  ///< pixels
  double x_low, x_high, y_low, y_high;

  Eigen::Vector2d pixel(double x, double y) const
  {
    return {
      left + width * (x - x_low) / (x_high - x_low),
      top + height * (y_high - y) / (y_high - y_low)};
  }
};

/// The linkage with curve and trace on the left; volts and error over time on the right.
class Scene : public Picture
{
public:
  static constexpr double trace_width = 2.4, volts_width = 1.8, link_width = 7.0;

  Scene(const RobotModel & robot, const Motion & motion);

  const std::string & title() const override { return motion_.title; }
  double duration() const override { return motion_.duration(); }
  /// Axes, labels, the curve, and the whole plots in pale.
  void draw_background(Canvas & canvas) const override;
  /// Linkage, trace and plots up to `time`.
  void draw_moment(Canvas & canvas, double time) const override;

  // What moves, in pixels, for pictures that animate themselves.
  const Motion & motion() const { return motion_; }
  const Plot & volts_plot() const { return volts_; }
  const Plot & error_plot() const { return error_; }
  /// O1, elbow 1, P, elbow 4, O4.
  std::array<Eigen::Vector2d, 5> linkage(std::size_t row) const;
  Path trace(std::size_t rows) const;
  Path volts(std::size_t motor, std::size_t rows) const;
  Path error(std::size_t rows) const;

private:
  Path path_of(std::size_t rows, const std::function<Eigen::Vector2d(std::size_t)> & pixel) const;

  Kinematics kinematics_;
  Motion motion_;
  Eigen::Vector2d pivot_1_, pivot_4_;
  Plot robot_{}, volts_{}, error_{};
  double largest_volts_ = 0.0;  ///< V
  bool volts_cut_ = false;      ///< the plot does not reach that far
};

/// Grid, ticks and labels; without an x label no ticks below it.
void draw_axes(
  Canvas & canvas, const Plot & plot, const std::string & x_label, const std::string & y_label);

/// Ticks at 1, 2 or 5 times a power of ten, about `count` of them within [low, high].
std::vector<double> round_ticks(double low, double high, int count);

}  // namespace fivebar_control
