// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fivebar_control
{

/// How a device that drives motors is switched off when nothing else works any more: from a signal
/// handler, from a terminate handler, or beside a loop that does not answer. A device says so when
/// it opens and takes it back before it closes.
class EmergencyZero
{
public:
  /// Must be safe in a signal handler and beside the loop: system calls on what was prepared when
  /// it was registered, no allocation, no lock, no waiting for more than a few milliseconds.
  using Function = void (*)(void * device) noexcept;

  EmergencyZero() = default;
  ~EmergencyZero() { withdraw(); }
  EmergencyZero(const EmergencyZero &) = delete;
  EmergencyZero & operator=(const EmergencyZero &) = delete;

  /// At most a few devices at a time; a further one is not registered, and it answers false.
  bool offer(Function function, void * device) noexcept;
  void withdraw() noexcept;

private:
  int place_ = -1;
};

/// Takes the volts off every motor that this process drives, and lets no device be armed from then
/// on. Safe in a signal handler.
void zero_all_motors() noexcept;
/// Whether zero_all_motors() was called: a device that is asked to arm must refuse.
bool motors_are_to_stay_off() noexcept;

}  // namespace fivebar_control
