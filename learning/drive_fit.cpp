// SPDX-License-Identifier: Apache-2.0
#include "drive_fit.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

namespace fivebar_control
{
namespace
{

/// How far, as a logarithm, a rotor's inertia may well be from the robot file's.
constexpr double rotor_prior = 0.2;
constexpr double lowest_logarithm = -20.0;
constexpr int most_steps = 60;  // per cycle

}  // namespace

DriveFit::DriveFit(
  const LumpModel & model, const std::vector<RecordedMotion> & motions,
  const std::vector<int> & free_lumps, const std::vector<DriveGroup> & groups)
: model_(model), motions_(motions), free_lumps_(free_lumps)
{
  for (const DriveGroup group : groups)
  {
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
    {
      switch (group)
      {
        case DriveGroup::elastic:
          unknowns_.push_back({i, &Drive::stiffness, true, false, "stiffness", "N m/rad"});
          unknowns_.push_back({i, &Drive::damping, true, false, "damping", "N m s/rad"});
          unknowns_.push_back({i, nullptr, true, false, "rotor", ""});
          break;
        case DriveGroup::stribeck:
          unknowns_.push_back({i, &Drive::stribeck, false, false, "stribeck", "N m"});
          if (i == 0)
          {
            unknowns_.push_back(
              {i, &Drive::stribeck_velocity, true, true, "stribeck_velocity", "rad/s"});
          }
          break;
        case DriveGroup::amplifier:
          unknowns_.push_back({i, &Drive::lag, false, false, "lag", "s"});
          unknowns_.push_back({i, &Drive::dead_band, false, false, "dead_band", "V"});
          break;
      }
    }
  }
}

double DriveFit::value_of(const DriveModel & at, const Unknown & unknown) const
{
  const double value = unknown.number != nullptr
                         ? at.drives[unknown.drive].*unknown.number
                         : at.rotor[static_cast<Eigen::Index>(unknown.drive)];
  return unknown.logarithmic ? std::max(std::log(value), lowest_logarithm) : value;
}

Eigen::VectorXd DriveFit::values(const DriveModel & at) const
{
  std::vector<double> all;
  for (const int lump : free_lumps_)
  {
    all.push_back(at.motion.lumps[lump]);
  }
  for (const Unknown & unknown : unknowns_)
  {
    all.push_back(value_of(at, unknown));
  }
  for (const Eigen::Vector2d & start : at.motion.start)
  {
    all.insert(all.end(), {start[0], start[1]});
  }
  return Eigen::Map<Eigen::VectorXd>(all.data(), static_cast<Eigen::Index>(all.size()));
}

DriveModel DriveFit::with(const DriveModel & at, const Eigen::VectorXd & values) const
{
  DriveModel to = at;
  Eigen::Index next = 0;
  for (const int lump : free_lumps_)
  {
    to.motion.lumps[lump] =
      std::clamp(values[next++], model_.lowest()[lump], model_.highest()[lump]);
  }
  for (const Unknown & unknown : unknowns_)
  {
    const double raw = values[next++];
    const double value = unknown.logarithmic ? std::exp(raw) : std::max(raw, 0.0);
    for (std::size_t i = 0; i < 2; ++i)
    {
      if (i == unknown.drive || unknown.both)
      {
        (unknown.number != nullptr ? to.drives[i].*unknown.number
                                   : to.rotor[static_cast<Eigen::Index>(i)]) = value;
      }
    }
  }
  for (Eigen::Vector2d & start : to.motion.start)
  {
    start = values.segment<2>(next);
    next += 2;
  }
  return to;
}

Eigen::VectorXd DriveFit::steps() const
{
  std::vector<double> all;
  const LumpValues<double> scale = model_.scale();
  for (const int lump : free_lumps_)
  {
    all.push_back(1e-4 * scale[lump]);
  }
  for (const Unknown & unknown : unknowns_)
  {
    const double typical = unknown.number == &Drive::lag         ? 1e-3
                           : unknown.number == &Drive::dead_band ? 0.1
                                                                 : 0.01;
    all.push_back(unknown.logarithmic ? 1e-3 : 1e-2 * typical);
  }
  all.insert(all.end(), 2 * motions_.size(), 1e-5);
  return Eigen::Map<Eigen::VectorXd>(all.data(), static_cast<Eigen::Index>(all.size()));
}

std::vector<Eigen::Vector2d> DriveFit::predicted(
  const DriveModel & at, std::size_t motion, int delay) const
{
  const RecordedMotion & m = motions_[motion];
  const DynamicsConstants<double> k = model_.constants<double>(at.motion.lumps);
  const Physics<double> & physics = model_.robot().physics();
  const Eigen::Vector2d viscous(physics.friction[0].viscous, physics.friction[1].viscous);
  const DriveDynamics dynamics(
    k, at.rotor.cwiseProduct(rotor_inertia_at_links(physics)), k.damping - viscous, at.drives);
  std::array<Amplifier, 2> amplifiers{Amplifier(at.drives[0]), Amplifier(at.drives[1])};
  const Eigen::Vector2d offset = at.motion.lumps.tail<2>();
  Eigen::Vector4d links;
  links << at.motion.start[motion], 0.0, 0.0;
  DriveState x = dynamics.with_links_at(links);
  std::vector<Eigen::Vector2d> angles;
  angles.reserve(m.size());
  const double rate = std::max(1.2 * dynamics.fastest_rate(), 1.0);
  const auto late = static_cast<std::size_t>(delay);
  for (std::size_t i = 0;; ++i)
  {
    angles.emplace_back(
      x[at.drives[0].encoder_on_motor ? 4 : 0] + offset[0],
      x[at.drives[1].encoder_on_motor ? 5 : 1] + offset[1]);
    if (i + 1 == m.size() || !x.allFinite())
    {
      angles.resize(m.size(), angles.back());
      return angles;
    }
    const double period = m.t[i + 1] - m.t[i];
    const int steps = std::clamp(static_cast<int>(std::ceil(period * rate)), 1, most_steps);
    const Eigen::Vector2d asked = i >= late ? m.volts[i - late] : Eigen::Vector2d(0.0, 0.0);
    const Eigen::Vector2d target(amplifiers[0].settled(asked[0]), amplifiers[1].settled(asked[1]));
    for (int n = 0; n < steps; ++n)
    {
      const Eigen::Vector2d volts(
        amplifiers[0].follow(target[0], period / steps),
        amplifiers[1].follow(target[1], period / steps));
      x = dynamics.step(x, volts, period / steps);
    }
  }
}

/// (reading - prediction) / deviation of all logs, then the prior on the rotors.
Eigen::VectorXd DriveFit::residuals(const DriveModel & at, int delay) const
{
  std::vector<double> all;
  for (std::size_t m = 0; m < motions_.size(); ++m)
  {
    const RecordedMotion & motion = motions_[m];
    const Eigen::Vector2d weight = motion.variance.cwiseInverse().cwiseSqrt();
    const std::vector<Eigen::Vector2d> angles = predicted(at, m, delay);
    for (std::size_t i = 0; i < motion.size(); ++i)
    {
      const Eigen::Vector2d left =
        motion.good[i] ? Eigen::Vector2d(weight.cwiseProduct(motion.angle[i] - angles[i]))
                       : Eigen::Vector2d(0.0, 0.0);
      all.insert(all.end(), {left[0], left[1]});
    }
  }
  all.push_back(std::log(at.rotor[0]) / rotor_prior);
  all.push_back(std::log(at.rotor[1]) / rotor_prior);
  return Eigen::Map<Eigen::VectorXd>(all.data(), static_cast<Eigen::Index>(all.size()));
}

double DriveFit::chi_square(const DriveModel & at, int delay) const
{
  const Eigen::VectorXd left = residuals(at, delay);
  return left.allFinite() ? left.squaredNorm() : std::numeric_limits<double>::infinity();
}

Eigen::MatrixXd DriveFit::jacobian(const DriveModel & at, int delay) const
{
  const Eigen::VectorXd here = values(at);
  const Eigen::VectorXd step = steps();
  const Eigen::VectorXd left = residuals(at, delay);
  Eigen::MatrixXd by(left.size(), here.size());
  for (Eigen::Index i = 0; i < here.size(); ++i)
  {
    Eigen::VectorXd moved = here;
    moved[i] += step[i];
    DriveModel there = with(at, moved);
    if (values(there)[i] == here[i])
    {
      moved[i] = here[i] - step[i];  // at its upper bound
      there = with(at, moved);
    }
    by.col(i) = (left - residuals(there, delay)) / (values(there)[i] - here[i]);
  }
  return by;
}

FitInformation DriveFit::information(const DriveModel & at, int delay) const
{
  const Eigen::MatrixXd by = jacobian(at, delay);
  const Eigen::VectorXd left = residuals(at, delay);
  FitInformation fit;
  fit.information = by.transpose() * by;
  Eigen::Index row = 0;
  for (const RecordedMotion & motion : motions_)
  {
    Scores scores(static_cast<Eigen::Index>(motion.size()), by.cols());
    for (Eigen::Index k = 0; k < scores.rows(); ++k, row += 2)
    {
      scores.row(k) = left[row] * by.row(row) + left[row + 1] * by.row(row + 1);
    }
    fit.scores.push_back(std::move(scores));
  }
  return fit;
}

DriveFit::Result DriveFit::improve(DriveModel & at, int delay, int most_iterations) const
{
  constexpr double negligible = 0.05;  // of chi square
  Result result;
  result.chi_square = chi_square(at, delay);
  double damping = 1e-3;
  while (std::isfinite(result.chi_square) && result.iterations < most_iterations)
  {
    ++result.iterations;
    const Eigen::MatrixXd by = jacobian(at, delay);
    if (!by.allFinite())
    {
      return result;
    }
    const Eigen::MatrixXd information = by.transpose() * by;
    const Eigen::VectorXd gradient = by.transpose() * residuals(at, delay);
    const double before = result.chi_square;
    bool accepted = false;
    for (; !accepted && damping < 1e8; damping *= accepted ? 0.1 : 10.0)
    {
      Eigen::MatrixXd damped = information;
      damped.diagonal() *= 1.0 + damping;
      damped.diagonal().array() += 1e-12;
      const Eigen::VectorXd scale = damped.diagonal().cwiseSqrt().cwiseInverse();
      const Eigen::MatrixXd scaled = scale.asDiagonal() * damped * scale.asDiagonal();
      const Eigen::VectorXd step =
        scale.cwiseProduct(scaled.ldlt().solve(scale.cwiseProduct(gradient)));
      const DriveModel trial = with(at, values(at) + step);
      const double trial_chi_square = chi_square(trial, delay);
      accepted = trial_chi_square < result.chi_square;
      if (accepted)
      {
        at = trial;
        result.chi_square = trial_chi_square;
      }
    }
    damping = std::max(damping, 1e-9);
    if (!accepted || before - result.chi_square < negligible)
    {
      result.converged = true;
      return result;
    }
  }
  return result;
}

std::vector<Estimate> DriveFit::estimates(
  const DriveModel & at, const Eigen::MatrixXd & covariance) const
{
  std::vector<Estimate> all;
  auto next = static_cast<Eigen::Index>(free_lumps_.size());
  for (const Unknown & unknown : unknowns_)
  {
    const double raw = value_of(at, unknown);
    const double sigma = std::sqrt(std::max(covariance(next, next), 0.0));
    ++next;
    Estimate one;
    one.name = unknown.both ? std::string(unknown.name)
                            : std::string(unknown.name) + (unknown.drive == 0 ? "_1" : "_4");
    one.unit = unknown.unit;
    one.value = unknown.logarithmic ? std::exp(raw) : raw;
    one.sigma = unknown.logarithmic ? one.value * sigma : sigma;
    one.nominal = unknown.number == nullptr ? 1.0 : 0.0;
    all.push_back(one);
  }
  return all;
}

}  // namespace fivebar_control
