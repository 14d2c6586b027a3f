// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/daemon/signals.hpp"

#include <array>
#include <csignal>

namespace fivebar_control
{
namespace
{

struct Reaction
{
  int signal;
  int interrupts;  ///< 0: none, the signal is ignored
};

// All whose default would end or stop the process, but for those of defects (LastResort) and for
// SIGKILL and SIGSTOP, which nobody can handle.
constexpr std::array<Reaction, 18> reactions{{
  {SIGINT, 1},
  {SIGTERM, 1},
  {SIGHUP, 1},
  {SIGTSTP, 1},
  {SIGQUIT, 2},
  {SIGUSR1, 1},
  {SIGUSR2, 1},
  {SIGALRM, 1},
  {SIGVTALRM, 1},
  {SIGPROF, 1},
  {SIGPOLL, 1},
  {SIGPWR, 1},
  {SIGSTKFLT, 1},
  {SIGXCPU, 2},  // the next thing would be SIGKILL
  {SIGPIPE, 0},
  {SIGXFSZ, 0},  // writing then fails, which is told
  {SIGTTIN, 0},
  {SIGTTOU, 0},  // a message to the terminal must not stop the process
}};
std::array<struct sigaction, reactions.size()> previous;
std::atomic<RunRequests *> target{nullptr};
std::atomic<int> first_signal{0};

void on_signal(int signal)
{
  int none = 0;
  first_signal.compare_exchange_strong(none, signal);
  RunRequests * requests = target.load();
  for (const Reaction & reaction : reactions)
  {
    if (requests != nullptr && reaction.signal == signal)
    {
      requests->interrupts.fetch_add(reaction.interrupts);
    }
  }
}

}  // namespace

RunSignals::RunSignals(RunRequests & requests)
{
  static_assert(std::atomic<int>::is_always_lock_free, "used in a signal handler");
  target = &requests;
  first_signal = 0;
  for (std::size_t i = 0; i < reactions.size(); ++i)
  {
    struct sigaction action
    {
    };
    action.sa_handler = reactions[i].interrupts == 0 ? SIG_IGN : on_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(reactions[i].signal, &action, &previous[i]);
  }
}

RunSignals::~RunSignals()
{
  for (std::size_t i = 0; i < reactions.size(); ++i)
  {
    sigaction(reactions[i].signal, &previous[i], nullptr);
  }
  target = nullptr;
}

int RunSignals::first() const { return first_signal; }

}  // namespace fivebar_control
