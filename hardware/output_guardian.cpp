// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/hardware/output_guardian.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <new>

#include "fivebar_control/support/monotonic_clock.hpp"

namespace fivebar_control
{

/// In memory that both processes have.
struct OutputGuardian::Shared
{
  std::atomic<bool> armed{false};
  std::atomic<bool> tripped{false};
  std::atomic<std::uint64_t> beats{0};
};

namespace
{

constexpr int look_ms = 5;

/// Nothing that is meant for the watched process may end or delay the watching one.
void become_a_guardian(int life_line)
{
  setsid();
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  prctl(PR_SET_NAME, "fivebar-guard");
  sched_param parameters{};
  parameters.sched_priority = 70;
  sched_setscheduler(0, SCHED_FIFO, &parameters);
  const int nothing = open("/dev/null", O_RDWR);
  for (int i = 0; i < 3; ++i)
  {
    dup2(nothing, i);
  }
  const auto last = static_cast<int>(sysconf(_SC_OPEN_MAX));
  for (int i = 3; i < last && i < 4096; ++i)
  {
    if (i != life_line)
    {
      close(i);
    }
  }
}

template <class Shared>
[[noreturn]] void watch(
  Shared & shared, int life_line, const std::function<void()> & zero, std::int64_t patience_ns)
{
  std::uint64_t beats = 0;
  std::int64_t heard_ns = 0;
  bool was_armed = false;
  for (;;)
  {
    pollfd waited{life_line, POLLIN, 0};
    const bool gone = poll(&waited, 1, look_ms) > 0;
    const bool armed = shared.armed;
    const std::int64_t now = monotonic_now_ns();
    if (!was_armed || shared.beats != beats)
    {
      heard_ns = now;
    }
    beats = shared.beats;
    was_armed = armed;
    if (armed && (gone || now - heard_ns > patience_ns))
    {
      shared.tripped = true;
      shared.armed = false;
      zero();
    }
    if (gone)
    {
      _exit(0);
    }
  }
}

}  // namespace

OutputGuardian::OutputGuardian(std::function<void()> zero, double patience)
{
  int ends[2] = {-1, -1};
  void * memory =
    mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || pipe2(ends, O_CLOEXEC) != 0)
  {
    return;
  }
  shared_ = new (memory) Shared;
  process_ = fork();
  if (process_ == 0)
  {
    close(ends[1]);
    become_a_guardian(ends[0]);
    watch(*shared_, ends[0], zero, std::llround(patience * 1e9));
  }
  close(ends[0]);
  life_line_ = ends[1];
}

OutputGuardian::~OutputGuardian()
{
  if (life_line_ >= 0)
  {
    close(life_line_);
  }
  if (process_ > 0)
  {
    waitpid(process_, nullptr, 0);
  }
  if (shared_ != nullptr)
  {
    munmap(shared_, sizeof(Shared));
  }
}

bool OutputGuardian::arm() noexcept
{
  if (process_ <= 0 || waitpid(process_, nullptr, WNOHANG) != 0)
  {
    process_ = -1;
    return false;
  }
  shared_->tripped = false;
  beat();
  shared_->armed = true;
  return true;
}

void OutputGuardian::beat() noexcept
{
  if (shared_ != nullptr)
  {
    shared_->beats.fetch_add(1, std::memory_order_relaxed);
  }
}

void OutputGuardian::disarm() noexcept
{
  if (shared_ != nullptr)
  {
    shared_->armed = false;
  }
}

bool OutputGuardian::has_tripped() const noexcept { return shared_ != nullptr && shared_->tripped; }

}  // namespace fivebar_control
