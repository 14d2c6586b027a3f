// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/learning/output_error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "fivebar_control/model/runge_kutta.hpp"

namespace fivebar_control
{
namespace
{

/// Of a state by the moving lumps and by the two angles at the start.
constexpr int state_unknowns = moving_lumps + 2;
using Sensitivity = Eigen::Matrix<double, 4, state_unknowns>;

struct Stage
{
  Eigen::Vector4d rate;
  Sensitivity by;
};

/// f(x, u) and d f by the unknowns, where x has the sensitivity `s`.
Stage stage_at(
  const LumpModel & model, const DynamicsConstants<double> & k, const Eigen::Vector4d & x,
  const Sensitivity & s, const Eigen::Vector2d & u)
{
  const Terms<double> t = terms_at<double>(k, x[0], x[1]);
  const AccelerationJacobian<double> j = linearize_terms<double>(k, t, x[2], x[3], u);
  Eigen::Matrix2d inverse_mass;
  inverse_mass << t.m44, -t.m14, -t.m14, t.m11;
  inverse_mass /= -(t.m11 * t.m44 - t.m14 * t.m14);
  Stage stage;
  stage.rate << x[2], x[3], j.acceleration;
  stage.by.topRows<2>() = s.bottomRows<2>();
  stage.by.bottomRows<2>().noalias() = j.by_state * s;
  stage.by.bottomLeftCorner<2, moving_lumps>().noalias() +=
    inverse_mass * model.residual_by_lumps(k, t, x, u, j.acceleration);
  return stage;
}

void step_with_sensitivity(
  const LumpModel & model, const DynamicsConstants<double> & k, Eigen::Vector4d & x,
  Sensitivity & s, const Eigen::Vector2d & u, double h)
{
  const Stage k1 = stage_at(model, k, x, s, u);
  const Stage k2 = stage_at(model, k, x + 0.5 * h * k1.rate, s + 0.5 * h * k1.by, u);
  const Stage k3 = stage_at(model, k, x + 0.5 * h * k2.rate, s + 0.5 * h * k2.by, u);
  const Stage k4 = stage_at(model, k, x + h * k3.rate, s + h * k3.by, u);
  x += (h / 6.0) * (k1.rate + 2.0 * (k2.rate + k3.rate) + k4.rate);
  s += (h / 6.0) * (k1.by + 2.0 * (k2.by + k3.by) + k4.by);
}

/// Steps per second that steep dry friction needs: Runge-Kutta is accurate while a step is well
/// below the time in which friction stops an inertia within the width of its smoothing.
double step_rate(const DynamicsConstants<double> & k)
{
  const double inertia = std::min(k.inertia_1, k.inertia_4);
  const double steepest =
    (k.damping + k.coulomb.cwiseProduct(k.inverse_coulomb_velocity)).maxCoeff() / inertia;
  return 2.0 * steepest;
}

int steps_for(double duration, double rate)
{
  return std::clamp(static_cast<int>(std::ceil(duration * rate)), 1, 50);
}

/// The observer by which a prediction is drawn to the readings, per cycle.
struct Pull
{
  double angle = 0.0, speed = 0.0;

  Pull(double bandwidth, double period)
  {
    if (bandwidth > 0.0)
    {
      const double pole = std::exp(-2.0 * std::numbers::pi * bandwidth * period);
      angle = 1.0 - pole * pole;
      speed = (1.0 - pole) * (1.0 - pole) / period;
    }
  }
};

Eigen::Vector2d volts_acting(const RecordedMotion & motion, std::size_t row, int delay)
{
  const auto late = static_cast<std::size_t>(delay);
  return row >= late ? motion.volts[row - late] : Eigen::Vector2d(0.0, 0.0);
}

}  // namespace

OutputError output_error(
  const LumpModel & model, const LumpValues<double> & lumps, const Eigen::Vector2d & start,
  const RecordedMotion & motion, const Prediction & prediction, Pulls * pulls)
{
  const DynamicsConstants<double> k = model.constants<double>(lumps);
  const double rate = step_rate(k);
  const Eigen::Vector2d offset = lumps.tail<2>();
  const Eigen::Vector2d weight = motion.variance.cwiseInverse();
  OutputError error;
  error.information.setZero();
  error.gradient.setZero();
  Eigen::Vector4d x;
  x << start, 0.0, 0.0;
  Sensitivity s = Sensitivity::Zero();
  s(0, moving_lumps) = 1.0;
  s(1, moving_lumps + 1) = 1.0;
  // Readings by the unknowns: moving lumps, offsets, start.
  Eigen::Matrix<double, 2, OutputError::unknowns> by;
  for (std::size_t i = 0;; ++i)
  {
    const Eigen::Vector2d residual = motion.angle[i] - x.head<2>() - offset;
    by << s.topLeftCorner<2, moving_lumps>(), Eigen::Matrix2d::Identity(), s.topRightCorner<2, 2>();
    if (motion.good[i])
    {
      error.chi_square += residual.cwiseAbs2().dot(weight);
      error.readings += 2;
      const Eigen::Matrix<double, 2, OutputError::unknowns> weighted = weight.asDiagonal() * by;
      error.information.noalias() += by.transpose() * weighted;
      error.gradient.noalias() += weighted.transpose() * residual;
      if (pulls != nullptr)
      {
        pulls->emplace_back(weighted.transpose() * residual);
      }
    }
    if (i + 1 == motion.size() || !std::isfinite(error.chi_square))
    {
      break;
    }
    const double period = motion.t[i + 1] - motion.t[i];
    const Pull pull(motion.good[i] ? prediction.pull : 0.0, period);
    if (pull.angle > 0.0)
    {
      const Sensitivity drawn = s;
      x.head<2>() += pull.angle * residual;
      x.tail<2>() += pull.speed * residual;
      s.topRows<2>() -= pull.angle * drawn.topRows<2>();
      s.bottomRows<2>() -= pull.speed * drawn.topRows<2>();
    }
    const int steps = steps_for(period, rate);
    const Eigen::Vector2d u = volts_acting(motion, i, prediction.delay);
    for (int n = 0; n < steps; ++n)
    {
      step_with_sensitivity(model, k, x, s, u, period / steps);
    }
  }
  return error;
}

double chi_square(
  const LumpModel & model, const LumpValues<double> & lumps, const Eigen::Vector2d & start,
  const RecordedMotion & motion, const Prediction & prediction,
  std::vector<Eigen::Vector2d> * predicted)
{
  const DynamicsConstants<double> k = model.constants<double>(lumps);
  const double rate = step_rate(k);
  const Eigen::Vector2d offset = lumps.tail<2>();
  const Eigen::Vector2d weight = motion.variance.cwiseInverse();
  double sum = 0.0;
  Eigen::Vector4d x;
  x << start, 0.0, 0.0;
  for (std::size_t i = 0;; ++i)
  {
    const Eigen::Vector2d residual = motion.angle[i] - x.head<2>() - offset;
    if (predicted != nullptr)
    {
      predicted->push_back(x.head<2>() + offset);
    }
    sum += motion.good[i] ? residual.cwiseAbs2().dot(weight) : 0.0;
    if (i + 1 == motion.size() || !std::isfinite(sum))
    {
      return sum;
    }
    const double period = motion.t[i + 1] - motion.t[i];
    const Pull pull(motion.good[i] ? prediction.pull : 0.0, period);
    x.head<2>() += pull.angle * residual;
    x.tail<2>() += pull.speed * residual;
    const int steps = steps_for(period, rate);
    const Eigen::Vector2d u = volts_acting(motion, i, prediction.delay);
    for (int n = 0; n < steps; ++n)
    {
      x = runge_kutta_step<double>(k, x, u, u, period / steps);
    }
  }
}

}  // namespace fivebar_control
