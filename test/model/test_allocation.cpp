// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

#include "fivebar_control/model/dynamics_derivatives.hpp"
#include "fivebar_control/model/runge_kutta.hpp"
#include "model/robots.hpp"
#include "support/counting_allocator.hpp"

namespace fivebar_control
{

TEST(Allocation, TheModelNeverAllocatesAfterItIsBuilt)
{
  const RobotModel robot = test::unequal_robot();
  test::RandomStates random(robot, 3);
  const Eigen::Vector4d x = random.state();
  const Eigen::Vector2d u = random.voltages();
  const DynamicsConstants<double> & k = robot.constants();
  const std::size_t before = test::allocation_count();
  double sum = forward_dynamics<double>(k, x, u).sum();
  sum += inverse_dynamics<double>(k, x, u).sum();
  sum += linearize<double>(k, x, u).by_state.sum();
  sum += acceleration_by_parameters(robot.physics(), k, x, u).sum();
  sum += momentum_rate<double>(k, x, u).sum() + kinetic_energy<double>(k, x);
  sum += runge_kutta_step<double>(k, x, u, u, 1e-3).sum();
  const auto pose = robot.kinematics().forward(x.head<2>());
  const auto solutions = robot.kinematics().inverse_all(pose->end_effector);
  sum += robot.kinematics().passive_motion({x.head<2>(), x.tail<2>(), u}).acceleration.sum();
  EXPECT_EQ(test::allocation_count(), before);
  EXPECT_TRUE(std::isfinite(sum));
  EXPECT_EQ(solutions.count, 4u);
}

TEST(Allocation, TheCounterCounts)
{
  const std::size_t before = test::allocation_count();
  const auto text = std::make_unique<std::string>(100, 'x');
  EXPECT_EQ(text->size(), 100u);
  EXPECT_GE(test::allocation_count(), before + 2);
}

}  // namespace fivebar_control
