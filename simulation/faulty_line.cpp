// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/simulation/faulty_line.hpp"

#include <algorithm>
#include <cmath>

namespace fivebar_control
{

void FaultyLine::push(
  std::span<const std::uint8_t> bytes, std::int64_t now_ns,
  const std::vector<const Fault *> & active)
{
  const bool whole_frames = std::any_of(
    active.begin(), active.end(), [](const Fault * fault) { return fault->whole_frames; });
  for (const std::uint8_t byte : bytes)
  {
    unfinished_.push_back(byte);
    if (!whole_frames || byte == 0)
    {
      carry({unfinished_, now_ns}, active);
      unfinished_.clear();
    }
  }
}

void FaultyLine::carry(Piece piece, const std::vector<const Fault *> & active)
{
  std::uniform_real_distribution<double> chance(0.0, 1.0);
  for (const Fault * fault : active)
  {
    if (chance(random_) >= fault->share)
    {
      continue;
    }
    switch (fault->kind)
    {
      case FaultKind::lose:
        return;
      case FaultKind::duplicate:
        emit(piece);
        break;
      case FaultKind::corrupt:
        piece.bytes[random_() % piece.bytes.size()] ^=
          static_cast<std::uint8_t>(1U << (random_() % 8));
        break;
      case FaultKind::delay:
        piece.due_ns += static_cast<std::int64_t>(std::llround(fault->delay * 1e9));
        break;
      case FaultKind::reorder:
        if (!held_)
        {
          held_ = std::move(piece);
          return;
        }
        break;
      default:
        break;
    }
  }
  emit(std::move(piece));
  if (held_)
  {
    emit(std::move(*held_));
    held_.reset();
  }
}

void FaultyLine::emit(Piece piece)
{
  if (!under_way_.empty())
  {
    piece.due_ns = std::max(piece.due_ns, under_way_.back().due_ns);
  }
  under_way_.push_back(std::move(piece));
}

std::vector<std::uint8_t> FaultyLine::pop(std::int64_t now_ns)
{
  std::vector<std::uint8_t> bytes;
  while (!under_way_.empty() && under_way_.front().due_ns <= now_ns)
  {
    const auto & piece = under_way_.front().bytes;
    bytes.insert(bytes.end(), piece.begin(), piece.end());
    under_way_.pop_front();
  }
  return bytes;
}

std::optional<std::int64_t> FaultyLine::next_due_ns() const
{
  return under_way_.empty() ? std::nullopt : std::optional(under_way_.front().due_ns);
}

void FaultyLine::clear()
{
  unfinished_.clear();
  held_.reset();
  under_way_.clear();
}

}  // namespace fivebar_control
