// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "daemon/fault_rig.hpp"
#include "fivebar_control/simulation/random_plant.hpp"

// What the guard must leave alone.

namespace fivebar_control::test
{
namespace
{

void expect_to_finish(
  Robot robot, const std::string & curve, const PlanSamples & samples,
  const PlantParameters & plant, ControlMode mode)
{
  const Played played = play(robot, plant, samples, FaultRow{}, mode);
  EXPECT_EQ(played.outcome.end, RunEnd::finished)
    << curve << " on " << plant.name << ", " << to_string(mode) << ": "
    << describe(played.outcome.finding);
}

PlantParameters shipped_plant(const std::string & name)
{
  return name.empty() ? PlantParameters{} : load_plant(config_path("plants/" + name + ".yaml"));
}

TEST(HealthyRuns, FinishOnEveryShippedCurveAndPlantInBothModes)
{
  for (const char * curve : {"a", "b", "c", "a_gentle", "b_gentle", "c_gentle", "c_soft"})
  {
    const PlanSamples samples = samples_of(curve);
    for (const char * plant : {"", "perfect", "mismatched", "noisy"})
    {
      for (const ControlMode mode : both_modes)
      {
        expect_to_finish(Robot::simulated, curve, samples, shipped_plant(plant), mode);
      }
    }
  }
}

TEST(HealthyRuns, FinishOnTheEmulatedBoardAndInMujoco)
{
  for (const char * curve : {"b_gentle", "c"})
  {
    const PlanSamples samples = samples_of(curve);
    for (const Robot robot : robots())
    {
      for (const char * plant : {"mismatched", "noisy"})
      {
        for (const ControlMode mode : both_modes)
        {
          expect_to_finish(robot, curve, samples, shipped_plant(plant), mode);
        }
      }
    }
  }
}

TEST(HealthyRuns, FinishOnRobotsThatNobodyHasMeasured)
{
  // Masses, motors, friction, tilt and delay as random_plant() draws them, on the gentle curves
  // that a first run is made with. The model is another robot's all the time.
  for (int number = 0; number < 24; ++number)
  {
    const PlantParameters plant = random_plant(default_robot(), 1, number);
    for (const CurvePlan & plan : plans())
    {
      for (const ControlMode mode : both_modes)
      {
        expect_to_finish(Robot::simulated, plan.name, plan.samples, plant, mode);
      }
    }
  }
}

}  // namespace
}  // namespace fivebar_control::test
