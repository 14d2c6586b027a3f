// SPDX-License-Identifier: Apache-2.0
#include "doctor_checks.hpp"

#include <fmt/core.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

#include "fivebar_control/daemon/pacer.hpp"
#include "fivebar_control/hardware/serial_board.hpp"
#include "fivebar_control/support/monotonic_clock.hpp"

namespace fivebar_control::cli
{
namespace
{

constexpr double ms = 1e-6;  // of a nanosecond

std::string first_line(const std::string & path)
{
  std::ifstream stream(path);
  std::string line;
  std::getline(stream, line);
  return line;
}

double in_ms(std::uint64_t ns) { return ms * static_cast<double>(ns); }

/// The folder of a serial device in sysfs, through links like /dev/fivebar.
std::string sysfs_of(const std::string & device)
{
  std::error_code error;
  const auto real = std::filesystem::canonical(device, error);
  return error ? "" : "/sys/class/tty/" + real.filename().string();
}

Diagnosis examine_adapter(const std::string & device)
{
  const std::string folder = sysfs_of(device);
  std::error_code error;
  const auto driver = std::filesystem::read_symlink(folder + "/device/driver", error);
  if (error)
  {
    return {
      "adapter", Health::good, "no adapter that the kernel knows: a pseudo-terminal, or none", ""};
  }
  const std::string timer = first_line(folder + "/device/latency_timer");
  if (timer.empty() || timer == "1")
  {
    return {"adapter", Health::good, fmt::format("driver {}", driver.filename().string()), ""};
  }
  return {
    "adapter", Health::fair,
    fmt::format("driver {} holds bytes back for {} ms", driver.filename().string(), timer),
    fmt::format("echo 1 | sudo tee {}/device/latency_timer", folder)};
}

Diagnosis examine_access(const std::string & device, HardwareError error)
{
  switch (error)
  {
    case HardwareError::no_rights:
      return {
        "device", Health::poor, fmt::format("{} may not be used by this user", device),
        "sudo usermod --append --groups dialout $USER   # then log in again"};
    case HardwareError::busy:
      return {"device", Health::poor, fmt::format("another program has {}", device), ""};
    case HardwareError::no_device:
      return {"device", Health::poor, fmt::format("there is no {}", device), "ls /dev/tty*"};
    default:
      return {"device", Health::poor, fmt::format("{}: {}", device, to_string(error)), ""};
  }
}

}  // namespace

const char * to_string(Health health)
{
  switch (health)
  {
    case Health::good:
      return "good";
    case Health::fair:
      return "fair";
    case Health::poor:
      return "poor";
  }
  return "unknown";
}

Diagnosis examine_kernel()
{
  utsname names{};
  uname(&names);
  const std::string version = names.version;
  const bool realtime =
    first_line("/sys/kernel/realtime") == "1" || version.find("PREEMPT_RT") != std::string::npos;
  return {
    "kernel", realtime ? Health::good : Health::fair,
    fmt::format("{}, {}", names.release, realtime ? "real-time" : "not a real-time one"),
    realtime ? "" : "sudo apt install linux-image-rt-amd64   # or let a board play"};
}

Diagnosis examine_governor()
{
  const std::string governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  if (governor.empty() || governor == "performance")
  {
    return {
      "governor", Health::good,
      governor.empty() ? "the processor's frequency is not scaled here" : governor, ""};
  }
  return {
    "governor", Health::fair, fmt::format("{}: the processor slows down between cycles", governor),
    "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"};
}

std::vector<Diagnosis> examine_permissions(const RealtimeOptions & options)
{
  RealtimeReport report;
  lock_memory(report);
  enter_realtime(options, report);
  const std::string limits =
    "install the package, or give your group the limits of docs/operation.md, \"Permissions\"";
  return {
    {"priority", report.fifo ? Health::good : Health::fair,
     report.fifo ? fmt::format("real-time priority {} is granted", options.priority)
                 : "no real-time priority: every other program comes first",
     report.fifo ? "" : limits},
    {"memory", report.memory_locked ? Health::good : Health::fair,
     report.memory_locked ? "can be locked" : "cannot be locked: a page fault may delay a cycle",
     report.memory_locked ? "" : limits},
    {"sleep", report.awake ? Health::good : Health::fair,
     report.awake ? "the processors can be kept from sleeping deeply (/dev/cpu_dma_latency)"
                  : "the processors may sleep deeply (/dev/cpu_dma_latency cannot be written)",
     report.awake ? ""
                  : "sudo chmod g+w /dev/cpu_dma_latency && sudo chgrp dialout "
                    "/dev/cpu_dma_latency"}};
}

TimeHistogram measure_wake_up(double seconds)
{
  const auto pacer = std::make_unique<Pacer>(1'000'000, true);
  const std::int64_t end = monotonic_now_ns() + static_cast<std::int64_t>(seconds * 1e9);
  while (monotonic_now_ns() < end)
  {
    pacer->begin_cycle();
    pacer->end_cycle();
  }
  return pacer->timing().wake_up;
}

Diagnosis judge_wake_up(const TimeHistogram & wake_up)
{
  const double late = in_ms(wake_up.largest());
  const Health health = late < 1.0 ? Health::good : (late < 20.0 ? Health::fair : Health::poor);
  return {
    "wake_up", health,
    fmt::format(
      "mean {:.0f} us, 99.9 % within {:.0f} us, at most {:.2f} ms late, {} times",
      1e-3 * wake_up.mean(), 1e-3 * static_cast<double>(wake_up.quantile(0.999)), late,
      wake_up.count()),
    health == Health::good ? ""
                           : "what else runs on this machine? top; a board that plays does "
                             "not care"};
}

BoardExamination examine_board(const std::string & device, int baud)
{
  BoardExamination found;
  found.diagnoses.push_back(examine_adapter(device));
  SerialSettings settings;
  settings.baud = baud;
  settings.read_deadline = 0.05;
  settings.largest_age = 0.1;
  SerialBoard board(device, settings);
  if (const HardwareError error = board.open(); error != HardwareError::none)
  {
    found.diagnoses.push_back(examine_access(device, error));
    return found;
  }
  found.answers = true;
  found.plays = board.player() != nullptr;
  const serial::Info & info = board.info();
  found.diagnoses.push_back(
    {"board", found.plays ? Health::good : Health::fair,
     fmt::format(
       "protocol {}.{}, watchdog {} ms, {:.1f} V; {}", info.major, info.minor, info.watchdog_ms,
       1e-3 * info.full_scale_millivolts,
       found.plays ? "it plays plans by itself" : "it does not play plans by itself"),
     found.plays ? "" : "firmware of protocol 1.2 or later: hardware/firmware"});
  MotorSample sample;
  int missed = 0;
  for (int i = 0; i < 300; ++i)
  {
    missed += board.read(sample) == HardwareError::none ? 0 : 1;
    sleep_until_ns(monotonic_now_ns() + 1'000'000);
  }
  found.round_trip = board.statistics()->round_trip;
  const double slow = in_ms(found.round_trip.quantile(0.99));
  found.diagnoses.push_back(
    {"line", missed > 0 ? Health::poor : (slow < 0.5 ? Health::good : Health::fair),
     fmt::format(
       "round trip: mean {:.2f} ms, 99 % within {:.2f} ms, at most {:.2f} ms; {} of 300 not "
       "answered",
       ms * found.round_trip.mean(), slow, in_ms(found.round_trip.largest()), missed),
     missed > 0 ? "cable, baud rate ('serial: baud' of the calibration)" : ""});
  board.close();
  return found;
}

std::vector<Diagnosis> judge_modes(const TimeHistogram & wake_up, const BoardExamination * board)
{
  std::vector<Diagnosis> modes;
  const double late = in_ms(wake_up.largest());
  const double trip = board != nullptr ? in_ms(board->round_trip.quantile(0.999)) : 0.0;
  double rate = 0.0;
  for (const double candidate : {100.0, 250.0, 500.0, 1000.0, 2000.0})
  {
    const double period = 1e3 / candidate;  // ms
    // A loop stands single late cycles, no more than a period and a half.
    rate = late < 1.5 * period && trip < 1.5 * period ? candidate : rate;
  }
  modes.push_back(
    {"play_host", rate >= 1000.0 ? Health::good : (rate > 0.0 ? Health::fair : Health::poor),
     rate > 0.0 ? fmt::format("--play host: up to {:.0f} Hz, as far as these seconds tell", rate)
                : "--play host: not on this machine",
     ""});
  if (board == nullptr)
  {
    modes.push_back(
      {"play_board", Health::fair, "--play board: not known, no --hardware serial:DEVICE was named",
       ""});
    return modes;
  }
  // The board stops by itself after 0.8 s of silence.
  const bool can = board->plays && late < 300.0 && trip < 200.0;
  modes.push_back(
    {"play_board", can ? Health::good : Health::poor,
     can ? "--play board: yes, at the board's own rate"
         : (board->plays ? "--play board: not on this machine, which is away for too long"
                         : "--play board: this board cannot"),
     ""});
  return modes;
}

}  // namespace fivebar_control::cli
