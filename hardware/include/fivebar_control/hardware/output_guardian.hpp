// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include <sys/types.h>

namespace fivebar_control
{

/// A process that watches this one on behalf of a device without a watchdog of its own. It is
/// forked when the guardian is made, which should be before other threads are started. While armed
/// it wants a beat within its patience; when none comes, because this process was killed, is
/// stopped or hangs, it runs `zero` and says so. It ends with this process, however that ends. What
/// it cannot survive is the end of the machine itself.
class OutputGuardian
{
public:
  /// `zero` runs in the other process: it must open the device for itself.
  explicit OutputGuardian(std::function<void()> zero, double patience = 0.05);
  ~OutputGuardian();
  OutputGuardian(const OutputGuardian &) = delete;
  OutputGuardian & operator=(const OutputGuardian &) = delete;

  /// False if there is no other process to watch this one.
  bool arm() noexcept;
  /// One store: for the real-time loop.
  void beat() noexcept;
  void disarm() noexcept;
  /// Whether it has run `zero` since arm(): volts that are written now must be taken back.
  bool has_tripped() const noexcept;

private:
  struct Shared;
  Shared * shared_ = nullptr;
  pid_t process_ = -1;
  int life_line_ = -1;  ///< whose other end tells the guardian that we are gone
};

}  // namespace fivebar_control
