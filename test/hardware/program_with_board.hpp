// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "hardware/emulation.hpp"
#include "hardware/shared_clock.hpp"

namespace fivebar_control::test
{

/// What the preloaded clock must not upset where the program is built with sanitizers.
inline void preload_shared_clock(const std::string & clock)
{
  setenv("LD_PRELOAD", FIVEBAR_CLOCK_LIBRARY, 1);
  setenv("FIVEBAR_CLOCK", clock.c_str(), 1);
  const char * before = std::getenv("ASAN_OPTIONS");
  const std::string options = before == nullptr ? "" : std::string(before) + ":";
  setenv("ASAN_OPTIONS", (options + "verify_asan_link_order=0").c_str(), 1);
}

/// The built program and an emulated board with one clock.
class ProgramWithBoard
{
public:
  explicit ProgramWithBoard(EmulatedBoard & board) : board_(board) {}
  ~ProgramWithBoard()
  {
    if (child_ > 0)
    {
      kill(child_, SIGKILL);
      waitpid(child_, nullptr, 0);
    }
    close(socket_);
  }
  ProgramWithBoard(const ProgramWithBoard &) = delete;
  ProgramWithBoard & operator=(const ProgramWithBoard &) = delete;

  void start(const std::vector<std::string> & arguments, const std::string & log)
  {
    int ends[2] = {-1, -1};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    std::vector<char *> pointers = {const_cast<char *>("fivebar")};
    for (const std::string & argument : arguments)
    {
      pointers.push_back(const_cast<char *>(argument.c_str()));
    }
    pointers.push_back(nullptr);
    child_ = fork();
    if (child_ == 0)
    {
      const int errors = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      dup2(errors, STDOUT_FILENO);
      dup2(errors, STDERR_FILENO);
      preload_shared_clock(std::to_string(dup(ends[1])));  // a copy that lives through exec
      execv(FIVEBAR_PROGRAM, pointers.data());
      _exit(127);
    }
    close(ends[1]);
    socket_ = ends[0];
    const timeval patience{60, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }

  /// Until the program is gone, or gets this signal so many seconds after the board was armed, and
  /// for as long after that as any watchdog takes. Returns when the signal came.
  std::int64_t serve(double signal_at, int signal)
  {
    constexpr std::int64_t afterwards_ns = 300'000'000;
    constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
    std::int64_t blow_ns = never;
    std::int64_t now = 0;
    ClockQuestion question;
    ssize_t size = 0;
    while ((size = recv(socket_, &question, sizeof question, 0)) == sizeof question)
    {
      now = board_.live(
        question.now_ns, std::max(question.now_ns, std::min(question.until_ns, blow_ns)),
        question.written, question.until_it_sends);
      if (signal != 0 && blow_ns == never && board_.is_armed())
      {
        blow_ns = now + static_cast<std::int64_t>(1e9 * signal_at);
      }
      if (now >= blow_ns)
      {
        strike(signal);
        break;
      }
      const ClockAnswer answer{now, board_.line().sent(), board_.line().is_open()};
      send(socket_, &answer, sizeof answer, MSG_NOSIGNAL);
    }
    EXPECT_GE(size, 0) << "the program neither waits nor ends";
    board_.live(now, now + afterwards_ns, board_.line().heard(), false);
    end();
    return blow_ns == never ? 0 : blow_ns;
  }

  /// -1 if a signal ended it.
  int exit_code() const { return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1; }

private:
  /// It is waiting for our answer, and so cannot do anything any more.
  void strike(int signal) const
  {
    kill(child_, signal);
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(child_), &info, WEXITED | WSTOPPED | WNOWAIT);
  }

  void end()
  {
    if (waitpid(child_, &status_, WUNTRACED) == child_ && WIFSTOPPED(status_))
    {
      kill(child_, SIGKILL);
      waitpid(child_, &status_, 0);
    }
    child_ = -1;
  }

  EmulatedBoard & board_;
  pid_t child_ = -1;
  int socket_ = -1;
  int status_ = 0;
};

}  // namespace fivebar_control::test
