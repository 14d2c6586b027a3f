// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <new>

#include "fivebar_control/hardware/output_guardian.hpp"
#include "hardware/emulation.hpp"

namespace fivebar_control::test
{
namespace
{

/// A card without a watchdog, in memory that all processes have: it keeps its last volts.
struct Card
{
  std::atomic<int> millivolts{0};
  std::atomic<bool> ready{false};
};

class Guardian : public testing::Test
{
protected:
  Guardian()
  {
    void * memory =
      mmap(nullptr, sizeof(Card), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    card = new (memory) Card;
  }

  /// A daemon that writes volts for ever.
  pid_t start_daemon() const
  {
    const pid_t daemon = fork();
    if (daemon == 0)
    {
      OutputGuardian guardian([this] { card->millivolts = 0; });
      guardian.arm();
      for (;;)
      {
        guardian.beat();
        card->millivolts = 5000;
        if (guardian.has_tripped())
        {
          card->millivolts = 0;  // as the card's write() does
        }
        card->ready = true;
        usleep(1000);
      }
    }
    while (!card->ready)
    {
      sleep_ms(1);
    }
    return daemon;
  }

  /// Whether there are no volts soon; the guardian's own patience is 50 ms.
  bool is_off() const
  {
    for (int i = 0; i < 5000 && card->millivolts != 0; ++i)
    {
      sleep_ms(1);
    }
    return card->millivolts == 0;
  }

  Card * card;
};

TEST_F(Guardian, TakesTheVoltsOffWhenTheDaemonIsKilled)
{
  for (const int signal : {SIGKILL, SIGTERM, SIGSEGV})
  {
    card->ready = false;
    const pid_t daemon = start_daemon();
    kill(daemon, signal);
    waitpid(daemon, nullptr, 0);
    EXPECT_TRUE(is_off()) << signal;
  }
}

TEST_F(Guardian, TakesTheVoltsOffWhenTheDaemonIsStoppedAndKeepsThemOff)
{
  const pid_t daemon = start_daemon();
  kill(daemon, SIGSTOP);
  waitpid(daemon, nullptr, WUNTRACED);
  EXPECT_TRUE(is_off());
  kill(daemon, SIGCONT);
  sleep_ms(50);
  EXPECT_EQ(card->millivolts, 0);
  kill(daemon, SIGKILL);
  waitpid(daemon, nullptr, 0);
}

TEST_F(Guardian, DoesNothingToADaemonThatIsDisarmedOrLeavesInOrder)
{
  card->millivolts = 1;
  {
    OutputGuardian guardian([this] { card->millivolts = 0; });
    ASSERT_TRUE(guardian.arm());
    guardian.disarm();
    sleep_ms(120);
    EXPECT_FALSE(guardian.has_tripped());
  }
  EXPECT_EQ(card->millivolts, 1);
}

}  // namespace
}  // namespace fivebar_control::test
