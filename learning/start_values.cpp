// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>

#include "fivebar_control/learning/identify.hpp"

namespace fivebar_control
{
namespace
{

constexpr double cutoff = 10.0;  // Hz, of the smoothing

/// A Gaussian and its first two derivatives, sampled: smoothing without delay.
struct Smoother
{
  int half;
  std::vector<double> weight, slope, curvature;

  explicit Smoother(double period)
  {
    const double width = 1.0 / (2.0 * std::numbers::pi * cutoff);
    half = static_cast<int>(std::ceil(4.0 * width / period));
    double sum = 0.0;
    for (int i = -half; i <= half; ++i)
    {
      const double s = static_cast<double>(i) * period / width;
      const double w = std::exp(-0.5 * s * s);
      sum += w;
      weight.push_back(w);
      slope.push_back(w * s / width);
      curvature.push_back(w * (s * s - 1.0) / (width * width));
    }
    for (std::vector<double> * values : {&weight, &slope, &curvature})
    {
      for (double & value : *values)
      {
        value /= sum;
      }
    }
    // Cut off and sampled, it must still see no curvature in a constant.
    double mean = 0.0;
    for (const double value : curvature)
    {
      mean += value / static_cast<double>(curvature.size());
    }
    for (double & value : curvature)
    {
      value -= mean;
    }
  }

  Eigen::Vector2d of(
    const std::vector<Eigen::Vector2d> & signal, std::size_t at,
    const std::vector<double> & kernel) const
  {
    Eigen::Vector2d sum = Eigen::Vector2d::Zero();
    const std::size_t first = at - static_cast<std::size_t>(half);
    for (std::size_t i = 0; i < kernel.size(); ++i)
    {
      sum += kernel[i] * signal[first + i];
    }
    return sum;
  }
};

/// Held for a cycle, and late.
std::vector<Eigen::Vector2d> volts_at_readings(const RecordedMotion & motion, int delay)
{
  std::vector<Eigen::Vector2d> volts(motion.size(), Eigen::Vector2d::Zero());
  const auto late = static_cast<std::size_t>(delay);
  for (std::size_t i = 0; i < motion.size(); ++i)
  {
    const Eigen::Vector2d after = i >= late ? motion.volts[i - late] : Eigen::Vector2d(0.0, 0.0);
    const Eigen::Vector2d before =
      i >= late + 1 ? motion.volts[i - late - 1] : Eigen::Vector2d(0.0, 0.0);
    volts[i] = 0.5 * (before + after);
  }
  return volts;
}

/// Gravity is not sought here: it multiplies other unknowns. What has no scale stays as it is.
constexpr int unknowns = moving_lumps;
using Normal = Eigen::Matrix<double, unknowns, unknowns>;
using Right = Eigen::Matrix<double, unknowns, 1>;

void add_equations(
  const LumpModel & model, const RecordedMotion & motion, int delay, const Right & scale,
  Normal & normal, Right & right, double & squares)
{
  const double period =
    (motion.t.back() - motion.t.front()) / static_cast<double>(motion.size() - 1);
  const Smoother smooth(period);
  const std::vector<Eigen::Vector2d> volts = volts_at_readings(motion, delay);
  const LumpValues<double> & nominal = model.nominal();
  const DynamicsConstants<double> k = model.constants<double>(nominal);
  const auto half = static_cast<std::size_t>(smooth.half);
  for (std::size_t i = half; i + half < motion.size(); i += 2)
  {
    Eigen::Vector4d x;
    x << smooth.of(motion.angle, i, smooth.weight), smooth.of(motion.angle, i, smooth.slope);
    const Eigen::Vector2d acceleration = smooth.of(motion.angle, i, smooth.curvature);
    const Eigen::Vector2d u = smooth.of(volts, i, smooth.weight);
    const Terms<double> t = terms_at<double>(k, x[0], x[1]);
    if (!std::isfinite(t.m11))
    {
      continue;
    }
    const Eigen::Matrix<double, 2, unknowns> by =
      model.residual_by_lumps(k, t, x, u, acceleration).leftCols<unknowns>() * scale.asDiagonal();
    // The residual is linear in the lumps: at the nominal ones it is `r`, elsewhere r + by *
    // change.
    const Eigen::Vector2d b = bias_force<double>(k, t, x[2], x[3]);
    const Eigen::Vector2d r(
      t.m11 * acceleration[0] + t.m14 * acceleration[1] + b[0] -
        drive_torque<double>(k, 0, x[2], u[0]),
      t.m14 * acceleration[0] + t.m44 * acceleration[1] + b[1] -
        drive_torque<double>(k, 1, x[3], u[1]));
    normal.noalias() += by.transpose() * by;
    right.noalias() -= by.transpose() * r;
    squares += r.squaredNorm();
  }
}

}  // namespace

LumpValues<double> start_values(
  const LumpModel & model, const std::vector<RecordedMotion> & motions, int delay,
  bool with_moments)
{
  // In smoothed speeds dry friction turns smoothly, too.
  constexpr double width = 0.05;  // rad/s
  const LumpModel smooth_model(model.robot(), width);
  const LumpValues<double> & nominal = model.nominal();
  Right scale = nominal.head<unknowns>();
  scale[index_of(Lump::coupling_x)] = 1.0;
  const Eigen::Vector2d across(
    model.robot().constants().coupling_2[0], model.robot().constants().coupling_3[0]);
  scale[index_of(Lump::coupling_2y)] = 0.1 * std::abs(across[0]) + 1e-6;
  scale[index_of(Lump::coupling_3y)] = 0.1 * std::abs(across[1]) + 1e-6;
  scale[index_of(Lump::coulomb_1)] = scale[index_of(Lump::coulomb_4)] = 0.01;
  scale.segment<2>(index_of(Lump::gravity_x)).setZero();
  const LumpValues<double> all = model.scale();
  scale.segment<4>(index_of(Lump::moment_1x)) =
    (with_moments ? 0.3 : 0.0) * all.segment<4>(index_of(Lump::moment_1x));
  Normal normal = Normal::Zero();
  Right right = Right::Zero();
  double squares = 0.0;
  for (const RecordedMotion & motion : motions)
  {
    add_equations(smooth_model, motion, delay, scale, normal, right, squares);
  }
  // What the smoothed motion hardly shows stays near the robot file.
  const double ridge = 1e-4 * normal.diagonal().maxCoeff();
  normal.diagonal().array() += ridge;
  const Right change = normal.ldlt().solve(right);
  LumpValues<double> found = nominal;
  found.head<unknowns>() += scale.cwiseProduct(change);
  // Twice as wide as the truth may be, but well inside what is possible.
  const LumpValues<double> low = nominal.cwiseMin(0.5 * (nominal + model.lowest()));
  const LumpValues<double> high = nominal.cwiseMax(0.5 * (nominal + model.highest()));
  return found.allFinite() ? found.cwiseMax(low).cwiseMin(high).eval() : nominal;
}

}  // namespace fivebar_control
