// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <csignal>

namespace fivebar_control
{

/// What a defect raises in the thread that has it. Never blocked: a blocked one would kill the
/// process before its handler could take the volts off the motors.
inline constexpr std::array<int, 7> defect_signals{SIGSEGV, SIGABRT, SIGBUS, SIGFPE,
                                                   SIGILL,  SIGTRAP, SIGSYS};

/// For threads that leave signals to another one: blocks all but those of defects. A thread that is
/// started from here inherits it.
inline void leave_signals_to_others() noexcept
{
  sigset_t signals;
  sigfillset(&signals);
  for (const int signal : defect_signals)
  {
    sigdelset(&signals, signal);
  }
  pthread_sigmask(SIG_SETMASK, &signals, nullptr);
}

/// The same for as long as it lives.
class SignalsLeftToOthers
{
public:
  SignalsLeftToOthers() noexcept
  {
    pthread_sigmask(SIG_SETMASK, nullptr, &before_);
    leave_signals_to_others();
  }
  ~SignalsLeftToOthers() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsLeftToOthers(const SignalsLeftToOthers &) = delete;
  SignalsLeftToOthers & operator=(const SignalsLeftToOthers &) = delete;

private:
  sigset_t before_;
};

}  // namespace fivebar_control
