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

/// The motion ran out of the workspace.
class LinkageCannotClose : public std::runtime_error
{
public:
  explicit LinkageCannotClose(double time);
  double time;  ///< s, the last moment at which it did close
};

/// One classical Runge-Kutta step of length h with the input going linearly from u0 to u1.
/// Templated like the dynamics; the planner's transcription is exactly this map.
template <class S>
inline Vector4<S> runge_kutta_step(
  const DynamicsConstants<S> & k, const Vector4<S> & x, const Vector2<S> & u0,
  const Vector2<S> & u1, double h)
{
  const Vector2<S> middle = S(0.5) * (u0 + u1);
  const Vector4<S> k1 = state_derivative<S>(k, x, u0);
  const Vector4<S> k2 = state_derivative<S>(k, x + S(0.5 * h) * k1, middle);
  const Vector4<S> k3 = state_derivative<S>(k, x + S(0.5 * h) * k2, middle);
  const Vector4<S> k4 = state_derivative<S>(k, x + S(h) * k3, u1);
  return x + S(h / 6.0) * (k1 + S(2.0) * (k2 + k3) + k4);
}

/// States x = (phi1, phi4, w1, w4) at the input's sample times, from `start` at the first of them.
/// Throws LinkageCannotClose.
std::vector<Eigen::Vector4d> simulate(
  const RobotModel & robot, const Eigen::Vector4d & start, const VoltageHistory & input,
  const IntegrationOptions & options = {});

}  // namespace fivebar_control
