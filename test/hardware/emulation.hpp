// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/simulation/emulated_board.hpp"

namespace fivebar_control::test
{

inline const RobotModel & default_robot()
{
  static const RobotModel robot = load_robot(FIVEBAR_SOURCE_DIR "/config/robot.yaml");
  return robot;
}

/// A name for a device of this test process.
inline std::string link_name(const std::string & what)
{
  return "/tmp/fivebar_" + what + "_" + std::to_string(getpid());
}

/// An emulated board in a thread of its own, with real-time priority where that is allowed: a
/// microcontroller is not preempted by compilers.
class BoardThread
{
public:
  explicit BoardThread(
    const EmulatorOptions & options, const PlantParameters & plant = {},
    const RobotModel & robot = default_robot())
  : board_(robot, plant, robot.parameters().home, options)
  {
    board_.open();
    thread_ = std::thread([this] {
      sched_param parameters{};
      parameters.sched_priority = 85;
      pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters);
      board_.run([this] { return stop_.load(); });
    });
  }
  ~BoardThread() { stop(); }
  void stop()
  {
    stop_ = true;
    if (thread_.joinable())
    {
      thread_.join();
    }
  }
  /// Events and volts may be looked at after stop(), the rest at any time.
  const EmulatedBoard & board() const { return board_; }

private:
  EmulatedBoard board_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

inline void sleep_ms(int milliseconds)
{
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

}  // namespace fivebar_control::test
