// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "fivebar_control/hardware/calibration.hpp"
#include "fivebar_control/hardware/serial_board.hpp"
#include "fivebar_control/support/monotonic_clock.hpp"
#include "hardware/emulation.hpp"

// What these tests say about times holds on a busy machine, too: they wait for a condition with a
// generous end, and never demand that something arrives within one cycle.
namespace fivebar_control::test
{
namespace
{

/// Reads until the result is `wanted`, at most for two seconds.
HardwareError read_until(MotorHardware & hardware, MotorSample & sample, HardwareError wanted)
{
  HardwareError error = HardwareError::none;
  for (int i = 0; i < 2000; ++i)
  {
    error = hardware.read(sample);
    if (error == wanted)
    {
      break;
    }
    sleep_ms(1);
  }
  return error;
}

TEST(SerialBoard, ReadsCountsAndStatusAfterOpening)
{
  const std::string link = link_name("open");
  BoardThread board({link});
  SerialBoard host(link, {});
  ASSERT_EQ(host.open(), HardwareError::none);
  MotorSample sample;
  ASSERT_EQ(read_until(host, sample, HardwareError::none), HardwareError::none);
  EXPECT_EQ(sample.counts, (std::array<std::int64_t, 2>{0, 0}));
  EXPECT_EQ(sample.status, 0U);
  EXPECT_GE(sample.age_ns, 0);
  EXPECT_EQ(host.write({1.0, 1.0}), HardwareError::not_armed);
  ASSERT_EQ(host.arm(), HardwareError::none);
  ASSERT_EQ(read_until(host, sample, HardwareError::none), HardwareError::none);
  EXPECT_EQ(sample.status, motor_status::armed);
  EXPECT_EQ(host.write({std::nan(""), 1.0}), HardwareError::bad_data);
}

TEST(SerialBoard, SaysWhatIsWrongWithADevice)
{
  EXPECT_EQ(SerialBoard("/tmp/no_such_board", {}).open(), HardwareError::no_device);
  const std::string file = link_name("file");
  std::ofstream(file) << "not a serial port";
  EXPECT_EQ(SerialBoard(file, {}).open(), HardwareError::wrong_device);
  std::filesystem::remove(file);
  // A line on which nobody speaks the protocol.
  PseudoTerminal silent(link_name("silent"));
  silent.open();
  EXPECT_EQ(SerialBoard(silent.device(), {}).open(), HardwareError::wrong_device);
}

TEST(SerialBoard, BelongsToOneProgram)
{
  const std::string link = link_name("busy");
  BoardThread board({link});
  SerialBoard first(link, {});
  SerialBoard second(link, {});
  ASSERT_EQ(first.open(), HardwareError::none);
  EXPECT_EQ(second.open(), HardwareError::busy);
}

TEST(SerialBoard, MarksStaleDataWithItsAgeAndDoesNotWaitForASlowBoard)
{
  const std::string link = link_name("stale");
  Fault mute;
  mute.kind = FaultKind::lose;
  mute.direction = LineDirection::to_host;
  mute.since_start = true;
  mute.at = 0.5;
  EmulatorOptions options{link};
  options.faults = {mute};
  BoardThread board(options);
  SerialBoard host(link, {});
  ASSERT_EQ(host.open(), HardwareError::none);
  MotorSample sample;
  ASSERT_EQ(read_until(host, sample, HardwareError::none), HardwareError::none);
  sleep_ms(600);
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < 20; ++i)
  {
    const std::int64_t began = monotonic_now_ns();
    EXPECT_EQ(host.read(sample), HardwareError::timeout);
    shortest = std::min(shortest, monotonic_now_ns() - began);
  }
  EXPECT_GT(sample.age_ns, 100'000'000);
  // The deadline is 0.4 ms; the shortest of 20, since the machine may delay any one of them.
  EXPECT_LT(shortest, 2'000'000);
  EXPECT_GE(host.statistics()->stale_reads, 20);
}

TEST(SerialBoard, ReconnectsByItselfWhileIdle)
{
  const std::string link = link_name("idle");
  Fault unplugged;
  unplugged.kind = FaultKind::unplug;
  unplugged.since_start = true;
  unplugged.at = 0.5;
  unplugged.duration = 0.3;
  EmulatorOptions options{link};
  options.faults = {unplugged};
  BoardThread board(options);
  SerialBoard host(link, {});
  ASSERT_EQ(host.open(), HardwareError::none);
  MotorSample sample;
  ASSERT_EQ(read_until(host, sample, HardwareError::none), HardwareError::none);
  ASSERT_EQ(read_until(host, sample, HardwareError::disconnected), HardwareError::disconnected);
  ASSERT_EQ(read_until(host, sample, HardwareError::none), HardwareError::none);
  EXPECT_EQ(host.statistics()->reconnects, 1);
  EXPECT_EQ(host.arm(), HardwareError::none) << "the board kept its counts: still homed";
}

TEST(SerialBoard, DoesNotArmABoardThatLostItsCounts)
{
  const std::string link = link_name("replugged");
  Fault unplugged;
  unplugged.kind = FaultKind::unplug;
  unplugged.since_start = true;
  unplugged.at = 0.4;
  unplugged.duration = 0.3;
  Fault rebooted = unplugged;
  rebooted.kind = FaultKind::reboot;
  EmulatorOptions options{link};
  options.faults = {unplugged, rebooted};
  BoardThread board(options);
  SerialBoard host(link, {});
  ASSERT_EQ(host.open(), HardwareError::none);
  MotorSample sample;
  ASSERT_EQ(read_until(host, sample, HardwareError::disconnected), HardwareError::disconnected);
  ASSERT_EQ(read_until(host, sample, HardwareError::none), HardwareError::none);
  EXPECT_TRUE(sample.status & motor_status::restarted);
  EXPECT_EQ(host.arm(), HardwareError::not_homed);
  ASSERT_EQ(host.open(), HardwareError::none) << "opening homes again";
  EXPECT_EQ(host.arm(), HardwareError::none);
}

TEST(SerialBoard, StaysDisconnectedWhileArmed)
{
  const std::string link = link_name("armed");
  Fault unplugged;
  unplugged.kind = FaultKind::unplug;
  unplugged.at = 0.1;
  unplugged.duration = 0.2;
  EmulatorOptions options{link};
  options.faults = {unplugged};
  BoardThread board(options);
  SerialBoard host(link, {});
  ASSERT_EQ(host.open(), HardwareError::none);
  ASSERT_EQ(host.arm(), HardwareError::none);
  MotorSample sample;
  ASSERT_EQ(read_until(host, sample, HardwareError::disconnected), HardwareError::disconnected);
  sleep_ms(500);
  EXPECT_EQ(host.read(sample), HardwareError::disconnected);
  EXPECT_EQ(host.write({1.0, 1.0}), HardwareError::disconnected);
  host.disarm();
  EXPECT_EQ(read_until(host, sample, HardwareError::none), HardwareError::none);
}

TEST(FaultyLine, DoesWhatItsFaultsSay)
{
  const std::vector<std::uint8_t> bytes = {1, 2, 0, 3, 4, 0};
  const auto through = [&](FaultKind kind, bool frames) {
    FaultyLine line(1);
    Fault fault;
    fault.kind = kind;
    fault.whole_frames = frames;
    fault.delay = 1e-6;
    line.push(bytes, 0, {&fault});
    return line.pop(0);
  };
  using Bytes = std::vector<std::uint8_t>;
  EXPECT_EQ(through(FaultKind::lose, false), Bytes{});
  EXPECT_EQ(through(FaultKind::delay, false), Bytes{});
  EXPECT_EQ(through(FaultKind::duplicate, true), (Bytes{1, 2, 0, 1, 2, 0, 3, 4, 0, 3, 4, 0}));
  EXPECT_EQ(through(FaultKind::reorder, true), (Bytes{3, 4, 0, 1, 2, 0}));
  EXPECT_EQ(through(FaultKind::reorder, false), (Bytes{2, 1, 3, 0, 0, 4}));
  EXPECT_NE(through(FaultKind::corrupt, false), bytes);
}

}  // namespace
}  // namespace fivebar_control::test
