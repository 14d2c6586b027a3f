#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "fivebar_control/model/dynamics_derivatives.hpp"
#include "fivebar_control/model/simulation.hpp"
#include "model/robots.hpp"

namespace
{
std::size_t allocations = 0;
}

// Replaces the global allocator of this executable by one that counts.
void * operator new(std::size_t size)
{
  ++allocations;
  if (void * memory = std::malloc(size))
  {
    return memory;
  }
  throw std::bad_alloc();
}
void operator delete(void * memory) noexcept { std::free(memory); }
void operator delete(void * memory, std::size_t) noexcept { std::free(memory); }

namespace fivebar_control
{

TEST(Allocation, TheModelNeverAllocatesAfterItIsBuilt)
{
  const RobotModel robot = test::unequal_robot();
  test::RandomStates random(robot, 3);
  const Eigen::Vector4d x = random.state();
  const Eigen::Vector2d u = random.voltages();
  const DynamicsConstants<double> & k = robot.constants();
  const std::size_t before = allocations;
  double sum = forward_dynamics<double>(k, x, u).sum();
  sum += inverse_dynamics<double>(k, x, u).sum();
  sum += linearize<double>(k, x, u).by_state.sum();
  sum += acceleration_by_parameters(robot.physics(), k, x, u).sum();
  sum += momentum_rate<double>(k, x, u).sum() + kinetic_energy<double>(k, x);
  sum += runge_kutta_step<double>(k, x, u, u, 1e-3).sum();
  const auto pose = robot.kinematics().forward(x.head<2>());
  const auto solutions = robot.kinematics().inverse_all(pose->end_effector);
  sum += robot.kinematics().passive_motion({x.head<2>(), x.tail<2>(), u}).acceleration.sum();
  EXPECT_EQ(allocations, before);
  EXPECT_TRUE(std::isfinite(sum));
  EXPECT_EQ(solutions.count, 4u);
}

TEST(Allocation, TheCounterCounts)
{
  const std::size_t before = allocations;
  const auto text = std::make_unique<std::string>(100, 'x');
  EXPECT_EQ(text->size(), 100u);
  EXPECT_GE(allocations, before + 2);
}

}  // namespace fivebar_control
