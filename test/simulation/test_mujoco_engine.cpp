// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "fivebar_control/daemon/experiment.hpp"
#include "fivebar_control/planner/planner.hpp"
#include "fivebar_control/simulation/mjcf.hpp"
#include "fivebar_control/simulation/mujoco_engine.hpp"
#include "fivebar_control/simulation/simulated_robot.hpp"
#include "fivebar_control/support/errors.hpp"
#include "model/robots.hpp"

// The published curves, played by the whole controller on an engine that is not ours.

namespace fivebar_control
{
namespace
{

struct Case
{
  const char * curve;
  const char * plant;
};

class PlayedOnMujoco : public testing::TestWithParam<Case>
{
};

/// Counts of both joints over `cycles` periods of a swinging voltage.
std::vector<std::int64_t> counts_of(SimulatedRobot & hardware, int cycles)
{
  EXPECT_EQ(hardware.open(), HardwareError::none);
  EXPECT_EQ(hardware.arm(), HardwareError::none);
  std::vector<std::int64_t> counts;
  MotorSample sample;
  for (int i = 0; i < cycles; ++i)
  {
    EXPECT_EQ(hardware.read(sample), HardwareError::none);
    counts.insert(counts.end(), sample.counts.begin(), sample.counts.end());
    hardware.write({2.0 * std::sin(0.02 * i), 1.5 * std::cos(0.03 * i)});
  }
  return counts;
}

constexpr std::int64_t millisecond = 1'000'000;

}  // namespace

TEST_P(PlayedOnMujoco, HasTheTrackingErrorOfOurOwnPlant)
{
  const RobotModel robot = test::default_robot();
  const Plan plan = make_plan(robot, load_plan_request(test::config_path(GetParam().curve))).plan;
  const PlantParameters plant = load_plant(test::config_path(GetParam().plant));
  const PlayablePlan playable(plan.samples);
  Experiment experiment{
    robot, playable, load_controller_settings(test::config_path("controller.yaml"))};
  for (const ControlMode mode : {ControlMode::feedforward_and_feedback, ControlMode::feedback_only})
  {
    experiment.engine = make_equations_engine;
    const ExperimentResult own = run_experiment(experiment, plant, mode);
    experiment.engine = make_mujoco_engine;
    const ExperimentResult mujoco = run_experiment(experiment, plant, mode);
    std::printf(
      "  %s, plant %s, %s: ISE %.6g m^2 s, MuJoCo %.6g m^2 s (%+.4f %%), loop %.1e m\n",
      plan.curve_name.c_str(), plant.name.c_str(), to_string(mode), own.score.ise, mujoco.score.ise,
      100.0 * (mujoco.score.ise / own.score.ise - 1.0), mujoco.loop_error);
    EXPECT_EQ(mujoco.outcome.end, RunEnd::finished);
    EXPECT_EQ(mujoco.score.cycles, own.score.cycles);
    EXPECT_GT(own.score.ise, 0.0);
    EXPECT_NEAR(mujoco.score.ise / own.score.ise, 1.0, 0.02);
    EXPECT_GT(mujoco.loop_error, 0.0) << "the loop error is watched";
    EXPECT_LT(mujoco.loop_error, 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(
  Curves, PlayedOnMujoco,
  testing::Values(
    Case{"curves/a.yaml", "plants/mismatched.yaml"},
    Case{"curves/b.yaml", "plants/mismatched.yaml"},
    Case{"curves/c.yaml", "plants/mismatched.yaml"}, Case{"curves/a.yaml", "plants/perfect.yaml"},
    Case{"curves/b.yaml", "plants/perfect.yaml"}, Case{"curves/c.yaml", "plants/perfect.yaml"}),
  [](const auto & values) {
    std::string name = std::string(values.param.curve) + "_" + values.param.plant;
    for (char & letter : name)
    {
      letter = std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
    }
    return name;
  });

TEST(MujocoEngine, RepeatsItselfToTheLastBitAlsoAfterReopening)
{
  const RobotModel robot = test::default_robot();
  const PlantParameters plant = load_plant(test::config_path("plants/noisy.yaml"));
  const auto make = [&] {
    return SimulatedRobot(
      make_mujoco_engine(robot, plant), plant, robot.parameters().home, millisecond);
  };
  SimulatedRobot first = make();
  const std::vector<std::int64_t> counts = counts_of(first, 500);
  EXPECT_NE(counts.front(), counts[counts.size() - 2]) << "it must have moved";
  EXPECT_EQ(counts_of(first, 500), counts);
  SimulatedRobot second = make();
  EXPECT_EQ(counts_of(second, 500), counts);
}

TEST(MujocoEngine, HasTheDeviationsAndTheFrictionOfThePlant)
{
  const RobotModel robot = test::unequal_robot();
  PlantParameters plant;
  plant.link_mass_scale = 1.3;
  plant.link_inertia_scale = 0.8;
  plant.rotor_inertia_scale = 1.1;
  plant.motor_damping_scale = 1.4;
  plant.torque_constant_scale = 0.9;
  plant.resistance_scale = 1.2;
  plant.viscous = 3e-3;
  plant.coulomb = 0.02;
  plant.coulomb_velocity = 0.02;
  const Eigen::Vector4d start = robot.home_state() + Eigen::Vector4d(0.1, -0.1, 2.0, -1.0);
  const auto mujoco = make_mujoco_engine(robot, plant);
  const auto own = make_equations_engine(robot, plant);
  mujoco->reset(start);
  own->reset(start);
  EXPECT_LT((mujoco->state() - own->state()).norm(), 1e-15);
  for (int i = 0; i < 200; ++i)
  {
    const Eigen::Vector2d volts(2.0 * std::sin(0.05 * i), -1.5 * std::sin(0.04 * i));
    mujoco->advance(volts, 1e-3);
    own->advance(volts, 1e-3);
  }
  EXPECT_GT((own->state() - start).head<2>().norm(), 0.02) << "it must have moved";
  EXPECT_LT((mujoco->state() - own->state()).head<2>().cwiseAbs().maxCoeff(), 1e-6);
  const auto undisturbed = make_mujoco_engine(robot, {});
  undisturbed->reset(start);
  for (int i = 0; i < 200; ++i)
  {
    undisturbed->advance({2.0 * std::sin(0.05 * i), -1.5 * std::sin(0.04 * i)}, 1e-3);
  }
  EXPECT_GT((undisturbed->state() - own->state()).head<2>().norm(), 1e-3)
    << "the deviations must matter, or this test says nothing";
}

TEST(MujocoEngine, SaysThatTheStateIsLostWhereTheLinkageCannotClose)
{
  const RobotModel robot = test::default_robot();
  const auto engine = make_mujoco_engine(robot, {});
  engine->reset({3.14, 0.0, 0.0, 0.0});
  engine->advance({0.0, 0.0}, 1e-3);
  EXPECT_FALSE(engine->state().allFinite());
}

TEST(MujocoEngine, TellsWhatIsWrongWithAnMjcf)
{
  const RobotModel robot = test::default_robot();
  const auto complaint_about = [&](const std::string & mjcf) -> std::string {
    try
    {
      make_mujoco_engine_from(mjcf, robot, {});
    }
    catch (const InputError & error)
    {
      return error.what();
    }
    return "none";
  };
  using testing::HasSubstr;
  const std::string good = mjcf_of(robot);
  EXPECT_EQ(complaint_about(good), "none");
  const auto with = [&](const std::string & old_text, const std::string & new_text) {
    std::string text = good;
    const std::size_t at = text.find(old_text);
    EXPECT_NE(at, std::string::npos);
    return text.replace(at, old_text.size(), new_text);
  };
  EXPECT_THAT(
    complaint_about(good.substr(0, 300)), HasSubstr("MuJoCo refuses the MJCF: XML parse error"));
  EXPECT_THAT(complaint_about(with("<joint name", "<hinge name")), HasSubstr("hinge"));
  EXPECT_THAT(
    complaint_about(with("name=\"motor_4\"", "name=\"motor_5\"")), HasSubstr("no 'motor_4'"));
  EXPECT_THAT(
    complaint_about(with("<size nuserdata=\"18\"/>", "")), HasSubstr("0 user data, expected"));
}

}  // namespace fivebar_control
