// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

/// Functions that take any bytes at all. Each returns, or throws BrokenPromise. libFuzzer calls
/// them through fuzz_main.cpp; the ordinary suite replays the known inputs (test_replay.cpp).
namespace fivebar_control::fuzz
{

using Bytes = std::span<const std::uint8_t>;

/// No std::exception, so that no catch in the tested code swallows it.
struct BrokenPromise
{
  std::string what;
};

inline void require(bool promise, const char * what)
{
  if (!promise)
  {
    throw BrokenPromise{what};
  }
}

inline std::string text_of(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

void firmware(Bytes bytes);           // serial line into the board
void host(Bytes bytes);               // serial line into the host
void differential(Bytes bytes);       // both ends agree
void board_play(Bytes bytes);         // serial line into a board that plays
void program_stream(Bytes bytes);     // serial line into a host whose board plays
void play_codec(Bytes bytes);         // both ends mean the same
void robot_file(Bytes bytes);         // robot YAML
void curve_file(Bytes bytes);         // curve YAML
void settings_file(Bytes bytes);      // plant, controller, calibration and fault YAML
void plan_file(Bytes bytes);          // plan
void run_log(Bytes bytes);            // log, as the report reads it
void timing_record(Bytes bytes);      // JSON of a run, as the report reads it
void hardware_choice(Bytes bytes);    // strings that choose a backend
void commission_record(Bytes bytes);  // stamp and progress of a commissioning
void state_file(Bytes bytes);         // the remembered zero of the encoders
void unfinished_log(Bytes bytes);     // what a killed run left of its log
void mechanism_file(Bytes bytes);     // mechanism YAML
void web_request(Bytes bytes);        // HTTP into the live view
void control_cycles(Bytes bytes);     // encoders, clock, board and user, at the controller
void joint_trajectory(Bytes bytes);   // joint trajectories of ROS 2 messages

}  // namespace fivebar_control::fuzz
