// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <exception>
#include <memory>

namespace fivebar_control
{

/// While it lives, a process that dies of a defect (std::terminate, SIGSEGV, SIGABRT, SIGBUS,
/// SIGFPE, SIGILL, SIGTRAP, SIGSYS) takes the volts off the motors first and then dies as it would
/// have died. A message that nobody reads (SIGPIPE) is no reason to die. One at a time.
class LastResort
{
public:
  LastResort();
  ~LastResort();
  LastResort(const LastResort &) = delete;
  LastResort & operator=(const LastResort &) = delete;

private:
  std::terminate_handler previous_ = nullptr;
};

/// A stack on which the calling thread can run the handlers above when its own has overflowed.
class AlternateStack
{
public:
  AlternateStack();
  ~AlternateStack();
  AlternateStack(const AlternateStack &) = delete;
  AlternateStack & operator=(const AlternateStack &) = delete;

private:
  std::unique_ptr<char[]> memory_;
  stack_t previous_{};
};

}  // namespace fivebar_control
