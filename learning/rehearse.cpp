// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/learning/rehearse.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "fivebar_control/model/drive_dynamics.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/support/checksum.hpp"
#include "plan_update.hpp"

namespace fivebar_control
{
namespace
{

constexpr int most_rounds = 12;
constexpr double enough = 0.95;     // of the ISE before: a round that gains less is the last
constexpr double deviation = 1e-5;  // rad: the rehearsal has no encoder

/// The published loop: it keeps a rehearsal together, and has nothing to do at its end.
RunDescription published_loop(double rate)
{
  RunDescription loop;
  loop.rate = rate;
  loop.kp = 22.7;
  loop.kd = 0.43;
  return loop;
}

/// The robot's equations with its drives in the loop, without encoder and noise.
class Rehearsal
{
public:
  Rehearsal(const RobotModel & robot, const RunDescription & loop)
  : robot_(robot),
    loop_(loop),
    dynamics_(robot.physics(), robot.parameters().assembly_mode, robot.parameters().drives)
  {
  }

  /// rad, reference - encoder in each cycle.
  std::vector<Eigen::Vector2d> errors(const Plan & plan) const
  {
    const PlayablePlan playable(plan.samples);
    const Drives & drives = robot_.parameters().drives;
    const double period = 1.0 / loop_.rate;
    const double pole = std::exp(-2.0 * std::numbers::pi * loop_.velocity_cutoff * period);
    const int steps =
      std::clamp(static_cast<int>(std::ceil(2.0 * period * dynamics_.fastest_rate())), 5, 60);
    std::array<Amplifier, 2> amplifiers{Amplifier(drives[0]), Amplifier(drives[1])};
    std::size_t interval = 0;
    Eigen::Vector4d links;
    links << playable.at(0.0, interval).phi, 0.0, 0.0;
    DriveState x = dynamics_.with_links_at(links);
    Eigen::Vector2d before = links.head<2>();
    Eigen::Vector2d speed = Eigen::Vector2d::Zero();
    std::vector<Eigen::Vector2d> all;
    for (std::size_t k = 0; k < cycles_of(plan, loop_.rate); ++k)
    {
      const Reference r = playable.at(static_cast<double>(k) * period, interval);
      const Eigen::Vector2d angle(
        x[drives[0].encoder_on_motor ? 4 : 0], x[drives[1].encoder_on_motor ? 5 : 1]);
      speed += (1.0 - pole) * ((angle - before) / period - speed);
      before = angle;
      all.emplace_back(r.phi - angle);
      const double limit = robot_.limits().voltage;
      const Eigen::Vector2d asked =
        (r.feedforward + loop_.kp * all.back() + loop_.kd * (r.speed - speed))
          .cwiseMax(-limit)
          .cwiseMin(limit);
      const Eigen::Vector2d target(
        amplifiers[0].settled(asked[0]), amplifiers[1].settled(asked[1]));
      for (int n = 0; n < steps; ++n)
      {
        const Eigen::Vector2d volts(
          amplifiers[0].follow(target[0], period / steps),
          amplifiers[1].follow(target[1], period / steps));
        x = dynamics_.step(x, volts, period / steps);
      }
    }
    return all;
  }

  /// m² s, of P.
  double ise(const Plan & plan, const std::vector<Eigen::Vector2d> & errors) const
  {
    const Geometry<double> & geometry = robot_.constants().geometry;
    const PlayablePlan playable(plan.samples);
    std::size_t interval = 0;
    double sum = 0.0;
    for (std::size_t k = 0; k < errors.size(); ++k)
    {
      const Eigen::Vector2d phi = playable.at(static_cast<double>(k) / loop_.rate, interval).phi;
      const Eigen::Vector2d off = end_effector_at(geometry, Eigen::Vector2d(phi - errors[k])) -
                                  end_effector_at(geometry, phi);
      sum += off.squaredNorm() / loop_.rate;
    }
    return std::isfinite(sum) ? sum : std::numeric_limits<double>::infinity();
  }

private:
  const RobotModel & robot_;
  const RunDescription & loop_;
  DriveDynamics dynamics_;
};

}  // namespace

Rehearsed rehearse(
  const RobotModel & robot, const Plan & plan, const std::string & name, double rate)
{
  Rehearsed best;
  best.plan = plan;
  if (robot.parameters().drives == Drives{})
  {
    return best;
  }
  const RunDescription loop = published_loop(rate);
  const Rehearsal rehearsal(robot, loop);
  std::vector<Eigen::Vector2d> errors = rehearsal.errors(plan);
  best.ise_before = best.ise_after = rehearsal.ise(plan, errors);
  while (best.rounds < most_rounds && std::isfinite(best.ise_after))
  {
    ++best.rounds;
    Learned learned;
    const Eigen::Vector2d variance = Eigen::Vector2d::Constant(deviation * deviation);
    update(robot, best.plan, loop, {errors, variance, {}}, learned);
    const std::vector<Eigen::Vector2d> left = rehearsal.errors(learned.plan);
    const double ise = rehearsal.ise(learned.plan, left);
    const bool worth = ise < enough * best.ise_after;
    if (ise < best.ise_after)
    {
      best.plan = learned.plan;
      best.ise_after = ise;
      errors = left;
    }
    if (!worth)
    {
      break;
    }
  }
  PlanLesson lesson;
  lesson.plan = name;
  Checksum checksum;
  checksum.add(plan_text(plan));
  lesson.checksum = checksum.hex();
  lesson.logs = {"rehearsed with the robot file's drives"};
  lesson.measured_ise = best.ise_before;
  lesson.predicted_ise = best.ise_after;
  lesson.rate = LearnOptions{}.rate;
  best.plan.lessons.push_back(lesson);
  return best;
}

}  // namespace fivebar_control
