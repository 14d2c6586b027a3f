// SPDX-License-Identifier: Apache-2.0
#include "episode.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "fivebar_control/plan/plan_file.hpp"
#include "random_request.hpp"

namespace fivebar_control::soak
{
namespace
{

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::int64_t longest_run = 120'000;  // cycles; plans last a few seconds

/// A session: one controller on one robot, and what it is to play.
struct Session
{
  std::size_t plan;
  RobotModel robot;
  ControllerSettings settings;
  ControlMode mode;
  PlantParameters plant;
  bool align;
  bool clean;  ///< nothing is different from the model and nothing happens
};

PlantParameters random_plant(Random & random)
{
  PlantParameters plant;
  const auto factor = [&] { return random.uniform(0.8, 1.25); };
  plant.link_mass_scale = factor();
  plant.link_inertia_scale = factor();
  plant.rotor_inertia_scale = factor();
  plant.motor_damping_scale = random.uniform(0.5, 2.0);
  plant.torque_constant_scale = factor();
  plant.resistance_scale = factor();
  plant.viscous = random.uniform(0.0, 0.005);
  plant.coulomb = random.uniform(0.0, 0.02);
  plant.supply_voltage = random.uniform(6.0, 24.0);
  plant.angle_noise = random.chance(0.5) ? 0.0 : random.uniform(0.0, 5e-4);
  plant.seed = random.bits();
  plant.delay_cycles = random.chance(0.7) ? 0 : random.integer(1, 3);
  return plant;
}

Session random_session(Random & random, const Pool & pool)
{
  const std::size_t plan = random.bits() % pool.plans.size();
  const bool clean = random.chance(0.2);
  Session session{
    plan,  pool.robot, pool.settings, ControlMode::feedforward_and_feedback, PlantParameters{},
    false, clean};
  if (!clean)
  {
    RobotParameters parameters = pool.robot.parameters();
    // Not below what the plan needs, or it would be refused.
    parameters.limits.voltage *= random.uniform(0.8, 1.0);
    parameters.limits.voltage =
      std::max(parameters.limits.voltage, 1.01 * pool.plans[plan].quality.largest_voltage);
    parameters.limits.voltage_rate = std::exp(random.uniform(std::log(50.0), std::log(1e4)));
    session.robot = RobotModel(parameters);
    session.mode = static_cast<ControlMode>(random.integer(0, 2));
    session.settings.gains.kp *= random.uniform(0.5, 1.5);
    session.settings.gains.kd *= random.uniform(0.5, 1.5);
    session.settings.gains.ki = random.chance(0.5) ? 0.0 : random.uniform(0.0, 40.0);
    session.settings.velocity.method = static_cast<VelocityMethod>(random.integer(0, 1));
    session.settings.end = {
      random.uniform(0.05, 0.5), random.uniform(0.05, 0.3), random.uniform(0.0, 0.5),
      random.uniform(0.05, 0.5)};
    session.plant = random_plant(random);
  }
  session.plant.integration_step = 1e-4;
  return session;
}

/// A place to stand that is not the plan's start, if there is one near.
std::optional<Eigen::Vector2d> misplaced(
  Random & random, const RobotModel & robot, const Eigen::Vector2d & start)
{
  const Eigen::Vector2d phi =
    start + Eigen::Vector2d(random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3));
  const auto pose = robot.kinematics().forward(phi);
  const bool good = pose && pose->margins.parallel > 2.0 * robot.limits().singularity_margin;
  return good ? std::optional(phi) : std::nullopt;
}

/// Runs sessions one after the other.
class Episode
{
public:
  Episode(const Pool & pool, std::uint64_t seed, std::int64_t number, bool fast)
  : pool_(pool),
    number_(number),
    random_(seed, static_cast<std::uint64_t>(number)),
    clock_(period_ns, !fast, random_)
  {
  }

  EpisodeResult play()
  {
    constexpr double cycles_per_second = 1e9 / static_cast<double>(period_ns);
    while (!result_.violation &&
           static_cast<double>(result_.counters.cycles) < episode_seconds * cycles_per_second)
    {
      play_session();
    }
    return result_;
  }

private:
  void play_session()
  {
    Session session = random_session(random_, pool_);
    const PlayablePlan & plan = pool_.playable[session.plan];
    if (!session.clean && random_.chance(0.2))
    {
      session.plant.start = misplaced(random_, session.robot, plan.start());
      session.align = random_.chance(0.8);
    }
    SimulatedRobot simulated(session.robot, session.plant, plan.start(), period_ns);
    TroubledRobot robot(simulated, clock_);
    ControlCore controller(session.robot, session.settings, session.mode, period_ns);
    controller.set_plan(&plan);
    const GuardSettings & guard = session.settings.guard;
    Monitor monitor(
      {session.robot.limits().voltage, session.robot.limits().voltage_rate, period_ns,
       guard.failures_in_a_row, guard.late_cycles_in_a_row, longest_run},
      robot, clock_);
    offer_foreign_plan(session, monitor);
    for (int run = 0; run < 2 && monitor.violation() == nullptr; ++run)
    {
      play_run(session, controller, simulated, robot, monitor);
      keep_fault_latched(session, controller, simulated, robot, monitor);
    }
    result_.counters.add(monitor.counters);
    if (monitor.violation() != nullptr)
    {
      result_.violation = {
        monitor.violation(), number_, result_.counters.runs, monitor.violation_cycle()};
    }
  }

  RunOutcome loop(
    const Session & session, const std::vector<Incident> & incidents, ControlCore & controller,
    TroubledRobot & robot, Monitor & monitor)
  {
    RunRequests requests;
    RunStatus status;
    clock_.pass(10 * second_ns);  // the robot may be put elsewhere without seeming to jump
    clock_.begin_run(&incidents);
    robot.begin_run(incidents, requests);
    monitor.begin_run(requests, controller.state());
    return run_loop(
      controller, robot, clock_, monitor, requests, status, {period_ns, session.align});
  }

  void play_run(
    const Session & session, ControlCore & controller, SimulatedRobot & simulated,
    TroubledRobot & robot, Monitor & monitor)
  {
    std::vector<Incident> incidents;
    if (!session.clean)
    {
      const double seconds = pool_.playable[session.plan].duration() + 1.5;
      incidents = random_incidents(random_, static_cast<std::int64_t>(1e3 * seconds));
    }
    const RunOutcome outcome = loop(session, incidents, controller, robot, monitor);
    monitor.end_run(outcome, incidents);
    if (session.clean)
    {
      ++monitor.counters.clean_runs;
      monitor.require(outcome.end == RunEnd::finished, "an untroubled run did not finish");
    }
    const bool fell = outcome.end == RunEnd::fault || outcome.end == RunEnd::hardware_fault;
    monitor.require(
      fell == (controller.state() == ControlState::fault), "the outcome and the state differ");
    monitor.require(!fell || is_fault(controller.fault().reason), "a fault has no reason");
    MotorSample sample;
    simulated.read(sample);
    monitor.require(
      simulated.motor_volts() == Eigen::Vector2d(0.0, 0.0), "the motors are driven after a run");
  }

  /// A fault must survive a start, commands and good cycles, and go by a reset.
  void keep_fault_latched(
    const Session & session, ControlCore & controller, SimulatedRobot & simulated,
    TroubledRobot & robot, Monitor & monitor)
  {
    if (controller.state() != ControlState::fault)
    {
      return;
    }
    const Finding fault = controller.fault();
    const std::vector<Incident> quiet;
    loop(session, quiet, controller, robot, monitor);
    ++monitor.counters.latched_starts;
    const auto still_latched = [&] {
      // Bit by bit: the value of some faults is no number.
      return controller.state() == ControlState::fault &&
             controller.fault().reason == fault.reason &&
             std::bit_cast<std::uint64_t>(controller.fault().value) ==
               std::bit_cast<std::uint64_t>(fault.value);
    };
    monitor.require(still_latched(), "a start cleared a fault");
    const Encoder encoder = simulated.encoder();
    const auto update = [&](ControlCommand command) {
      MotorSample sample;
      const HardwareError read_error = simulated.read(sample);
      clock_.pass(period_ns);
      sample.time_ns = clock_.now_ns();
      ControlInput input = input_of(sample, read_error, encoder, sample.time_ns, true);
      input.command = command;
      return controller.update(input);
    };
    constexpr std::array<ControlCommand, 4> harmless{
      ControlCommand::none, ControlCommand::start, ControlCommand::stop, ControlCommand::abort};
    for (int cycle = random_.integer(1, 20); cycle > 0; --cycle)
    {
      const ControlOutput output = update(random_.pick(harmless));
      monitor.require(still_latched(), "a fault went without a reset");
      monitor.require(output.volts == Eigen::Vector2d(0.0, 0.0), "volts while a fault is latched");
    }
    const ControlOutput output = update(ControlCommand::reset);
    monitor.require(output.state == ControlState::idle, "a reset did not clear the fault");
    monitor.require(output.volts == Eigen::Vector2d(0.0, 0.0), "volts after a reset");
    ++monitor.counters.transitions[static_cast<std::size_t>(ControlState::fault)]
                                  [static_cast<std::size_t>(ControlState::idle)];
  }

  void offer_foreign_plan(const Session & session, Monitor & monitor)
  {
    if (!random_.chance(0.05))
    {
      return;
    }
    const RobotModel other = perturbed(random_, pool_.robot, 0.1);
    ++monitor.counters.foreign_plans;
    monitor.require(
      !plan_fits(pool_.plans[session.plan], other), "a plan for another robot was taken");
  }

  const Pool & pool_;
  std::int64_t number_;
  Random random_;
  TroubledClock clock_;
  EpisodeResult result_;
};

}  // namespace

EpisodeResult run_episode(const Pool & pool, std::uint64_t seed, std::int64_t number, bool fast)
{
  return Episode(pool, seed, number, fast).play();
}

}  // namespace fivebar_control::soak
