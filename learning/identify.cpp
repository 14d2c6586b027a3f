// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/learning/identify.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "drive_search.hpp"
#include "fivebar_control/support/errors.hpp"
#include "identification_words.hpp"
#include "lump_covariance.hpp"
#include "motion_fit.hpp"

namespace fivebar_control
{
namespace
{

constexpr std::array<double, 3> pulls{3.0, 0.6, 0.0};  // Hz

/// How much chi square must fall for a group that is switched on by the data: far more than chance
/// and than rounding errors, which are not white, can do.
constexpr double evidence = 100.0;

std::vector<LumpGroup> usual_groups()
{
  return {LumpGroup::inertia, LumpGroup::gain, LumpGroup::damping, LumpGroup::coulomb};
}

MotionModel first_model(
  const LumpModel & model, const std::vector<RecordedMotion> & motions, int delay,
  const std::vector<int> & free)
{
  const bool moments = std::find(free.begin(), free.end(), index_of(Lump::moment_1x)) != free.end();
  const LumpValues<double> start = start_values(model, motions, delay, moments);
  MotionModel first;
  first.lumps = model.nominal();
  for (const int lump : free)
  {
    first.lumps[lump] = start[lump];
  }
  for (const RecordedMotion & motion : motions)
  {
    first.start.push_back(motion.angle.front());
  }
  return first;
}

/// From a prediction that is drawn to the readings to one by the model alone.
MotionFit::Result fit_from_start(
  const MotionFit & fit, MotionModel & at, int delay, int most_iterations)
{
  MotionFit::Result result;
  for (const double pull : pulls)
  {
    result = fit.improve(at, {delay, pull}, pull > 0.0 ? 6 : most_iterations);
  }
  return result;
}

/// How much chi square would fall if these groups were free, to first order.
double promise_of(
  const LumpModel & model, const std::vector<RecordedMotion> & motions, const MotionModel & at,
  const std::vector<LumpGroup> & groups, int delay)
{
  MotionFit wider(model, motions);
  wider.set_free(groups);
  const FitModel fit = wider.linearised(at, {delay, 0.0});
  return fit.gradient.dot(fit.information.ldlt().solve(fit.gradient));
}

class Search
{
public:
  const std::vector<int> & free_lumps() const { return fit_.free_lumps(); }

  Search(
    const LumpModel & model, const std::vector<RecordedMotion> & motions,
    const IdentifyOptions & options)
  : model_(model), motions_(motions), options_(options), fit_(model, motions)
  {
    groups_ = options.free.value_or(usual_groups());
    fit_.set_free(groups_);
  }

  Identification run()
  {
    Identification found;
    found.delay = options_.delay.value_or(0);
    found.model = first_model(model_, motions_, found.delay, fit_.free_lumps());
    readings_ = static_cast<double>(fit_.linearised(found.model, {found.delay, pulls[0]}).readings);
    found.start_chi_square = fit_.chi_square(found.model, {found.delay, 0.0}) / readings_;
    MotionFit::Result best =
      fit_from_start(fit_, found.model, found.delay, options_.most_iterations);
    if (!std::isfinite(best.chi_square))
    {
      throw InputError(
        "no start was found from which the model gives a motion like the measured one: expected a "
        "log of this robot, and a robot file whose lengths, gear and motors are roughly right");
    }
    found.iterations = best.iterations;
    add_gravity(found, best);
    search_delay(found, best);
    found.converged = best.converged;
    found.chi_square = best.chi_square;
    finish(found);
    return found;
  }

private:
  /// Gravity in the plane and, where the robot file has gravity, first moments: what explains the
  /// data best, if they call for any of it.
  void add_gravity(Identification & found, MotionFit::Result & best)
  {
    constexpr double shows_moments = 1.0;  // m/s²
    if (options_.free)
    {
      return;
    }
    const bool misfits = best.chi_square > doubtful_misfit * readings_;
    const std::vector<LumpGroup> without = groups_;
    const MotionModel model = found.model;
    std::vector<std::vector<LumpGroup>> candidates{{LumpGroup::tilt}};
    if (model_.robot().physics().gravity.norm() > shows_moments)
    {
      candidates.push_back({LumpGroup::moments});
      candidates.push_back({LumpGroup::moments, LumpGroup::tilt});
    }
    for (const std::vector<LumpGroup> & more : candidates)
    {
      std::vector<LumpGroup> groups = without;
      groups.insert(groups.end(), more.begin(), more.end());
      // A fit without what is there may wander off to where nothing promises anything.
      if (misfits || promise_of(model_, motions_, model, groups, found.delay) > evidence)
      {
        try_groups(groups, misfits, model, found, best);
      }
    }
  }

  void try_groups(
    const std::vector<LumpGroup> & groups, bool afresh, const MotionModel & model,
    Identification & found, MotionFit::Result & best)
  {
    MotionFit wider(model_, motions_);
    wider.set_free(groups);
    MotionModel moved =
      afresh ? first_model(model_, motions_, found.delay, wider.free_lumps()) : model;
    const MotionFit::Result result =
      fit_from_start(wider, moved, found.delay, options_.most_iterations);
    found.iterations += result.iterations;
    if (best.chi_square - result.chi_square > evidence)
    {
      groups_ = groups;
      fit_.set_free(groups_);
      found.model = moved;
      best = result;
    }
  }

  /// Longer delays as long as they explain the data better.
  void search_delay(Identification & found, MotionFit::Result & best)
  {
    found.undelayed = found.model;
    found.chi_square_of.assign(static_cast<std::size_t>(found.delay), 0.0);
    found.chi_square_of.push_back(best.chi_square / readings_);
    if (options_.delay)
    {
      return;
    }
    for (int delay = 1; delay <= options_.longest_delay; ++delay)
    {
      MotionModel model = found.model;
      const MotionFit::Result result = fit_.improve(model, {delay, 0.0}, options_.most_iterations);
      found.iterations += result.iterations;
      found.chi_square_of.push_back(result.chi_square / readings_);
      if (!(result.chi_square < best.chi_square))
      {
        return;
      }
      best = result;
      found.model = model;
      found.delay = delay;
    }
  }

  void finish(Identification & found) const
  {
    const Prediction prediction{found.delay, 0.0};
    FitInformation known;
    const FitModel fit = fit_.linearised(found.model, prediction, &known.scores);
    known.information = fit.information;
    found.readings = readings_ - static_cast<double>(fit.gradient.size());
    found.at_bound = fit_.at_bound(found.model);
    found.coulomb_velocity = options_.coulomb_velocity;
    for (std::size_t m = 0; m < motions_.size(); ++m)
    {
      const double sum =
        chi_square(model_, found.model.lumps, found.model.start[m], motions_[m], prediction);
      found.chi_square_by_log.push_back(sum / (2.0 * static_cast<double>(motions_[m].size())));
    }
    fill_deviations(model_, motions_, fit_.free_lumps(), known, found);
  }

  const LumpModel & model_;
  const std::vector<RecordedMotion> & motions_;
  const IdentifyOptions & options_;
  MotionFit fit_;
  std::vector<LumpGroup> groups_;
  double readings_ = 0.0;
};

}  // namespace

Eigen::MatrixXd fill_deviations(
  const LumpModel & model, const std::vector<RecordedMotion> & motions,
  const std::vector<int> & free, const FitInformation & fit, Identification & found)
{
  constexpr double resemble = 0.1;  // s, over which errors of readings may resemble each other
  const RecordedMotion & first = motions.front();
  const double period = (first.t.back() - first.t.front()) / static_cast<double>(first.size() - 1);

  for (const int lump : free)
  {
    found.is_free[static_cast<std::size_t>(lump)] = true;
  }
  const Eigen::MatrixXd independent = covariance_of(model, free, fit.information);
  const Eigen::MatrixXd covariance = widened_by_correlation(
    independent, fit.scores, static_cast<int>(std::lround(resemble / period)));
  const LumpCovariance all = lump_covariance(free, covariance);
  found.sigma = all.diagonal().cwiseMax(0.0).cwiseSqrt();
  Identification narrow = found;
  describe_estimates(model, lump_covariance(free, independent), narrow);
  describe_estimates(model, all, found);
  for (std::size_t i = 0; i < found.base.size(); ++i)
  {
    found.base[i].independent = narrow.base[i].sigma;
  }
  return covariance;
}

const char * to_string(LumpGroup group)
{
  constexpr std::array<const char *, lump_groups.size()> names{
    "inertia", "gain", "damping", "coulomb", "tilt", "moments", "offsets"};
  return names[static_cast<std::size_t>(group)];
}

LumpGroup group_of(Lump lump)
{
  if (lump <= Lump::coupling_3y)
  {
    return LumpGroup::inertia;
  }
  switch (lump)
  {
    case Lump::gain_4:
      return LumpGroup::gain;
    case Lump::damping_1:
    case Lump::damping_4:
      return LumpGroup::damping;
    case Lump::coulomb_1:
    case Lump::coulomb_4:
      return LumpGroup::coulomb;
    case Lump::gravity_x:
    case Lump::gravity_y:
      return LumpGroup::tilt;
    case Lump::moment_1x:
    case Lump::moment_1y:
    case Lump::moment_4x:
    case Lump::moment_4y:
      return LumpGroup::moments;
    default:
      return LumpGroup::offsets;
  }
}

Identification identify(
  const RobotModel & robot, const std::vector<RecordedMotion> & motions,
  const IdentifyOptions & options)
{
  if (motions.empty())
  {
    throw InputError("expected at least one log");
  }
  const LumpModel model(robot, options.coulomb_velocity);
  Search search(model, motions, options);
  Identification found = search.run();
  say(options, fmt::format("rigid drives: chi^2/N {:.4g}, delay {}", found.reduced(), found.delay));
  found.drives = robot.parameters().drives;
  found.rigid_chi_square = found.reduced();
  extend_by_drives(model, motions, options, search.free_lumps(), found);
  return found;
}

}  // namespace fivebar_control
