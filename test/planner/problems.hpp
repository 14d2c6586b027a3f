// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>

#include "fivebar_control/planner/planner.hpp"
#include "fivebar_control/simulation/open_loop.hpp"
#include "model/robots.hpp"

namespace fivebar_control::test
{

inline PlanRequest request_of(const std::string & curve)
{
  return load_plan_request(config_path("curves/" + curve + ".yaml"));
}

/// A problem with everything that belongs to it.
struct Case
{
  explicit Case(const std::string & curve, const std::string & robot_file = "robot.yaml")
  : Case(request_of(curve), robot_file)
  {
  }
  explicit Case(PlanRequest given, const std::string & robot_file = "robot.yaml")
  : robot(load_robot(config_path(robot_file))),
    request(std::move(given)),
    problem(make_problem(robot, request, request.stages.back()))
  {
    trajectory.resize(problem.nodes());
  }

  void zero_voltages()
  {
    for (std::size_t j = 0; j < 2; ++j)
    {
      std::fill_n(trajectory.input[j], problem.nodes(), 0.0);
    }
  }

  /// Smooth random voltages of about the given size.
  void random_voltages(unsigned seed, double size)
  {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (std::size_t j = 0; j < 2; ++j)
    {
      double frequency[3];
      double amplitude[3];
      double phase[3];
      for (int m = 0; m < 3; ++m)
      {
        frequency[m] = 4.0 + 3.0 * uniform(generator);
        amplitude[m] = size * uniform(generator);
        phase[m] = 3.0 * uniform(generator);
      }
      for (std::size_t i = 0; i < problem.nodes(); ++i)
      {
        const double t = static_cast<double>(i) * problem.step;
        double u = 0.0;
        for (int m = 0; m < 3; ++m)
        {
          u += amplitude[m] * std::sin(frequency[m] * t + phase[m]);
        }
        trajectory.input[j][i] = u;
      }
    }
  }

  RobotModel robot;
  PlanRequest request;
  TrackingProblem problem;
  Trajectory trajectory;
};

/// J of given node voltages by a fine integration that shares nothing with the transcription but
/// the model: the adaptive integrator at many points, and Simpson's rule over all of them.
inline double finely_integrated_cost(const Case & c, int points_per_interval)
{
  VoltageHistory input;
  const auto count = static_cast<std::size_t>(points_per_interval);
  const std::size_t last = c.problem.intervals * count;
  for (std::size_t i = 0; i <= last; ++i)
  {
    const std::size_t node = std::min(i / count, c.problem.intervals - 1);
    const double share = (static_cast<double>(i) - static_cast<double>(node * count)) /
                         static_cast<double>(points_per_interval);
    input.time.push_back((static_cast<double>(node) + share) * c.problem.step);
    input.voltage.emplace_back(
      c.trajectory.u(node) + share * (c.trajectory.u(node + 1) - c.trajectory.u(node)));
  }
  const auto states = simulate(c.robot, c.problem.start, input, {});
  const CostWeights & w = c.problem.weights;
  const double spacing = c.problem.step / points_per_interval;
  double integral = 0.0;
  double end_error = 0.0;
  for (std::size_t i = 0; i <= last; ++i)
  {
    Motion2 driven;
    driven.position = states[i].head<2>();
    driven.velocity = states[i].tail<2>();
    const Motion2 point = c.robot.kinematics().forward_motion(driven);
    const Motion2 wanted =
      c.request.curve->at(std::min(input.time[i], c.request.curve->duration()));
    const double position = (point.position - wanted.position).squaredNorm();
    double running =
      (1.0 - w.alpha) * (position + w.beta * (point.velocity - wanted.velocity).squaredNorm());
    for (int j = 0; j < 2; ++j)
    {
      const double excess = std::max(std::abs(input.voltage[i][j]) - w.soft_voltage, 0.0);
      running += w.gamma * 0.5 * excess * excess;
    }
    const double weight = i == 0 || i == last ? 1.0 : (i % 2 == 1 ? 4.0 : 2.0);
    integral += weight * spacing / 3.0 * running;
    end_error = position;
  }
  return integral + w.alpha * end_error;
}

}  // namespace fivebar_control::test
