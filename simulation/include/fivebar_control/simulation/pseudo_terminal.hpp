// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fivebar_control
{

/// The board's end of a serial line that exists only in this machine, with a symbolic link that
/// gives it a stable name. The link is removed on close.
class PseudoTerminal
{
public:
  /// `link` may be empty. An old link is replaced, any other file is not.
  explicit PseudoTerminal(std::string link) : link_(std::move(link)) {}
  ~PseudoTerminal() { close(); }
  PseudoTerminal(const PseudoTerminal &) = delete;
  PseudoTerminal & operator=(const PseudoTerminal &) = delete;

  /// Throws InputError for the link, HardwareFailure where there is no terminal.
  void open();
  void close();
  bool is_open() const { return master_ >= 0; }
  const std::string & device() const { return device_; }

  std::vector<std::uint8_t> read();
  /// Bytes that do not fit are lost, as on a real line that nobody listens to.
  void write(std::span<const std::uint8_t> bytes);
  /// Until bytes arrive, at most until `deadline_ns` on CLOCK_MONOTONIC.
  void wait(std::int64_t deadline_ns) const;

  /// Bytes read and written since the beginning.
  std::uint64_t heard() const { return heard_; }
  std::uint64_t sent() const { return sent_; }
  /// Until so many have been read or can be; false if they do not come within seconds.
  bool wait_for(std::uint64_t heard) const;

private:
  std::string link_, device_;
  int master_ = -1;
  std::uint64_t heard_ = 0, sent_ = 0;
  int slave_ = -1;  ///< kept open, so that the line stays up between hosts
};

}  // namespace fivebar_control
