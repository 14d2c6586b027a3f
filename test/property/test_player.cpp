// SPDX-License-Identifier: Apache-2.0
#include "property/any_run.hpp"

namespace fivebar_control::test
{
namespace
{

/// What the controller may make of a time between cycles (docs/control.md, "Time").
double advance_of(std::int64_t elapsed_ns)
{
  if (2 * (elapsed_ns / 2) >= period_ns / 2 && elapsed_ns <= period_ns + period_ns / 2)
  {
    return period;
  }
  return elapsed_ns > period_ns ? 1.5 * period
                                : static_cast<double>(std::max<std::int64_t>(elapsed_ns, 0)) * 1e-9;
}

/// The fastest that a plan's interpolated angles ever go, per joint.
Eigen::Vector2d fastest(const PlanSamples & s)
{
  Eigen::Vector2d most(0.0, 0.0);
  for (std::size_t i = 0; i + 1 < s.size(); ++i)
  {
    const double h = s.t[i + 1] - s.t[i];
    for (int j = 0; j < 2; ++j)
    {
      const double rise = ((j == 0 ? s.phi1 : s.phi4)[i + 1] - (j == 0 ? s.phi1 : s.phi4)[i]) / h;
      const double v0 = (j == 0 ? s.dphi1 : s.dphi4)[i];
      const double v1 = (j == 0 ? s.dphi1 : s.dphi4)[i + 1];
      // The speed is the parabola v0 + s (6 rise - 4 v0 - 2 v1) + s² (3 v0 + 3 v1 - 6 rise).
      const double linear = 6.0 * rise - 4.0 * v0 - 2.0 * v1;
      const double square = 3.0 * (v0 + v1) - 6.0 * rise;
      const double top = std::clamp(square != 0.0 ? -linear / (2.0 * square) : 0.0, 0.0, 1.0);
      const double peak = v0 + top * (linear + top * square);
      most[j] = std::max({most[j], std::abs(v0), std::abs(v1), std::abs(peak)});
    }
  }
  return most;
}

Eigen::Vector2d steepest(const PlanSamples & s)
{
  Eigen::Vector2d most(0.0, 0.0);
  for (std::size_t i = 0; i + 1 < s.size(); ++i)
  {
    const double h = s.t[i + 1] - s.t[i];
    most[0] = std::max(most[0], std::abs(s.u1[i + 1] - s.u1[i]) / h);
    most[1] = std::max(most[1], std::abs(s.u4[i + 1] - s.u4[i]) / h);
  }
  return most;
}

TEST(PlayerProperty, ReferencesNeverJumpBetweenAnyTimes)
{
  for_all(20'000, [](Random & random) {
    const RobotModel robot = any_robot(random);
    const PlanSamples samples = any_samples(random, robot);
    const PlayablePlan plan(samples);
    const Eigen::Vector2d speed = fastest(samples);
    const Eigen::Vector2d slope = steepest(samples);
    Player player;
    player.rewind(plan);
    Reference before = player.reference();
    for (int i = 0; i < 60; ++i)
    {
      const double step = random.chance(0.1) ? 0.0 : std::pow(10.0, random.uniform(-9.0, -1.5));
      const auto by_ns = static_cast<std::int64_t>(step * 1e9);
      player.advance(by_ns);
      const double elapsed = static_cast<double>(by_ns) * 1e-9;
      const Reference after = player.reference();
      for (int j = 0; j < 2; ++j)
      {
        ASSERT_LE(std::abs(after.phi[j] - before.phi[j]), speed[j] * elapsed * (1 + 1e-9) + 1e-12);
        ASSERT_LE(
          std::abs(after.feedforward[j] - before.feedforward[j]),
          slope[j] * elapsed * (1 + 1e-9) + 1e-11);
      }
      before = after;
    }
  });
}

TEST(PlayerProperty, NothingJumpsWhateverTheCycleTimes)
{
  for_all(8'000, [](Random & random) {
    const RobotModel robot = any_robot(random);
    const PlanSamples samples = any_samples(random, robot);
    const PlayablePlan plan(samples);
    const ControllerSettings settings = any_settings(random);
    const ControlMode mode = any_mode(random);
    ControlCore core(robot, settings, mode, period_ns);
    core.set_plan(&plan);
    AnyClock clock(random);

    // The settling leaves with the plan's speed and never goes faster; volts fade while they run.
    Eigen::Vector2d speed = fastest(samples).cwiseMax(settings.start.alignment_speed * 1.0000001);
    const double fades =
      robot.limits().voltage * (1.5 / settings.end.stop_time + 1.0 / settings.end.settle_time);
    const Eigen::Vector2d slope = steepest(samples).array() + fades;
    const double slew = robot.limits().voltage_rate;

    Eigen::Vector2d angle = plan.start();
    if (random.chance(0.5))
    {
      angle += Eigen::Vector2d(random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2));
    }
    ControlOutput before;
    std::int64_t time_before = 0;
    for (int cycle = 0; cycle < 400; ++cycle)
    {
      ControlInput input;
      input.time_ns = clock.next(random);
      input.sample_time_ns = input.time_ns;
      // Follows imperfectly, and never stands so still that it would count as frozen.
      const Eigen::Vector2d noise(random.uniform(-1e-4, 1e-4), random.uniform(-1e-4, 1e-4));
      if (drives(before.state))
      {
        angle += 0.3 * (before.reference.phi - angle);
      }
      input.angle = angle + noise;
      input.command = any_command(random, before.state);
      const ControlOutput output = core.update(input);

      const std::int64_t elapsed_ns = cycle == 0 ? period_ns : input.time_ns - time_before;
      const double advance = advance_of(elapsed_ns);
      const bool dropped =
        output.state == ControlState::fault ||
        (input.command == ControlCommand::abort && output.state == ControlState::idle);
      ASSERT_LE(output.volts.cwiseAbs().maxCoeff(), robot.limits().voltage);
      if (!drives(output.state))
      {
        ASSERT_EQ(output.volts, Eigen::Vector2d(0.0, 0.0)) << to_string(output.state);
      }
      if (!dropped)
      {
        ASSERT_LE(
          (output.volts - before.volts).cwiseAbs().maxCoeff(),
          slew * std::min(advance, period) * (1 + 1e-12) + 1e-14)
          << to_string(before.state) << " to " << to_string(output.state) << " after " << elapsed_ns
          << " ns";
      }
      const bool asked =
        input.command == ControlCommand::start || input.command == ControlCommand::align_and_start;
      const bool started = asked && !output.refusal && drives(output.state);
      if (started)
      {
        ASSERT_EQ(output.plan_time, 0.0);
      }
      else
      {
        ASSERT_GE(output.plan_time, before.plan_time);
        ASSERT_LE(output.plan_time - before.plan_time, advance + 1.1e-9);
      }
      const bool taken_where_it_is = mode == ControlMode::feedforward_only &&
                                     output.state == ControlState::holding &&
                                     before.state != ControlState::holding;
      if (taken_where_it_is)
      {
        speed = speed.cwiseMax(output.speed.cwiseAbs());
      }
      else if (drives(output.state) && !started)
      {
        for (int j = 0; j < 2; ++j)
        {
          ASSERT_LE(
            std::abs(output.reference.phi[j] - before.reference.phi[j]),
            speed[j] * (advance + 1e-9) + 1e-12)
            << to_string(before.state) << " to " << to_string(output.state);
          // A plan may begin with volts, which only the slew limit of the output smooths.
          const bool begins =
            before.state == ControlState::aligning && output.state != ControlState::aligning;
          // One that ends at speed is followed by braking, with the volts that this needs.
          const bool settles = output.state == ControlState::holding;
          if (!begins && !settles)
          {
            ASSERT_LE(
              std::abs(output.reference.feedforward[j] - before.reference.feedforward[j]),
              slope[j] * (advance + 1e-9) + 1e-11)
              << to_string(before.state) << " to " << to_string(output.state);
          }
        }
      }
      before = output;
      time_before = input.time_ns;
    }
  });
}

}  // namespace
}  // namespace fivebar_control::test
