// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/simulation/open_loop.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>

// Odeint copies its steppers with their uninitialised work space, which GCC reports.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
// Without the first of these, make_controlled() takes the tolerances for something else.
#include <boost/numeric/odeint/stepper/generation/generation_controlled_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/generation/generation_runge_kutta_fehlberg78.hpp>
#include <boost/numeric/odeint/stepper/generation/make_controlled.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>
#pragma GCC diagnostic pop

#include <cmath>

#include "fivebar_control/model/runge_kutta.hpp"

namespace fivebar_control
{
namespace
{

LeavesWorkspace cannot_close_after(double time)
{
  return {
    fmt::format(
      "after t = {:.6g} s the links can no longer close: the motion runs through a singularity",
      time),
    time};
}

using Array = std::array<double, 4>;

/// One interval between two samples of the input.
struct Interval
{
  double start;            ///< s
  double length;           ///< s
  Eigen::Vector2d u0, u1;  ///< V, at its ends

  Eigen::Vector2d input(double fraction) const { return u0 + fraction * (u1 - u0); }
};

/// Below this sine between the distal links the accelerations have lost their digits.
constexpr double singular_sine = 1e-6;
/// No motion needs steps this short (s), unless its accelerations grow without bounds.
constexpr double shortest_step = 1e-13;

/// The sine between the distal links and its rate.
struct Alignment
{
  double sine, rate;
};

Alignment alignment_at(const DynamicsConstants<double> & k, const Eigen::Vector4d & x)
{
  const Pose<double> pose = pose_at<double>(k.geometry, x[0], x[1]);
  const Eigen::Vector2d passive = passive_velocity_map<double>(k.geometry, pose) * x.tail<2>();
  return {pose.s23, dot<double>(pose.e2, pose.e3) * (passive[1] - passive[0])};
}

bool usable(const Alignment & alignment)
{
  return std::abs(alignment.sine) > singular_sine && std::isfinite(alignment.rate);
}

/// Did a step of length h hop over the moment where the distal links align? The true motion goes on
/// in the other assembly mode there; in coordinates that keep the mode it seems to bounce back.
bool hopped(const Alignment & before, const Alignment & after, double h)
{
  return before.sine * before.rate < 0.0 && after.sine * after.rate > 0.0 &&
         std::abs(before.sine) < 4.0 * h * std::abs(before.rate);
}

Eigen::Vector4d integrate_adaptively(
  const DynamicsConstants<double> & k, const Eigen::Vector4d & start, const Interval & interval,
  double tolerance, double & trial_step)
{
  namespace odeint = boost::numeric::odeint;
  const auto rate = [&](const Array & x, Array & derivative, double t) {
    Eigen::Map<Eigen::Vector4d>(derivative.data()) = state_derivative<double>(
      k, Eigen::Map<const Eigen::Vector4d>(x.data()), interval.input(t / interval.length));
  };
  auto stepper =
    odeint::make_controlled(tolerance, tolerance, odeint::runge_kutta_fehlberg78<Array>());
  Array x;
  Eigen::Map<Eigen::Vector4d>(x.data()) = start;
  const double end = interval.length;
  double t = 0.0;
  double step = std::min(trial_step, end);
  for (;;)
  {
    const bool last = t + step >= end * (1.0 - 1e-12);
    step = last ? end - t : step;
    const Array before = x;
    const double time_before = t;
    const double attempted = step;
    const auto outcome = stepper.try_step(rate, x, t, step);
    if (!usable(alignment_at(k, Eigen::Map<Eigen::Vector4d>(x.data()))) || !std::isfinite(step))
    {
      // A trial stage left the workspace: a shorter step may stay inside.
      x = before;
      t = time_before;
      step = attempted * 0.1;
    }
    else if (outcome == odeint::success && last)
    {
      break;
    }
    else
    {
      trial_step = step;
    }
    if (step < shortest_step && step < 1e-3 * end)
    {
      throw cannot_close_after(interval.start + time_before);
    }
  }
  return Eigen::Map<Eigen::Vector4d>(x.data());
}

Eigen::Vector4d integrate_with_fixed_steps(
  const DynamicsConstants<double> & k, Eigen::Vector4d x, const Interval & interval,
  double largest_step)
{
  const auto steps =
    static_cast<std::int64_t>(std::ceil(interval.length / largest_step * (1.0 - 1e-12)));
  const double h = interval.length / static_cast<double>(steps);
  const auto fraction = [steps](std::int64_t i) {
    return static_cast<double>(i) / static_cast<double>(steps);
  };
  Alignment before = alignment_at(k, x);
  for (std::int64_t i = 0; i < steps; ++i)
  {
    x = runge_kutta_step<double>(
      k, x, interval.input(fraction(i)), interval.input(fraction(i + 1)), h);
    const Alignment after = alignment_at(k, x);
    if (!usable(after) || hopped(before, after, h))
    {
      throw cannot_close_after(interval.start + interval.length * fraction(i));
    }
    before = after;
  }
  return x;
}

}  // namespace

std::vector<Eigen::Vector4d> simulate(
  const RobotModel & robot, const Eigen::Vector4d & start, const VoltageHistory & input,
  const IntegrationOptions & options)
{
  const DynamicsConstants<double> & k = robot.constants();
  std::vector<Eigen::Vector4d> states;
  states.reserve(input.time.size());
  states.push_back(start);
  double trial_step = 1e-3;
  for (std::size_t i = 1; i < input.time.size(); ++i)
  {
    const Interval interval{
      input.time[i - 1], input.time[i] - input.time[i - 1], input.voltage[i - 1], input.voltage[i]};
    states.push_back(
      options.method == IntegrationOptions::Method::adaptive
        ? integrate_adaptively(k, states.back(), interval, options.tolerance, trial_step)
        : integrate_with_fixed_steps(k, states.back(), interval, options.step));
  }
  return states;
}

}  // namespace fivebar_control
