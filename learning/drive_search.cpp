// SPDX-License-Identifier: Apache-2.0
#include "drive_search.hpp"

#include <fmt/core.h>

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
constexpr std::size_t trials = 2;  // starts of a group that are followed

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
  Candidate run(const Candidate & rigid, const MotionModel & undelayed, double readings)
  {
    readings_ = readings;
    undelayed_ = &undelayed;
    Candidate best = rigid;
    if (!are_ideal(best.model.drives))
    {
      best = finished(best_start(known_starts(best)));
    }
    for (const DriveGroup group : options_.drives)
    {
      best = finished(best_trial(best, group));
    }
    const Candidate asked = best;
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
      best = finished(better);
    }
    // What was not asked for must explain the data in the end: half an explanation is none.
    const bool explains = best.result.chi_square <= doubtful_misfit * readings;
    if (!explains && best.groups.size() > asked.groups.size())
    {
      say(options_, "no drives explain the data: rigid ones are kept");
    }
    return explains ? best : asked;
  }

private:
  DriveFit fit_of(const std::vector<DriveGroup> & groups) const
  {
    return {model_, motions_, free_lumps_, groups};
  }

  /// Friction at rest, dead bands and drives that yield look like a delay to a rigid model: fewer
  /// cycles may be the truth. With each delay the lumps that a rigid model has there.
  std::vector<Candidate> with_delays(const Candidate & from) const
  {
    std::vector<Candidate> all{from};
    if (!options_.delay && from.delay > 0)
    {
      all.push_back(from);
      all.back().delay = 0;
      all.back().model.motion = *undelayed_;
    }
    return all;
  }

  /// With drives that are known, the rigid result may be far off: the robot file's own values, too.
  std::vector<Candidate> known_starts(const Candidate & from) const
  {
    std::vector<Candidate> starts;
    for (Candidate start : with_delays(from))
    {
      starts.push_back(start);
      start.model.motion.lumps = model_.nominal();
      starts.push_back(start);
    }
    return starts;
  }

  /// Places to begin for a group that is new.
  std::vector<Candidate> starts(const Candidate & from, DriveGroup group) const
  {
    std::vector<Candidate> all;
    for (Candidate start : with_delays(from))
    {
      start.groups.push_back(group);
      if (group == DriveGroup::elastic)
      {
        add_stiffnesses(start, all);
        continue;
      }
      for (std::size_t i = 0; i < 2; ++i)
      {
        Drive & drive = start.model.drives[i];
        if (group == DriveGroup::stribeck)
        {
          drive.stribeck =
            0.3 * from.model.motion.lumps[index_of(Lump::coulomb_1) + static_cast<int>(i)];
          drive.stribeck_velocity = 0.1;
        }
        else
        {
          drive.lag = 3e-4;
          drive.dead_band = 0.02;
        }
      }
      all.push_back(start);
    }
    return all;
  }

  void add_stiffnesses(const Candidate & from, std::vector<Candidate> & all) const
  {
    const DynamicsConstants<double> k = model_.constants<double>(from.model.motion.lumps);
    const Eigen::Vector2d rotor = rotor_inertia_at_links(model_.robot().physics());
    const Eigen::Vector2d links = Eigen::Vector2d(k.inertia_1, k.inertia_4) - rotor;
    // A fit finds a stiffness that is a third off, not one that is half of the truth. Beyond 64 Hz
    // a drive is as good as rigid.
    for (const double frequency : {8.0, 10.0, 12.5, 15.5, 19.5, 24.0, 31.0, 40.0, 64.0})
    {
      Candidate start = from;
      for (int i = 0; i < 2; ++i)
      {
        const double inertia = std::max(links[i], 0.1 * rotor[i]);
        Drive & drive = start.model.drives[static_cast<std::size_t>(i)];
        drive.stiffness = inertia * std::pow(2.0 * std::numbers::pi * frequency, 2);
        drive.damping = 0.1 * std::sqrt(drive.stiffness * inertia);
      }
      all.push_back(start);
    }
  }

  Candidate best_start(std::vector<Candidate> all) const
  {
    return followed(std::move(all), 0).front();
  }

  /// The most promising starts, improved a little, the best first.
  std::vector<Candidate> followed(std::vector<Candidate> all, int iterations) const
  {
    const auto better = [](const Candidate & a, const Candidate & b) {
      return a.result.chi_square < b.result.chi_square;
    };
    // The lumps were fitted to rigid drives: only a step with all unknowns tells starts apart.
    for (Candidate & one : all)
    {
      one.result = fit_of(one.groups).improve(one.model, one.delay, iterations > 0 ? 1 : 0);
    }
    std::sort(all.begin(), all.end(), better);
    all.resize(std::min(all.size(), trials));
    for (Candidate & one : all)
    {
      if (iterations > 0)
      {
        one.result = fit_of(one.groups).improve(one.model, one.delay, iterations);
      }
    }
    std::sort(all.begin(), all.end(), better);
    return all;
  }

  Candidate best_trial(const Candidate & from, DriveGroup group) const
  {
    const Candidate best = followed(starts(from, group), trial_iterations).front();
    say(
      options_, fmt::format(
                  "{} drives: chi^2/N {:.4g} after {} steps, delay {}", to_string(group),
                  best.result.chi_square / readings_, trial_iterations, best.delay));
    return best;
  }

  Candidate finished(Candidate from) const
  {
    const DriveFit fit = fit_of(from.groups);
    from.result = fit.improve(from.model, from.delay, options_.most_iterations);
    for (bool later = !options_.delay; later;)
    {
      Candidate next = from;
      ++next.delay;
      next.result = fit.improve(next.model, next.delay, trial_iterations);
      later = next.result.chi_square < from.result.chi_square;
      if (later)
      {
        next.result = fit.improve(next.model, next.delay, options_.most_iterations);
        from = next;
      }
    }
    say(
      options_, fmt::format(
                  "fit with drives: chi^2/N {:.4g}, delay {}", from.result.chi_square / readings_,
                  from.delay));
    return from;
  }

  Candidate best_extension(const Candidate & from) const
  {
    Candidate best = from;
    for (const DriveGroup group : drive_groups)
    {
      if (std::find(from.groups.begin(), from.groups.end(), group) == from.groups.end())
      {
        const Candidate trial = best_trial(from, group);
        best = trial.result.chi_square < best.result.chi_square ? trial : best;
      }
    }
    return best;
  }

  double readings_ = 1.0;
  const MotionModel * undelayed_ = nullptr;
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
    DriveSearch(model, motions, options, free_lumps).run(rigid, found.undelayed, found.readings);
  if (best.groups.empty() && are_ideal(best.model.drives))
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
    fill_deviations(model, motions, free_lumps, fit.information(best.model, best.delay), found);
  found.drive_numbers = fit.estimates(best.model, covariance);
}

std::vector<Eigen::Vector2d> predicted_readings(
  const RobotModel & robot, const std::vector<RecordedMotion> & motions, std::size_t motion,
  const Identification & found)
{
  const LumpModel model(robot, found.coulomb_velocity);
  if (are_ideal(found.drives))
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
