// SPDX-License-Identifier: Apache-2.0
// Cost of the serial board: the protocol by itself, and whole reads and writes against the emulated
// board in another thread (where a read waits for its answer).
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "fivebar_control/hardware/serial_board.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/simulation/emulated_board.hpp"

namespace
{

using namespace fivebar_control;

void encode_command(benchmark::State & state)
{
  std::uint16_t sequence = 0;
  for (auto _ : state)
  {
    benchmark::DoNotOptimize(serial::command(++sequence, {1.234, -5.678}));
  }
}
BENCHMARK(encode_command);

void decode_state_frame(benchmark::State & state)
{
  std::array<std::uint8_t, 35> payload{0x82, 1, 2, 3};
  const serial::Frame frame = serial::encode(payload);
  serial::FrameReader reader;
  for (auto _ : state)
  {
    for (const std::uint8_t byte : frame.view())
    {
      if (const auto found = reader.take(byte))
      {
        benchmark::DoNotOptimize(serial::decode_state(*found));
      }
    }
  }
}
BENCHMARK(decode_state_frame);

/// `work` on an open and armed board that is kept awake by writes.
template <class Work>
void with_board(benchmark::State & state, Work && work)
{
  const RobotModel robot = load_robot(FIVEBAR_SOURCE_DIR "/config/robot.yaml");
  EmulatedBoard board(robot, {}, robot.parameters().home, {});
  board.open();
  std::atomic<bool> stop{false};
  std::thread thread([&] { board.run([&] { return stop.load(); }); });
  SerialBoard host(board.device(), {});
  if (host.open() != HardwareError::none || host.arm() != HardwareError::none)
  {
    state.SkipWithError("no board");
  }
  else
  {
    for (auto _ : state)
    {
      work(host, state);
    }
  }
  host.close();
  stop = true;
  thread.join();
}

void serial_read_with_answer(benchmark::State & state)
{
  with_board(state, [](SerialBoard & host, benchmark::State &) {
    MotorSample sample;
    benchmark::DoNotOptimize(host.read(sample));
  });
}
BENCHMARK(serial_read_with_answer)->UseRealTime();

void serial_write(benchmark::State & state)
{
  with_board(state, [](SerialBoard & host, benchmark::State & running) {
    benchmark::DoNotOptimize(host.write({0.1, -0.1}));
    running.PauseTiming();
    usleep(100);  // as slow as no loop is: the line must not fill up
    running.ResumeTiming();
  });
}
BENCHMARK(serial_write)->UseRealTime()->Iterations(5000);

}  // namespace

BENCHMARK_MAIN();
