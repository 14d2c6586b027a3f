// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "controller/rig.hpp"
#include "fivebar_control/daemon/run_loop.hpp"

namespace fivebar_control::test
{
namespace
{

class Records : public RecordSink
{
public:
  void take(const CycleRecord & record) noexcept override { list.push_back(record); }
  std::vector<CycleRecord> list;
};

/// A simulated robot whose calls can be made to fail.
class UnreliableRobot : public SimulatedRobot
{
public:
  using SimulatedRobot::SimulatedRobot;

  HardwareError open() override
  {
    return open_error == HardwareError::none ? SimulatedRobot::open() : open_error;
  }
  HardwareError arm() override
  {
    return arm_error == HardwareError::none ? SimulatedRobot::arm() : arm_error;
  }
  HardwareError read(MotorSample & sample) noexcept override
  {
    ++reads;
    const HardwareError error = SimulatedRobot::read(sample);
    if (reads > fail_reads_after)
    {
      return HardwareError::timeout;
    }
    sample.status |= reads > device_fault_after ? motor_status::device_fault : 0U;
    return error;
  }
  HardwareError write(const Eigen::Vector2d & volts) noexcept override
  {
    last_write = volts;
    ++writes;
    return writes > fail_writes_after ? HardwareError::disconnected : SimulatedRobot::write(volts);
  }
  HardwareError disarm() noexcept override
  {
    ++disarms;
    return SimulatedRobot::disarm();
  }
  void close() noexcept override { ++closes; }
  HardwareError home(const HomingCalls & calls) override
  {
    for (int k = 0; k < homing_cycles; ++k)
    {
      HomingCycle cycle;
      cycle.time_ns = 5 * millisecond + (k / 2) * millisecond;  // every second read fails
      cycle.sample.counts = {k, -k};
      cycle.angle = {0.01 * k, 1.5};
      cycle.volts = {1.25, 0.0};
      cycle.read_good = k % 2 == 0;
      calls.see(cycle);
    }
    return throw_at_home ? throw std::runtime_error("no memory") : SimulatedRobot::home(calls);
  }
  bool confirms_zero() noexcept override { return confirms; }

  int homing_cycles = 0;
  bool throw_at_home = false;
  bool confirms = true;

  HardwareError open_error = HardwareError::none;
  HardwareError arm_error = HardwareError::none;
  int fail_reads_after = 1 << 30;
  int fail_writes_after = 1 << 30;
  int device_fault_after = 1 << 30;
  int reads = 0, writes = 0, disarms = 0, closes = 0;
  Eigen::Vector2d last_write{9.0, 9.0};
};

struct LoopRig
{
  LoopRig()
  : robot(default_robot()),
    plan(beginning_of(gentle_plan(), 301)),
    hardware(robot, {}, plan.start(), millisecond),
    controller(robot, default_settings(), ControlMode::feedforward_and_feedback, millisecond)
  {
    controller.set_plan(&plan);
  }
  RunOutcome run(bool paced = false)
  {
    Pacer pacer(millisecond, paced);
    return run_loop(controller, hardware, pacer, records, requests, status, {millisecond, false});
  }

  RobotModel robot;
  PlayablePlan plan;
  UnreliableRobot hardware;
  ControlCore controller;
  Records records;
  RunRequests requests;
  RunStatus status;
};

struct LoopTest : testing::Test, LoopRig
{
};

TEST_F(LoopTest, HomingIsTheBeginningOfTheRecord)
{
  hardware.homing_cycles = 40;
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.end, RunEnd::finished);
  ASSERT_EQ(records.list.size(), static_cast<std::size_t>(outcome.cycles) + 40);
  for (std::size_t k = 0; k < records.list.size(); ++k)
  {
    const CycleRecord & record = records.list[k];
    EXPECT_EQ(record.state == ControlState::homing, k < 40);
    EXPECT_TRUE(k == 0 || record.time_ns > records.list[k - 1].time_ns) << k;
  }
  EXPECT_EQ(records.list[0].time_ns, 0);
  EXPECT_EQ(records.list[7].counts[1], -7);
  EXPECT_EQ(records.list[7].volts[0], 1.25);
  EXPECT_FALSE(records.list[7].read_good);
  EXPECT_EQ(joint_error(records.list[7]).norm(), 0.0) << "there is no reference while homing";
}

TEST_F(LoopTest, PlaysThePlanAndLeavesTheMotorsOff)
{
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.end, RunEnd::finished);
  EXPECT_EQ(records.list.size(), static_cast<std::size_t>(outcome.cycles));
  EXPECT_NEAR(1e-3 * static_cast<double>(outcome.cycles), 1.5 + 0.7 + 0.3, 5e-3);
  EXPECT_EQ(hardware.last_write, Eigen::Vector2d(0.0, 0.0));
  EXPECT_EQ(hardware.disarms, 1);
  EXPECT_EQ(hardware.closes, 1);
  EXPECT_TRUE(status.finished);
}

TEST_F(LoopTest, GivesTheSameRecordsInRealTime)
{
  run(true);
  LoopRig fast;
  fast.run(false);
  ASSERT_EQ(records.list.size(), fast.records.list.size());
  for (std::size_t i = 0; i < records.list.size(); ++i)
  {
    const CycleRecord & a = records.list[i];
    const CycleRecord & b = fast.records.list[i];
    ASSERT_EQ(a.time_ns, b.time_ns);
    ASSERT_EQ(a.volts, b.volts);
    ASSERT_EQ(a.angle, b.angle);
    ASSERT_EQ(a.speed, b.speed);
    ASSERT_EQ(a.counts, b.counts);
    ASSERT_EQ(a.state, b.state);
  }
}

TEST_F(LoopTest, SaysThatTheHardwareIsBusyAndDoesNotTouchIt)
{
  hardware.open_error = HardwareError::busy;
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.end, RunEnd::hardware_fault);
  EXPECT_EQ(outcome.hardware_error, HardwareError::busy);
  EXPECT_EQ(hardware.writes, 0);
  EXPECT_EQ(hardware.disarms, 0);
}

TEST_F(LoopTest, ClosesHardwareThatDoesNotArm)
{
  hardware.arm_error = HardwareError::timeout;
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.end, RunEnd::hardware_fault);
  EXPECT_EQ(hardware.writes, 0);
  EXPECT_EQ(hardware.closes, 1);
}

TEST_F(LoopTest, EndsWithZeroVoltsWhenReadsFail)
{
  hardware.fail_reads_after = 500;
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.end, RunEnd::hardware_fault);
  EXPECT_EQ(outcome.finding.reason, Reason::read_failed);
  EXPECT_EQ(outcome.hardware_error, HardwareError::timeout);
  EXPECT_EQ(outcome.cycles, 500 + default_settings().guard.failures_in_a_row);
  EXPECT_EQ(hardware.last_write, Eigen::Vector2d(0.0, 0.0));
  EXPECT_EQ(hardware.disarms, 1);
  EXPECT_EQ(records.list.back().state, ControlState::fault);
}

TEST_F(LoopTest, EndsWhenWritesFail)
{
  hardware.fail_writes_after = 500;
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.end, RunEnd::hardware_fault);
  EXPECT_EQ(outcome.finding.reason, Reason::write_failed);
  EXPECT_EQ(hardware.disarms, 1);
}

TEST_F(LoopTest, EndsWhenTheBoardReportsAFault)
{
  hardware.device_fault_after = 700;
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.end, RunEnd::hardware_fault);
  EXPECT_EQ(outcome.finding.reason, Reason::device_fault);
  EXPECT_EQ(outcome.cycles, 701);
}

/// Interrupts after so many records.
class Interrupting : public RecordSink
{
public:
  Interrupting(RunRequests & requests, std::vector<int> at) : requests_(requests), at_(at) {}
  void take(const CycleRecord & record) noexcept override
  {
    ++count_;
    for (const int moment : at_)
    {
      requests_.interrupts += moment == count_ ? 1 : 0;
    }
    last = record;
  }
  CycleRecord last;

private:
  RunRequests & requests_;
  std::vector<int> at_;
  int count_ = 0;
};

TEST_F(LoopTest, StopsSmoothlyOnTheFirstInterrupt)
{
  Interrupting sink(requests, {800});
  Pacer pacer(millisecond, false);
  const RunOutcome outcome =
    run_loop(controller, hardware, pacer, sink, requests, status, {millisecond, false});
  EXPECT_EQ(outcome.end, RunEnd::stopped);
  EXPECT_NEAR(1e-3 * static_cast<double>(outcome.cycles), 0.8 + 0.3 + 0.7 + 0.3, 5e-3);
  EXPECT_EQ(sink.last.volts, Eigen::Vector2d(0.0, 0.0));
}

TEST_F(LoopTest, CutsTheVoltsOnTheSecondInterrupt)
{
  Interrupting sink(requests, {800, 900});
  Pacer pacer(millisecond, false);
  const RunOutcome outcome =
    run_loop(controller, hardware, pacer, sink, requests, status, {millisecond, false});
  EXPECT_EQ(outcome.end, RunEnd::aborted);
  EXPECT_EQ(outcome.cycles, 901) << "in the very next cycle";
  EXPECT_EQ(sink.last.volts, Eigen::Vector2d(0.0, 0.0));
}

TEST_F(LoopTest, DoesNotBeginIfItIsInterruptedBefore)
{
  requests.interrupts = 1;
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.end, RunEnd::aborted);
  EXPECT_EQ(outcome.cycles, 0);
  EXPECT_EQ(hardware.writes, 0) << "the motors were not even armed";
}

TEST_F(LoopTest, DisarmsAndClosesAlsoWhenAnExceptionEndsIt)
{
  hardware.throw_at_home = true;
  EXPECT_THROW(run(), std::runtime_error);
  EXPECT_EQ(hardware.disarms, 1);
  EXPECT_EQ(hardware.closes, 1);
  EXPECT_TRUE(status.finished);
}

TEST_F(LoopTest, SaysThatTheMotorsHaveNoVoltsOnlyWhenTheDeviceSaysSo)
{
  hardware.confirms = false;
  run();
  EXPECT_TRUE(status.finished);
  EXPECT_FALSE(status.zero_confirmed);
  LoopRig other;
  other.run();
  EXPECT_TRUE(other.status.zero_confirmed);
}

TEST_F(LoopTest, ShowsNoErrorWhereThereIsNoReference)
{
  run();
  EXPECT_EQ(records.list.back().state, ControlState::idle);
  EXPECT_EQ(joint_error(records.list.back()), Eigen::Vector2d(0.0, 0.0));
  EXPECT_EQ(status.error, 0.0);
}

TEST(Pacer, KeepsTheAverageRateAndCountsEveryCycle)
{
  Pacer pacer(millisecond, true);
  std::int64_t last = pacer.begin_cycle();
  // When it was due.
  const double first = static_cast<double>(last) - pacer.timing().wake_up.mean();
  for (int k = 0; k < 300; ++k)
  {
    pacer.end_cycle();
    const std::int64_t now = pacer.begin_cycle();
    EXPECT_GT(now, last);
    last = now;
  }
  const LoopTiming & timing = pacer.timing();
  EXPECT_EQ(timing.wake_up.count(), 301);
  EXPECT_EQ(timing.cycle_time.count(), 300);
  // Periods are never shortened: what was skipped is counted.
  const double periods = static_cast<double>(300 + timing.skipped_periods);
  EXPECT_GE(static_cast<double>(last) - first, (periods - 1.0) * 1e6);
}

}  // namespace
}  // namespace fivebar_control::test
