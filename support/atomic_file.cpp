// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/support/atomic_file.hpp"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{
namespace
{

/// The descriptor that a path such as /dev/fd/3 stands for; -1 if it is another path.
int own_descriptor(std::string_view path)
{
  if (path == "/dev/stdout" || path == "/dev/stderr")
  {
    return path == "/dev/stdout" ? STDOUT_FILENO : STDERR_FILENO;
  }
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"})
  {
    int descriptor = -1;
    const char * end = path.data() + path.size();
    if (
      path.starts_with(folder) &&
      std::from_chars(path.data() + folder.size(), end, descriptor).ptr == end)
    {
      return descriptor;
    }
  }
  return -1;
}

}  // namespace

AtomicFile::AtomicFile(std::string path, std::string_view mark) : path_(std::move(path))
{
  if (const int own = own_descriptor(path_); own >= 0)
  {
    const int copy = dup(own);
    file_ = copy < 0 ? nullptr : fdopen(copy, "w");
    if (file_ == nullptr)
    {
      fail("cannot be written");
    }
    return;
  }
  struct stat status = {};
  const bool special = stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
  if (special)
  {
    file_ = std::fopen(path_.c_str(), "w");
    if (file_ == nullptr)
    {
      fail("cannot be written");
    }
    return;
  }
  temporary_ = path_ + std::string(mark) + ".XXXXXX";
  const int descriptor = mkstemp(temporary_.data());
  if (descriptor < 0)
  {
    fail("cannot be written");
  }
  // mkstemp makes the file private; give it the permissions a plain open() would have given.
  const mode_t mask = umask(0);
  umask(mask);
  if (fchmod(descriptor, 0666 & ~mask) == 0)
  {
    file_ = fdopen(descriptor, "w");
  }
  if (file_ == nullptr)
  {
    const int error = errno;
    close(descriptor);
    unlink(temporary_.c_str());
    errno = error;
    fail("cannot be written");
  }
}

AtomicFile::~AtomicFile()
{
  if (file_ != nullptr)
  {
    std::fclose(file_);
    if (!temporary_.empty() && !keep_)
    {
      unlink(temporary_.c_str());
    }
  }
}

void AtomicFile::fail(const char * what) const
{
  throw InputError({path_}, fmt::format("{}: {}", what, std::strerror(errno)));
}

void AtomicFile::write(std::string_view text)
{
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size())
  {
    fail("writing failed");
  }
}

void AtomicFile::flush(bool to_disk)
{
  if (std::fflush(file_) != 0 || (to_disk && !temporary_.empty() && fdatasync(fileno(file_)) != 0))
  {
    fail("writing failed");
  }
}

void AtomicFile::commit()
{
  const bool direct = temporary_.empty();
  // A pipe or a terminal cannot be synchronised, and need not be.
  if (std::fflush(file_) != 0 || (!direct && fsync(fileno(file_)) != 0))
  {
    fail("writing failed");
  }
  const bool closed = std::fclose(file_) == 0;
  file_ = nullptr;
  if (direct)
  {
    if (!closed)
    {
      fail("writing failed");
    }
    return;
  }
  if (!closed || std::rename(temporary_.c_str(), path_.c_str()) != 0)
  {
    const int error = errno;
    if (!keep_)
    {
      unlink(temporary_.c_str());
    }
    errno = error;
    fail("cannot be written");
  }
}

void write_file_atomically(const std::string & path, std::string_view text)
{
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace fivebar_control
