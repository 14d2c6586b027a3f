// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace fivebar_control
{

enum class FaultKind
{
  // On the line.
  lose,
  duplicate,
  reorder,  ///< swaps with the next
  corrupt,  ///< one bit
  delay,
  // At the board.
  hang,    ///< the firmware stops until the microcontroller's watchdog resets it
  reboot,  ///< silent for the boot time, then counts from zero
  over_current,
  under_voltage,
  emergency_stop,
  freeze_encoder,
  jump_encoder,
  limit_output,  ///< the bridges give no more than `volts`, whatever they are told
                 // Around it.
  unplug,        ///< the pseudo-terminal goes away, and comes back after the duration
  hand,          ///< someone turns a link
};

enum class LineDirection
{
  both,
  to_board,
  to_host,
};

/// One entry of a fault script.
struct Fault
{
  FaultKind kind = FaultKind::lose;
  double at = 0.0;           ///< s
  bool since_start = false;  ///< `at` counts from the emulator's start, else from the first arming
  double duration = std::numeric_limits<double>::infinity();  ///< s
  LineDirection direction = LineDirection::both;
  bool whole_frames = false;  ///< else single bytes
  double share = 1.0;         ///< of the bytes or frames
  double delay = 0.0;         ///< s
  int joint = -1;             ///< 0: driven link 1, 1: driven link 4, -1: both
  int counts = 0;             ///< of a jump
  double volts = 0.0;         ///< of a hand, as a voltage that pushes as hard; of a limit
};

/// "lose", "freeze_encoder" and so on, as scripts spell them.
const char * to_string(FaultKind kind);
std::vector<FaultKind> all_faults();

/// Throws InputError with file, line, column and key.
std::vector<Fault> load_faults(const std::string & path);
std::vector<Fault> parse_faults(const std::string & text, const std::string & name);

}  // namespace fivebar_control
