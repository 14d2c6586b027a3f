// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "fivebar_control/daemon/experiment.hpp"
#include "fivebar_control/planner/planner.hpp"
#include "fivebar_control/simulation/gazebo_engine.hpp"
#include "fivebar_control/simulation/simulated_robot.hpp"
#include "fivebar_control/support/errors.hpp"
#include "model/robots.hpp"

// The published curves, played by the whole controller in real Gazebo.

namespace fivebar_control
{
namespace
{

/// m² s, in a trial of the same plans in the same Gazebo through ROS, with exact encoders.
struct Case
{
  const char * curve;
  double ise_of_trial;
};

class PlayedInGazebo : public testing::TestWithParam<Case>
{
protected:
  RobotModel robot = test::default_robot();
  Plan plan =
    make_plan(
      robot,
      load_plan_request(test::config_path(std::string("curves/") + GetParam().curve + ".yaml")))
      .plan;
  PlayablePlan playable{plan.samples};
  Experiment experiment{
    robot, playable, load_controller_settings(test::config_path("controller.yaml"))};

  ExperimentResult play(EngineMaker engine, const PlantParameters & plant, ControlMode mode)
  {
    experiment.engine = engine;
    return run_experiment(experiment, plant, mode);
  }
};

constexpr std::int64_t millisecond = 1'000'000;

}  // namespace

TEST_P(PlayedInGazebo, DrawsTheCurvesAsInTheTrialThroughRos)
{
  const PlantParameters plant = load_plant(test::config_path("plants/perfect.yaml"));
  const ExperimentResult result =
    play(make_gazebo_engine, plant, ControlMode::feedforward_and_feedback);
  std::printf(
    "  curve %s: ISE %.4g m^2 s, loop %.2g m\n", GetParam().curve, result.score.ise,
    result.loop_error);
  EXPECT_EQ(result.outcome.end, RunEnd::finished);
  EXPECT_NEAR(result.score.ise / GetParam().ise_of_trial, 1.0, 0.1);
  EXPECT_GT(result.loop_error, 0.0) << "the loop error is watched";
  EXPECT_LT(result.loop_error, 2e-4);
}

TEST_P(PlayedInGazebo, HasTheTrackingErrorsOfTheMismatchedPlant)
{
  const PlantParameters plant = load_plant(test::config_path("plants/mismatched.yaml"));
  for (const ControlMode mode : {ControlMode::feedback_only, ControlMode::feedforward_and_feedback})
  {
    const ExperimentResult own = play(make_equations_engine, plant, mode);
    const ExperimentResult gazebo = play(make_gazebo_engine, plant, mode);
    std::printf(
      "  curve %s, mismatched, %s: ISE %.4g m^2 s, Gazebo %.4g m^2 s (%+.1f %%), loop %.1e m\n",
      GetParam().curve, to_string(mode), own.score.ise, gazebo.score.ise,
      100.0 * (gazebo.score.ise / own.score.ise - 1.0), gazebo.loop_error);
    EXPECT_EQ(gazebo.outcome.end, RunEnd::finished);
    EXPECT_EQ(gazebo.score.cycles, own.score.cycles);
    EXPECT_NEAR(gazebo.score.ise / own.score.ise, 1.0, 0.1);
    EXPECT_LT(gazebo.loop_error, 2e-4);
  }
}

INSTANTIATE_TEST_SUITE_P(
  Curves, PlayedInGazebo,
  testing::Values(Case{"a", 1.87e-8}, Case{"b", 2.84e-8}, Case{"c", 5.00e-8}),
  [](const auto & values) { return std::string(1, values.param.curve[0]); });

TEST(GazeboEngine, StandsWhereItIsPutAndMovesAsOurOwnEquations)
{
  const RobotModel robot = test::default_robot();
  const Eigen::Vector4d start = robot.home_state() + Eigen::Vector4d(0.1, -0.1, 2.0, -1.0);
  const auto gazebo = make_gazebo_engine(robot, {});
  const auto own = make_equations_engine(robot, {});
  for (int round = 0; round < 2; ++round)
  {
    gazebo->reset(start);
    own->reset(start);
    EXPECT_LT((gazebo->state() - own->state()).norm(), 1e-12);
    for (int i = 0; i < 200; ++i)
    {
      const Eigen::Vector2d volts(2.0 * std::sin(0.05 * i), -1.5 * std::sin(0.04 * i));
      gazebo->advance(volts, 1e-3);
      own->advance(volts, 1e-3);
    }
    EXPECT_GT((own->state() - start).head<2>().norm(), 0.02) << "it must have moved";
    EXPECT_LT((gazebo->state() - own->state()).head<2>().cwiseAbs().maxCoeff(), 2e-3);
    EXPECT_LT((gazebo->end_effector() - own->end_effector()).norm(), 1e-3);
  }
}

TEST(GazeboEngine, HangsInGravityAndHasTheDeviationsOfThePlant)
{
  const RobotModel robot = test::unequal_robot();
  PlantParameters plant;
  plant.link_mass_scale = 1.3;
  plant.link_inertia_scale = 0.8;
  plant.motor_damping_scale = 1.4;
  plant.torque_constant_scale = 0.9;
  const auto gazebo = make_gazebo_engine(robot, plant);
  const auto own = make_equations_engine(robot, plant);
  const auto undisturbed = make_equations_engine(robot, {});
  for (PlantEngine * engine : {&*gazebo, &*own, &*undisturbed})
  {
    engine->reset(robot.home_state());
    for (int i = 0; i < 200; ++i)
    {
      engine->advance({2.0 * std::sin(0.05 * i), -1.5 * std::sin(0.04 * i)}, 1e-3);
    }
  }
  const double error = (gazebo->state() - own->state()).head<2>().norm();
  EXPECT_LT(error, 5e-3);
  EXPECT_GT((undisturbed->state() - own->state()).head<2>().norm(), 3.0 * error)
    << "the deviations must matter, or this test says nothing";
}

TEST(GazeboEngine, RefusesWhatItCannotMove)
{
  PlantParameters elastic;
  elastic.effects.frequency = 20.0;
  EXPECT_THROW(make_gazebo_engine(test::default_robot(), elastic), InputError);
  EXPECT_THROW(require_gazebo_period(millisecond / 4), InputError);
  EXPECT_NO_THROW(require_gazebo_period(2 * millisecond));
}

}  // namespace fivebar_control
