// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "planner/problems.hpp"

namespace fivebar_control
{
namespace
{

using testing::HasSubstr;

PlanRequest circle(double x, double y, double radius, const std::string & more = "")
{
  return parse_plan_request(
    "schema: 1\ncurve: {type: circle, center: [" + std::to_string(x) + ", " + std::to_string(y) +
      "], radius: " + std::to_string(radius) + ", duration: 2.0}\n" + more,
    "circle.yaml");
}

std::string refusal(const PlanRequest & request)
{
  try
  {
    make_plan(test::default_robot(), request);
  }
  catch (const NotReachable & error)
  {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST(Planner, RefusesACurveThatLeavesTheWorkspace)
{
  EXPECT_EQ(
    refusal(circle(0.127, 0.127, 0.12)),
    "the curve leaves the workspace at t = 0 s, P = (0.2470, 0.1270) m: 23.74 mm out of reach");
}

TEST(Planner, RefusesACurveThatComesTooNearASingularity)
{
  const std::string message = refusal(circle(0.127, 0.06, 0.055));
  EXPECT_THAT(message, HasSubstr("the curve comes too near a singularity at t = "));
  EXPECT_THAT(message, HasSubstr("below the robot's limit"));
}

TEST(Planner, RefusesAStartThatCannotBeAssembled)
{
  EXPECT_THAT(
    refusal(circle(0.127, 0.127, 0.03, "start: {phi1: 3.0, phi4: 0.1}\n")),
    HasSubstr("the start phi1 = 3, phi4 = 0.1 rad cannot be assembled"));
}

/// The volts of inverse dynamics along the curve, played from there, lead into the singularity.
TEST(Planner, PlansFromAStartAtSpeedBesideTheCurve)
{
  PlanRequest request = test::request_of("b");
  request.start = Eigen::Vector4d(-0.17, 1.14, -3.0, -2.75);
  const PlanResult result = make_plan(test::default_robot(), request);
  EXPECT_EQ(result.plan.verdict, Verdict::converged);
  EXPECT_LT(result.plan.quality.end_error, 1e-3);
  EXPECT_LE(result.plan.quality.largest_voltage, 10.0 + 1e-9);
}

TEST(Planner, PlansForARobotThatStandsUpright)
{
  RobotParameters parameters = test::default_robot().parameters();
  parameters.physics.gravity = {0.0, -9.81};
  for (Link<double> & link : parameters.physics.links)
  {
    link.mass = 0.11;
  }
  const RobotModel robot(parameters);
  for (const char * curve : {"a_gentle", "b_gentle", "a"})
  {
    const PlanResult result = make_plan(robot, test::request_of(curve));
    EXPECT_EQ(result.plan.verdict, Verdict::converged) << curve;
    EXPECT_LT(result.plan.quality.largest_error, 1e-3) << curve;
  }
}

TEST(Planner, SaysSoWhenNoVoltagesKeepTheRobotUp)
{
  RobotParameters parameters = test::default_robot().parameters();
  parameters.physics.gravity = {0.0, -9.81};
  for (Link<double> & link : parameters.physics.links)
  {
    link.mass = 5.0;  // ten volts do not hold them
  }
  EXPECT_THROW(make_plan(RobotModel(parameters), test::request_of("a_gentle")), NoUsableGuess);
}

TEST(Planner, ReturnsTheBestPlanWithinTheLimitsAndSaysByHowMuchItDeviates)
{
  const PlanResult result = make_plan(test::default_robot(), test::request_of("c"));
  EXPECT_EQ(result.plan.verdict, Verdict::converged);
  EXPECT_LE(result.plan.quality.largest_voltage, 2.0 + 1e-9);
  EXPECT_GT(result.plan.quality.largest_error, 0.01);
  EXPECT_THAT(
    result.warnings,
    testing::Contains(HasSubstr("the curve cannot be followed within the limits")));
}

TEST(Planner, WarnsWhenTheStartDominatesAndNotAfterARamp)
{
  const RobotModel robot = test::default_robot();
  EXPECT_THAT(
    make_plan(robot, test::request_of("b")).warnings,
    testing::Contains(HasSubstr("the start dominates the plan: 10 V at t = 0")));
  EXPECT_THAT(make_plan(robot, test::request_of("b_gentle")).warnings, testing::IsEmpty());
}

TEST(Planner, WarnsOfAPlanThatTheRobotWouldRefuse)
{
  PlanRequest request = test::request_of("b");
  request.voltage = unbounded;
  EXPECT_THAT(
    make_plan(test::default_robot(), request).warnings,
    testing::Contains(HasSubstr("the robot's limit is 10 V: it will be refused")));
}

TEST(Planner, StartsWhereItIsTold)
{
  const RobotModel robot = test::default_robot();
  const PlanResult result =
    make_plan(robot, circle(0.127, 0.127, 0.03, "start: {phi1: 0.2, phi4: 1.4, dphi1: 0.5}\n"));
  EXPECT_EQ(result.plan.samples.phi1[0], 0.2);
  EXPECT_EQ(result.plan.samples.dphi1[0], 0.5);
  EXPECT_EQ(result.plan.verdict, Verdict::converged);
}

TEST(Planner, StagesStartFromTheResultBefore)
{
  const PlanResult result = make_plan(test::default_robot(), test::request_of("c_soft"));
  EXPECT_EQ(result.plan.verdict, Verdict::converged);
  int stages = 0;
  double before = 0.0;
  for (const Iteration & iteration : result.history)
  {
    if (iteration.stage != stages)
    {
      stages = iteration.stage;
      EXPECT_NEAR(iteration.cost.position, before, 1e-12) << "the same voltages, another cost";
    }
    before = iteration.cost.position;
  }
  EXPECT_EQ(stages, 2);
  // The same optimum without the stages, from inverse dynamics.
  PlanRequest direct = test::request_of("c_soft");
  direct.stages = {direct.stages.back()};
  direct.guess = InitialGuess::inverse_dynamics;
  EXPECT_NEAR(
    make_plan(test::default_robot(), direct).plan.quality.cost, result.plan.quality.cost,
    1e-7 * result.plan.quality.cost);
}

TEST(Planner, PlansForAnotherRobotToo)
{
  const RobotModel robot = test::unequal_robot();
  const PlanResult result = make_plan(
    robot, parse_plan_request(
             "schema: 1\ncurve: {type: circle, center: [0.124, -0.190], radius: 0.02, duration: "
             "2.0}\nramp: {in: 0.5, out: 0.5}\n",
             "circle"));
  EXPECT_EQ(result.plan.verdict, Verdict::converged);
  EXPECT_LT(result.plan.quality.largest_error, 1e-4);
  EXPECT_LT(result.plan.quality.largest_voltage, 12.0);
}

TEST(Planner, TimeGrowsLinearlyWithTheNodes)
{
  // Counted in iterations, not in seconds: the cost of an iteration is linear by construction.
  PlanRequest request = test::request_of("b_gentle");
  const RobotModel robot = test::default_robot();
  for (const double step : {0.005, 0.0005, 0.0001})
  {
    request.time_step = step;
    request.intervals = count_intervals(request.curve->duration(), step);
    const PlanResult result = make_plan(robot, request);
    EXPECT_EQ(result.plan.verdict, Verdict::converged) << step;
    EXPECT_LE(result.plan.iterations, 6) << step;
  }
}

}  // namespace fivebar_control
