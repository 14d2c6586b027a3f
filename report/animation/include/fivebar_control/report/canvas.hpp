// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

namespace fivebar_control
{

using Path = std::vector<Eigen::Vector2d>;  ///< pixels, y down

struct Color
{
  double red, green, blue;  ///< 0 to 1
};

struct Stroke
{
  Color color;
  double width = 1.0;  ///< pixels
  double opacity = 1.0;
  double dash = 0.0;  ///< pixels on and off; 0: solid
};

enum class Align
{
  left,
  center,
  right,
};

struct TextStyle
{
  Color color;
  double size = 13.0;
  Align align = Align::left;
  bool bold = false;
  bool upwards = false;  ///< turned by 90 degrees
};

/// What a picture is drawn on.
class Canvas
{
public:
  virtual ~Canvas() = default;
  virtual void line(const Path & path, const Stroke & stroke) = 0;
  virtual void disc(const Eigen::Vector2d & center, double radius, const Color & fill) = 0;
  virtual void text(
    const Eigen::Vector2d & at, const std::string & content, const TextStyle & style) = 0;
};

}  // namespace fivebar_control
