// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fivebar_control/report/scene.hpp"

namespace fivebar_control
{

/// The motion of any planar mechanism, as lines and points.
struct Skeleton
{
  struct Bar
  {
    std::vector<Eigen::Vector2d> from, to;  ///< m, at each time
    bool spring = false;                    ///< drawn thin and dashed
  };
  struct Signal
  {
    std::string name;
    std::vector<double> values;
  };
  std::string title;
  std::string across = "x [m]", upwards = "y [m]";  ///< what the axes show
  std::vector<double> time;                         ///< s, not decreasing, from 0
  std::vector<Bar> bars;
  std::vector<std::vector<Eigen::Vector2d>> blocks;  ///< centres of bodies that are no bars
  std::vector<Bar> rails;              ///< of fixed slides: only the first time counts
  std::vector<Eigen::Vector2d> trace;  ///< of one point, may be empty
  std::vector<Signal> signals;         ///< at most two are shown
};

/// The mechanism on the left; its signals over time on the right, if there are any.
class SkeletonPicture : public Picture
{
public:
  explicit SkeletonPicture(Skeleton skeleton);
  const std::string & title() const override { return skeleton_.title; }
  double duration() const override { return skeleton_.time.back(); }
  void draw_background(Canvas & canvas) const override;
  void draw_moment(Canvas & canvas, double time) const override;

private:
  std::size_t row_at(double time) const;
  Path path_of(const std::vector<Eigen::Vector2d> & points, std::size_t rows) const;
  Path signal(std::size_t which, std::size_t rows) const;
  void fit();
  void draw_block(Canvas & canvas, const Eigen::Vector2d & at) const;

  Skeleton skeleton_;
  Plot space_{};
  std::vector<Plot> plots_;
};

}  // namespace fivebar_control
