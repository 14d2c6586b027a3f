// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/report/skeleton.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace fivebar_control
{
namespace
{

constexpr double joint_radius = 5.0, bar_width = 6.0, block_width = 44.0, block_height = 22.0;

struct Box
{
  Eigen::Vector2d low{HUGE_VAL, HUGE_VAL}, high{-HUGE_VAL, -HUGE_VAL};

  void take(const std::vector<Eigen::Vector2d> & points)
  {
    for (const Eigen::Vector2d & point : points)
    {
      low = low.cwiseMin(point);
      high = high.cwiseMax(point);
    }
  }
};

}  // namespace

SkeletonPicture::SkeletonPicture(Skeleton skeleton) : skeleton_(std::move(skeleton))
{
  if (skeleton_.signals.size() > 2)
  {
    skeleton_.signals.resize(2);
  }
  fit();
}

/// Equal scales for x and y; plots that hold all of their signals.
void SkeletonPicture::fit()
{
  Box box;
  for (const Skeleton::Bar & bar : skeleton_.bars)
  {
    box.take(bar.from);
    box.take(bar.to);
  }
  for (const auto & block : skeleton_.blocks)
  {
    box.take(block);
  }
  const bool alone = skeleton_.signals.empty();
  space_ = {70.0, 60.0, alone ? 850.0 : 450.0, 410.0, 0.0, 1.0, 0.0, 1.0};
  const Eigen::Vector2d centre = 0.5 * (box.low + box.high);
  const Eigen::Vector2d size = 1.12 * (box.high - box.low).cwiseMax(1e-6);
  const double scale = std::max(size.x() / space_.width, size.y() / space_.height);  // m per pixel
  space_.x_low = centre.x() - 0.5 * scale * space_.width;
  space_.x_high = centre.x() + 0.5 * scale * space_.width;
  space_.y_low = centre.y() - 0.5 * scale * space_.height;
  space_.y_high = centre.y() + 0.5 * scale * space_.height;
  const auto count = static_cast<double>(skeleton_.signals.size());
  for (std::size_t i = 0; i < skeleton_.signals.size(); ++i)
  {
    const auto [low, high] =
      std::minmax_element(skeleton_.signals[i].values.begin(), skeleton_.signals[i].values.end());
    const double margin = 0.06 * (*high - *low) + 1e-9;
    const double tall = 410.0 / count - 30.0 * (count - 1.0);
    plots_.push_back(
      {610.0, 60.0 + static_cast<double>(i) * (tall + 50.0), 310.0, tall, 0.0,
       std::max(duration(), 1e-9), *low - margin, *high + margin});
  }
}

std::size_t SkeletonPicture::row_at(double time) const
{
  const auto after = std::upper_bound(skeleton_.time.begin(), skeleton_.time.end(), time + 1e-12);
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(after - skeleton_.time.begin() - 1, 0));
}

/// At most one point per pixel.
Path SkeletonPicture::path_of(const std::vector<Eigen::Vector2d> & points, std::size_t rows) const
{
  Path path;
  for (std::size_t i = 0; i < std::min(rows, points.size()); ++i)
  {
    const Eigen::Vector2d at = space_.pixel(points[i].x(), points[i].y());
    if (path.empty() || (at - path.back()).norm() > 2.0)
    {
      path.push_back(at);
    }
  }
  return path;
}

Path SkeletonPicture::signal(std::size_t which, std::size_t rows) const
{
  Path path;
  for (std::size_t i = 0; i < rows; ++i)
  {
    const Eigen::Vector2d at =
      plots_[which].pixel(skeleton_.time[i], skeleton_.signals[which].values[i]);
    if (path.empty() || i + 1 == rows || at.x() - path.back().x() > 1.0)
    {
      path.push_back(at);
    }
  }
  return path;
}

void SkeletonPicture::draw_block(Canvas & canvas, const Eigen::Vector2d & at) const
{
  const Eigen::Vector2d c = space_.pixel(at.x(), at.y());
  canvas.line(
    {{c.x() - 0.5 * (block_width - block_height), c.y()},
     {c.x() + 0.5 * (block_width - block_height), c.y()}},
    {palette::motor_1, block_height});
}

void SkeletonPicture::draw_background(Canvas & canvas) const
{
  canvas.text({70.0, 34.0}, skeleton_.title, {palette::ink, 16.0, Align::left, true});
  draw_axes(canvas, space_, skeleton_.across, skeleton_.upwards);
  for (std::size_t i = 0; i < plots_.size(); ++i)
  {
    draw_axes(
      canvas, plots_[i], i + 1 == plots_.size() ? "time [s]" : "", skeleton_.signals[i].name);
    canvas.line(signal(i, skeleton_.time.size()), {palette::motor_4, 1.0, 0.3});
  }
  for (const Skeleton::Bar & rail : skeleton_.rails)
  {
    // As long as the picture, through both points.
    const Eigen::Vector2d along = (rail.to.front() - rail.from.front()).normalized();
    const double reach = 0.5 * (space_.x_high - space_.x_low + space_.y_high - space_.y_low);
    const Eigen::Vector2d a = rail.from.front() - reach * along;
    const Eigen::Vector2d b = rail.from.front() + reach * along;
    const auto inside = [&](const Eigen::Vector2d & p) {
      const Eigen::Vector2d at(
        std::clamp(p.x(), space_.x_low, space_.x_high),
        std::clamp(p.y(), space_.y_low, space_.y_high));
      return space_.pixel(at.x(), at.y());
    };
    canvas.line({inside(a), inside(b)}, {palette::faint, 2.0, 0.6});
  }
}

void SkeletonPicture::draw_moment(Canvas & canvas, double time) const
{
  const std::size_t row = row_at(time);
  canvas.line(path_of(skeleton_.trace, row + 1), {palette::trace, 1.6, 0.7});
  for (std::size_t i = 0; i < plots_.size(); ++i)
  {
    canvas.line(signal(i, row + 1), {palette::motor_4, Scene::volts_width});
  }
  for (const auto & block : skeleton_.blocks)
  {
    draw_block(canvas, block[row]);
  }
  const auto pixel = [&](const Eigen::Vector2d & p) { return space_.pixel(p.x(), p.y()); };
  for (const Skeleton::Bar & bar : skeleton_.bars)
  {
    const Stroke stroke =
      bar.spring ? Stroke{palette::faint, 1.5, 1.0, 5.0} : Stroke{palette::link, bar_width, 0.9};
    canvas.line({pixel(bar.from[row]), pixel(bar.to[row])}, stroke);
  }
  for (const Skeleton::Bar & bar : skeleton_.bars)
  {
    for (const Eigen::Vector2d & end : {bar.from[row], bar.to[row]})
    {
      canvas.disc(pixel(end), joint_radius, palette::ink);
      canvas.disc(pixel(end), joint_radius - 2.0, palette::white);
    }
  }
  canvas.text(
    {width - 40.0, 34.0}, fmt::format("t = {:.2f} s", skeleton_.time[row]),
    {palette::ink, 13.0, Align::right});
}

}  // namespace fivebar_control
