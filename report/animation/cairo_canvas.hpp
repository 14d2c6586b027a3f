// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cairo.h>

#include <memory>

#include "fivebar_control/report/canvas.hpp"

namespace fivebar_control
{

/// A raster picture of `width` x `height` pixels; what is drawn is scaled by `scale`.
class CairoCanvas : public Canvas
{
public:
  CairoCanvas(int width, int height, double scale);

  void line(const Path & path, const Stroke & stroke) override;
  void disc(const Eigen::Vector2d & center, double radius, const Color & fill) override;
  void text(
    const Eigen::Vector2d & at, const std::string & content, const TextStyle & style) override;

  /// Everything is covered by the other picture, of the same size.
  void copy(const CairoCanvas & other);
  /// Rows of 4 bytes per pixel: blue, green, red, unused.
  const unsigned char * pixels();
  std::size_t bytes() const;
  bool save_png(const std::string & path) const;

private:
  struct Deleter
  {
    void operator()(cairo_t * context) const { cairo_destroy(context); }
    void operator()(cairo_surface_t * surface) const { cairo_surface_destroy(surface); }
  };
  void use(const Color & color, double opacity = 1.0);

  std::unique_ptr<cairo_surface_t, Deleter> surface_;
  std::unique_ptr<cairo_t, Deleter> context_;
};

}  // namespace fivebar_control
