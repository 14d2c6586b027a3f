// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <string>

namespace fivebar_control
{

/// Compares what a board says that it gives with what it was told. A board that gives other volts
/// (a current limit, another scale, a bridge that has dropped out) is no longer the one that was
/// planned for, and what the log has as volts would not be those of the motors.
///
/// Each report names the command that it obeys, so that nothing depends on how long either of them
/// was under way.
class OutputEcho
{
public:
  static constexpr int tolerance = 50;  ///< mV, at each motor
  static constexpr int patience = 10;   ///< reports in a row before it counts

  /// Whatever was told before is void.
  void reset() noexcept;
  void told(std::uint16_t sequence, const std::array<std::int16_t, 2> & millivolts) noexcept;
  /// The board obeys command `sequence` and gives these. Commands that it was never told are
  /// ignored.
  void reported(std::uint16_t sequence, const std::array<std::int16_t, 2> & millivolts) noexcept;

  bool differs() const noexcept { return wrong_in_a_row_ >= patience; }
  /// "motor 1 was told 4.000 V and has 2.000 V": the last that differed; empty if none did.
  std::string explanation() const;

private:
  struct Command
  {
    std::uint16_t sequence = 0;
    bool valid = false;
    std::array<std::int16_t, 2> millivolts{};
  };
  std::array<Command, 64> commands_{};
  int wrong_in_a_row_ = 0;
  int motor_ = -1;
  std::int16_t told_ = 0, has_ = 0;  ///< mV of that motor
};

}  // namespace fivebar_control
