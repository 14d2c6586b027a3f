// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/daemon/realtime.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace fivebar_control
{
namespace
{

void touch_stack()
{
  constexpr std::size_t size = 262'144;  // bytes
  std::array<unsigned char, size> stack;
  volatile unsigned char * bytes = stack.data();
  for (std::size_t i = 0; i < size; i += 1024)
  {
    bytes[i] = 0;
  }
}

}  // namespace

void lock_memory(RealtimeReport & report)
{
  report.memory_locked = mlockall(MCL_CURRENT) == 0;
  if (!report.memory_locked)
  {
    report.complaints.push_back(fmt::format(
      "memory is not locked ({}): a page fault may delay a cycle", std::strerror(errno)));
  }
}

void stay_awake(RealtimeReport & report)
{
  // The kernel takes the wish back when the file is closed: when the process ends, however it does.
  static const int held = [] {
    const int file = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);
    const std::int32_t microseconds = 0;
    if (file >= 0 && write(file, &microseconds, sizeof microseconds) != sizeof microseconds)
    {
      close(file);
      return -1;
    }
    return file;
  }();
  report.awake = held >= 0;
  if (!report.awake)
  {
    report.complaints.emplace_back(
      "the processors may sleep deeply between cycles (/dev/cpu_dma_latency cannot be written): "
      "waking takes longer; see docs/operation.md, \"Permissions\"");
  }
}

void enter_realtime(const RealtimeOptions & options, RealtimeReport & report)
{
  if (options.cpu >= 0)
  {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(static_cast<std::size_t>(options.cpu), &cores);
    const int error = pthread_setaffinity_np(pthread_self(), sizeof(cores), &cores);
    report.pinned = error == 0;
    if (!report.pinned)
    {
      report.complaints.push_back(
        fmt::format("the loop is not pinned to core {} ({})", options.cpu, std::strerror(error)));
    }
  }
  if (options.priority > 0)
  {
    stay_awake(report);
    sched_param parameters{};
    parameters.sched_priority = options.priority;
    const int error = pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters);
    report.fifo = error == 0;
    if (!report.fifo)
    {
      report.complaints.push_back(fmt::format(
        "no real-time priority {} ({}): cycles may be late; see docs/operation.md, \"Permissions\"",
        options.priority, std::strerror(error)));
    }
  }
  touch_stack();
}

}  // namespace fivebar_control
