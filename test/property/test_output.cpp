// SPDX-License-Identifier: Apache-2.0
#include "property/any_run.hpp"

namespace fivebar_control::test
{
namespace
{

TEST(OutputProperty, TheLimitsHoldForEveryFiniteSum)
{
  for_all(300'000, [](Random & random) {
    const OutputLimits limits{
      std::pow(10.0, random.uniform(-3.0, 3.0)), std::pow(10.0, random.uniform(-6.0, 4.0))};
    const double v = limits.voltage;
    const auto inside = [&] { return random.chance(0.2) ? v : random.uniform(-v, v); };
    const Eigen::Vector2d before(inside(), inside());
    const Eigen::Vector2d sum(any_finite(random), any_finite(random));
    const Eigen::Vector2d volts = limit_output(sum, before, limits);
    for (int j = 0; j < 2; ++j)
    {
      ASSERT_LE(std::abs(volts[j]), v);
      ASSERT_LE(std::abs(volts[j] - before[j]), limits.voltage_change + 1e-15 * v);
      // Not more is cut off than the limits ask for, and never beyond what was wanted.
      const bool reachable = std::abs(sum[j]) <= v &&
                             std::abs(sum[j] - before[j]) <= limits.voltage_change * (1 - 1e-12);
      ASSERT_TRUE(!reachable || volts[j] == sum[j]);
      ASSERT_GE((volts[j] - before[j]) * (sum[j] > before[j] ? 1.0 : -1.0), 0.0);
    }
  });
}

/// A sane cycle with some of its inputs replaced by anything at all.
void spoil(Random & random, ControlInput & input)
{
  const auto any_time = [&] { return static_cast<std::int64_t>(random.bits()) / 4; };
  switch (random.integer(0, 6))
  {
    case 0:
      input.angle[random.integer(0, 1)] = any_double(random);
      break;
    case 1:
      input.angle = {any_double(random), any_double(random)};
      break;
    case 2:
      input.time_ns = any_time();
      break;
    case 3:
      input.sample_time_ns = any_time();
      break;
    case 4:
      input.read_good = random.chance(0.5);
      input.write_good = random.chance(0.5);
      break;
    case 5:
      input.device_good = random.chance(0.5);
      break;
    default:
      input.angle[random.integer(0, 1)] += random.uniform(-1.0, 1.0);
      break;
  }
}

TEST(OutputProperty, TheVoltsStayFiniteAndLimitedWhateverTheInputs)
{
  for_all(6'000, [](Random & random) {
    const RobotModel robot = any_robot(random);
    PlanSamples samples = any_samples(random, robot);
    if (random.chance(0.3))
    {
      // A plan in memory that no loader would have let through.
      samples.u1[random.bits() % samples.size()] = any_double(random);
      samples.phi4[random.bits() % samples.size()] = any_double(random);
      samples.dphi1[random.bits() % samples.size()] = any_double(random);
    }
    const PlayablePlan plan(samples);
    ControllerSettings settings = any_settings(random);
    if (random.chance(0.2))
    {
      settings.gains = {any_double(random), any_double(random), any_double(random), 1.0};
    }
    settings.guard.following_band = random.chance(0.5) ? 0.3 : 1e300;
    ControlCore core(robot, settings, any_mode(random), period_ns);
    core.set_plan(&plan);
    const double trouble = random.uniform(0.0, 0.1);
    const double change = robot.limits().voltage_rate * period;
    Eigen::Vector2d angle = plan.start().allFinite() ? plan.start() : robot.parameters().home;
    ControlOutput before;
    for (int cycle = 0; cycle < 200; ++cycle)
    {
      ControlInput input;
      input.time_ns = cycle * period_ns;
      input.sample_time_ns = input.time_ns;
      input.angle =
        angle + Eigen::Vector2d(random.uniform(-1e-3, 1e-3), random.uniform(-1e-3, 1e-3));
      input.command = before.state == ControlState::fault && random.chance(0.2)
                        ? ControlCommand::reset
                        : any_command(random, before.state);
      if (random.chance(trouble))
      {
        spoil(random, input);
      }
      const ControlOutput output = core.update(input);
      ASSERT_TRUE(std::isfinite(output.volts[0]) && std::isfinite(output.volts[1]));
      ASSERT_LE(output.volts.cwiseAbs().maxCoeff(), robot.limits().voltage);
      if (!drives(output.state))
      {
        ASSERT_EQ(output.volts, Eigen::Vector2d(0.0, 0.0));
      }
      else
      {
        ASSERT_LE(
          (output.volts - before.volts).cwiseAbs().maxCoeff(), change * (1 + 1e-12) + 1e-14);
      }
      before = output;
    }
  });
}

}  // namespace
}  // namespace fivebar_control::test
