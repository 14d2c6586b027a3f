// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "evolution_search.hpp"
#include "excitation_information.hpp"
#include "fivebar_control/learning/excite.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/support/errors.hpp"
#include "learning/lab.hpp"

namespace fivebar_control::test
{
namespace
{

/// The largest relative standard deviation that one run on the plant leaves, of all that identify
/// frees by itself; couplings across the links as a share of those along them.
double achieved(const RobotModel & robot, const Plan & plan, const PlantParameters & plant)
{
  const Identification found =
    identify(robot, {recorded_motion(played(robot, plan, plant), robot)});
  EXPECT_NEAR(found.reduced(), 1.0, 0.05);
  EXPECT_EQ(found.delay, 0);
  const DynamicsConstants<double> k =
    lump(plant_physics(robot, plant), robot.parameters().assembly_mode);
  double worst = 0.0;
  for (const Estimate & e : found.base)
  {
    const bool across = e.name == "c2y" || e.name == "c3y";
    worst = std::max(worst, e.sigma / std::abs(across ? k.coupling_2[0] : e.value));
  }
  for (const Estimate & e : found.lumps)
  {
    const bool inertial = e.name.starts_with("inertia") || e.name.starts_with("coupling");
    worst = inertial ? worst : std::max(worst, e.sigma / std::abs(e.value));
  }
  return worst;
}

RobotModel flat(RobotModel robot)
{
  RobotParameters parameters = robot.parameters();
  parameters.physics.gravity.setZero();
  return RobotModel(parameters);
}

/// The default robot upside down: the other assembly mode.
RobotModel mirrored()
{
  RobotParameters p = default_robot().parameters();
  p.assembly_mode = AssemblyMode::right;
  p.home = -p.home;
  const Eigen::Vector2d lowest = p.limits.joint_minimum;
  p.limits.joint_minimum = -p.limits.joint_maximum;
  p.limits.joint_maximum = -lowest;
  return RobotModel(p);
}

void expect_bar(const RobotModel & robot, std::uint64_t seed)
{
  ExciteOptions options;
  options.seed = seed;
  options.most_motions = 400;
  const Excitation found = excite(robot, options);
  EXPECT_NO_THROW(require_plan_fits(found.plan, robot, "excitation"));
  EXPECT_DOUBLE_EQ(found.plan.samples.t.back(), 5.0);
  const double measured = achieved(robot, found.plan, mismatched());
  std::printf(
    "%s, seed %d: worst sigma predicted %.3f %%, achieved %.3f %%\n",
    robot.parameters().name.c_str(), static_cast<int>(seed), 100.0 * found.worst(),
    100.0 * measured);
  EXPECT_LT(found.worst(), 0.0025);
  EXPECT_LT(measured, 0.0025);
  EXPECT_LT(found.worst(), 0.7 * found.first_worst) << "the search found nothing";
}

TEST(Excite, OneRunOfFiveSecondsShowsTheMismatchedRobotToAQuarterOfAPercent)
{
  for (const std::uint64_t seed : {1, 2})
  {
    expect_bar(default_robot(), seed);
  }
}

TEST(Excite, WorksForTheOtherAssemblyMode) { expect_bar(mirrored(), 1); }

TEST(Excite, WorksForUnequalLinks)
{
  const RobotModel robot = flat(unequal_robot());
  ExciteOptions options;
  options.most_motions = 400;
  const Excitation found = excite(robot, options);
  EXPECT_NO_THROW(require_plan_fits(found.plan, robot, "excitation"));
  EXPECT_LT(found.worst(), 0.0025);
  // Its dry friction in the file is less than the plant's, which is what is measured.
  EXPECT_LT(achieved(robot, found.plan, mismatched()), 0.01);
}

TEST(Excite, StartsAndEndsAtRestWithoutAJump)
{
  ExciteOptions options;
  options.most_motions = 40;
  const PlanSamples s = excite(default_robot(), options).plan.samples;
  for (const std::size_t i : {std::size_t{0}, s.size() - 1})
  {
    EXPECT_NEAR(s.speed(i).norm(), 0.0, 1e-12);
    EXPECT_NEAR(s.volts(i).norm(), 0.0, 1e-9);
    EXPECT_NEAR((s.phi(i) - s.phi(0)).norm(), 0.0, 1e-12);
  }
}

TEST(Excite, KeepsVoltsForTheFeedback)
{
  ExciteOptions options;
  options.most_motions = 40;
  options.volts_share = 0.3;
  const Plan plan = excite(default_robot(), options).plan;
  EXPECT_LE(plan.quality.largest_voltage, 3.0);
  EXPECT_GT(plan.quality.largest_voltage, 2.5);  // and uses what it may
}

TEST(Excite, IsTheSameForTheSameSeedOnly)
{
  ExciteOptions options;
  options.most_motions = 40;
  const std::string first = plan_text(excite(default_robot(), options).plan);
  EXPECT_EQ(plan_text(excite(default_robot(), options).plan), first);
  options.seed = 2;
  EXPECT_NE(plan_text(excite(default_robot(), options).plan), first);
}

TEST(Excite, MadeForOneGroupShowsItBetter)
{
  const RobotModel robot = default_robot();
  ExciteOptions options;
  options.most_motions = 400;
  const Excitation all = excite(robot, options);
  options.for_groups = {LumpGroup::coulomb};
  const Excitation friction = excite(robot, options);
  EXPECT_LT(friction.worst(), 0.0025);
  const std::vector<ExpectedSigma> of_all = expected_sigmas(robot, all.plan, options);
  double worst = 0.0;
  for (const ExpectedSigma & e : of_all)
  {
    worst = e.wanted ? std::max(worst, e.share()) : worst;
  }
  EXPECT_LT(friction.worst(), worst);
}

TEST(Excite, SaysWhatAnyPlanShows)
{
  // Independently computed: the worst of curve A is known to 3.65 %, of B to 1.30 %.
  const RobotModel robot = default_robot();
  const auto worst_inertial = [&](const char * curve) {
    double worst = 0.0;
    for (const ExpectedSigma & e : expected_sigmas(robot, plan_of(robot, curve), {}))
    {
      worst = e.unit == "kg m^2" ? std::max(worst, e.share()) : worst;
    }
    return worst;
  };
  EXPECT_NEAR(worst_inertial("b"), 0.0130, 0.5 * 0.0130);
  EXPECT_GT(worst_inertial("a"), 0.0025);
}

TEST(Excite, ExpectsWhatIdentificationWouldCompute)
{
  // The information along the plan equals that of the output error, whose derivatives are checked
  // against complex step.
  const RobotModel robot = default_robot();
  ExciteOptions options;
  options.most_motions = 20;
  const Plan plan = excite(robot, options).plan;
  const RunRecord run = played(robot, plan, PlantParameters{});
  const Identification found = identify(robot, {recorded_motion(run, robot)});
  const std::vector<ExpectedSigma> expected = expected_sigmas(robot, plan, options);
  for (std::size_t i = 0; i < found.base.size(); ++i)
  {
    EXPECT_EQ(found.base[i].name, expected[i].name);
    EXPECT_NEAR(found.base[i].independent / expected[i].sigma, 1.0, 0.1) << expected[i].name;
  }
}

TEST(Excite, RefusesWhereThereIsNoRoom)
{
  const auto refusal = [](ExciteOptions options) -> std::string {
    try
    {
      options.most_motions = 20;
      excite(default_robot(), options);
    }
    catch (const InputError & error)
    {
      return error.what();
    }
    return "accepted";
  };
  ExciteOptions options;
  options.clearance = 0.9;
  EXPECT_THAT(refusal(options), testing::HasSubstr("no room to move"));
  options = {};
  options.duration = 1.0;
  EXPECT_THAT(refusal(options), testing::HasSubstr("all ramp"));
}

TEST(EvolutionSearch, FindsTheFootOfANarrowValleyWithoutDerivatives)
{
  // Rosenbrock's function, and no value at all on one side.
  const auto cost = [](const Eigen::VectorXd & x) {
    const double valley = x[1] - x[0] * x[0];
    return x[0] > 3.0 ? std::numeric_limits<double>::infinity()
                      : 100.0 * valley * valley + (1.0 - x[0]) * (1.0 - x[0]);
  };
  EvolutionSearch search(Eigen::Vector2d(-1.0, 1.0), 0.5, 1);
  while (search.evaluations() < 2000 && !search.finished())
  {
    search.advance(cost);
  }
  EXPECT_LT((search.best() - Eigen::Vector2d(1.0, 1.0)).norm(), 1e-3);
}

}  // namespace
}  // namespace fivebar_control::test
