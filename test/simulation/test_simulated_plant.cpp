// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fivebar_control/simulation/mujoco_engine.hpp"
#include "fivebar_control/simulation/simulated_plant.hpp"
#include "fivebar_control/support/errors.hpp"
#include "model/robots.hpp"

namespace fivebar_control::test
{
namespace
{

SimulatedPlant plant_of(const PlantParameters & parameters, EngineMaker maker)
{
  const RobotModel robot = default_robot();
  const Eigen::Vector2d home = robot.parameters().home;
  return {maker(robot, parameters), parameters, home, home};
}

class SimulatedPlantOn : public testing::TestWithParam<EngineMaker>
{
};

TEST_P(SimulatedPlantOn, StopsAtItsEndStopsWhileTheOtherLinkGoesOn)
{
  PlantParameters parameters;
  parameters.end_stops = {Eigen::Vector2d(-0.1, 1.0), Eigen::Vector2d(0.1, 2.2)};
  SimulatedPlant plant = plant_of(parameters, GetParam());
  for (int i = 0; i < 300; ++i)
  {
    plant.advance({3.0, 1.0}, 1e-3);
  }
  EXPECT_EQ(plant.state()[0], 0.1);
  EXPECT_EQ(plant.state()[2], 0.0);
  const double before = plant.state()[1];
  for (int i = 0; i < 50; ++i)
  {
    plant.advance({3.0, 1.0}, 1e-3);
  }
  EXPECT_EQ(plant.state()[0], 0.1);
  EXPECT_GT(std::abs(plant.state()[1] - before), 1e-3);
  EXPECT_FALSE(plant.has_jammed());
  for (int i = 0; i < 50; ++i)
  {
    plant.advance({-3.0, 0.0}, 1e-3);
  }
  EXPECT_LT(plant.state()[0], 0.09) << "a stop does not hold on to the link";
}

std::vector<EngineMaker> engines()
{
#ifdef FIVEBAR_MUJOCO
  return {make_equations_engine, make_mujoco_engine};
#else
  return {make_equations_engine};
#endif
}

INSTANTIATE_TEST_SUITE_P(Engines, SimulatedPlantOn, testing::ValuesIn(engines()));

/// Our equations end where the links are stretched; MuJoCo's linkage swings through.
TEST(SimulatedPlant, JamsWhereItCannotCloseAndCanBeDrivenOutAgain)
{
  SimulatedPlant plant = plant_of({}, make_equations_engine);
  int cycles = 0;
  for (; cycles < 3000 && !plant.has_jammed(); ++cycles)
  {
    plant.advance({6.0, -6.0}, 1e-3);  // apart, until links 2 and 3 are stretched
  }
  ASSERT_TRUE(plant.has_jammed());
  EXPECT_TRUE(plant.state().allFinite());
  const Eigen::Vector2d jammed = plant.state().head<2>();
  for (int i = 0; i < 200; ++i)
  {
    plant.advance({-6.0, 6.0}, 1e-3);
  }
  EXPECT_GT((plant.state().head<2>() - jammed).norm(), 0.1);
}

TEST(PlantFile, ReadsEndStopsAndRefusesThemTheWrongWayRound)
{
  const std::string text = "schema: 1\nend_stops: {phi1: [-1.3, 2.3], phi4: [0.0, 3.5]}\n";
  const PlantParameters plant = parse_plant(text, "p.yaml");
  ASSERT_TRUE(plant.end_stops);
  EXPECT_EQ((*plant.end_stops)[0], Eigen::Vector2d(-1.3, 0.0));
  EXPECT_EQ((*plant.end_stops)[1], Eigen::Vector2d(2.3, 3.5));
  EXPECT_THROW(
    parse_plant("schema: 1\nend_stops: {phi1: [2.3, -1.3], phi4: [0.0, 3.5]}\n", "p.yaml"),
    InputError);
  EXPECT_THROW(parse_plant("schema: 1\nend_stops: {phi1: [-1, 1]}\n", "p.yaml"), InputError);
}

}  // namespace
}  // namespace fivebar_control::test
