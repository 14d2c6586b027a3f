// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fivebar_control/report/canvas.hpp"

namespace fivebar_control
{

/// Something that moves and can be drawn at any moment of its motion.
class Picture
{
public:
  static constexpr double width = 960.0;  ///< pixels of the layout; pictures are scaled from it
  static constexpr double height = 540.0;

  virtual ~Picture() = default;
  virtual const std::string & title() const = 0;
  virtual double duration() const = 0;  ///< s
  /// All that does not move.
  virtual void draw_background(Canvas & canvas) const = 0;
  /// The rest, as it is at `time`.
  virtual void draw_moment(Canvas & canvas, double time) const = 0;
};

}  // namespace fivebar_control
