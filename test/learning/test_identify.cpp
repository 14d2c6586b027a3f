// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fivebar_control/learning/excite.hpp"
#include "fivebar_control/simulation/mujoco_engine.hpp"
#include "fivebar_control/support/errors.hpp"
#include "learning/lab.hpp"

// True values follow from config/plants/mismatched.yaml. The errors allowed are those of an
// independent computation of the same fits, times 1.5.

namespace fivebar_control::test
{
namespace
{

Identification identified(
  const std::vector<std::string> & curves, const PlantParameters & plant,
  const IdentifyOptions & options = {})
{
  const RobotModel robot = default_robot();
  std::vector<RecordedMotion> motions;
  for (const std::string & curve : curves)
  {
    motions.push_back(recorded_motion(played(robot, plan_of(robot, curve), plant), robot));
  }
  return identify(robot, motions, options);
}

const Estimate & named(const std::vector<Estimate> & all, const std::string & name)
{
  for (const Estimate & e : all)
  {
    if (e.name == name)
    {
      return e;
    }
  }
  throw std::runtime_error("no estimate " + name);
}

/// The largest relative error of the inertial base parameters, and in standard deviations.
std::pair<double, double> worst_inertial(const Identification & found)
{
  const RobotModel robot = default_robot();
  const DynamicsConstants<double> k = lump(plant_physics(robot, mismatched()), AssemblyMode::left);
  const std::vector<std::pair<const char *, double>> truth{
    {"I1 - c2x", k.inertia_1 - k.coupling_2[0]},
    {"I2 - c2x", k.inertia_2 - k.coupling_2[0]},
    {"I3 - c3x", k.inertia_3 - k.coupling_3[0]},
    {"I4 - c3x", k.inertia_4 - k.coupling_3[0]},
    {"c2x + c3x", k.coupling_2[0] + k.coupling_3[0]}};
  std::pair<double, double> worst{0.0, 0.0};
  for (const auto & [name, value] : truth)
  {
    const Estimate & e = named(found.base, name);
    worst.first = std::max(worst.first, std::abs(e.value / value - 1.0));
    worst.second = std::max(worst.second, std::abs(e.value - value) / e.sigma);
  }
  return worst;
}

struct Case
{
  std::vector<std::string> curves;
  double inertial, gain, damping, coulomb_1, coulomb_4;  ///< relative errors
  double deviations;  ///< the worst inertial one, in standard deviations
  double counts_per_turn = 4096.0;
};

class Identify : public testing::TestWithParam<Case>
{
};

TEST_P(Identify, FindsTheMismatchedRobot)
{
  const Case & c = GetParam();
  PlantParameters plant = mismatched();
  plant.counts_per_turn = c.counts_per_turn;
  const Identification found = identified(c.curves, plant);
  EXPECT_TRUE(found.converged);
  EXPECT_GT(found.reduced(), 0.95);
  EXPECT_LT(found.reduced(), 1.05);
  EXPECT_EQ(found.delay, 0);
  EXPECT_FALSE(found.is_free[index_of(Lump::gravity_x)]) << "nothing calls for a tilt";
  EXPECT_LT(worst_inertial(found).first, 1.5 * c.inertial);
  EXPECT_LT(worst_inertial(found).second, c.deviations);
  const auto error = [&](Lump lump, double truth) {
    return std::abs(found.model.lumps[index_of(lump)] / truth - 1.0);
  };
  EXPECT_LT(error(Lump::gain_4, 1.0), 1.5 * c.gain);
  EXPECT_LT(error(Lump::damping_1, 0.101848), 1.5 * c.damping);
  EXPECT_LT(error(Lump::coulomb_1, 0.01), 1.5 * c.coulomb_1);
  EXPECT_LT(error(Lump::coulomb_4, 0.01), 1.5 * c.coulomb_4);
}

INSTANTIATE_TEST_SUITE_P(
  Logs, Identify,
  testing::Values(
    Case{{"a"}, 0.0092, 0.0029, 9e-5, 5e-4, 2.2e-3, 3.0},
    Case{{"b"}, 0.0183, 0.0054, 1.5e-4, 1.8e-3, 6.7e-3, 3.0},
    Case{{"a", "b", "c10"}, 0.0042, 5e-4, 1e-5, 1e-4, 5e-4, 3.0},
    Case{{"b"}, 4e-4, 2e-4, 1e-5, 1e-4, 3e-4, 3.0, 1e5}),
  [](const auto & parameter) {
    std::string name;
    for (const std::string & curve : parameter.param.curves)
    {
      name += curve;
    }
    return name + (parameter.param.counts_per_turn > 1e4 ? "_fine" : "");
  });

/// By how much the intervals of the inertias are wider than with independent errors, at most.
double widened(const Identification & found)
{
  double most = 0.0;
  for (const Estimate & e : found.base)
  {
    EXPECT_GE(e.sigma, 0.999 * e.independent) << e.name;
    most = std::max(most, e.sigma / e.independent);
  }
  return most;
}

TEST(Identify, WidensIntervalsByWhatErrorsOfReadingsHaveInCommon)
{
  EXPECT_GT(widened(identified({"a"}, mismatched())), 1.1) << "rounding of slow links is not white";
  IdentifyOptions without_friction;
  without_friction.free = {LumpGroup::inertia, LumpGroup::gain, LumpGroup::damping};
  without_friction.delay = 0;
  without_friction.extend = false;
  EXPECT_GT(widened(identified({"b"}, mismatched(), without_friction)), 3.0)
    << "what the model lacks stays for many cycles";
}

TEST(Identify, FindsTheDelayOfANoisyRobot)
{
  const Identification found = identified({"b"}, load_plant(config_path("plants/noisy.yaml")));
  EXPECT_EQ(found.delay, 1);
  EXPECT_NEAR(found.reduced(), 1.0, 0.05);
  // One standard deviation of the worst is 2.8 % here: a share would judge the noise.
  EXPECT_LT(worst_inertial(found).second, 3.0);
}

TEST(Identify, RaisesTheAlarmWhereTheModelLacksDryFriction)
{
  IdentifyOptions options;
  options.free = {LumpGroup::inertia, LumpGroup::gain, LumpGroup::damping};
  options.delay = 0;
  options.extend = false;
  const Identification found = identified({"b"}, mismatched(), options);
  EXPECT_GT(found.reduced(), hopeless_misfit);
  EXPECT_NEAR(found.reduced(), 72.0, 0.5 * 72.0);  // independently computed: 72
}

TEST(Identify, NoticesATiltedPlane)
{
  RobotParameters tilted = default_robot().parameters();
  tilted.physics.gravity = {0.2, -0.1};
  tilted.physics.friction[0].coulomb = tilted.physics.friction[1].coulomb = 0.01;
  PlantParameters plant;
  plant.robot = std::make_shared<const RobotModel>(tilted);
  const Identification found = identified({"b"}, plant);
  ASSERT_TRUE(found.is_free[index_of(Lump::gravity_x)]);
  EXPECT_NEAR(found.model.lumps[index_of(Lump::gravity_x)], 0.2, 0.02);
  EXPECT_NEAR(found.model.lumps[index_of(Lump::gravity_y)], -0.1, 0.01);
  EXPECT_NEAR(found.reduced(), 1.0, 0.05);
}

TEST(Identify, FindsTheMassesOfARobotInAVerticalPlane)
{
  const RobotModel robot = unequal_robot();
  ExciteOptions motion;
  motion.most_motions = 60;
  motion.volts_share = 0.4;
  PlantParameters plant;
  plant.robot = std::make_shared<const RobotModel>(robot);
  plant.link_mass_scale = plant.link_inertia_scale = 1.2;
  PlaySettings settings = on_plant(plant);
  settings.controller.guard.switch_off(Reason::implausible_motion);
  settings.controller.guard.switch_off(Reason::implausible_scale);
  const RunRecord run = play(robot, excite(robot, motion).plan, "excitation", settings);
  ASSERT_EQ(run.ended, "finished");
  const Identification found = identify(robot, {recorded_motion(run, robot)});
  ASSERT_TRUE(found.is_free[index_of(Lump::moment_1x)]);
  EXPECT_NEAR(found.reduced(), 1.0, 0.05) << "8.7 where their weight is the robot file's";
  const RobotModel result(identified_robot(robot, found));
  const DynamicsConstants<double> truth =
    lump(plant_physics(robot, plant), robot.parameters().assembly_mode);
  const DynamicsConstants<double> k = result.constants();
  EXPECT_NEAR(k.moment_1[0], truth.moment_1[0], 0.003 * truth.moment_1[0]);
  EXPECT_NEAR(k.moment_4[0], truth.moment_4[0], 0.003 * truth.moment_4[0]);
  EXPECT_NEAR(k.moment_1[1], truth.moment_1[1], 0.003 * truth.moment_1[0]);
}

#ifdef FIVEBAR_MUJOCO
TEST(Identify, FindsTheSameRobotInMujoco)
{
  const RobotModel robot = default_robot();
  PlaySettings settings = on_plant(mismatched());
  settings.engine = make_mujoco_engine;
  const RunRecord run = play(robot, plan_of(robot, "b"), "plan", settings);
  const Identification found = identify(robot, {recorded_motion(run, robot)});
  EXPECT_NEAR(found.reduced(), 1.0, 0.05);
  EXPECT_LT(worst_inertial(found).first, 1.5 * 0.0183);
  EXPECT_LT(worst_inertial(found).second, 3.0);
}
#endif

TEST(Identify, SaysWhatTheDataDoNotShow)
{
  const RobotModel robot = default_robot();
  RunRecord run = played(robot, plan_of(robot, "b"), mismatched());
  // The first six tenths of a second alone.
  std::fill(run.state.begin() + 600, run.state.end(), ControlState::holding);
  const Identification found = identify(robot, {recorded_motion(run, robot)});
  EXPECT_THAT(found.unseen, testing::Not(testing::IsEmpty()));
}

TEST(IdentifiedRobot, MovesAsTheLumpsSay)
{
  const RobotModel robot = default_robot();
  const Identification found = identified({"b"}, mismatched());
  const RobotModel result(identified_robot(robot, found, found.coulomb_velocity));
  const LumpModel model(robot, found.coulomb_velocity);
  const DynamicsConstants<double> k = model.constants<double>(found.model.lumps);
  RandomStates random(robot, 8);
  for (int i = 0; i < 20; ++i)
  {
    const Eigen::Vector4d x = random.state();
    const Eigen::Vector2d u = random.voltages();
    const Eigen::Vector2d a = forward_dynamics<double>(k, x, u);
    EXPECT_NEAR(
      (forward_dynamics<double>(result.constants(), x, u) - a).norm(), 0.0, 1e-8 * a.norm());
  }
}

TEST(RecordedMotion, KnowsTheResolutionOfALogWithoutCounts)
{
  const RobotModel robot = default_robot();
  RunRecord run = played(robot, plan_of(robot, "b"), mismatched());
  const RecordedMotion with = recorded_motion(run, robot);
  for (auto & counts : run.counts)
  {
    std::fill(counts.begin(), counts.end(), 0);
  }
  const RecordedMotion without = recorded_motion(run, robot);
  EXPECT_TRUE(without.resolution.isApprox(with.resolution, 1e-9));
  EXPECT_TRUE(without.variance.isApprox(with.variance, 1e-6));
}

/// The same path with the volts that the robot `true_to` needs for it, as far as there are any.
Plan refed(Plan plan, const RobotModel & planned, const RobotModel & true_to)
{
  PlanSamples & s = plan.samples;
  for (std::size_t i = 0; i < s.size(); ++i)
  {
    Eigen::Vector4d x;
    x << s.phi(i), s.speed(i);
    const Eigen::Vector2d a = forward_dynamics<double>(planned.constants(), x, s.volts(i));
    const double most = planned.limits().voltage;
    const Eigen::Vector2d u =
      inverse_dynamics<double>(true_to.constants(), x, a).cwiseMax(-most).cwiseMin(most);
    s.u1[i] = u[0];
    s.u4[i] = u[1];
  }
  return plan;
}

struct Effect
{
  const char * curve;
  double replanned, refed;  ///< times less ISE than PD, independently computed
};

class EffectOfOneLog : public testing::TestWithParam<Effect>
{
};

TEST_P(EffectOfOneLog, OfCurveBOnEveryCurve)
{
  const RobotModel robot = default_robot();
  static const RobotModel found(identified_robot(robot, identified({"b"}, mismatched())));
  PlantParameters plant = mismatched();
  plant.robot = std::make_shared<const RobotModel>(robot);  // whichever file a plan is for
  const Plan plan = plan_of(robot, GetParam().curve);
  const double pd = measured_ise(played(robot, plan, plant, ControlMode::feedback_only));
  const double replanned =
    pd / measured_ise(played(found, plan_of(found, GetParam().curve), plant));
  const double again = pd / measured_ise(played(robot, refed(plan, robot, found), plant));
  std::printf(
    "curve %s after one log of B: replanned %.0f, same path %.0f times less ISE than PD at the "
    "encoder\n",
    GetParam().curve, replanned, again);
  EXPECT_NEAR(replanned, GetParam().replanned, 0.1 * GetParam().replanned);
  // Here the volts stay within the limit, which the first ones of A and B would leave.
  EXPECT_GT(again, GetParam().refed / 1.5);
}

INSTANTIATE_TEST_SUITE_P(
  Curves, EffectOfOneLog,
  testing::Values(
    Effect{"a", 1293.0, 1956.0}, Effect{"b", 2598.0, 3953.0}, Effect{"c10", 5012.0, 3392.0}),
  [](const auto & parameter) { return std::string(parameter.param.curve); });

TEST(RecordedMotion, RefusesLogsThatTellNothing)
{
  const RobotModel robot = default_robot();
  const Plan plan = plan_of(robot, "b");
  const RunRecord run = played(robot, plan, mismatched());
  const auto refusal = [&](RunRecord bad, const RobotModel & of) -> std::string {
    try
    {
      recorded_motion(bad, of);
    }
    catch (const InputError & error)
    {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(refusal(run, unequal_robot()), testing::HasSubstr("another robot file"));
  RunRecord holes = run;
  holes.lost_rows = 3;
  EXPECT_THAT(refusal(holes, robot), testing::HasSubstr("lost 3 rows"));
  RunRecord brief = run;
  std::fill(brief.state.begin() + 100, brief.state.end(), ControlState::holding);
  EXPECT_THAT(refusal(brief, robot), testing::HasSubstr("too short"));
  RunRecord resting = run;
  std::fill(resting.counts[1].begin(), resting.counts[1].end(), 7);
  std::fill(resting.angle[1].begin(), resting.angle[1].end(), 1.5);
  EXPECT_THAT(refusal(resting, robot), testing::HasSubstr("joint 4 was at rest"));
  RunRecord saturated = run;
  for (auto & volts : saturated.applied)
  {
    std::fill(volts.begin(), volts.end(), 10.0);
  }
  EXPECT_THAT(refusal(saturated, robot), testing::HasSubstr("at their limit"));
}

}  // namespace
}  // namespace fivebar_control::test
