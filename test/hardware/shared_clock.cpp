// SPDX-License-Identifier: Apache-2.0
// Preloaded into the program under test: the time of the thread that talks to the motors is not the
// machine's. It stands while the thread works, but for a microsecond per look at the clock, and
// goes on when the thread waits; then the board behind the serial line, which has the same clock,
// lives through that time (hardware/shared_clock.hpp). The program itself knows nothing of this.
// FIVEBAR_CLOCK is the descriptor through which the board is asked, or "alone" if there is none.
#include "hardware/shared_clock.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace
{

using fivebar_control::test::ClockAnswer;
using fivebar_control::test::ClockQuestion;

constexpr std::int64_t look_ns = 1'000;
constexpr std::int64_t beginning_ns = 1'000'000'000;

template <class Function>
Function real(const char * name)
{
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

thread_local bool has_shared_time = false;
std::atomic<std::int64_t> now_ns{beginning_ns};
std::atomic<int> device{-1};
std::atomic<std::uint64_t> written{0};  // by us, ever
std::uint64_t announced = 0;            // by the board, ever
std::uint64_t taken = 0;
bool line_is_up = true;

int board()
{
  static const int descriptor = [] {
    const char * text = std::getenv("FIVEBAR_CLOCK");
    return text == nullptr || std::string_view(text) == "alone" ? -1 : std::atoi(text);
  }();
  return descriptor;
}

/// Without its board the program has no time and must not go on as if nothing had happened.
[[noreturn]] void give_up(int code) { _exit(code); }

/// Lets time pass until then, or until the board sends something.
void pass(std::int64_t until_ns, bool until_it_sends)
{
  if (board() < 0)
  {
    now_ns = std::max(now_ns.load(), until_ns);
    return;
  }
  const ClockQuestion question{now_ns, std::max(now_ns.load(), until_ns), written, until_it_sends};
  ssize_t size = 0;
  do
  {
    size = send(board(), &question, sizeof question, MSG_NOSIGNAL);
  } while (size < 0 && errno == EINTR);
  ClockAnswer answer;
  do
  {
    size = recv(board(), &answer, sizeof answer, 0);
  } while (size < 0 && errno == EINTR);
  if (size != sizeof answer)
  {
    give_up(98);
  }
  now_ns = answer.now_ns;
  announced = answer.sent;
  line_is_up = answer.line_is_up;
}

/// What the board has sent comes through the kernel, which takes its own time.
void wait_for_what_was_announced()
{
  for (int i = 0; line_is_up && announced > taken; ++i)
  {
    int waiting = 0;
    if (
      ioctl(device, FIONREAD, &waiting) != 0 || taken + static_cast<unsigned>(waiting) >= announced)
    {
      return;
    }
    if (i > 1'000'000)
    {
      give_up(97);
    }
    usleep(10);
  }
}

bool is_the_line(int descriptor)
{
  char name[64]{};
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  return readlink(link.c_str(), name, sizeof name - 1) > 0 &&
         std::string_view(name).starts_with("/dev/pts/");
}

}  // namespace

extern "C" {

/// For devices that are no serial line: from now on this thread has the shared time.
void fivebar_take_shared_time() { has_shared_time = std::getenv("FIVEBAR_CLOCK") != nullptr; }

int open(const char * path, int flags, ...)
{
  static const auto next = real<int (*)(const char *, int, ...)>("open");
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  const int descriptor = next(path, flags, mode);
  if (board() >= 0 && descriptor >= 0 && (flags & O_NONBLOCK) != 0 && is_the_line(descriptor))
  {
    has_shared_time = true;
    device = descriptor;
    pass(now_ns, false);
    taken = announced;  // it is flushed before anything is read
  }
  return descriptor;
}

int close(int descriptor)
{
  static const auto next = real<int (*)(int)>("close");
  if (descriptor == device && descriptor >= 0)
  {
    pass(now_ns, false);  // the board hears what was sent before
    device = -1;
  }
  return next(descriptor);
}

int tcflush(int descriptor, int queue)
{
  static const auto next = real<int (*)(int, int)>("tcflush");
  if (has_shared_time && descriptor == device)
  {
    wait_for_what_was_announced();
    taken = queue == TCOFLUSH ? taken : announced;
  }
  return next(descriptor, queue);
}

ssize_t write(int descriptor, const void * bytes, size_t size)
{
  static const auto next = real<ssize_t (*)(int, const void *, size_t)>("write");
  const ssize_t result = next(descriptor, bytes, size);
  if (descriptor == device && result > 0)
  {
    written += static_cast<std::uint64_t>(result);
  }
  return result;
}

ssize_t read(int descriptor, void * bytes, size_t size)
{
  static const auto next = real<ssize_t (*)(int, void *, size_t)>("read");
  const bool line = has_shared_time && descriptor == device;
  if (line)
  {
    wait_for_what_was_announced();
  }
  const ssize_t result = next(descriptor, bytes, size);
  taken += line && result > 0 ? static_cast<std::uint64_t>(result) : 0;
  return result;
}

int clock_gettime(clockid_t clock, timespec * time) noexcept
{
  static const auto next = real<int (*)(clockid_t, timespec *)>("clock_gettime");
  if (!has_shared_time || clock != CLOCK_MONOTONIC)
  {
    return next(clock, time);
  }
  const std::int64_t now = now_ns += look_ns;
  *time = {static_cast<time_t>(now / 1'000'000'000), static_cast<long>(now % 1'000'000'000)};
  return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const timespec * wanted, timespec * left)
{
  using Sleep = int (*)(clockid_t, int, const timespec *, timespec *);
  static const auto next = real<Sleep>("clock_nanosleep");
  if (!has_shared_time || clock != CLOCK_MONOTONIC)
  {
    return next(clock, flags, wanted, left);
  }
  const std::int64_t time = wanted->tv_sec * 1'000'000'000 + wanted->tv_nsec;
  pass((flags & TIMER_ABSTIME) != 0 ? time : now_ns + time, false);
  return 0;
}

int nanosleep(const timespec * wanted, timespec * left)
{
  static const auto next = real<int (*)(const timespec *, timespec *)>("nanosleep");
  return has_shared_time ? clock_nanosleep(CLOCK_MONOTONIC, 0, wanted, left) : next(wanted, left);
}

int ppoll(pollfd * waited, nfds_t count, const timespec * timeout, const sigset_t * signals)
{
  using Poll = int (*)(pollfd *, nfds_t, const timespec *, const sigset_t *);
  static const auto next = real<Poll>("ppoll");
  if (!has_shared_time || count != 1 || waited->fd != device || timeout == nullptr)
  {
    return next(waited, count, timeout, signals);
  }
  if (taken >= announced)
  {
    pass(now_ns + timeout->tv_sec * 1'000'000'000 + timeout->tv_nsec, true);
  }
  wait_for_what_was_announced();
  const timespec at_once{};
  return next(waited, count, &at_once, signals);
}

}  // extern "C"
