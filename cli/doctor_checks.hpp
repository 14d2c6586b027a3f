// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fivebar_control/daemon/realtime.hpp"
#include "fivebar_control/support/time_histogram.hpp"

namespace fivebar_control::cli
{

enum class Health
{
  good,
  fair,  ///< works, with a limit that the text names
  poor,  ///< does not work
};

/// "good", "fair", "poor".
const char * to_string(Health health);

/// One thing that was looked at.
struct Diagnosis
{
  std::string name;  ///< stable, part of the JSON
  Health health = Health::good;
  std::string text;
  std::string remedy;  ///< a command or a file, empty if nothing is to be done
};

/// What a serial device and the board behind it say.
struct BoardExamination
{
  std::vector<Diagnosis> diagnoses;
  bool answers = false;
  bool plays = false;        ///< plans by itself
  TimeHistogram round_trip;  ///< ns
};

Diagnosis examine_kernel();
Diagnosis examine_governor();
/// Of the calling thread, which becomes a real-time one if it may.
std::vector<Diagnosis> examine_permissions(const RealtimeOptions & options);
/// ns that a loop of 1 kHz is woken up too late, for so many seconds.
TimeHistogram measure_wake_up(double seconds);
Diagnosis judge_wake_up(const TimeHistogram & wake_up);
/// Greets the board and asks for samples; moves nothing.
BoardExamination examine_board(const std::string & device, int baud);

/// Which ways to play will work, with a rate for the host's.
std::vector<Diagnosis> judge_modes(const TimeHistogram & wake_up, const BoardExamination * board);

}  // namespace fivebar_control::cli
