// SPDX-License-Identifier: Apache-2.0
#include "excitation_information.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "identification_words.hpp"
#include "lump_covariance.hpp"

namespace fivebar_control
{
namespace
{

/// rad/s: dry friction changes its sign within one step of the sensitivities, not within a
/// hundredth of it; what a reversal does to them depends on the height alone.
constexpr double friction_width = 0.1;

bool contains(const std::vector<LumpGroup> & groups, LumpGroup group)
{
  return std::find(groups.begin(), groups.end(), group) != groups.end();
}

/// What a standard deviation is a share of: the file's value, and where that is zero or a small
/// difference, something of its kind.
double reference_of(const LumpModel & model, const Estimate & e)
{
  const DynamicsConstants<double> & k = model.robot().constants();
  if (e.name == "c2y" || e.name == "c3y")
  {
    return model.coupling_scale()[e.name == "c2y" ? 0 : 1];
  }
  if (e.unit == "N m")
  {
    constexpr double small_volts = 0.1;
    return std::max(e.nominal, small_volts * k.torque_gain[e.name.ends_with("1") ? 0 : 1]);
  }
  if (e.unit == "m/s^2")
  {
    return 9.81;
  }
  if (e.unit == "rad")
  {
    return 0.05;
  }
  return std::max(std::abs(e.nominal), 0.1 * std::min(k.inertia_2, k.inertia_3));
}

}  // namespace

std::vector<LumpGroup> wanted_groups(const ExciteOptions & options)
{
  return options.for_groups.empty()
           ? std::
               vector{LumpGroup::inertia, LumpGroup::gain, LumpGroup::damping, LumpGroup::coulomb}
           : options.for_groups;
}

double reading_variance(const ExciteOptions & options)
{
  const double count = 2.0 * std::numbers::pi / options.counts_per_turn;
  return count * count / 12.0 + options.noise * options.noise;
}

ExcitationInformation::ExcitationInformation(
  const RobotModel & robot, const ExciteOptions & options)
: model_(robot, friction_width),
  wanted_(wanted_groups(options)),
  readings_per_second_(options.rate),
  variance_(reading_variance(options))
{
  const std::vector<LumpGroup> usual = wanted_groups({});
  for (int i = 0; i < lump_count; ++i)
  {
    const LumpGroup group = group_of(static_cast<Lump>(i));
    if (contains(usual, group) || contains(wanted_, group))
    {
      free_.push_back(i);
    }
  }
}

ExcitationInformation::Rates ExcitationInformation::rates_at(
  const Eigen::Vector4d & x, const Eigen::Vector2d & u) const
{
  const DynamicsConstants<double> & k = model_.robot().constants();
  const Terms<double> t = terms_at<double>(k, x[0], x[1]);
  const AccelerationJacobian<double> j = linearize_terms<double>(k, t, x[2], x[3], u);
  Eigen::Matrix2d inverse_mass;
  inverse_mass << t.m44, -t.m14, -t.m14, t.m11;
  inverse_mass /= -(t.m11 * t.m44 - t.m14 * t.m14);
  return {j.by_state, inverse_mass * model_.residual_by_lumps(k, t, x, u, j.acceleration)};
}

MotionInformation ExcitationInformation::of(const Path & path, double duration, double step) const
{
  using Sensitivity = Eigen::Matrix<double, 4, moving_lumps + 2>;
  const auto derivative = [](const Rates & at, const Sensitivity & s) {
    Sensitivity by;
    by.topRows<2>() = s.bottomRows<2>();
    by.bottomRows<2>().noalias() = at.by_state * s;
    by.bottomLeftCorner<2, moving_lumps>() += at.by_lumps;
    return by;
  };
  const auto steps = static_cast<int>(std::ceil(duration / step));
  const double h = duration / steps;
  const auto rates = [&](double t) {
    const auto [x, u] = path(t);
    return rates_at(x, u);
  };
  MotionInformation information = MotionInformation::Zero();
  Sensitivity s = Sensitivity::Zero();
  s(0, moving_lumps) = s(1, moving_lumps + 1) = 1.0;
  Rates now = rates(0.0);
  Eigen::Matrix<double, 2, OutputError::unknowns> by;
  for (int i = 0; i < steps; ++i)
  {
    const Rates middle = rates((i + 0.5) * h);
    const Rates next = rates((i + 1.0) * h);
    const Sensitivity k1 = derivative(now, s);
    const Sensitivity k2 = derivative(middle, s + 0.5 * h * k1);
    const Sensitivity k3 = derivative(middle, s + 0.5 * h * k2);
    const Sensitivity k4 = derivative(next, s + h * k3);
    s += (h / 6.0) * (k1 + 2.0 * (k2 + k3) + k4);
    now = next;
    by << s.topLeftCorner<2, moving_lumps>(), Eigen::Matrix2d::Identity(), s.topRightCorner<2, 2>();
    information.noalias() += by.transpose() * by;
  }
  return information * (h * readings_per_second_ / variance_);
}

std::vector<ExpectedSigma> ExcitationInformation::expected(
  const MotionInformation & information) const
{
  const std::size_t shared = free_.size();
  const auto size = static_cast<Eigen::Index>(shared) + 2;
  const auto place = [&](Eigen::Index i) {
    const auto at = static_cast<std::size_t>(i);
    return at < shared ? free_[at] : lump_count + static_cast<int>(at - shared);
  };
  Eigen::MatrixXd seen(size, size);
  for (Eigen::Index i = 0; i < size; ++i)
  {
    for (Eigen::Index j = 0; j < size; ++j)
    {
      seen(i, j) = information(place(i), place(j));
    }
  }
  const LumpCovariance covariance = lump_covariance(free_, covariance_of(model_, free_, seen));
  Identification found;
  found.model.lumps = model_.nominal();
  for (const int lump : free_)
  {
    found.is_free[static_cast<std::size_t>(lump)] = true;
    found.sigma[lump] = std::sqrt(std::max(0.0, covariance(lump, lump)));
  }
  describe_estimates(model_, covariance, found);
  std::vector<ExpectedSigma> all;
  const auto add = [&](const Estimate & e, LumpGroup group) {
    all.push_back({e.name, e.unit, e.sigma, reference_of(model_, e), contains(wanted_, group)});
  };
  for (const Estimate & e : found.base)
  {
    add(e, LumpGroup::inertia);
  }
  std::size_t next = 0;
  for (const int lump : free_)
  {
    const LumpGroup group = group_of(static_cast<Lump>(lump));
    const Estimate & e = found.lumps[next++];
    if (group != LumpGroup::inertia)
    {
      add(e, group);
    }
  }
  return all;
}

double ExcitationInformation::worst(const MotionInformation & information) const
{
  double worst = 0.0;
  for (const ExpectedSigma & e : expected(information))
  {
    worst = e.wanted ? std::max(worst, e.share()) : worst;
  }
  return worst;
}

}  // namespace fivebar_control
