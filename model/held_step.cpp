// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/model/held_step.hpp"

namespace fivebar_control
{
namespace
{

using Volts = Eigen::Matrix<double, 4, 2>;

struct Stage
{
  Eigen::Vector4d rate;
  Eigen::Matrix4d by_state;
  Volts by_volts;
};

Stage stage_at(
  const DynamicsConstants<double> & k, const Eigen::Vector4d & x, const Eigen::Matrix4d & s,
  const Volts & v, const Eigen::Vector2d & u)
{
  const AccelerationJacobian<double> j = linearize<double>(k, x, u);
  Stage stage;
  stage.rate << x[2], x[3], j.acceleration;
  stage.by_state << s.bottomRows<2>(), j.by_state * s;
  stage.by_volts << v.bottomRows<2>(), j.by_state * v + j.by_input;
  return stage;
}

}  // namespace

HeldStep held_step(
  const DynamicsConstants<double> & k, const Eigen::Vector4d & start, const Eigen::Vector2d & u,
  double period, int steps)
{
  HeldStep step{start, Eigen::Matrix4d::Identity(), Volts::Zero()};
  const double h = period / steps;
  const double half = 0.5 * h;
  for (int i = 0; i < steps; ++i)
  {
    const Eigen::Vector4d & x = step.state;
    const Eigen::Matrix4d & s = step.by_state;
    const Volts & v = step.by_volts;
    const Stage k1 = stage_at(k, x, s, v, u);
    const Stage k2 =
      stage_at(k, x + half * k1.rate, s + half * k1.by_state, v + half * k1.by_volts, u);
    const Stage k3 =
      stage_at(k, x + half * k2.rate, s + half * k2.by_state, v + half * k2.by_volts, u);
    const Stage k4 = stage_at(k, x + h * k3.rate, s + h * k3.by_state, v + h * k3.by_volts, u);
    const double sixth = h / 6.0;
    step.state += sixth * (k1.rate + 2.0 * (k2.rate + k3.rate) + k4.rate);
    step.by_state += sixth * (k1.by_state + 2.0 * (k2.by_state + k3.by_state) + k4.by_state);
    step.by_volts += sixth * (k1.by_volts + 2.0 * (k2.by_volts + k3.by_volts) + k4.by_volts);
  }
  return step;
}

}  // namespace fivebar_control
