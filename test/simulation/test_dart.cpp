// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "dart_engine.hpp"
#include "fivebar_control/daemon/experiment.hpp"
#include "fivebar_control/daemon/run_loop.hpp"
#include "fivebar_control/planner/planner.hpp"
#include "fivebar_control/simulation/simulated_robot.hpp"
#include "model/robots.hpp"

// What Gazebo would do, as far as it can be run without Gazebo: its reader, its engine, its way to
// close the loop, and our controller.

namespace fivebar_control
{
namespace
{

constexpr std::int64_t millisecond = 1'000'000;

/// True angles of the links at every cycle of a run.
struct Angles : RecordSink
{
  explicit Angles(const SimulatedRobot & hardware) : robot(hardware) {}
  void take(const CycleRecord &) noexcept override { phi.push_back(robot.state().head<2>()); }

  const SimulatedRobot & robot;
  std::vector<Eigen::Vector2d> phi;
};

struct Played
{
  RunEnd end;
  std::vector<Eigen::Vector2d> phi;
  double loop_error;
};

Played play(const RobotModel & robot, const Plan & plan, std::unique_ptr<PlantEngine> engine)
{
  const PlantParameters plant = load_plant(test::config_path("plants/perfect.yaml"));
  const PlayablePlan playable(plan.samples);
  SimulatedRobot hardware(std::move(engine), plant, playable.start(), millisecond);
  ControlCore controller(
    robot, load_controller_settings(test::config_path("controller.yaml")),
    ControlMode::feedforward_and_feedback, millisecond);
  controller.set_plan(&playable);
  Pacer pacer(millisecond, false);
  Angles angles(hardware);
  RunRequests requests;
  RunStatus status;
  const RunOutcome outcome =
    run_loop(controller, hardware, pacer, angles, requests, status, {millisecond, false});
  return {outcome.end, angles.phi, hardware.engine().largest_loop_error()};
}

class WeldedTreeInDart : public testing::TestWithParam<const char *>
{
};

}  // namespace

TEST_P(WeldedTreeInDart, FollowsAsOurOwnPlantUnderTheController)
{
  const RobotModel robot = test::default_robot();
  const Plan plan =
    make_plan(robot, load_plan_request(test::config_path("curves/") + GetParam() + ".yaml")).plan;
  const Played own = play(robot, plan, make_equations_engine(robot, {}));
  const Played dart = play(robot, plan, make_dart_engine(robot, {}));
  EXPECT_EQ(own.end, RunEnd::finished);
  EXPECT_EQ(dart.end, RunEnd::finished);
  ASSERT_EQ(dart.phi.size(), own.phi.size());
  double worst = 0.0;
  double travel = 0.0;
  for (std::size_t i = 0; i < own.phi.size(); ++i)
  {
    worst = std::max(worst, (dart.phi[i] - own.phi[i]).cwiseAbs().maxCoeff());
    travel = std::max(travel, (own.phi[i] - own.phi[0]).cwiseAbs().maxCoeff());
  }
  std::printf(
    "  %s: angles within %.2e rad over %.2f rad of travel, loop within %.1e m\n", GetParam(), worst,
    travel, dart.loop_error);
  EXPECT_GT(travel, 0.3);
  EXPECT_LT(worst, 2e-3);
  EXPECT_LT(dart.loop_error, 1e-3);
}

TEST_P(WeldedTreeInDart, HasTheTrackingErrorsOfTheMismatchedPlant)
{
  const RobotModel robot = test::default_robot();
  const Plan plan =
    make_plan(robot, load_plan_request(test::config_path("curves/") + GetParam() + ".yaml")).plan;
  const PlayablePlan playable(plan.samples);
  Experiment experiment{
    robot, playable, load_controller_settings(test::config_path("controller.yaml"))};
  for (const char * file : {"plants/perfect.yaml", "plants/mismatched.yaml"})
  {
    const PlantParameters plant = load_plant(test::config_path(file));
    for (const ControlMode mode :
         {ControlMode::feedback_only, ControlMode::feedforward_and_feedback})
    {
      experiment.engine = make_equations_engine;
      const ExperimentResult own = run_experiment(experiment, plant, mode);
      experiment.engine = make_dart_engine;
      const ExperimentResult dart = run_experiment(experiment, plant, mode);
      std::printf(
        "  %s, plant %s, %s: ISE %.4g m^2 s, DART %.4g m^2 s (%+.1f %%), loop %.1e m\n", GetParam(),
        plant.name.c_str(), to_string(mode), own.score.ise, dart.score.ise,
        100.0 * (dart.score.ise / own.score.ise - 1.0), dart.loop_error);
      EXPECT_EQ(dart.outcome.end, RunEnd::finished);
      // With exact encoders and the right model little is left of the error, and what is left is
      // how the engines' steps differ.
      const bool bare = plant.name == "perfect" && mode == ControlMode::feedforward_and_feedback;
      EXPECT_NEAR(dart.score.ise / own.score.ise, 1.0, bare ? 0.25 : 0.1);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Curves, WeldedTreeInDart, testing::Values("a", "b", "c"));

}  // namespace fivebar_control
