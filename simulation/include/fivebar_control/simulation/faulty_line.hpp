// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "fivebar_control/simulation/fault_script.hpp"

namespace fivebar_control
{

/// One direction of a serial line with what can go wrong on it. For emulation, not for real time.
class FaultyLine
{
public:
  explicit FaultyLine(std::uint64_t seed) : random_(seed) {}

  /// `active` are the faults of this direction that are on now.
  void push(
    std::span<const std::uint8_t> bytes, std::int64_t now_ns,
    const std::vector<const Fault *> & active);
  /// What has come through by now.
  std::vector<std::uint8_t> pop(std::int64_t now_ns);
  std::optional<std::int64_t> next_due_ns() const;
  void clear();

private:
  struct Piece
  {
    std::vector<std::uint8_t> bytes;
    std::int64_t due_ns = 0;
  };
  void carry(Piece piece, const std::vector<const Fault *> & active);
  void emit(Piece piece);

  std::mt19937_64 random_;
  std::vector<std::uint8_t> unfinished_;  ///< of a frame, when faults hit whole frames
  std::optional<Piece> held_;             ///< waits to be overtaken
  std::deque<Piece> under_way_;
};

}  // namespace fivebar_control
