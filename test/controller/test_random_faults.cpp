// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <set>
#include <vector>

#include "controller/rig.hpp"

namespace fivebar_control::test
{
namespace
{

enum class Trouble
{
  drop_out,
  stale_sample,
  spike,
  small_spike,
  frozen_encoder,
  late_cycle,
  clock_stands_still,
  not_a_number,
  write_failure,
  device_fault,
  stop,
  abort,
  reset_and_start,
};
constexpr int trouble_count = 13;

struct Incident
{
  Trouble trouble;
  int from, cycles;
  int joint;
  double size;
};

/// A script of one to six incidents.
std::vector<Incident> random_script(std::mt19937 & random, int cycles)
{
  const auto integer = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  std::vector<Incident> script;
  const int incidents = integer(1, 6);
  for (int i = 0; i < incidents; ++i)
  {
    const auto trouble = static_cast<Trouble>(integer(0, trouble_count - 1));
    const bool once = trouble == Trouble::spike || trouble == Trouble::not_a_number ||
                      trouble == Trouble::stop || trouble == Trouble::abort ||
                      trouble == Trouble::reset_and_start;
    script.push_back(
      {trouble, integer(0, cycles),
       once ? 1 : integer(1, trouble == Trouble::frozen_encoder ? 300 : 6), integer(0, 1),
       std::uniform_real_distribution<double>(-1.0, 1.0)(random)});
  }
  return script;
}

class Script
{
public:
  Script(Rig & rig, const std::vector<Incident> & incidents) : rig_(rig), incidents_(incidents) {}

  ControlOutput step(int cycle)
  {
    ControlCommand command = cycle == 0 ? ControlCommand::start : ControlCommand::none;
    for (const Incident & i : incidents_)
    {
      if (i.from == cycle)
      {
        command = i.trouble == Trouble::stop              ? ControlCommand::stop
                  : i.trouble == Trouble::abort           ? ControlCommand::abort
                  : i.trouble == Trouble::reset_and_start ? ControlCommand::reset
                                                          : command;
      }
      if (i.trouble == Trouble::reset_and_start && i.from + 1 == cycle)
      {
        command = ControlCommand::align_and_start;
      }
    }
    return rig_.step(command, [&](ControlInput & input) { tamper(input, cycle); });
  }

private:
  void tamper(ControlInput & input, int cycle)
  {
    for (const Incident & i : incidents_)
    {
      if (cycle < i.from || cycle >= i.from + i.cycles)
      {
        continue;
      }
      switch (i.trouble)
      {
        case Trouble::drop_out:
          input.read_good = false;
          input.angle = {1e300, std::nan("")};  // must not be looked at
          break;
        case Trouble::stale_sample:
          input.sample_time_ns -= 5 * millisecond;
          break;
        case Trouble::spike:
          input.angle[i.joint] += 3.0 * i.size;
          break;
        case Trouble::small_spike:
          input.angle[i.joint] += 0.05 * i.size;
          break;
        case Trouble::frozen_encoder:
          frozen_[static_cast<std::size_t>(i.joint)] =
            cycle == i.from ? input.angle[i.joint] : frozen_[static_cast<std::size_t>(i.joint)];
          input.angle[i.joint] = frozen_[static_cast<std::size_t>(i.joint)];
          break;
        case Trouble::late_cycle:
          rig_.time_ns += static_cast<std::int64_t>(1e7 * std::abs(i.size));
          input.time_ns = rig_.time_ns;
          input.sample_time_ns = rig_.time_ns;
          break;
        case Trouble::clock_stands_still:
          rig_.time_ns -= millisecond;
          input.time_ns = rig_.time_ns;
          input.sample_time_ns = rig_.time_ns;
          break;
        case Trouble::not_a_number:
          input.angle[i.joint] = i.size < 0.0 ? std::nan("") : INFINITY;
          break;
        case Trouble::write_failure:
          input.write_good = false;
          break;
        case Trouble::device_fault:
          input.device_good = i.size < 0.5;
          break;
        case Trouble::stop:
        case Trouble::abort:
        case Trouble::reset_and_start:
          break;
      }
    }
  }

  Rig & rig_;
  std::vector<Incident> incidents_;
  std::array<double, 2> frozen_{};
};

TEST(RandomFaults, AThousandScriptsKeepTheVoltsInBoundsAndEndInADefinedState)
{
  constexpr double voltage_limit = 3.0;
  constexpr double change_limit = 0.4;  // V per cycle
  const RobotModel robot = robot_with([](Limits & limits) {
    limits.voltage = voltage_limit;
    limits.voltage_rate = change_limit / 1e-3;
  });
  const PlanSamples plan = beginning_of(samples_of("c"), 121);  // 0.6 s, much movement
  // PD, and what lives along the plan: observer with gains, and with a horizon.
  std::array<ControllerSettings, 3> laws{
    default_settings(), default_settings(), default_settings()};
  laws[1].velocity.method = laws[2].velocity.method = VelocityMethod::kalman;
  laws[1].gains.method = FeedbackMethod::tvlqr;
  laws[2].gains.method = FeedbackMethod::mpc;
  for (ControllerSettings & settings : laws)
  {
    settings.end = {0.1, 0.05, 0.05, 0.05};
  }
  PlantParameters plant = load_plant(config_path("plants/mismatched.yaml"));
  plant.integration_step = 1e-4;
  std::set<Reason> seen;
  int finished = 0;
  std::int64_t bounded = 0;
  for (unsigned seed = 0; seed < 1000; ++seed)
  {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const std::array<ControlMode, 3> modes{
      ControlMode::feedforward_and_feedback, ControlMode::feedback_only,
      ControlMode::feedforward_only};
    Rig rig(robot, plan, laws[(seed / 3) % 3], modes[seed % 3], plant);
    Script script(rig, random_script(random, 700));
    Eigen::Vector2d before = Eigen::Vector2d::Zero();
    bool was_fault = false;
    // No incident after cycle 1000; a restart with alignment may take a few seconds more.
    constexpr int longest = 8000;
    for (int cycle = 0; cycle < longest; ++cycle)
    {
      const bool at_rest =
        rig.core.state() == ControlState::idle || rig.core.state() == ControlState::fault;
      if (cycle > 1000 && at_rest)
      {
        break;
      }
      const ControlOutput output = script.step(cycle);
      ASSERT_TRUE(std::isfinite(output.volts[0]) && std::isfinite(output.volts[1]));
      ASSERT_LE(output.volts.cwiseAbs().maxCoeff(), voltage_limit);
      const bool off = output.state == ControlState::fault || output.state == ControlState::idle;
      if (off)
      {
        ASSERT_EQ(output.volts, Eigen::Vector2d(0.0, 0.0));
      }
      else
      {
        ASSERT_LE((output.volts - before).cwiseAbs().maxCoeff(), change_limit + 1e-12);
      }
      if (output.state == ControlState::fault)
      {
        ASSERT_TRUE(is_fault(rig.core.fault().reason));
        seen.insert(rig.core.fault().reason);
      }
      else if (was_fault)
      {
        ASSERT_EQ(output.state, ControlState::idle) << "a fault is left by reset only";
      }
      was_fault = output.state == ControlState::fault;
      before = output.volts;
    }
    const ControlState end = rig.core.state();
    ASSERT_TRUE(end == ControlState::idle || end == ControlState::fault) << to_string(end);
    finished += end == ControlState::idle ? 1 : 0;
    bounded += rig.core.bounded_horizons();
  }
  // The scripts must really cause all of this, and not everything.
  for (const Reason reason :
       {Reason::late_cycles, Reason::encoder_frozen, Reason::encoder_jump,
        Reason::encoder_not_finite, Reason::read_failed, Reason::write_failed,
        Reason::device_fault})
  {
    EXPECT_TRUE(seen.count(reason) == 1) << to_string(reason);
  }
  EXPECT_GT(bounded, 100) << "hardly a horizon met a limit";
  EXPECT_GT(finished, 100);
  EXPECT_LT(finished, 900);
}

}  // namespace
}  // namespace fivebar_control::test
