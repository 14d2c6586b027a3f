// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/simulation/pseudo_terminal.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/monotonic_clock.hpp"

namespace fivebar_control
{

void PseudoTerminal::open()
{
  close();
  std::error_code error;
  const auto status = std::filesystem::symlink_status(link_, error);
  if (!link_.empty() && std::filesystem::exists(status) && !std::filesystem::is_symlink(status))
  {
    throw InputError(link_ + ": exists and is not a symbolic link; it is left alone");
  }
  master_ = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  std::array<char, 128> name{};
  if (
    master_ < 0 || grantpt(master_) != 0 || unlockpt(master_) != 0 ||
    ptsname_r(master_, name.data(), name.size()) != 0)
  {
    const int number = errno;
    close();
    throw HardwareFailure(std::string("no pseudo-terminal: ") + std::strerror(number));
  }
  device_ = name.data();
  slave_ = ::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC);
  termios settings{};
  tcgetattr(slave_, &settings);
  cfmakeraw(&settings);  // no echo before the host has set up its side
  tcsetattr(slave_, TCSANOW, &settings);
  if (!link_.empty())
  {
    const std::string temporary = link_ + ".new";
    std::filesystem::remove(temporary, error);
    std::filesystem::create_symlink(device_, temporary, error);
    if (!error)
    {
      std::filesystem::rename(temporary, link_, error);
    }
    if (error)
    {
      close();
      throw InputError(link_ + ": cannot be created: " + error.message());
    }
  }
}

void PseudoTerminal::close()
{
  std::error_code error;
  if (
    master_ >= 0 && !link_.empty() && std::filesystem::is_symlink(link_, error) &&
    std::filesystem::read_symlink(link_, error) == device_)
  {
    std::filesystem::remove(link_, error);
  }
  for (int * descriptor : {&slave_, &master_})
  {
    if (*descriptor >= 0)
    {
      ::close(*descriptor);
    }
    *descriptor = -1;
  }
}

std::vector<std::uint8_t> PseudoTerminal::read()
{
  std::vector<std::uint8_t> bytes(4096);
  const ssize_t got = master_ < 0 ? 0 : ::read(master_, bytes.data(), bytes.size());
  bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  heard_ += bytes.size();
  return bytes;
}

void PseudoTerminal::write(std::span<const std::uint8_t> bytes)
{
  const ssize_t written =
    master_ < 0 || bytes.empty() ? 0 : ::write(master_, bytes.data(), bytes.size());
  sent_ += written > 0 ? static_cast<std::uint64_t>(written) : 0;
}

bool PseudoTerminal::wait_for(std::uint64_t heard) const
{
  constexpr std::int64_t patience_ns = 10'000'000'000;
  constexpr std::int64_t look_ns = 50'000;
  const std::int64_t start = monotonic_now_ns();
  while (master_ >= 0)
  {
    int waiting = 0;
    ioctl(master_, FIONREAD, &waiting);
    if (heard_ + static_cast<std::uint64_t>(waiting) >= heard)
    {
      return true;
    }
    const std::int64_t now = monotonic_now_ns();
    if (now - start > patience_ns)
    {
      return false;
    }
    sleep_until_ns(now + look_ns);
  }
  return true;  // nothing comes through a line that is not there
}

void PseudoTerminal::wait(std::int64_t deadline_ns) const
{
  const std::int64_t left = deadline_ns - monotonic_now_ns();
  if (left <= 0)
  {
    return;
  }
  pollfd waited{master_, POLLIN, 0};  // a closed one is ignored by poll
  const timespec timeout{
    static_cast<time_t>(left / 1'000'000'000), static_cast<long>(left % 1'000'000'000)};
  ppoll(&waited, 1, &timeout, nullptr);
}

}  // namespace fivebar_control
