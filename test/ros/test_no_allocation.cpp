// SPDX-License-Identifier: Apache-2.0
#include "cell_fixture.hpp"
#include "support/thread_allocations.hpp"

namespace fivebar_control::test
{

using NoAllocation = CellTest;

TEST_F(NoAllocation, TheCounterCounts)
{
  const std::size_t before = thread_allocations();
  const auto text = std::make_unique<std::string>(100, 'x');
  EXPECT_GE(thread_allocations(), before + 2) << text->size();
}

/// Allocations of read(), update() and write() in all cycles until the goal ends.
std::size_t allocations_until_the_end(Cell & cell, const std::function<bool()> & done)
{
  std::size_t count = 0;
  EXPECT_TRUE(cell.wait([&]() {
    for (int i = 0; i < 20; ++i)
    {
      const std::size_t before = thread_allocations();
      cell.cycle();
      count += thread_allocations() - before;
    }
    return done();
  }));
  return count;
}

TEST_F(NoAllocation, FromActivationThroughAWholeRunToIdle)
{
  Cell cell({rclcpp::Parameter("state_publish_rate", 1000.0)});
  cell.start();
  ASSERT_TRUE(cell.load("", plan_text(plan_b())).success);
  const auto goal = cell.send();
  bool moved = false;
  const std::size_t count = allocations_until_the_end(cell, [&]() {
    moved = moved || cell.hardware().injection().driven_cycles > 1000;
    return moved && cell.zero_volts();
  });
  EXPECT_EQ(count, 0u);
  EXPECT_GT(cell.hardware().injection().driven_cycles, 5000);
  EXPECT_EQ(cell.result(goal).code, rclcpp_action::ResultCode::SUCCEEDED);
}

TEST_F(NoAllocation, WhenTheRunIsCancelled)
{
  Cell cell;
  cell.start();
  ASSERT_TRUE(cell.load("", plan_text(plan_b())).success);
  const auto goal = cell.send();
  ASSERT_TRUE(cell.wait([&]() { return cell.hardware().injection().driven_cycles > 500; }));
  cell.cancel(goal);
  EXPECT_EQ(allocations_until_the_end(cell, [&]() { return cell.zero_volts(); }), 0u);
}

TEST_F(NoAllocation, WhenReadsFailUntilTheGuardActs)
{
  Cell cell;
  cell.start();
  ASSERT_TRUE(cell.load("", plan_text(plan_b())).success);
  cell.hardware().injection().fault = "read";
  cell.hardware().injection().cycles_until_fault = 500;
  cell.send();
  std::size_t count = 0;
  // By hand up to the cycle that reports ERROR; deactivation is not part of the promise.
  for (int i = 0; i < 2000 && cell.last_return() == Cell::Return::OK; ++i)
  {
    const std::size_t before = thread_allocations();
    cell.cycle();
    count += cell.last_return() == Cell::Return::OK ? thread_allocations() - before : 0;
    cell.executor().spin_some();
  }
  EXPECT_EQ(cell.last_return(), Cell::Return::ERROR);
  EXPECT_EQ(count, 0u);
}

}  // namespace fivebar_control::test
