// SPDX-License-Identifier: Apache-2.0
#include "closed_loop_model.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "fivebar_control/model/drive_dynamics.hpp"
#include "fivebar_control/model/held_step.hpp"
#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{
namespace
{

/// What the velocity estimator makes of a reading: z(k) = own * z(k - 1) + reading * angle(k), for
/// each joint; the first of z is the speed (docs/control.md, "Velocity").
struct Estimator
{
  Eigen::Matrix2d own;
  Eigen::Vector2d reading;
};

Estimator estimator_of(const RunDescription & run, double period)
{
  const double pole = std::exp(-2.0 * std::numbers::pi * run.velocity_cutoff * period);
  Estimator e;
  if (run.velocity_method == "filtered_difference")
  {
    const double c = 1.0 - pole;
    e.own << pole, -c / period, 0.0, 0.0;
    e.reading << c / period, 1.0;
    return e;
  }
  if (run.velocity_method == "tracking_observer")
  {
    const double position = 1.0 - pole * pole;
    const double speed = (1.0 - pole) * (1.0 - pole) / period;
    e.own << 1.0 - speed * period, -speed, (1.0 - position) * period, 1.0 - position;
    e.reading << speed, position;
    return e;
  }
  throw InputError(
    {run.hardware},
    "learning knows runs with velocity.method filtered_difference or "
    "tracking_observer, not '" +
      run.velocity_method + "'");
}

using RobotStep = Eigen::Matrix<double, 8, 8>;
using RobotInput = Eigen::Matrix<double, 8, 2>;

/// One cycle of the robot under held volts, linearised along the plan.
struct RobotCycle
{
  RobotStep by_state = RobotStep::Zero();
  RobotInput by_volts = RobotInput::Zero();
};

RobotCycle rigid_cycle(
  const DynamicsConstants<double> & k, const Eigen::Vector4d & x, const Eigen::Vector2d & volts,
  double period)
{
  const HeldStep step = held_step(k, x, volts, period);
  RobotCycle cycle;
  cycle.by_state.topLeftCorner<4, 4>() = step.by_state;
  cycle.by_volts.topRows<4>() = step.by_volts;
  return cycle;
}

/// Drives that yield, as long as their teeth touch; differences instead of derivatives.
class YieldingRobot
{
public:
  explicit YieldingRobot(const RobotModel & robot)
  : drives_(robot.parameters().drives),
    dynamics_(robot.physics(), robot.parameters().assembly_mode, touching(drives_))
  {
  }

  RobotCycle cycle(
    const Eigen::Vector4d & links, const Eigen::Vector2d & volts, double period) const
  {
    const Eigen::Vector2d acceleration =
      forward_dynamics<double>(dynamics_.constants(), links, volts);
    const DriveState x = dynamics_.carrying(links, acceleration);
    constexpr double small = 1e-6;
    RobotCycle cycle;
    for (int i = 0; i < 10; ++i)
    {
      const auto moved = [&](double by) {
        DriveState y = x;
        Eigen::Vector2d u = volts;
        (i < 8 ? y[from(i)] : u[i - 8]) += by;
        return held(y, u, period);
      };
      const DriveState slope = (moved(small) - moved(-small)) / (2.0 * small);
      for (int row = 0; row < 8; ++row)
      {
        (i < 8 ? cycle.by_state(row, i) : cycle.by_volts(row, i - 8)) = slope[from(row)];
      }
    }
    return cycle;
  }

private:
  static Drives touching(Drives drives)
  {
    for (Drive & drive : drives)
    {
      drive.stiffness = drive.is_rigid() || drive.stiffness > 0.0
                          ? drive.stiffness
                          : DriveDynamics::contact_stiffness;
      drive.gap = 0.0;
    }
    return drives;
  }
  /// Of a number of the loop's state: the encoder's side comes first.
  int from(int i) const
  {
    return drives_[static_cast<std::size_t>(i % 2)].encoder_on_motor ? (i + 4) % 8 : i;
  }
  DriveState held(DriveState x, const Eigen::Vector2d & volts, double period) const
  {
    const int steps =
      std::clamp(static_cast<int>(std::ceil(2.0 * period * dynamics_.fastest_rate())), 1, 20);
    for (int n = 0; n < steps; ++n)
    {
      x = dynamics_.step(x, volts, period / steps);
    }
    return x;
  }

  Drives drives_;
  DriveDynamics dynamics_;
};

}  // namespace

std::vector<LoopStep> closed_loop(
  const RobotModel & robot, const PlayablePlan & plan, const RunDescription & run)
{
  const double period = 1.0 / run.rate;
  const Estimator estimator = estimator_of(run, period);
  const Geometry<double> & geometry = robot.constants().geometry;
  const auto cycles = static_cast<std::size_t>(std::floor(plan.duration() * run.rate + 1e-6)) + 1;
  const Drives & drives = robot.parameters().drives;
  std::optional<YieldingRobot> yielding;
  if (!drives[0].is_rigid() || !drives[1].is_rigid())
  {
    yielding.emplace(robot);
  }
  std::vector<LoopStep> steps;
  steps.reserve(cycles);
  std::size_t interval = 0;
  for (std::size_t i = 0; i < cycles; ++i)
  {
    const Reference reference = plan.at(static_cast<double>(i) * period, interval);
    Eigen::Vector4d x;
    x << reference.phi, reference.speed;
    const RobotCycle step = yielding
                              ? yielding->cycle(x, reference.feedforward, period)
                              : rigid_cycle(robot.constants(), x, reference.feedforward, period);
    // States: robot (8), then speed and memory of joint 1, of joint 4, last change.
    Eigen::Matrix<double, 4, loop_states> after = Eigen::Matrix<double, 4, loop_states>::Zero();
    Eigen::Matrix<double, 2, loop_states> volts = Eigen::Matrix<double, 2, loop_states>::Zero();
    for (int j = 0; j < 2; ++j)
    {
      after.block<2, 2>(2 * j, 8 + 2 * j) = estimator.own;
      after.block<2, 1>(2 * j, j) = estimator.reading;
      volts.row(j) = -run.kd * after.row(2 * j);
      volts(j, j) -= run.kp;
    }
    LoopStep loop;
    loop.by_state.setZero();
    loop.by_state.topLeftCorner<8, 8>() = step.by_state;
    loop.by_state.topRows<8>() += step.by_volts * volts;
    loop.by_state.middleRows<4>(8) = after;
    loop.by_change.setZero();
    loop.by_change.topRows<8>() = step.by_volts;
    loop.by_change.bottomRows<2>().setIdentity();
    const Pose<double> pose = pose_at<double>(geometry, reference.phi[0], reference.phi[1]);
    loop.jacobian =
      end_effector_jacobian<double>(geometry, pose, passive_velocity_map<double>(geometry, pose));
    steps.push_back(loop);
  }
  return steps;
}

}  // namespace fivebar_control
