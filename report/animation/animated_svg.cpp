// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "fivebar_control/report/picture_file.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/markup.hpp"

namespace fivebar_control
{
namespace
{

std::string hex(const Color & color)
{
  const auto byte = [](double share) { return static_cast<int>(std::lround(255.0 * share)); };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(color.red), byte(color.green), byte(color.blue));
}

std::string data_of(const Path & path)
{
  std::string data;
  for (const Eigen::Vector2d & point : path)
  {
    fmt::format_to(
      std::back_inserter(data), "{}{:.1f} {:.1f}", data.empty() ? 'M' : 'L', point.x(), point.y());
  }
  return data;
}

std::string attributes_of(const Stroke & stroke)
{
  std::string text = fmt::format(
    R"(fill="none" stroke="{}" stroke-width="{:g}" stroke-linejoin="round")", hex(stroke.color),
    stroke.width);
  if (stroke.opacity < 1.0)
  {
    text += fmt::format(R"( stroke-opacity="{:g}")", stroke.opacity);
  }
  if (stroke.dash > 0.0)
  {
    text += fmt::format(R"( stroke-dasharray="{:g} {:g}")", stroke.dash, stroke.dash);
  }
  else
  {
    text += R"( stroke-linecap="round")";
  }
  return text;
}

class SvgCanvas : public Canvas
{
public:
  void line(const Path & path, const Stroke & stroke) override
  {
    add("<path d=\"{}\" {}/>\n", data_of(path), attributes_of(stroke));
  }
  void disc(const Eigen::Vector2d & center, double radius, const Color & fill) override
  {
    add(
      "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:g}\" fill=\"{}\"/>\n", center.x(), center.y(),
      radius, hex(fill));
  }
  void text(
    const Eigen::Vector2d & at, const std::string & content, const TextStyle & style) override
  {
    const char * anchor = style.align == Align::left     ? "start"
                          : style.align == Align::center ? "middle"
                                                         : "end";
    add(
      "<text x=\"{0:.1f}\" y=\"{1:.1f}\" font-size=\"{2:g}\" fill=\"{3}\" text-anchor=\"{4}\"{5}{6}"
      ">{7}</text>\n",
      at.x(), at.y(), style.size, hex(style.color), anchor,
      style.bold ? " font-weight=\"bold\"" : "",
      style.upwards ? fmt::format(" transform=\"rotate(-90 {:.1f} {:.1f})\"", at.x(), at.y()) : "",
      escaped(content));
  }

  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments &&... arguments)
  {
    fmt::format_to(std::back_inserter(content_), format, std::forward<Arguments>(arguments)...);
  }
  const std::string & content() const { return content_; }

private:
  std::string content_;
};

/// One animated attribute: a value for each frame.
class Animation
{
public:
  Animation(const char * attribute, double duration)
  : text_(fmt::format(
      "<animate attributeName=\"{}\" dur=\"{:g}s\" repeatCount=\"indefinite\" values=\"", attribute,
      duration))
  {
  }
  void value(const std::string & text)
  {
    text_ += (first_ ? "" : ";") + text;
    first_ = false;
  }
  void value(double number) { value(fmt::format("{:.1f}", number)); }
  std::string done() const { return text_ + "\"/>"; }

private:
  std::string text_;
  bool first_ = true;
};

double length_of(const Path & path)
{
  double length = 0.0;
  for (std::size_t i = 1; i < path.size(); ++i)
  {
    length += (path[i] - path[i - 1]).norm();
  }
  return length;
}

/// Rows of the motion to show, one per frame, the last one for as long as the pause.
struct Frames
{
  std::vector<std::size_t> rows;
  double duration;  ///< s of one turn

  Frames(const Motion & motion, const MovieOptions & options)
  {
    const double rate = options.frames_per_second;
    const auto moving = static_cast<int>(std::ceil(motion.duration() / options.speed * rate));
    const auto still = static_cast<int>(std::lround(options.pause * rate));
    for (int i = 0; i <= moving + still; ++i)
    {
      rows.push_back(motion.row_at(std::min(i / rate * options.speed, motion.duration())));
    }
    duration = (moving + still) / rate;
  }
};

/// A path that is drawn as time goes on. Where nothing moves, it is there as a whole.
void add_growing_path(
  SvgCanvas & svg, const Frames & frames, const Stroke & stroke,
  const std::function<Path(std::size_t)> & path_up_to, std::size_t all)
{
  const Path path = path_up_to(all);
  const double length = length_of(path) + 1.0;
  Animation growth("stroke-dashoffset", frames.duration);
  for (const std::size_t row : frames.rows)
  {
    growth.value(length - length_of(path_up_to(row + 1)));
  }
  svg.add(
    "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:g}\" stroke-linejoin=\"round\" "
    "stroke-dasharray=\"{:.1f} {:.1f}\">{}</path>\n",
    data_of(path), hex(stroke.color), stroke.width, length, length, growth.done());
}

void add_cursor(SvgCanvas & svg, const Scene & scene, const Frames & frames, const Plot & plot)
{
  Animation x1("x1", frames.duration);
  Animation x2("x2", frames.duration);
  for (const std::size_t row : frames.rows)
  {
    const double at = plot.pixel(scene.motion().time[row], 0.0).x();
    x1.value(at);
    x2.value(at);
  }
  const double end = plot.left + plot.width;
  svg.add(
    "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" stroke=\"{3}\" "
    "stroke-opacity=\"0.5\">{4}{5}</line>\n",
    end, plot.top, plot.top + plot.height, hex(palette::ink), x1.done(), x2.done());
}

/// The links between the given joints of Scene::linkage().
void add_links(
  SvgCanvas & svg, const Scene & scene, const Frames & frames, std::size_t first, std::size_t last,
  const Stroke & stroke)
{
  const auto data = [&](std::size_t row) {
    const auto joints = scene.linkage(row);
    return data_of(Path(
      joints.begin() + static_cast<std::ptrdiff_t>(first),
      joints.begin() + static_cast<std::ptrdiff_t>(last) + 1));
  };
  Animation motion("d", frames.duration);
  for (const std::size_t row : frames.rows)
  {
    motion.value(data(row));
  }
  svg.add(
    "<path d=\"{}\" {}>{}</path>\n", data(frames.rows.back()), attributes_of(stroke),
    motion.done());
}

void add_joint(
  SvgCanvas & svg, const Scene & scene, const Frames & frames, std::size_t joint,
  const Color & fill)
{
  Animation x("cx", frames.duration);
  Animation y("cy", frames.duration);
  for (const std::size_t row : frames.rows)
  {
    const Eigen::Vector2d at = scene.linkage(row)[joint];
    x.value(at.x());
    y.value(at.y());
  }
  const Eigen::Vector2d end = scene.linkage(frames.rows.back())[joint];
  svg.add(
    "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.7\" fill=\"{}\" stroke=\"{}\" "
    "stroke-width=\"2.5\">{}{}</circle>\n",
    end.x(), end.y(), hex(fill), hex(palette::ink), x.done(), y.done());
}

void begin_picture(SvgCanvas & svg, const Picture & picture, const MovieOptions & options)
{
  svg.add(
    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{2}\" "
    "font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\">\n<title>{3}</title>\n"
    "<rect width=\"{0:g}\" height=\"{1:g}\" fill=\"#ffffff\"/>\n",
    Picture::width, Picture::height, options.width, escaped(picture.title()));
  picture.draw_background(svg);
}

}  // namespace

void write_framed_svg(
  const Picture & picture, const MovieOptions & options, const std::string & path)
{
  const double rate = options.frames_per_second;
  const auto moving = static_cast<int>(std::ceil(picture.duration() / options.speed * rate));
  const double turn = moving / rate + options.pause;
  SvgCanvas svg;
  begin_picture(svg, picture, options);
  for (int i = 0; i <= moving; ++i)
  {
    // The last frame stays for the pause, and is what a viewer shows that does not animate.
    const double begin = i / rate / turn;
    const double end = i == moving ? 1.0 : (i + 1) / rate / turn;
    svg.add(
      "<g visibility=\"{}\"><animate attributeName=\"visibility\" calcMode=\"discrete\" "
      "dur=\"{:g}s\" repeatCount=\"indefinite\" values=\"hidden;visible;hidden\" "
      "keyTimes=\"0;{:.6f};{:.6f}\"/>\n",
      i == moving ? "visible" : "hidden", turn, begin, end);
    picture.draw_moment(svg, std::min(i / rate * options.speed, picture.duration()));
    svg.add("</g>\n");
  }
  svg.add("</svg>\n");
  write_file_atomically(path, svg.content());
}

void write_animated_svg(const Scene & scene, const MovieOptions & options, const std::string & path)
{
  const Frames frames(scene.motion(), options);
  const std::size_t all = scene.motion().time.size();
  SvgCanvas svg;
  begin_picture(svg, scene, options);
  add_growing_path(
    svg, frames, {palette::trace, Scene::trace_width},
    [&](std::size_t rows) { return scene.trace(rows); }, all);
  const Color colors[] = {palette::motor_1, palette::motor_4};
  for (std::size_t motor = 0; motor < 2; ++motor)
  {
    add_growing_path(
      svg, frames, {colors[motor], Scene::volts_width},
      [&](std::size_t rows) { return scene.volts(motor, rows); }, all);
  }
  add_growing_path(
    svg, frames, {palette::trace, Scene::volts_width},
    [&](std::size_t rows) { return scene.error(rows); }, all);
  add_cursor(svg, scene, frames, scene.volts_plot());
  add_cursor(svg, scene, frames, scene.error_plot());
  add_links(svg, scene, frames, 1, 3, {palette::link, Scene::link_width});
  add_links(svg, scene, frames, 0, 1, {palette::motor_1, Scene::link_width});
  add_links(svg, scene, frames, 3, 4, {palette::motor_4, Scene::link_width});
  for (std::size_t joint = 0; joint < 5; ++joint)
  {
    add_joint(svg, scene, frames, joint, joint == 2 ? palette::trace : palette::white);
  }
  svg.add("</svg>\n");
  write_file_atomically(path, svg.content());
}

}  // namespace fivebar_control
