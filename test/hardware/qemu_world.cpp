// SPDX-License-Identifier: Apache-2.0
// What is around a firmware that runs in QEMU: robot, encoders, and the timer. Each millisecond of
// it is one message over a socket and one answer; its time is the board's.
//
//   qemu_world SOCKET ROBOT.yaml PLANT.yaml LOG.csv [EMERGENCY_STOP_MS_AFTER_START [for MS]]
#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/simulation/live_robot.hpp"
#include "fivebar_control/support/monotonic_clock.hpp"

namespace
{

using namespace fivebar_control;

volatile std::sig_atomic_t ended = 0;

constexpr std::int64_t tick_ns = 1'000'000;
constexpr int ns_per_instruction = 64;  // -icount shift=6
constexpr int ns_per_count = 40;        // SysTick at 25 MHz
constexpr std::uint16_t emergency_stop = 32;

int connect_to(const char * path)
{
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
  for (int attempt = 0; attempt < 100; ++attempt)
  {
    if (connect(fd, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0)
    {
      return fd;
    }
    usleep(100'000);
  }
  return -1;
}

template <std::size_t size>
bool read_all(int fd, std::array<std::uint8_t, size> & bytes)
{
  std::size_t have = 0;
  while (have < size && ended == 0)
  {
    pollfd waited{fd, POLLIN, 0};
    if (poll(&waited, 1, 200) <= 0)
    {
      continue;
    }
    const ssize_t got = read(fd, bytes.data() + have, size - have);
    if (got <= 0)
    {
      return false;
    }
    have += static_cast<std::size_t>(got);
  }
  return have == size;
}

void put(std::uint8_t * to, std::uint32_t value)
{
  for (int i = 0; i < 4; ++i)
  {
    to[i] = static_cast<std::uint8_t>(value >> (8 * i));
  }
}

std::uint32_t get(const std::uint8_t * from)
{
  return static_cast<std::uint32_t>(from[0]) | static_cast<std::uint32_t>(from[1]) << 8 |
         static_cast<std::uint32_t>(from[2]) << 16 | static_cast<std::uint32_t>(from[3]) << 24;
}

double millivolts(const std::uint8_t * from)
{
  return 1e-3 * static_cast<std::int16_t>(static_cast<std::uint16_t>(from[0] | from[1] << 8));
}

struct Figures
{
  std::uint32_t most = 0, stack = 0;
  double sum = 0.0;
  std::int64_t ticks = 0;
};

}  // namespace

int main(int count, char ** arguments)
{
  if (count < 5)
  {
    std::fputs("expected SOCKET ROBOT.yaml PLANT.yaml LOG.csv [EMERGENCY_STOP_MS]\n", stderr);
    return 2;
  }
  std::signal(SIGTERM, [](int) { ended = 1; });
  std::signal(SIGPIPE, SIG_IGN);
  const RobotModel robot = load_robot(arguments[2]);
  const PlantParameters plant = load_plant(arguments[3]);
  const long stop_ms = count > 5 ? std::atol(arguments[5]) : -1;
  LiveRobot world(make_equations_engine(robot, plant), plant, robot.parameters().home);
  std::FILE * log = std::fopen(arguments[4], "w");
  const int fd = connect_to(arguments[1]);
  if (fd < 0 || log == nullptr)
  {
    std::fputs("no socket, or no log\n", stderr);
    return 1;
  }
  std::fputs("ms,volts1,volts4,state,instructions\n", log);
  Figures playing;
  std::int64_t ms = 1000, began_ms = 0;
  std::int64_t next_ns = monotonic_now_ns();
  world.advance_to(ms * tick_ns);
  while (ended == 0)
  {
    sleep_until_ns(next_ns);
    ++ms;
    world.advance_to(ms * tick_ns);
    std::array<std::uint8_t, 14> message{};
    put(message.data(), static_cast<std::uint32_t>(1000 * ms));
    const auto counts = world.counts();
    put(message.data() + 4, static_cast<std::uint32_t>(counts[0]));
    put(message.data() + 8, static_cast<std::uint32_t>(counts[1]));
    const bool pressed = stop_ms >= 0 && began_ms != 0 && ms - began_ms >= stop_ms;
    message[12] = pressed ? emergency_stop : 0;
    std::array<std::uint8_t, 16> answer{};
    if (
      write(fd, message.data(), message.size()) != static_cast<ssize_t>(message.size()) ||
      !read_all(fd, answer))
    {
      break;
    }
    const Eigen::Vector2d volts(millivolts(answer.data()), millivolts(answer.data() + 2));
    world.set_volts(volts);
    const std::uint32_t instructions = get(answer.data() + 4) * ns_per_count / ns_per_instruction;
    const std::uint32_t state = get(answer.data() + 12);
    began_ms = began_ms == 0 && (state == 1 || state == 2) ? ms : began_ms;
    playing.stack = std::max(playing.stack, get(answer.data() + 8));
    if (state >= 1 && state <= 5)
    {
      playing.most = std::max(playing.most, instructions);
      playing.sum += instructions;
      ++playing.ticks;
    }
    fmt::print(log, "{},{},{},{},{}\n", ms, volts[0], volts[1], state, instructions);
    next_ns += tick_ns;
    const std::int64_t now_ns = monotonic_now_ns();
    next_ns = now_ns - next_ns > 3 * tick_ns ? now_ns : next_ns;
  }
  std::fclose(log);
  fmt::print(
    "instructions_mean {:.0f}\ninstructions_most {}\nstack {}\ncycles {}\n",
    playing.ticks > 0 ? playing.sum / static_cast<double>(playing.ticks) : 0.0, playing.most,
    playing.stack, playing.ticks);
  return 0;
}
