// SPDX-License-Identifier: Apache-2.0
// Motors and encoders of your own behind the package's controller: one class, and everything else
// (law, guard, loop, log) works with it. The "device" here is a few lines of physics, so that the
// example runs anywhere; yours talks to a card or a bus instead.
//
//     03_own_backend
#include <cmath>
#include <cstdio>
#include <numbers>

#include "fivebar_control/daemon/run_loop.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/model/runge_kutta.hpp"
#include "fivebar_control/planner/planner.hpp"
#include "fivebar_control/runs/tracking_score.hpp"
#include "fivebar_control/support/config_location.hpp"

using namespace fivebar_control;

constexpr std::int64_t period_ns = 1'000'000;

/// Two motors with encoders of 4096 counts per turn of the link.
class MyMotors : public MotorHardware
{
public:
  MyMotors(const RobotModel & robot, const Eigen::Vector2d & start)
  : constants_(robot.constants()), state_(start[0], start[1], 0.0, 0.0)
  {
  }

  // Off the real-time path: these may take their time and explain what is wrong.
  HardwareError open() override { return HardwareError::none; }
  HardwareError arm() override
  {
    armed_ = true;
    return HardwareError::none;
  }

  // Called every cycle: no allocation, no lock, bounded time.
  HardwareError read(MotorSample & sample) noexcept override
  {
    state_ = runge_kutta_step<double>(constants_, state_, volts_, volts_, 1e-9 * period_ns);
    time_ns_ += period_ns;
    sample.time_ns = time_ns_;
    for (int joint = 0; joint < 2; ++joint)
    {
      sample.counts[static_cast<std::size_t>(joint)] =
        std::llround(state_[joint] * encoder().counts_per_turn[joint] / (2.0 * std::numbers::pi));
    }
    sample.status = armed_ ? motor_status::armed : 0U;
    return HardwareError::none;
  }
  HardwareError write(const Eigen::Vector2d & volts) noexcept override
  {
    if (!armed_)
    {
      return HardwareError::not_armed;
    }
    volts_ = volts;
    return HardwareError::none;
  }
  HardwareError disarm() noexcept override
  {
    armed_ = false;
    volts_.setZero();
    return HardwareError::none;
  }
  void close() noexcept override {}

  Encoder encoder() const override { return {}; }
  // A real device answers `monotonic`; the loop is then paced by the clock of the machine.
  HardwareClock clock() const override { return HardwareClock::simulated; }
  std::string description() const override { return "my motors"; }

private:
  DynamicsConstants<double> constants_;
  Eigen::Vector4d state_;
  Eigen::Vector2d volts_ = Eigen::Vector2d::Zero();
  std::int64_t time_ns_ = -period_ns;
  bool armed_ = false;
};

int main()
try
{
  const RobotModel robot = load_robot(find_config("robot.yaml"));
  const PlanRequest request = load_plan_request(find_config("curves/b_gentle.yaml"));
  const PlayablePlan plan(make_plan(robot, request).plan.samples);

  MyMotors motors(robot, plan.start());
  ControlCore controller(
    robot, ControllerSettings{}, ControlMode::feedforward_and_feedback, period_ns);
  controller.set_plan(&plan);
  Pacer pacer(period_ns, motors.clock() == HardwareClock::monotonic);
  TrackingScorer scorer(robot);
  RunRequests requests;
  RunStatus status;
  const RunOutcome outcome =
    run_loop(controller, motors, pacer, scorer, requests, status, {period_ns, false});

  std::printf(
    "%s after %lld cycles on %s: P within %.3f mm\n", to_string(outcome.end),
    static_cast<long long>(outcome.cycles), motors.description().c_str(),
    1e3 * scorer.score().largest_error);
  if (outcome.finding)
  {
    std::printf("%s\n", describe(outcome.finding).c_str());
  }
  return outcome.end == RunEnd::finished && scorer.score().largest_error < 1e-3 ? 0 : 1;
}
catch (const Error & error)
{
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
