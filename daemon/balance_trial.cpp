// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/daemon/balance_trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/nanoseconds.hpp"
#include "fivebar_control/support/sealed_table.hpp"
#include "fivebar_control/support/yaml_text.hpp"

namespace fivebar_control
{
namespace
{

constexpr SealedKind log_kind{"balance log", "fivebar balance --log", 2, 500'000'000};

/// The robot that it truly is, in front of its encoders.
PendulumRobot simulated(
  const RobotModel & robot, const PendulumParameters & pendulum, const BalancePlan & plan,
  const BalanceTrialSettings & trial)
{
  Random random(trial.seed, trial.number);
  const RandomPendulum truth = random_pendulum(robot, pendulum, trial.model_error, random);
  PendulumState<double> start = plan.states.front();
  PendulumPlant plant = trial.plant;
  for (Eigen::Index i = 0; i < 4; ++i)
  {
    start[i] += i < 2 ? 0.0 : random.uniform(-trial.start_error, trial.start_error);
    plant.zero_error[i] = random.uniform(-trial.zero_error, trial.zero_error);
  }
  plant.seed = random.bits();
  return PendulumRobot(
    trial.engine == PendulumEngineKind::mujoco
      ? make_mujoco_pendulum(RobotModel(truth.robot), truth.pendulum, 1e-4)
      : make_pendulum_engine(truth.constants, 2.5e-4),
    plant, start);
}

BalanceGains without_feedback(BalanceGains gains)
{
  for (BalanceCycle & cycle : gains.cycles)
  {
    cycle.feedback.setZero();
    cycle.observer.setZero();
  }
  gains.hold.feedback.setZero();
  gains.hold.observer.setZero();
  return gains;
}

}  // namespace

BalanceTrial try_balance(
  const RobotModel & robot, const PendulumParameters & pendulum, const BalancePlan & plan,
  const BalanceGains & gains, const BalanceSettings & settings, const BalanceTrialSettings & trial,
  bool with_samples)
{
  PendulumRobot plant = simulated(robot, pendulum, plan, trial);
  Balancer balancer(
    robot, pendulum, trial.with_feedback ? gains : without_feedback(gains), settings);
  balancer.request_start();
  const PendulumConstants<double> constants = lump(robot, pendulum);
  const Geometry<double> & geometry = constants.robot.geometry;
  const Eigen::Vector2d home = end_effector_at(geometry, robot.parameters().home);
  BalanceTrial result;
  result.engine = plant.engine().name();
  const double end = plan.duration() + settings.hold_time + 1.0;
  const std::int64_t period = nanoseconds(trial.period);
  for (std::int64_t now = 0; static_cast<double>(now) * 1e-9 < end; now += period)
  {
    BalanceSample sample;
    sample.time = static_cast<double>(now) * 1e-9;
    sample.truth = plant.truth();
    sample.reading = plant.read();
    sample.volts = balancer.update(sample.reading, true, now);
    if (balancer.state() == BalanceState::finished || balancer.state() == BalanceState::fault)
    {
      break;
    }
    plant.advance(sample.volts, trial.period);
    const double tilt = tilt_of(constants, sample.truth);
    const double distance = (end_effector_at(geometry, sample.truth.head<2>()) - home).norm();
    result.largest_volts = std::max(result.largest_volts, sample.volts.cwiseAbs().maxCoeff());
    result.largest_tilt = std::max(result.largest_tilt, tilt);
    result.largest_distance = std::max(result.largest_distance, distance);
    if (sample.time > plan.duration() + 1.0)
    {
      result.held_tilt = std::max(result.held_tilt, tilt);
      result.held_distance = std::max(result.held_distance, distance);
    }
    if (with_samples)
    {
      sample.estimate = balancer.estimate();
      sample.reference = balancer.reference().state;
      sample.disturbance = balancer.disturbance();
      result.samples.push_back(sample);
    }
  }
  result.stood = balancer.state() == BalanceState::finished;
  result.finding = balancer.finding();
  result.time = balancer.time();
  return result;
}

void save_balance_log(
  const BalanceTrial & trial, const PendulumConstants<double> & constants,
  const std::string & plan_name, const std::string & path)
{
  AtomicFile file(path);
  SealedWriter writer(
    [&file](std::string_view some) { file.write(some); }, log_kind,
    fmt::format(
      "plan: {}\nengine: {}\nended: {}\n", yaml_quoted(plan_name), yaml_quoted(trial.engine),
      trial.stood ? "stood" : to_string(trial.finding)),
    {"t",       "u1",         "u4",         "phi1_read", "phi4_read", "a1_read",   "a2_read",
     "phi1",    "phi4",       "a1",         "a2",        "dphi1",     "dphi4",     "da1",
     "da2",     "phi1_model", "phi4_model", "a1_model",  "a2_model",  "phi1_plan", "phi4_plan",
     "a1_plan", "a2_plan",    "d1",         "d4",        "tilt"});
  fmt::memory_buffer rows;
  for (const BalanceSample & s : trial.samples)
  {
    fmt::format_to(std::back_inserter(rows), "{},{},{}", s.time, s.volts[0], s.volts[1]);
    Eigen::Matrix<double, 22, 1> values;
    values << s.reading, s.truth, s.estimate.head<4>(), s.reference.head<4>(), s.disturbance;
    for (const double value : values)
    {
      fmt::format_to(std::back_inserter(rows), ",{}", value);
    }
    fmt::format_to(std::back_inserter(rows), ",{}\n", tilt_of(constants, s.truth));
  }
  writer.write_rows({rows.data(), rows.size()});
  writer.close();
  file.commit();
}

}  // namespace fivebar_control
