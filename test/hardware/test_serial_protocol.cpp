// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string_view>
#include <vector>

#include "firmware/board.h"
#include "fivebar_control/hardware/clock_offset.hpp"
#include "fivebar_control/hardware/serial_protocol.hpp"

namespace fivebar_control::serial
{
namespace
{

std::span<const std::uint8_t> bytes_of(std::string_view text)
{
  return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()};
}

TEST(SerialProtocol, TheChecksumIsTheStandardOne)
{
  // Check value of CRC-32/ISO-HDLC in the catalogue of parametrised CRC algorithms.
  EXPECT_EQ(crc32(bytes_of("123456789")), 0xCBF43926U);
  EXPECT_EQ(fivebar_crc32(bytes_of("123456789").data(), 9), 0xCBF43926U);
}

TEST(SerialProtocol, HostAndFirmwareEncodeTheSameFrames)
{
  std::mt19937 random(1);
  for (int i = 0; i < 100000; ++i)
  {
    std::vector<std::uint8_t> payload(random() % (largest_payload + 2));
    for (std::uint8_t & byte : payload)
    {
      byte =
        static_cast<std::uint8_t>(random() % 4 == 0 ? 0 : random());  // zeros are the hard part
    }
    const Frame ours = encode(payload);
    std::uint8_t theirs[FIVEBAR_FRAME_MAX];
    const std::size_t size = fivebar_frame_encode(payload.data(), payload.size(), theirs);
    ASSERT_EQ(ours.size, size);
    ASSERT_EQ(std::memcmp(ours.bytes.data(), theirs, size), 0);
  }
}

TEST(SerialProtocol, HostAndFirmwareAgreeOnDamagedStreams)
{
  std::mt19937 random(2);
  FrameReader host;
  fivebar_frame_reader board;
  fivebar_frame_reader_init(&board);
  std::int64_t good = 0;
  std::int64_t bad = 0;
  for (int i = 0; i < 100000; ++i)
  {
    const Frame frame =
      command(static_cast<std::uint16_t>(i), {1e-3 * static_cast<double>(random() % 20000), -5.0});
    for (std::uint8_t byte : frame.view())
    {
      if (random() % 50 == 0)
      {
        byte = static_cast<std::uint8_t>(random());
      }
      const auto payload = host.take(byte);
      const fivebar_frame_event event = fivebar_frame_take(&board, byte);
      ASSERT_EQ(payload.has_value(), event == FIVEBAR_FRAME_GOOD);
      good += event == FIVEBAR_FRAME_GOOD ? 1 : 0;
      bad += event == FIVEBAR_FRAME_BAD ? 1 : 0;
      if (payload)
      {
        ASSERT_EQ(payload->size(), board.size);
        ASSERT_EQ(std::memcmp(payload->data(), board.payload, board.size), 0);
      }
    }
  }
  EXPECT_EQ(host.bad_frames(), bad);
  EXPECT_GT(good, 50000);
  EXPECT_GT(bad, 10000);
}

/// The firmware with a world that the tests set.
class Firmware : public testing::Test
{
protected:
  Firmware()
  {
    fivebar_hooks hooks{};
    hooks.context = this;
    hooks.time_us = [](void * c) { return of(c).time_us; };
    hooks.counts = [](void * c, int motor) { return of(c).counts[motor]; };
    hooks.index = [](void *, int, std::int32_t * index) {
      *index = -77;
      return true;
    };
    hooks.set_output = [](void * c, std::int32_t first, std::int32_t second) {
      of(c).output[0] = first;
      of(c).output[1] = second;
    };
    hooks.faults = [](void * c) { return of(c).faults; };
    hooks.send = [](void * c, const std::uint8_t * bytes, std::size_t size) {
      of(c).sent.insert(of(c).sent.end(), bytes, bytes + size);
    };
    hooks.kick_hardware_watchdog = [](void * c) { ++of(c).kicks; };
    fivebar_board_init(&board, &hooks, session, 12000);
  }
  static Firmware & of(void * context) { return *static_cast<Firmware *>(context); }

  void send(const Frame & frame)
  {
    for (const std::uint8_t byte : frame.view())
    {
      fivebar_board_receive(&board, byte);
    }
  }
  std::optional<State> last_state()
  {
    std::optional<State> state;
    FrameReader reader;
    for (const std::uint8_t byte : sent)
    {
      if (const auto payload = reader.take(byte))
      {
        state = decode_state(*payload);
      }
    }
    return state;
  }
  void arm()
  {
    send(hello(10, 99));
    send(serial::arm(11, session));
    ASSERT_TRUE(board.armed);
  }

  static constexpr std::uint32_t session = 0xA1B2C3D4U;
  fivebar_board board{};
  std::uint32_t time_us = 4294960000U;  // wraps around during the tests
  std::int32_t counts[2] = {123456, -654321};
  std::int32_t output[2] = {0, 0};
  std::uint16_t faults = 0;
  std::vector<std::uint8_t> sent;
  int kicks = 0;
};

TEST_F(Firmware, AnswersAGreetingWithItsVersionAndSession)
{
  send(hello(10, 0xDEADBEEFU));
  FrameReader reader;
  std::optional<Info> info;
  for (const std::uint8_t byte : sent)
  {
    if (const auto payload = reader.take(byte))
    {
      info = decode_info(*payload);
    }
  }
  ASSERT_TRUE(info);
  EXPECT_EQ(info->nonce, 0xDEADBEEFU);
  EXPECT_EQ(info->major, protocol_major);
  EXPECT_EQ(info->session, session);
  EXPECT_EQ(info->full_scale_millivolts, 12000U);
  EXPECT_LE(info->watchdog_ms, 50);
}

TEST_F(Firmware, TheHostUnderstandsItsState)
{
  arm();
  send(command(12, {1.25, -2.5}));
  send(request(13));
  const auto state = last_state();
  ASSERT_TRUE(state);
  EXPECT_EQ(state->sequence, 13);
  EXPECT_EQ(state->counts, (std::array<std::int32_t, 2>{123456, -654321}));
  EXPECT_EQ(state->index, (std::array<std::int32_t, 2>{-77, -77}));
  EXPECT_EQ(state->output_millivolts, (std::array<std::int16_t, 2>{1250, -2500}));
  EXPECT_EQ(state->status, armed | index_1 | index_4);
  EXPECT_EQ(state->command_sequence, 12);
  EXPECT_EQ(state->time_us, time_us);
}

TEST_F(Firmware, GoesToZeroWhenItHearsNoCommand)
{
  arm();
  send(command(12, {1.0, 1.0}));
  time_us += FIVEBAR_WATCHDOG_US - 1;
  fivebar_board_tick(&board);
  EXPECT_EQ(output[0], 1000);
  time_us += 1;
  fivebar_board_tick(&board);
  EXPECT_EQ(output[0], 0);
  EXPECT_EQ(output[1], 0);
  send(command(13, {1.0, 1.0}));
  EXPECT_EQ(output[0], 0) << "it must be armed again first";
  send(request(14));
  EXPECT_EQ(last_state()->status & (armed | watchdog), watchdog);
  EXPECT_GT(kicks, 0);
}

TEST_F(Firmware, RequestsDoNotFeedTheWatchdog)
{
  arm();
  send(command(12, {1.0, 1.0}));
  for (std::uint16_t i = 0; i < 60; ++i)
  {
    time_us += 1000;
    send(request(static_cast<std::uint16_t>(13 + i)));
    fivebar_board_tick(&board);
  }
  EXPECT_EQ(output[0], 0);
}

TEST_F(Firmware, ACommandAfterTheSilenceDoesNotHideItFromTheWatchdog)
{
  arm();
  send(command(12, {1.0, 1.0}));
  time_us += 60'000;  // no tick came in between
  send(command(13, {1.0, 1.0}));
  EXPECT_EQ(output[0], 0);
  fivebar_board_tick(&board);
  EXPECT_EQ(output[0], 0);
  EXPECT_FALSE(board.armed);
  EXPECT_EQ(board.latched, FIVEBAR_WATCHDOG);
}

TEST_F(Firmware, ATimerThatStandsStillTripsTheWatchdogAndLetsTheMicrocontrollersOwnOneExpire)
{
  arm();
  send(command(12, {1.0, 1.0}));
  int ticks = 0;
  for (; ticks < 100 && output[0] != 0; ++ticks)
  {
    fivebar_board_tick(&board);  // once per millisecond, but time_us does not move
    send(command(static_cast<std::uint16_t>(13 + ticks), {1.0, 1.0}));
  }
  EXPECT_LE(ticks, 48);
  EXPECT_EQ(board.latched, FIVEBAR_WATCHDOG);
  const int before = kicks;
  for (int i = 0; i < 50; ++i)
  {
    fivebar_board_tick(&board);
  }
  EXPECT_EQ(kicks, before);
  time_us += 1000;
  fivebar_board_tick(&board);
  EXPECT_EQ(kicks, before + 1) << "it runs again";
}

TEST_F(Firmware, HomingMayPushAgainstAStopForLongerButNotHarder)
{
  send(hello(10, 99));
  send(arm_for_homing(11, session));
  ASSERT_TRUE(board.armed);
  std::uint16_t sequence = 12;
  int milliseconds = 0;
  for (; milliseconds < 1000 && board.armed; ++milliseconds)
  {
    time_us += 1000;
    send(command(sequence++, {9.0, 0.0}));
    EXPECT_LE(output[0], FIVEBAR_HOMING_MILLIVOLTS);
    fivebar_board_tick(&board);
  }
  EXPECT_EQ(milliseconds, 400);
  EXPECT_EQ(board.latched, FIVEBAR_ENCODER_ERROR) << "it still ends";
  send(serial::arm(sequence++, session));
  for (milliseconds = 0; milliseconds < 1000 && board.armed; ++milliseconds)
  {
    time_us += 1000;
    send(command(sequence++, {9.0, 0.0}));
    fivebar_board_tick(&board);
  }
  EXPECT_EQ(milliseconds, 40) << "the next arming knows nothing of it";
}

TEST_F(Firmware, IgnoresRepeatedAndOvertakenCommands)
{
  arm();
  send(command(13, {2.0, 2.0}));
  send(command(12, {9.0, 9.0}));
  send(command(13, {9.0, 9.0}));
  EXPECT_EQ(output[0], 2000);
}

TEST_F(Firmware, CountsWhatItMissed)
{
  arm();
  send(request(15));
  EXPECT_EQ(last_state()->lost_frames, 3);
}

TEST_F(Firmware, DoesNotArmForTheWrongSessionOrUnderAFault)
{
  send(serial::arm(11, session));
  EXPECT_FALSE(board.armed) << "nobody greeted";
  send(hello(12, 1));
  send(serial::arm(13, session + 1));
  EXPECT_FALSE(board.armed);
  faults = FIVEBAR_EMERGENCY_STOP;
  send(serial::arm(14, session));
  EXPECT_FALSE(board.armed);
  EXPECT_TRUE(last_state()->status & emergency_stop);
  faults = 0;
  send(serial::arm(15, session));
  EXPECT_TRUE(board.armed);
}

TEST_F(Firmware, AFaultIsZeroVoltsAndStaysUntilArmedAgain)
{
  arm();
  send(command(12, {3.0, 0.0}));
  faults = FIVEBAR_OVER_CURRENT;
  fivebar_board_tick(&board);
  EXPECT_EQ(output[0], 0);
  faults = 0;
  fivebar_board_tick(&board);
  send(command(13, {3.0, 0.0}));
  EXPECT_EQ(output[0], 0);
  send(request(14));
  EXPECT_TRUE(last_state()->status & over_current);
}

TEST_F(Firmware, ADrivenMotorWhoseEncoderStandsStillIsAnEncoderError)
{
  arm();
  for (std::uint16_t i = 0; i < 60 && board.armed; ++i)
  {
    time_us += 1000;
    counts[1] += 1;
    send(command(static_cast<std::uint16_t>(12 + i), {2.0, 2.0}));
    fivebar_board_tick(&board);
  }
  EXPECT_FALSE(board.armed);
  EXPECT_EQ(board.latched, FIVEBAR_ENCODER_ERROR);
}

TEST_F(Firmware, LimitsTheVoltsToItsBridges)
{
  arm();
  send(command(12, {32.0, -32.0}));
  EXPECT_EQ(output[0], 12000);
  EXPECT_EQ(output[1], -12000);
}

TEST_F(Firmware, ANewHostDisarmsIt)
{
  arm();
  send(command(12, {3.0, 0.0}));
  send(hello(500, 7));
  EXPECT_FALSE(board.armed);
  EXPECT_EQ(output[0], 0);
}

TEST(ClockOffset, PutsDeviceTimesBetweenQuestionAndAnswer)
{
  // A device whose clock is 100 ppm fast, has an offset and wraps around; round trips from 0.1 to
  // 5 ms, of which the way there takes a random share.
  std::mt19937 random(3);
  ClockOffset offset;
  std::uniform_real_distribution<double> share(0.0, 1.0);
  double worst_of_short = 0.0;
  for (std::int64_t i = 0; i < 20000; ++i)
  {
    const std::int64_t asked = 1'000'000 * i;
    const std::int64_t trip =
      i % 10 == 0 ? 100'000 : 100'000 + static_cast<std::int64_t>(random() % 4'900'000);
    const std::int64_t sampled =
      asked + 50'000 +
      static_cast<std::int64_t>(share(random) * static_cast<double>(trip - 100'000));
    const double device_us = 1.0001e-3 * static_cast<double>(sampled) + 4294900000.0;
    const auto wrapped = static_cast<std::uint32_t>(static_cast<std::uint64_t>(device_us));
    const std::int64_t estimate = offset.host_time(wrapped, asked, asked + trip);
    ASSERT_GE(estimate, asked);
    ASSERT_LE(estimate, asked + trip);
    worst_of_short = std::max(worst_of_short, std::abs(static_cast<double>(estimate - sampled)));
  }
  EXPECT_LT(worst_of_short, 10e3) << "ns; the drift within ten exchanges is 1 us, rounding another";
}

}  // namespace
}  // namespace fivebar_control::serial
