// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/daemon/board_program.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "fivebar_control/controller/joint_move.hpp"
#include "fivebar_control/controller/output_pipeline.hpp"
#include "fivebar_control/controller/velocity_estimator.hpp"
#include "fivebar_control/model/dynamics.hpp"

namespace fivebar_control
{
namespace
{

constexpr double host_silence = 0.8;      // s
constexpr double tail_step = 0.005;       // s, between the nodes that bring a plan to rest
constexpr double largest_angle = 31.0;    // rad, that a node can carry
constexpr double largest_interval = 4.2;  // s
constexpr double longest_setting = 60.0;  // s
constexpr double never = 1e9;

/// Largest magnitude that is to fit into 16 bits.
class Scale
{
public:
  void see(const Eigen::Vector2d & values)
  {
    largest_ = std::max(largest_, values.cwiseAbs().maxCoeff());
  }
  float unit() const { return static_cast<float>(largest_ / 32767.0); }
  std::array<std::int16_t, 2> pack(const Eigen::Vector2d & values) const
  {
    const auto of = [this](double value) {
      const double steps = std::round(value / static_cast<double>(unit()));
      return static_cast<std::int16_t>(std::clamp(steps, -32767.0, 32767.0));
    };
    return {of(values[0]), of(values[1])};
  }

private:
  double largest_ = 1e-3;
};

/// One node before it is packed.
struct Point
{
  std::uint32_t dt_ns = 0;
  Eigen::Vector2d phi, speed, volts, hold;
};

std::int64_t in_ns(double seconds) { return std::llround(seconds * 1e9); }

/// V, within the limit; none where the linkage cannot be.
Eigen::Vector2d model_volts(
  const RobotModel & robot, const Eigen::Vector2d & phi, const Eigen::Vector2d & speed,
  const Eigen::Vector2d & acceleration)
{
  Eigen::Vector4d x;
  x << phi, speed;
  const Eigen::Vector2d volts = inverse_dynamics<double>(robot.constants(), x, acceleration);
  const double limit = robot.limits().voltage;
  return is_finite(volts) ? Eigen::Vector2d(volts.cwiseMin(limit).cwiseMax(-limit))
                          : Eigen::Vector2d(0.0, 0.0);
}

std::vector<Point> points_of(
  const RobotModel & robot, const EndSettings & end, const PlanSamples & samples)
{
  std::vector<Point> points;
  const auto add =
    [&](std::int64_t dt_ns, const Reference & reference, const Eigen::Vector2d & volts) {
      const Eigen::Vector2d still(0.0, 0.0);
      points.push_back(
        {static_cast<std::uint32_t>(dt_ns), reference.phi, reference.speed, volts,
         model_volts(robot, reference.phi, still, still)});
    };
  std::int64_t before_ns = 0;
  for (std::size_t i = 0; i < samples.size(); ++i)
  {
    const std::int64_t now_ns = in_ns(samples.t[i] - samples.t[0]);
    add(now_ns - before_ns, {samples.volts(i), samples.phi(i), samples.speed(i)}, samples.volts(i));
    before_ns = now_ns;
  }
  const std::size_t last = samples.size() - 1;
  const Settling settling(
    {samples.volts(last), samples.phi(last), samples.speed(last)}, end.settle_time);
  const int steps = std::max(1, static_cast<int>(std::ceil(end.settle_time / tail_step)));
  for (int i = 0; i <= steps; ++i)
  {
    const double time = end.settle_time * i / steps;
    const Reference reference = settling.at(time);
    add(
      i == 0 ? 1 : in_ns(end.settle_time / steps), reference,
      model_volts(robot, reference.phi, reference.speed, settling.acceleration(time)));
  }
  return points;
}

class SettingsWriter
{
public:
  void number(std::size_t word, double value)
  {
    words[word] = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }
  void time(std::size_t word, double seconds)
  {
    words[word] = static_cast<std::uint32_t>(std::lround(seconds * 1e6));
  }
  serial::Settings words{};
};

void write_joint(
  SettingsWriter & writer, int joint, const RobotModel & robot, const MotorHardware & hardware,
  double start_angle)
{
  namespace s = serial::setting;
  const Encoder encoder = hardware.encoder();
  const std::size_t at = s::joints + static_cast<std::size_t>(joint) * s::words_of_joint;
  const auto index = static_cast<std::size_t>(joint);
  // Angles are told from counts near the start: single precision is then enough.
  const double per_count = 2.0 * std::numbers::pi / encoder.counts_per_turn[joint];
  const double origin = std::round((start_angle - encoder.zero_angle[joint]) / per_count);
  const double bounded = std::clamp(origin, -2e9, 2e9);
  writer.words[at + s::origin] =
    static_cast<std::uint32_t>(static_cast<std::int32_t>(std::lround(bounded)));
  writer.number(at + s::angle, encoder.zero_angle[joint] + bounded * per_count);
  writer.number(at + s::per_count, per_count);
  writer.number(at + s::lowest, robot.limits().joint_minimum[index]);
  writer.number(at + s::highest, robot.limits().joint_maximum[index]);
  const OutputLine line = hardware.output_line(joint);
  writer.number(at + s::output_gain, line.gain);
  writer.number(at + s::output_limit, line.limit);
  writer.number(at + s::dead_band, line.dead_band);
  writer.number(at + s::dead_band_slope, line.dead_band_slope);
}

void write_law(
  SettingsWriter & writer, const RobotModel & robot, const ControllerSettings & settings,
  ControlMode mode, double period)
{
  namespace s = serial::setting;
  const bool observer = settings.velocity.method == VelocityMethod::tracking_observer;
  writer.words[s::flags] = (mode == ControlMode::feedback_only ? 0U : 1U) | (observer ? 2U : 0U);
  writer.number(s::kp, settings.gains.kp);
  writer.number(s::kd, settings.gains.kd);
  writer.number(s::ki, settings.gains.ki);
  writer.number(s::integral_limit, settings.gains.integral_limit);
  const VelocityEstimator::Coefficients gains =
    VelocityEstimator::coefficients(settings.velocity, period);
  writer.number(s::position_gain, gains.position);
  writer.number(s::speed_gain, gains.speed);
  writer.number(s::voltage_limit, robot.limits().voltage);
  writer.number(s::voltage_change, robot.limits().voltage_rate * period);
  writer.number(s::start_tolerance, settings.start.tolerance);
  writer.number(s::align_speed, settings.start.alignment_speed);
  const GuardSettings & guard = settings.guard;
  writer.number(
    s::following_band, guard.is_on(Reason::following_error) ? guard.following_band : never);
  writer.number(s::joint_speed, robot.limits().joint_speed);
  writer.number(s::jump, guard.is_on(Reason::encoder_jump) ? guard.jump_speed * period : never);
  writer.time(s::following_window, guard.following_window);
  writer.time(s::stop_time, settings.end.stop_time);
  writer.time(s::settle_time, settings.end.settle_time);
  writer.time(s::hold_time, settings.end.hold_time);
  writer.time(s::relax_time, settings.end.relax_time);
  writer.time(s::align_settle, settings.start.settle_time);
  writer.time(s::align_timeout, settings.start.alignment_timeout);
  writer.time(s::host_silence, host_silence);
}

}  // namespace

std::string why_not_on_board(
  const ControllerSettings & settings, ControlMode mode, const PlanSamples & samples)
{
  if (settings.needs_gains())
  {
    return fmt::format(
      "feedback '{}' with velocity '{}' needs gains along the plan, which only the host has",
      to_string(settings.gains.method), to_string(settings.velocity.method));
  }
  if (mode == ControlMode::feedforward_only)
  {
    return "mode feedforward ends where the robot happens to be, which only the host's model holds";
  }
  for (const double time :
       {settings.end.stop_time, settings.end.settle_time, settings.end.hold_time,
        settings.end.relax_time, settings.start.settle_time, settings.start.alignment_timeout,
        settings.guard.following_window})
  {
    if (time > longest_setting)
    {
      return fmt::format("a time of {} s is longer than {} s", time, longest_setting);
    }
  }
  for (std::size_t i = 0; i < samples.size(); ++i)
  {
    if (samples.phi(i).cwiseAbs().maxCoeff() > largest_angle)
    {
      return fmt::format("an angle is beyond {} rad", largest_angle);
    }
    if (i > 0 && samples.t[i] - samples.t[i - 1] > largest_interval)
    {
      return fmt::format("two nodes are more than {} s apart", largest_interval);
    }
    if (i > 0 && in_ns(samples.t[i]) == in_ns(samples.t[i - 1]))
    {
      return "two nodes are less than a nanosecond apart";
    }
  }
  return {};
}

BoardProgram make_board_program(
  const RobotModel & robot, const ControllerSettings & settings, ControlMode mode,
  const PlanSamples & samples, const MotorHardware & hardware, std::int64_t period_ns, bool align)
{
  const std::vector<Point> points = points_of(robot, settings.end, samples);
  Scale volts, speed;
  for (const Point & point : points)
  {
    volts.see(point.volts);
    volts.see(point.hold);
    speed.see(point.speed);
  }
  BoardProgram program;
  program.nodes.reserve(points.size());
  for (const Point & point : points)
  {
    serial::Node node;
    node.dt_ns = point.dt_ns;
    for (std::size_t i = 0; i < 2; ++i)
    {
      node.phi[i] = static_cast<std::int32_t>(
        std::lround(point.phi[static_cast<Eigen::Index>(i)] / serial::angle_unit));
    }
    node.volts = volts.pack(point.volts);
    node.hold = volts.pack(point.hold);
    node.speed = speed.pack(point.speed);
    program.nodes.push_back(node);
  }
  program.path_nodes = static_cast<std::uint32_t>(samples.size());
  program.length_ns = static_cast<std::uint64_t>(in_ns(samples.t.back() - samples.t.front()));
  program.align = align;
  SettingsWriter writer;
  write_law(writer, robot, settings, mode, 1e-9 * static_cast<double>(period_ns));
  writer.number(serial::setting::volts_unit, static_cast<double>(volts.unit()));
  writer.number(serial::setting::speed_unit, static_cast<double>(speed.unit()));
  for (int joint = 0; joint < 2; ++joint)
  {
    write_joint(writer, joint, robot, hardware, samples.phi(0)[joint]);
  }
  program.settings = writer.words;
  return program;
}

}  // namespace fivebar_control
