// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/daemon/signals.hpp"

#include <array>
#include <csignal>

namespace fivebar_control
{
namespace
{

constexpr std::array<int, 4> handled{SIGINT, SIGTERM, SIGHUP, SIGPIPE};
std::array<struct sigaction, handled.size()> previous;
std::atomic<RunRequests *> target{nullptr};
std::atomic<int> first_signal{0};

void on_signal(int signal)
{
  int none = 0;
  first_signal.compare_exchange_strong(none, signal);
  if (RunRequests * requests = target.load())
  {
    requests->interrupts.fetch_add(1);
  }
}

}  // namespace

RunSignals::RunSignals(RunRequests & requests)
{
  static_assert(std::atomic<int>::is_always_lock_free, "used in a signal handler");
  target = &requests;
  first_signal = 0;
  for (std::size_t i = 0; i < handled.size(); ++i)
  {
    struct sigaction action
    {
    };
    action.sa_handler = handled[i] == SIGPIPE ? SIG_IGN : on_signal;
    sigemptyset(&action.sa_mask);
    sigaction(handled[i], &action, &previous[i]);
  }
}

RunSignals::~RunSignals()
{
  for (std::size_t i = 0; i < handled.size(); ++i)
  {
    sigaction(handled[i], &previous[i], nullptr);
  }
  target = nullptr;
}

int RunSignals::first() const { return first_signal; }

}  // namespace fivebar_control
