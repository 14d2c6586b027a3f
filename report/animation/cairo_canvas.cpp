// SPDX-License-Identifier: Apache-2.0
#include "cairo_canvas.hpp"

#include <numbers>

namespace fivebar_control
{

CairoCanvas::CairoCanvas(int width, int height, double scale)
: surface_(cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height)),
  context_(cairo_create(surface_.get()))
{
  cairo_set_source_rgb(context_.get(), 1.0, 1.0, 1.0);
  cairo_paint(context_.get());
  cairo_scale(context_.get(), scale, scale);
  cairo_set_line_cap(context_.get(), CAIRO_LINE_CAP_ROUND);
  cairo_set_line_join(context_.get(), CAIRO_LINE_JOIN_ROUND);
}

void CairoCanvas::use(const Color & color, double opacity)
{
  cairo_set_source_rgba(context_.get(), color.red, color.green, color.blue, opacity);
}

void CairoCanvas::line(const Path & path, const Stroke & stroke)
{
  cairo_t * context = context_.get();
  use(stroke.color, stroke.opacity);
  cairo_set_line_width(context, stroke.width);
  const bool dashed = stroke.dash > 0.0;
  cairo_set_dash(context, &stroke.dash, dashed ? 1 : 0, 0.0);
  cairo_set_line_cap(context, dashed ? CAIRO_LINE_CAP_BUTT : CAIRO_LINE_CAP_ROUND);
  cairo_new_path(context);  // text leaves a current point behind
  for (const Eigen::Vector2d & point : path)
  {
    cairo_line_to(context, point.x(), point.y());
  }
  cairo_stroke(context);
}

void CairoCanvas::disc(const Eigen::Vector2d & center, double radius, const Color & fill)
{
  use(fill);
  cairo_new_path(context_.get());
  cairo_arc(context_.get(), center.x(), center.y(), radius, 0.0, 2.0 * std::numbers::pi);
  cairo_fill(context_.get());
}

void CairoCanvas::text(
  const Eigen::Vector2d & at, const std::string & content, const TextStyle & style)
{
  cairo_t * context = context_.get();
  cairo_select_font_face(
    context, "sans", CAIRO_FONT_SLANT_NORMAL,
    style.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(context, style.size);
  cairo_text_extents_t extents;
  cairo_text_extents(context, content.c_str(), &extents);
  const double share = style.align == Align::left ? 0.0 : style.align == Align::center ? 0.5 : 1.0;
  cairo_save(context);
  cairo_translate(context, at.x(), at.y());
  cairo_rotate(context, style.upwards ? -0.5 * std::numbers::pi : 0.0);
  cairo_move_to(context, -share * extents.x_advance, 0.0);
  use(style.color);
  cairo_show_text(context, content.c_str());
  cairo_restore(context);
}

void CairoCanvas::copy(const CairoCanvas & other)
{
  cairo_t * context = context_.get();
  cairo_save(context);
  cairo_identity_matrix(context);
  cairo_set_source_surface(context, other.surface_.get(), 0.0, 0.0);
  cairo_paint(context);
  cairo_restore(context);
}

const unsigned char * CairoCanvas::pixels()
{
  cairo_surface_flush(surface_.get());
  return cairo_image_surface_get_data(surface_.get());
}

std::size_t CairoCanvas::bytes() const
{
  return static_cast<std::size_t>(cairo_image_surface_get_stride(surface_.get())) *
         static_cast<std::size_t>(cairo_image_surface_get_height(surface_.get()));
}

bool CairoCanvas::save_png(const std::string & path) const
{
  return cairo_surface_write_to_png(surface_.get(), path.c_str()) == CAIRO_STATUS_SUCCESS;
}

}  // namespace fivebar_control
