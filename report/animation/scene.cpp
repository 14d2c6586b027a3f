// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/report/scene.hpp"

#include <fmt/core.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace fivebar_control
{
namespace
{

constexpr double joint_radius = 6.0;
constexpr double curve_width = 8.0;  // a road for the trace to stay on

}  // namespace

std::vector<double> round_ticks(double low, double high, int count)
{
  const double rough = (high - low) / count;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double share = rough / power;
  const double step = power * (share < 1.5 ? 1.0 : share < 3.5 ? 2.0 : share < 7.5 ? 5.0 : 10.0);
  std::vector<double> ticks;
  for (double i = std::ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; ++i)
  {
    ticks.push_back(i == 0.0 ? 0.0 : i * step);
  }
  return ticks;
}

Scene::Scene(const RobotModel & robot, const Motion & motion)
: kinematics_(robot.kinematics()),
  motion_(motion),
  pivot_1_(robot.physics().pivot_1),
  pivot_4_(robot.physics().pivot_4)
{
  Eigen::AlignedBox2d box;
  box.extend(pivot_1_).extend(pivot_4_);
  for (const Eigen::Vector2d & point : motion_.curve)
  {
    box.extend(point);
  }
  std::vector<double> magnitudes;  // V
  for (std::size_t i = 0; i < motion_.time.size(); ++i)
  {
    box.extend(motion_.point[i]);
    if (const auto pose = kinematics_.forward(motion_.phi[i]))
    {
      box.extend(pose->elbow_1).extend(pose->elbow_4);
    }
    magnitudes.push_back(motion_.volts[i].cwiseAbs().maxCoeff());
  }
  // Equal scales on both axes: the box grows in the direction that has room.
  robot_ = {62.0, 84.0, 416.0, 400.0, 0.0, 0.0, 0.0, 0.0};
  const Eigen::Vector2d center = box.center();
  const double half =
    0.54 * std::max(box.sizes().x() / robot_.width, box.sizes().y() / robot_.height);
  robot_.x_low = center.x() - half * robot_.width;
  robot_.x_high = center.x() + half * robot_.width;
  robot_.y_low = center.y() - half * robot_.height;
  robot_.y_high = center.y() + half * robot_.height;

  // A plan from rest may begin with a spike of one interval that would flatten all the rest.
  largest_volts_ = *std::max_element(magnitudes.begin(), magnitudes.end());
  const auto most = magnitudes.begin() + 99 * std::ssize(magnitudes) / 100;
  std::nth_element(magnitudes.begin(), most, magnitudes.end());
  volts_cut_ = largest_volts_ > 3.0 * *most;
  const double range = std::max(1.1 * (volts_cut_ ? 1.2 * *most : largest_volts_), 1e-3);
  volts_ = {560.0, 84.0, 372.0, 222.0, 0.0, motion_.duration(), -range, range};
  const double largest_error = *std::max_element(motion_.error.begin(), motion_.error.end());
  const double top = std::max(1.1e3 * largest_error, 1e-3);
  error_ = {560.0, 352.0, 372.0, 132.0, 0.0, motion_.duration(), 0.0, top};
}

std::array<Eigen::Vector2d, 5> Scene::linkage(std::size_t row) const
{
  std::array<Eigen::Vector2d, 5> points;
  // Measured angles may be such that nothing closes; then the last pose that did is shown.
  auto pose = kinematics_.forward(motion_.phi[row]);
  while (!pose && row > 0)
  {
    pose = kinematics_.forward(motion_.phi[--row]);
  }
  const auto pixel = [this](const Eigen::Vector2d & p) { return robot_.pixel(p.x(), p.y()); };
  points = {
    pixel(pivot_1_), pixel(pivot_1_), pixel(motion_.point[row]), pixel(pivot_4_), pixel(pivot_4_)};
  if (pose)
  {
    points = {
      pixel(pivot_1_), pixel(pose->elbow_1), pixel(pose->end_effector), pixel(pose->elbow_4),
      pixel(pivot_4_)};
  }
  return points;
}

Path Scene::path_of(
  std::size_t rows, const std::function<Eigen::Vector2d(std::size_t)> & pixel) const
{
  // A pixel per row is enough, whatever the rate of the log.
  const std::size_t stride = std::max<std::size_t>(1, motion_.time.size() / 1200);
  Path path;
  for (std::size_t i = 0; i < rows; i += stride)
  {
    path.push_back(pixel(i));
  }
  if (rows > 0 && (rows - 1) % stride != 0)
  {
    path.push_back(pixel(rows - 1));
  }
  return path;
}

Path Scene::trace(std::size_t rows) const
{
  return path_of(
    rows, [&](std::size_t i) { return robot_.pixel(motion_.point[i].x(), motion_.point[i].y()); });
}

Path Scene::volts(std::size_t motor, std::size_t rows) const
{
  return path_of(rows, [&](std::size_t i) {
    const double value = motion_.volts[i][static_cast<Eigen::Index>(motor)];
    return volts_.pixel(motion_.time[i], std::clamp(value, volts_.y_low, volts_.y_high));
  });
}

Path Scene::error(std::size_t rows) const
{
  return path_of(
    rows, [&](std::size_t i) { return error_.pixel(motion_.time[i], 1e3 * motion_.error[i]); });
}

void draw_axes(
  Canvas & canvas, const Plot & plot, const std::string & x_label, const std::string & y_label)
{
  const Stroke grid{palette::grid, 1.0};
  const auto count = [](double pixels) { return std::max(2, static_cast<int>(pixels / 60.0)); };
  for (const double x : round_ticks(plot.x_low, plot.x_high, count(plot.width)))
  {
    const double at = plot.pixel(x, 0.0).x();
    canvas.line({{at, plot.top}, {at, plot.top + plot.height}}, grid);
    if (!x_label.empty())
    {
      canvas.text(
        {at, plot.top + plot.height + 17.0}, fmt::format("{:g}", x),
        {palette::faint, 12.0, Align::center});
    }
  }
  const double density = plot.height < 0.8 * plot.width ? 1.8 : 1.0;  // flat plots want more lines
  for (const double y : round_ticks(plot.y_low, plot.y_high, count(density * plot.height)))
  {
    const double at = plot.pixel(0.0, y).y();
    canvas.line({{plot.left, at}, {plot.left + plot.width, at}}, grid);
    canvas.text(
      {plot.left - 7.0, at + 4.0}, fmt::format("{:g}", y), {palette::faint, 12.0, Align::right});
  }
  if (!x_label.empty())
  {
    canvas.text(
      {plot.left + 0.5 * plot.width, plot.top + plot.height + 37.0}, x_label,
      {palette::ink, 13.0, Align::center});
  }
  canvas.text(
    {plot.left - 44.0, plot.top + 0.5 * plot.height}, y_label,
    {palette::ink, 13.0, Align::center, false, true});
}

void Scene::draw_background(Canvas & canvas) const
{
  canvas.text({62.0, 34.0}, motion_.title, {palette::ink, 16.0, Align::left, true});
  const double key = 62.0;
  canvas.line({{64.0, key}, {86.0, key}}, {palette::curve, curve_width});
  canvas.text({94.0, key + 4.0}, "nominal curve", {palette::ink, 12.0});
  canvas.line({{200.0, key}, {226.0, key}}, {palette::trace, trace_width});
  canvas.text(
    {232.0, key + 4.0}, motion_.measured ? "path of P, measured" : "path of P, planned",
    {palette::ink, 12.0});
  canvas.line({{560.0, key}, {586.0, key}}, {palette::motor_1, volts_width});
  canvas.text({592.0, key + 4.0}, "motor 1", {palette::ink, 12.0});
  canvas.line({{662.0, key}, {688.0, key}}, {palette::motor_4, volts_width});
  canvas.text({694.0, key + 4.0}, "motor 4", {palette::ink, 12.0});
  canvas.text(
    {560.0, error_.top - 11.0},
    fmt::format(
      "distance of P from the curve, largest {:.2f} mm",
      1e3 * *std::max_element(motion_.error.begin(), motion_.error.end())),
    {palette::ink, 12.0});

  if (volts_cut_)
  {
    canvas.text(
      {volts_.left + volts_.width, volts_.top + volts_.height + 15.0},
      fmt::format("cut off; largest {:.1f} V", largest_volts_),
      {palette::faint, 11.0, Align::right});
  }
  draw_axes(canvas, robot_, "x [m]", "y [m]");
  draw_axes(canvas, volts_, "", motion_.measured ? "applied voltage [V]" : "voltage [V]");
  draw_axes(canvas, error_, "time [s]", "error [mm]");
  Path curve;
  for (const Eigen::Vector2d & point : motion_.curve)
  {
    curve.push_back(robot_.pixel(point.x(), point.y()));
  }
  canvas.line(curve, {palette::curve, curve_width});
  const std::size_t all = motion_.time.size();
  canvas.line(volts(0, all), {palette::motor_1, 1.0, 0.3});
  canvas.line(volts(1, all), {palette::motor_4, 1.0, 0.3});
  canvas.line(error(all), {palette::trace, 1.0, 0.3});
}

void Scene::draw_moment(Canvas & canvas, double time) const
{
  const std::size_t row = motion_.row_at(time);
  canvas.line(trace(row + 1), {palette::trace, trace_width});
  canvas.line(volts(0, row + 1), {palette::motor_1, volts_width});
  canvas.line(volts(1, row + 1), {palette::motor_4, volts_width});
  canvas.line(error(row + 1), {palette::trace, volts_width});
  for (const Plot & plot : {volts_, error_})
  {
    const double at = plot.pixel(motion_.time[row], 0.0).x();
    canvas.line({{at, plot.top}, {at, plot.top + plot.height}}, {palette::ink, 1.0, 0.5});
  }
  const std::array<Eigen::Vector2d, 5> joints = linkage(row);
  canvas.line(Path(joints.begin(), joints.end()), {palette::link, link_width, 0.85});
  canvas.line({joints[0], joints[1]}, {palette::motor_1, link_width});
  canvas.line({joints[4], joints[3]}, {palette::motor_4, link_width});
  for (const Eigen::Vector2d & joint : joints)
  {
    canvas.disc(joint, joint_radius, palette::ink);
    canvas.disc(joint, joint_radius - 2.5, palette::white);
  }
  canvas.disc(joints[2], joint_radius - 2.5, palette::trace);
  canvas.text(
    {volts_.left + volts_.width, 66.0}, fmt::format("t = {:.2f} s", motion_.time[row]),
    {palette::ink, 13.0, Align::right});
}

}  // namespace fivebar_control
