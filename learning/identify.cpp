// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/learning/identify.hpp"

#include <Eigen/Cholesky>
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
  const LumpValues<double> start = start_values(model, motions, delay);
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

/// How much chi square would fall if gravity in the plane were free, to first order.
double promise_of_tilt(
  const LumpModel & model, const std::vector<RecordedMotion> & motions, const MotionModel & at,
  const std::vector<LumpGroup> & groups, int delay)
{
  std::vector<LumpGroup> more = groups;
  more.push_back(LumpGroup::tilt);
  MotionFit wider(model, motions);
  wider.set_free(more);
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
    add_tilt(found, best);
    search_delay(found, best);
    found.converged = best.converged;
    found.chi_square = best.chi_square;
    finish(found);
    return found;
  }

private:
  void add_tilt(Identification & found, MotionFit::Result & best)
  {
    // A fit without the tilt that is there may wander off to where nothing promises anything.
    const bool misfits = best.chi_square > doubtful_misfit * readings_;
    if (
      options_.free ||
      (!misfits && promise_of_tilt(model_, motions_, found.model, groups_, found.delay) < evidence))
    {
      return;
    }
    std::vector<LumpGroup> more = groups_;
    more.push_back(LumpGroup::tilt);
    MotionFit wider(model_, motions_);
    wider.set_free(more);
    MotionModel tilted =
      misfits ? first_model(model_, motions_, found.delay, fit_.free_lumps()) : found.model;
    const MotionFit::Result result =
      fit_from_start(wider, tilted, found.delay, options_.most_iterations);
    found.iterations += result.iterations;
    if (best.chi_square - result.chi_square > evidence)
    {
      groups_ = more;
      fit_.set_free(groups_);
      found.model = tilted;
      best = result;
    }
  }

  /// Longer delays as long as they explain the data better.
  void search_delay(Identification & found, MotionFit::Result & best)
  {
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
    const FitModel fit = fit_.linearised(found.model, prediction);
    found.readings = readings_ - static_cast<double>(fit.gradient.size());
    found.at_bound = fit_.at_bound(found.model);
    found.coulomb_velocity = options_.coulomb_velocity;
    for (std::size_t m = 0; m < motions_.size(); ++m)
    {
      const double sum =
        chi_square(model_, found.model.lumps, found.model.start[m], motions_[m], prediction);
      found.chi_square_by_log.push_back(sum / (2.0 * static_cast<double>(motions_[m].size())));
    }
    fill_deviations(model_, fit_.free_lumps(), fit.information, found);
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
  const LumpModel & model, const std::vector<int> & free, Eigen::MatrixXd information,
  Identification & found)
{
  for (const int lump : free)
  {
    found.is_free[static_cast<std::size_t>(lump)] = true;
  }
  const Eigen::MatrixXd covariance = covariance_of(model, free, std::move(information));
  const LumpCovariance all = lump_covariance(free, covariance);
  found.sigma = all.diagonal().cwiseMax(0.0).cwiseSqrt();
  describe_estimates(model, all, found);
  return covariance;
}

const char * to_string(LumpGroup group)
{
  constexpr std::array<const char *, lump_groups.size()> names{"inertia", "gain", "damping",
                                                               "coulomb", "tilt", "offsets"};
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
  found.drives = robot.parameters().drives;
  found.rigid_chi_square = found.reduced();
  extend_by_drives(model, motions, options, search.free_lumps(), found);
  return found;
}

}  // namespace fivebar_control
