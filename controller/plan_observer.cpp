// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/controller/plan_observer.hpp"

#include <algorithm>
#include <cmath>

#include "fivebar_control/model/runge_kutta.hpp"

namespace fivebar_control
{
namespace
{

/// Steep dry friction needs shorter steps than a cycle; a bounded number of them.
int steps_for(const DynamicsConstants<double> & k, double period)
{
  const double inertia = std::min(k.inertia_1, k.inertia_4);
  const double steepest =
    (k.damping + k.coulomb.cwiseProduct(k.inverse_coulomb_velocity)).maxCoeff() / inertia;
  return std::clamp(static_cast<int>(std::ceil(1.5 * period * steepest)), 1, 8);
}

}  // namespace

PlanObserver::PlanObserver(const RobotModel & robot, double period, double disturbance_limit)
: constants_(robot.constants()),
  period_(period),
  limit_(disturbance_limit),
  steps_(steps_for(constants_, period))
{
}

void PlanObserver::reset(const Eigen::Vector2d & angle)
{
  state_ << angle, 0.0, 0.0;
  disturbance_.setZero();
}

void PlanObserver::update(
  const Eigen::Vector2d & volts, const Eigen::Vector2d & learned, const Eigen::Vector2d & angle,
  bool fresh, const Eigen::Matrix<double, 6, 2> & gain) noexcept
{
  const Eigen::Vector2d acting = volts - learned + disturbance_;
  for (int i = 0; i < steps_; ++i)
  {
    state_ = runge_kutta_step<double>(constants_, state_, acting, acting, period_ / steps_);
  }
  if (!fresh)
  {
    return;
  }
  const Eigen::Vector2d innovation = angle - state_.head<2>();
  state_ += gain.topRows<4>() * innovation;
  disturbance_ =
    (disturbance_ + gain.bottomRows<2>() * innovation).cwiseMax(-limit_).cwiseMin(limit_);
}

}  // namespace fivebar_control
