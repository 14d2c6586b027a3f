// SPDX-License-Identifier: Apache-2.0
// Preloaded into the program under test: something happens to it right before it sends a certain
// frame to its board, in the very thread that sends it. FIVEBAR_DEATH is "WHAT FRAME". The program
// itself knows nothing of this.
#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

namespace
{

struct Order
{
  std::string what;
  long frame = -1;
};

const Order & order()
{
  static const Order the_one = [] {
    Order o;
    if (const char * text = std::getenv("FIVEBAR_DEATH"))
    {
      const char * space = std::strchr(text, ' ');
      o.what.assign(text, static_cast<std::size_t>(space - text));
      o.frame = std::atol(space);
    }
    return o;
  }();
  return the_one;
}

__attribute__((noinline)) int overflow(volatile int * depth)
{
  volatile char room[4096];
  room[0] = static_cast<char>(*depth);
  *depth = *depth + 1;
  return *depth < 0 ? 0 : overflow(depth) + room[0];  // never negative: it ends otherwise
}

void die(const std::string & what)
{
  volatile int zero = 0;
  if (what == "segfault")
  {
    *reinterpret_cast<volatile int *>(zero + 0) = 1;
  }
  else if (what == "abort")
  {
    std::abort();
  }
  else if (what == "division")
  {
    volatile int seven = 7;
    seven = seven / zero;
  }
  else if (what == "trap")
  {
    __builtin_trap();
  }
  else if (what == "terminate")
  {
    std::terminate();
  }
  else if (what == "overflow")
  {
    overflow(&zero);
  }
  else if (what == "bus")
  {
    raise(SIGBUS);  // a bus error comes to the thread that makes it, not to any of the process
  }
  else if (what == "exit")
  {
    std::exit(3);
  }
  else
  {
    kill(getpid(), std::atoi(what.c_str()));
  }
}

}  // namespace

extern "C" ssize_t write(int descriptor, const void * bytes, size_t size)
{
  using Write = ssize_t (*)(int, const void *, size_t);
  static const auto real = reinterpret_cast<Write>(dlsym(RTLD_NEXT, "write"));
  static std::atomic<long> frames{0};
  // A frame is short, ends with its only zero, and does not go to the terminal or the log.
  const bool frame = descriptor > 2 && size > 1 && size <= 70 &&
                     std::memchr(bytes, 0, size) == static_cast<const char *>(bytes) + size - 1;
  if (frame && ++frames == order().frame)
  {
    die(order().what);
  }
  return real(descriptor, bytes, size);
}
