// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/support/text_file.hpp"

#include <fmt/core.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{

std::string FileLocation::text() const
{
  if (line > 0 && column > 0)
  {
    return fmt::format("{}:{}:{}", file, line, column);
  }
  return line > 0 ? fmt::format("{}:{}", file, line) : file;
}

std::string human_size(std::size_t bytes)
{
  const auto size = static_cast<double>(bytes);
  if (bytes >= 1000000)
  {
    return fmt::format("{:.1f} MB", size / 1e6);
  }
  if (bytes >= 1000)
  {
    return fmt::format("{:.1f} kB", size / 1e3);
  }
  return fmt::format("{} bytes", bytes);
}

std::string read_text_file(const std::string & path, std::size_t max_bytes)
{
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0)
  {
    throw InputError({path}, fmt::format("cannot be read: {}", std::strerror(errno)));
  }
  if (S_ISDIR(status.st_mode))
  {
    throw InputError({path}, "is a directory, expected a file");
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
  {
    throw InputError({path}, fmt::format("cannot be read: {}", std::strerror(errno)));
  }
  std::string text;
  char buffer[65536];
  while (stream.read(buffer, sizeof buffer) || stream.gcount() > 0)
  {
    text.append(buffer, static_cast<std::size_t>(stream.gcount()));
    if (text.size() > max_bytes)
    {
      throw InputError(
        {path},
        fmt::format(
          "is larger than {}, the most that is expected of such a file", human_size(max_bytes)));
    }
  }
  if (stream.bad())
  {
    throw InputError({path}, fmt::format("reading failed: {}", std::strerror(errno)));
  }
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
  {
    throw InputError({path}, "the file is empty");
  }
  if (text.find('\0') != std::string::npos)
  {
    throw InputError({path}, "is a binary file, expected text");
  }
  return text;
}

bool is_pipe_or_device(const std::string & path)
{
  struct stat status = {};
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

std::string read_regular_text_file(const std::string & path, std::size_t max_bytes)
{
  if (is_pipe_or_device(path))
  {
    throw InputError({path}, "is a pipe or a device, expected a file");
  }
  return read_text_file(path, max_bytes);
}

}  // namespace fivebar_control
