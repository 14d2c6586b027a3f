// SPDX-License-Identifier: Apache-2.0
#include "drive_search.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "drive_fit.hpp"

namespace fivebar_control
{
namespace
{

/// Above this misfit, drives are asked; far outside what chance gives in a few thousand readings.
constexpr double asks_for_more = 1.1;
/// Chi square must fall by so much, and the misfit beyond 1 by this share.
constexpr double evidence = 100.0;
constexpr double least_share = 0.5;
constexpr int trial_iterations = 3;

/// A model with its delay and how well it fits.
struct Candidate
{
  DriveModel model;
  std::vector<DriveGroup> groups;
  int delay = 0;
  DriveFit::Result result;
};

class DriveSearch
{
public:
  DriveSearch(
    const LumpModel & model, const std::vector<RecordedMotion> & motions,
    const IdentifyOptions & options, const std::vector<int> & free_lumps)
  : model_(model), motions_(motions), options_(options), free_lumps_(free_lumps)
  {
  }

  /// `readings`: less the unknowns.
  Candidate run(Candidate best, double readings)
  {
    const bool asked = !options_.drives.empty();
    if (asked || best.model.drives != Drives{})
    {
      best = refitted(best, options_.drives, options_.most_iterations);
    }
    while (options_.extend && best.result.chi_square > asks_for_more * readings)
    {
      const Candidate better = best_extension(best);
      const double excess = best.result.chi_square - readings;
      const double gain = best.result.chi_square - better.result.chi_square;
      if (
        better.groups.size() == best.groups.size() || gain < evidence ||
        gain < least_share * excess)
      {
        break;
      }
      best = refitted(better, {}, options_.most_iterations);
    }
    return best;
  }

private:
  DriveFit fit_of(const std::vector<DriveGroup> & groups) const
  {
    return {model_, motions_, free_lumps_, groups};
  }

  /// Somewhere to begin for a group that is new.
  DriveModel started(const DriveModel & from, DriveGroup group, int delay) const
  {
    DriveModel model = from;
    if (group == DriveGroup::elastic)
    {
      return with_best_stiffness(model, delay);
    }
    for (std::size_t i = 0; i < 2; ++i)
    {
      Drive & drive = model.drives[i];
      if (group == DriveGroup::stribeck)
      {
        drive.stribeck = 0.3 * model.motion.lumps[index_of(Lump::coulomb_1) + static_cast<int>(i)];
        drive.stribeck_velocity = 0.1;
      }
      else
      {
        drive.lag = 3e-4;
        drive.dead_band = 0.02;
      }
    }
    return model;
  }

  DriveModel with_best_stiffness(const DriveModel & from, int delay) const
  {
    const DriveFit fit = fit_of({});
    const DynamicsConstants<double> k = model_.constants<double>(from.motion.lumps);
    const Eigen::Vector2d rotor = rotor_inertia_at_links(model_.robot().physics());
    const Eigen::Vector2d links = Eigen::Vector2d(k.inertia_1, k.inertia_4) - rotor;
    DriveModel best = from;
    double best_chi_square = std::numeric_limits<double>::infinity();
    for (const double frequency : {8.0, 11.0, 15.0, 20.0, 28.0, 40.0, 56.0, 80.0})
    {
      DriveModel trial = from;
      for (int i = 0; i < 2; ++i)
      {
        const double inertia = std::max(links[i], 0.1 * rotor[i]);
        Drive & drive = trial.drives[static_cast<std::size_t>(i)];
        drive.stiffness = inertia * std::pow(2.0 * std::numbers::pi * frequency, 2);
        drive.damping = 0.1 * std::sqrt(drive.stiffness * inertia);
      }
      const double trial_chi_square = fit.chi_square(trial, delay);
      if (trial_chi_square < best_chi_square)
      {
        best = trial;
        best_chi_square = trial_chi_square;
      }
    }
    return best;
  }

  Candidate refitted(
    Candidate from, const std::vector<DriveGroup> & more, int most_iterations) const
  {
    for (const DriveGroup group : more)
    {
      from.model = started(from.model, group, from.delay);
      from.groups.push_back(group);
    }
    from.result = fit_of(from.groups).improve(from.model, from.delay, most_iterations);
    return from;
  }

  Candidate best_extension(const Candidate & from) const
  {
    Candidate best = from;
    for (const DriveGroup group : drive_groups)
    {
      if (std::find(from.groups.begin(), from.groups.end(), group) != from.groups.end())
      {
        continue;
      }
      // Friction at rest and dead bands look like a delay: one cycle less may be the truth.
      const int shortest = options_.delay ? from.delay : std::max(from.delay - 1, 0);
      for (int delay = shortest; delay <= from.delay; ++delay)
      {
        Candidate trial = from;
        trial.delay = delay;
        trial = refitted(trial, {group}, trial_iterations);
        best = trial.result.chi_square < best.result.chi_square ? trial : best;
      }
    }
    return best;
  }

  const LumpModel & model_;
  const std::vector<RecordedMotion> & motions_;
  const IdentifyOptions & options_;
  const std::vector<int> & free_lumps_;
};

}  // namespace

const char * to_string(DriveGroup group)
{
  switch (group)
  {
    case DriveGroup::elastic:
      return "elastic";
    case DriveGroup::stribeck:
      return "stribeck";
    case DriveGroup::amplifier:
      return "amplifier";
  }
  return "unknown";
}

void extend_by_drives(
  const LumpModel & model, const std::vector<RecordedMotion> & motions,
  const IdentifyOptions & options, const std::vector<int> & free_lumps, Identification & found)
{
  Candidate rigid;
  rigid.model.motion = found.model;
  rigid.model.drives = found.drives;
  rigid.delay = found.delay;
  rigid.result.chi_square = found.chi_square;
  rigid.result.converged = found.converged;
  const Candidate best =
    DriveSearch(model, motions, options, free_lumps).run(rigid, found.readings);
  if (best.groups.empty() && best.model.drives == Drives{})
  {
    return;
  }
  const DriveFit fit(model, motions, free_lumps, best.groups);
  found.model = best.model.motion;
  found.drives = best.model.drives;
  found.rotor = best.model.rotor;
  found.drive_groups = best.groups;
  found.delay = best.delay;
  found.converged = best.result.converged;
  found.iterations += best.result.iterations;
  found.chi_square = 0.0;
  for (std::size_t m = 0; m < motions.size(); ++m)
  {
    const std::vector<Eigen::Vector2d> angles = fit.predicted(best.model, m, best.delay);
    double sum = 0.0;
    for (std::size_t i = 0; i < angles.size(); ++i)
    {
      const Eigen::Vector2d left = motions[m].angle[i] - angles[i];
      sum += motions[m].good[i] ? left.cwiseAbs2().cwiseQuotient(motions[m].variance).sum() : 0.0;
    }
    found.chi_square += sum;
    found.chi_square_by_log[m] = sum / (2.0 * static_cast<double>(motions[m].size()));
  }
  found.base.clear();
  found.lumps.clear();
  found.unseen.clear();
  const Eigen::MatrixXd covariance =
    fill_deviations(model, free_lumps, fit.information(best.model, best.delay), found);
  found.drive_numbers = fit.estimates(best.model, covariance);
}

std::vector<Eigen::Vector2d> predicted_readings(
  const RobotModel & robot, const std::vector<RecordedMotion> & motions, std::size_t motion,
  const Identification & found)
{
  const LumpModel model(robot, found.coulomb_velocity);
  if (found.drives == Drives{})
  {
    std::vector<Eigen::Vector2d> angles;
    chi_square(
      model, found.model.lumps, found.model.start[motion], motions[motion], {found.delay, 0.0},
      &angles);
    return angles;
  }
  const DriveFit fit(model, motions, {}, {});
  return fit.predicted({found.model, found.drives, found.rotor}, motion, found.delay);
}

}  // namespace fivebar_control
