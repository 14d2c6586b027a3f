// SPDX-License-Identifier: Apache-2.0
#include "encoder_process.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{

EncoderProcess::EncoderProcess(const std::vector<std::string> & command)
{
  // A socket and not a pipe: writing to a child that has ended must not raise SIGPIPE here.
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
  {
    throw InputError(fmt::format("{}: {}", command.front(), std::strerror(errno)));
  }
  std::vector<char *> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string & argument : command)
  {
    arguments.push_back(const_cast<char *>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  const int error =
    posix_spawnp(&process_, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  input_ = ends[0];
  if (error != 0)
  {
    ::close(input_);
    throw InputError(fmt::format(
      "{}: {}; install the package {}, or write .svg, which needs no other program",
      command.front(), std::strerror(error), command.front()));
  }
}

EncoderProcess::~EncoderProcess() { finish(); }

bool EncoderProcess::write(const unsigned char * data, std::size_t bytes)
{
  while (bytes > 0)
  {
    const ssize_t sent = send(input_, data, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
    {
      continue;
    }
    if (sent <= 0)
    {
      return false;
    }
    data += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool EncoderProcess::finish()
{
  if (process_ < 0)
  {
    return false;
  }
  ::close(input_);
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR)
  {
  }
  process_ = -1;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace fivebar_control
