// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "controller/rig.hpp"
#include "fivebar_control/daemon/run_loop.hpp"
#include "fivebar_control/simulation/mujoco_engine.hpp"
#include "fivebar_control/simulation/stepped_board.hpp"
#include "fivebar_control/simulation/true_motion.hpp"

namespace fivebar_control::test
{

enum class Robot
{
  simulated,
  mujoco,
  board,
};

inline const char * name_of(Robot robot)
{
  switch (robot)
  {
    case Robot::simulated:
      return "sim";
    case Robot::mujoco:
      return "MuJoCo";
    case Robot::board:
      return "board";
  }
  return "";
}

/// What happens to the device at FaultRow::begins.
enum class Event
{
  none,
  hang,            ///< the host sends nothing for longer than any watchdog waits
  emergency_stop,  ///< the rest can only happen to a board
  reboot,
  timer_stands_still,
  gives_less,  ///< at most 0.1 V, whatever it is told
};

struct FaultRow
{
  const char * name;
  const char * plant;   ///< keys of the plant file
  double begins = 0.0;  ///< s after the motors were first driven
  double error = 0.25;  ///< rad that must not be passed
  double speed = 6.0;   ///< rad/s that must not be passed
  void (*settings)(ControllerSettings &) = [](ControllerSettings &) {};
  double voltage_limit = 10.0;  ///< V, of the robot
  Event event = Event::none;
};

struct CurvePlan
{
  const char * name;
  PlanSamples samples;
};

inline const std::vector<CurvePlan> & plans()
{
  static const std::vector<CurvePlan> all = [] {
    const char * circle =
      "schema: 1\nname: circle\ncurve: {type: circle, center: [0.115, 0.127], radius: 0.012, "
      "start_angle: 0.0, turns: 2, duration: 4.0}\nramp: {in: 1.0, out: 1.0}\ncost: {alpha: 0.05, "
      "beta: 1.0, rho: 1.0e-9}\n";
    return std::vector<CurvePlan>{
      {"b_gentle", samples_of("b_gentle")},
      {"a_gentle", samples_of("a_gentle")},
      {"circle of 12 mm",
       make_plan(default_robot(), parse_plan_request(circle, "circle")).plan.samples}};
  }();
  return all;
}

inline void happen(Event event, MotorHardware & hardware)
{
  MotorSample sample;
  for (int i = 0; i < 150 && event == Event::hang; ++i)
  {
    hardware.read(sample);  // time goes on, and nobody writes
  }
  if (auto * board = dynamic_cast<SteppedBoard *>(&hardware))
  {
    switch (event)
    {
      case Event::emergency_stop:
        return board->press_emergency_stop(0.0);
      case Event::reboot:
        return board->reboot();
      case Event::timer_stands_still:
        return board->stop_timer();
      case Event::gives_less:
        return board->limit_output(0.1);
      case Event::none:
      case Event::hang:
        return;
    }
  }
}

/// Sees the true motion of whatever robot this is, and makes happen what is to happen.
class Watcher : public RecordSink
{
public:
  Watcher(const SimulatedPlant & plant, MotorHardware & hardware, const FaultRow & row)
  : plant_(plant), hardware_(hardware), row_(row), motion_(default_robot())
  {
  }
  void take(const CycleRecord & record) noexcept override
  {
    reference_ = has_reference(record.state) ? record.reference : reference_;
    motion_.see(plant_, reference_);
    if (++cycles_ == std::llround(1e3 * row_.begins))
    {
      happen(row_.event, hardware_);
    }
  }
  void come_to_rest(SimulatedRobot & robot)
  {
    MotorSample sample;
    for (int i = 0; i < 500; ++i)
    {
      robot.read(sample);
      motion_.see(plant_, reference_);
    }
  }
  void come_to_rest(SteppedBoard & board)
  {
    for (int i = 0; i < 500; ++i)
    {
      board.let_time_pass(1e-3);
      motion_.see(plant_, reference_);
    }
  }
  const TruePeaks & peaks() const { return motion_.peaks(); }

private:
  const SimulatedPlant & plant_;
  MotorHardware & hardware_;
  const FaultRow & row_;
  TrueMotion motion_;
  Eigen::Vector2d reference_ = Eigen::Vector2d::Zero();
  std::int64_t cycles_ = 0;
};

struct Played
{
  RunOutcome outcome;
  TruePeaks peaks;
};

template <class Hardware>
Played play_on(
  Hardware & hardware, const PlayablePlan & plan, const FaultRow & row, ControlMode mode)
{
  ControllerSettings settings = default_settings();
  row.settings(settings);
  const RobotModel robot =
    robot_with([&row](Limits & limits) { limits.voltage = row.voltage_limit; });
  ControlCore controller(robot, settings, mode, millisecond);
  controller.set_plan(&plan);
  Pacer pacer(millisecond, false);
  Watcher watcher(hardware.plant(), hardware, row);
  RunRequests requests;
  RunStatus status;
  const RunOutcome outcome =
    run_loop(controller, hardware, pacer, watcher, requests, status, {millisecond, false});
  if (outcome.end != RunEnd::finished)
  {
    watcher.come_to_rest(hardware);
  }
  return {outcome, watcher.peaks()};
}

/// A board that knows where its robot stood at power-up.
class HomedBoard : public SteppedBoard
{
public:
  HomedBoard(const PlantParameters & plant, const Eigen::Vector2d & start)
  : SteppedBoard(default_robot(), plant, start, millisecond),
    encoder_{Eigen::Vector2d::Constant(plant.counts_per_turn), start}
  {
  }
  Encoder encoder() const override { return encoder_; }

private:
  Encoder encoder_;
};

inline Played play(
  Robot robot, const PlantParameters & plant, const PlanSamples & samples, const FaultRow & row,
  ControlMode mode)
{
  const PlayablePlan plan(samples);
  if (robot == Robot::board)
  {
    HomedBoard board(plant, plan.start());
    return play_on(board, plan, row, mode);
  }
  const EngineMaker maker = robot == Robot::mujoco ? make_mujoco_engine : make_equations_engine;
  SimulatedRobot simulated(maker(default_robot(), plant), plant, plan.start(), millisecond);
  return play_on(simulated, plan, row, mode);
}

inline std::vector<Robot> robots()
{
#ifdef FIVEBAR_MUJOCO
  return {Robot::simulated, Robot::mujoco, Robot::board};
#else
  return {Robot::simulated, Robot::board};
#endif
}

inline constexpr ControlMode both_modes[] = {
  ControlMode::feedback_only, ControlMode::feedforward_and_feedback};

}  // namespace fivebar_control::test
