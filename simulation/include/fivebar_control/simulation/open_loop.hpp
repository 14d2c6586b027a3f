// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <stdexcept>
#include <string>
#include <vector>

#include "fivebar_control/model/robot_model.hpp"

namespace fivebar_control
{

/// Motor voltages over time, linear between samples and constant outside of them.
struct VoltageHistory
{
  std::vector<double> time;              ///< s, strictly increasing
  std::vector<Eigen::Vector2d> voltage;  ///< V, (V1, V4)
};

/// How to integrate the equations of motion between two samples of the input.
struct IntegrationOptions
{
  enum class Method
  {
    adaptive,    ///< Runge-Kutta-Fehlberg 7(8) with error control
    fixed_step,  ///< classical Runge-Kutta of order 4
  };
  Method method = Method::adaptive;
  double tolerance = 1e-12;  ///< of the adaptive method, absolute and relative
  double step = 1e-3;        ///< s, of the fixed-step method: the largest step
};

/// States x = (phi1, phi4, w1, w4) at the input's sample times, from `start` at the first of them.
/// Throws LeavesWorkspace.
std::vector<Eigen::Vector4d> simulate(
  const RobotModel & robot, const Eigen::Vector4d & start, const VoltageHistory & input,
  const IntegrationOptions & options = {});

}  // namespace fivebar_control
