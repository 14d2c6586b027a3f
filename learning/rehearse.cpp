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

/// What happened in one rehearsal, in each cycle.
struct Motion
{
  std::vector<Eigen::Vector2d> error;    ///< rad, reference of the links - links
  std::vector<Eigen::Vector2d> encoder;  ///< rad, where the encoders sit
  std::vector<Eigen::Vector2d> speed;    ///< rad/s, of the encoders
  double ise = 0.0;                      ///< m² s, of P
};

/// The robot with encoders on its links, wherever they are: P is what shall be right.
RobotModel read_at_links(const RobotModel & robot)
{
  RobotParameters parameters = robot.parameters();
  for (Drive & drive : parameters.drives)
  {
    drive.encoder_on_motor = false;
  }
  return RobotModel(std::move(parameters));
}

/// The robot's equations with its drives in a loop over the links, without rounding and noise.
class Rehearsal
{
public:
  Rehearsal(const RobotModel & robot, const RunDescription & loop)
  : robot_(robot),
    loop_(loop),
    dynamics_(robot.physics(), robot.parameters().assembly_mode, robot.parameters().drives)
  {
  }

  Motion play(const Plan & plan) const
  {
    const PlayablePlan playable(plan.samples);
    const Drives & drives = robot_.parameters().drives;
    const double period = 1.0 / loop_.rate;
    const double pole = std::exp(-2.0 * std::numbers::pi * loop_.velocity_cutoff * period);
    std::array<Amplifier, 2> amplifiers{Amplifier(drives[0]), Amplifier(drives[1])};
    std::size_t interval = 0;
    Eigen::Vector4d links;
    links << playable.at(0.0, interval).phi, 0.0, 0.0;
    DriveState x = dynamics_.with_links_at(links);
    Eigen::Vector2d before = links.head<2>();
    Eigen::Vector2d speed = Eigen::Vector2d::Zero();
    Motion motion;
    for (std::size_t k = 0; k < cycles_of(plan, loop_.rate); ++k)
    {
      const Reference r = playable.at(static_cast<double>(k) * period, interval);
      const Eigen::Vector2d angle = x.head<2>();
      speed += (1.0 - pole) * ((angle - before) / period - speed);
      before = angle;
      motion.error.emplace_back(r.phi - angle);
      motion.encoder.push_back(at_encoders(x, 0));
      motion.speed.push_back(at_encoders(x, 2));
      motion.ise += square_of_point(r.phi, angle) * period;
      const double limit = robot_.limits().voltage;
      const Eigen::Vector2d asked =
        (r.feedforward + loop_.kp * motion.error.back() + loop_.kd * (r.speed - speed))
          .cwiseMax(-limit)
          .cwiseMin(limit);
      x = held(x, asked, amplifiers, period);
    }
    motion.ise = std::isfinite(motion.ise) ? motion.ise : std::numeric_limits<double>::infinity();
    return motion;
  }

private:
  /// Angles (0) or speeds (2) of the state where the encoders are.
  Eigen::Vector2d at_encoders(const DriveState & x, int first) const
  {
    const Drives & drives = robot_.parameters().drives;
    return {
      x[first + (drives[0].encoder_on_motor ? 4 : 0)],
      x[first + (drives[1].encoder_on_motor ? 5 : 1)]};
  }
  double square_of_point(const Eigen::Vector2d & wanted, const Eigen::Vector2d & is) const
  {
    const Geometry<double> & geometry = robot_.constants().geometry;
    return (end_effector_at(geometry, is) - end_effector_at(geometry, wanted)).squaredNorm();
  }
  DriveState held(
    DriveState x, const Eigen::Vector2d & asked, std::array<Amplifier, 2> & amplifiers,
    double period) const
  {
    const int steps =
      std::clamp(static_cast<int>(std::ceil(2.0 * period * dynamics_.fastest_rate())), 5, 60);
    const Eigen::Vector2d target(amplifiers[0].settled(asked[0]), amplifiers[1].settled(asked[1]));
    for (int n = 0; n < steps; ++n)
    {
      const Eigen::Vector2d volts(
        amplifiers[0].follow(target[0], period / steps),
        amplifiers[1].follow(target[1], period / steps));
      x = dynamics_.step(x, volts, period / steps);
    }
    return x;
  }

  const RobotModel & robot_;
  const RunDescription & loop_;
  DriveDynamics dynamics_;
};

/// An encoder on a motor shall read where the motor is when its link is right: ahead of it by the
/// gap and the twist of the drive. A link's own encoder has nothing to change.
void move_reference(const RobotModel & robot, const Motion & motion, PlanSamples & s)
{
  for (std::size_t j = 0; j < 2; ++j)
  {
    const Drive & drive = robot.parameters().drives[j];
    if (!drive.encoder_on_motor || drive.is_rigid())
    {
      continue;
    }
    const auto i = static_cast<Eigen::Index>(j);
    std::vector<double> & phi = j == 0 ? s.phi1 : s.phi4;
    std::vector<double> & speed = j == 0 ? s.dphi1 : s.dphi4;
    std::vector<double> & lead = j == 0 ? s.lead1 : s.lead4;
    for (std::size_t k = 0; k < s.size(); ++k)
    {
      const std::size_t cycle = std::min(k, motion.encoder.size() - 1);
      lead[k] = motion.encoder[cycle][i] - phi[k];
      phi[k] = motion.encoder[cycle][i];
      speed[k] = motion.speed[cycle][i];
    }
  }
}

}  // namespace

Rehearsed rehearse(
  const RobotModel & robot, const Plan & plan, const std::string & name, double rate)
{
  Rehearsed best;
  best.plan = plan;
  if (are_ideal(robot.parameters().drives))
  {
    return best;
  }
  const RunDescription loop = published_loop(rate);
  const Rehearsal rehearsal(robot, loop);
  const RobotModel at_links = read_at_links(robot);
  Motion motion = rehearsal.play(plan);
  best.ise_before = best.ise_after = motion.ise;
  while (best.rounds < most_rounds && std::isfinite(best.ise_after))
  {
    ++best.rounds;
    Learned learned;
    const Eigen::Vector2d variance = Eigen::Vector2d::Constant(deviation * deviation);
    update(at_links, best.plan, loop, {motion.error, variance, {}}, learned);
    const Motion next = rehearsal.play(learned.plan);
    const bool worth = next.ise < enough * best.ise_after;
    if (next.ise < best.ise_after)
    {
      best.plan = learned.plan;
      best.ise_after = next.ise;
      motion = next;
    }
    if (!worth)
    {
      break;
    }
  }
  if (best.plan.samples.has_learned())
  {
    move_reference(robot, motion, best.plan.samples);
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
