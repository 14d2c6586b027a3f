// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/daemon/last_resort.hpp"

#include <array>
#include <cstdlib>

#include "fivebar_control/hardware/emergency_zero.hpp"
#include "fivebar_control/support/message.hpp"
#include "fivebar_control/support/signal_sets.hpp"

namespace fivebar_control
{
namespace
{

constexpr std::size_t stack_size = 65536;  // bytes; the handler itself needs very little

std::array<struct sigaction, defect_signals.size()> previous_actions;
struct sigaction previous_pipe_action;
std::terminate_handler next_handler = nullptr;

void on_defect(int signal)
{
  zero_all_motors();
  say(
    std::string_view("fivebar: the program has a defect and dies; the motors were switched "
                     "off first. Please report it\n"));
  struct sigaction plain
  {
  };
  plain.sa_handler = SIG_DFL;
  sigaction(signal, &plain, nullptr);
  raise(signal);  // delivered when this handler returns
}

[[noreturn]] void on_terminate()
{
  zero_all_motors();
  if (next_handler != nullptr)
  {
    next_handler();
  }
  std::abort();
}

}  // namespace

LastResort::LastResort()
{
  static const int registered = std::atexit([] { zero_all_motors(); });  // exit() beside the loop
  static_cast<void>(registered);
  previous_ = std::get_terminate();
  next_handler = previous_;
  std::set_terminate(on_terminate);
  for (std::size_t i = 0; i < defect_signals.size(); ++i)
  {
    struct sigaction action
    {
    };
    action.sa_handler = on_defect;
    action.sa_flags = SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(defect_signals[i], &action, &previous_actions[i]);
  }
  struct sigaction deaf
  {
  };
  deaf.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &deaf, &previous_pipe_action);
}

LastResort::~LastResort()
{
  for (std::size_t i = 0; i < defect_signals.size(); ++i)
  {
    sigaction(defect_signals[i], &previous_actions[i], nullptr);
  }
  sigaction(SIGPIPE, &previous_pipe_action, nullptr);
  std::set_terminate(previous_);
}

AlternateStack::AlternateStack() : memory_(std::make_unique<char[]>(stack_size))
{
  stack_t stack{};
  stack.ss_sp = memory_.get();
  stack.ss_size = stack_size;
  sigaltstack(&stack, &previous_);
}

AlternateStack::~AlternateStack() { sigaltstack(&previous_, nullptr); }

}  // namespace fivebar_control
