// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <functional>

#include "fivebar_control/controller/control_core.hpp"
#include "fivebar_control/planner/planner.hpp"
#include "fivebar_control/simulation/simulated_robot.hpp"
#include "model/robots.hpp"

namespace fivebar_control::test
{

inline constexpr std::int64_t millisecond = 1'000'000;

inline PlanSamples samples_of(const std::string & curve)
{
  return make_plan(default_robot(), load_plan_request(config_path("curves/" + curve + ".yaml")))
    .plan.samples;
}

/// Curve B with a gentle start, planned once.
inline const PlanSamples & gentle_plan()
{
  static const PlanSamples samples = samples_of("b_gentle");
  return samples;
}

/// Its first `nodes` nodes.
inline PlanSamples beginning_of(PlanSamples samples, std::size_t nodes)
{
  for (auto * column :
       {&samples.t, &samples.u1, &samples.u4, &samples.phi1, &samples.phi4, &samples.dphi1,
        &samples.dphi4, &samples.x, &samples.y})
  {
    column->resize(nodes);
  }
  return samples;
}

inline ControllerSettings default_settings()
{
  return load_controller_settings(config_path("controller.yaml"));
}

/// The same without the guards that compare the motion with the model: for encoders that are told
/// what no robot would do.
inline ControllerSettings settings_without_model()
{
  ControllerSettings settings = default_settings();
  settings.guard.switch_off(Reason::implausible_motion);
  settings.guard.switch_off(Reason::implausible_scale);
  settings.guard.jump_distance = 1e12;
  return settings;
}

inline RobotModel robot_with(const std::function<void(Limits &)> & change)
{
  RobotParameters parameters = default_robot().parameters();
  change(parameters.limits);
  return RobotModel(parameters);
}

/// Controller and simulated robot, cycle by cycle, with a hand on what the controller sees.
class Rig
{
public:
  using Tamper = std::function<void(ControlInput &)>;

  explicit Rig(
    const RobotModel & robot = default_robot(), const PlanSamples & samples = gentle_plan(),
    const ControllerSettings & settings = default_settings(),
    ControlMode mode = ControlMode::feedforward_and_feedback, const PlantParameters & plant = {})
  : plan(samples),
    gains(loop_gains_for(robot, settings, plan, 1e-3)),
    hardware(robot, plant, plan.start(), millisecond),
    core(robot, settings, mode, millisecond)
  {
    core.set_plan(&plan, gains ? &*gains : nullptr);
    hardware.open();
    hardware.arm();
  }

  ControlOutput step(
    ControlCommand command = ControlCommand::none, const Tamper & tamper = [](ControlInput &) {})
  {
    MotorSample sample;
    hardware.read(sample);
    time_ns += millisecond;
    ControlInput input;
    input.time_ns = time_ns;
    input.sample_time_ns = time_ns;
    input.angle = hardware.encoder().angle(sample);
    input.command = command;
    tamper(input);
    const ControlOutput output = core.update(input);
    hardware.write(output.volts);
    return output;
  }

  /// Starts and plays for so many cycles.
  ControlOutput play(int cycles)
  {
    ControlOutput output = step(ControlCommand::start);
    for (int i = 1; i < cycles; ++i)
    {
      output = step();
    }
    return output;
  }

  /// Steps until the state is left; the number of cycles that took.
  int steps_while(ControlState state, int most = 100000)
  {
    int cycles = 0;
    while (core.state() == state && cycles < most)
    {
      step();
      ++cycles;
    }
    return cycles;
  }

  PlayablePlan plan;
  std::optional<LoopGains> gains;
  SimulatedRobot hardware;
  ControlCore core;
  std::int64_t time_ns = 0;
};

}  // namespace fivebar_control::test
