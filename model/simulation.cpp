#include "fivebar_control/model/simulation.hpp"

#include <fmt/core.h>

#include <array>

// Odeint copies its steppers with their uninitialised work space, which GCC reports.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <boost/numeric/odeint.hpp>
#pragma GCC diagnostic pop

#include <cmath>

namespace fivebar_control
{
namespace
{

using Array = std::array<double, 4>;

Eigen::Vector4d integrate_adaptively(
  const DynamicsConstants<double> & k, const Eigen::Vector4d & start, const Eigen::Vector2d & u0,
  const Eigen::Vector2d & u1, double h, double tolerance, double & trial_step)
{
  namespace odeint = boost::numeric::odeint;
  const auto rate = [&](const Array & x, Array & derivative, double t) {
    const Eigen::Vector2d u = u0 + (t / h) * (u1 - u0);
    Eigen::Map<Eigen::Vector4d>(derivative.data()) =
      state_derivative<double>(k, Eigen::Map<const Eigen::Vector4d>(x.data()), u);
  };
  auto stepper =
    odeint::make_controlled(tolerance, tolerance, odeint::runge_kutta_fehlberg78<Array>());
  Array x;
  Eigen::Map<Eigen::Vector4d>(x.data()) = start;
  double t = 0.0;
  double step = std::min(trial_step, h);
  while (t < h)
  {
    const bool last = t + step >= h * (1.0 - 1e-12);
    step = last ? h - t : step;
    const Array before = x;
    const double attempted = step;
    const auto outcome = stepper.try_step(rate, x, t, step);
    if (!std::isfinite(x[2] + x[3] + step))
    {
      // A trial stage left the workspace: try a shorter step, unless that is where the motion ends.
      x = before;
      step = attempted * 0.1;
      if (outcome == odeint::success)
      {
        t -= attempted;
      }
      if (attempted < 1e-12)
      {
        x[0] = std::nan("");
        break;
      }
      continue;
    }
    if (outcome == odeint::success && last)
    {
      break;
    }
    trial_step = step;
  }
  return Eigen::Map<Eigen::Vector4d>(x.data());
}

Eigen::Vector4d integrate_with_fixed_steps(
  const DynamicsConstants<double> & k, Eigen::Vector4d x, const Eigen::Vector2d & u0,
  const Eigen::Vector2d & u1, double h, double largest_step)
{
  const double steps = std::ceil(h / largest_step * (1.0 - 1e-12));
  for (double i = 0.0; i < steps; i += 1.0)
  {
    x = runge_kutta_step<double>(
      k, x, u0 + (i / steps) * (u1 - u0), u0 + ((i + 1.0) / steps) * (u1 - u0), h / steps);
  }
  return x;
}

}  // namespace

LinkageCannotClose::LinkageCannotClose(double last_time)
: std::runtime_error(fmt::format(
    "after t = {:.6g} s the links can no longer close: the motion runs through a singularity",
    last_time)),
  time(last_time)
{
}

std::vector<Eigen::Vector4d> simulate(
  const RobotModel & robot, const Eigen::Vector4d & start, const VoltageHistory & input,
  const IntegrationOptions & options)
{
  std::vector<Eigen::Vector4d> states;
  states.reserve(input.time.size());
  states.push_back(start);
  double trial_step = 1e-3;
  for (std::size_t i = 1; i < input.time.size(); ++i)
  {
    const double h = input.time[i] - input.time[i - 1];
    const Eigen::Vector2d & u0 = input.voltage[i - 1];
    const Eigen::Vector2d & u1 = input.voltage[i];
    const Eigen::Vector4d & x = states.back();
    const Eigen::Vector4d next =
      options.method == IntegrationOptions::Method::adaptive
        ? integrate_adaptively(robot.constants(), x, u0, u1, h, options.tolerance, trial_step)
        : integrate_with_fixed_steps(robot.constants(), x, u0, u1, h, options.step);
    if (!next.allFinite() || !robot.kinematics().forward(next.head<2>()))
    {
      throw LinkageCannotClose(input.time[i - 1]);
    }
    states.push_back(next);
  }
  return states;
}

}  // namespace fivebar_control
