// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/hardware/serial_port.hpp"

#include <fcntl.h>
#include <linux/serial.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "fivebar_control/support/monotonic_clock.hpp"

namespace fivebar_control
{
namespace
{

struct Speed
{
  int baud;
  speed_t code;
};
constexpr std::array<Speed, 9> speeds = {
  {{115200, B115200},
   {230400, B230400},
   {460800, B460800},
   {500000, B500000},
   {921600, B921600},
   {1000000, B1000000},
   {2000000, B2000000},
   {3000000, B3000000},
   {4000000, B4000000}}};

HardwareError error_of(int number)
{
  switch (number)
  {
    case EACCES:
    case EPERM:
      return HardwareError::no_rights;
    case EBUSY:
    case EWOULDBLOCK:
      return HardwareError::busy;
    case ENOTTY:
      return HardwareError::wrong_device;
    default:
      return HardwareError::no_device;
  }
}

bool set_raw(int descriptor, int baud)
{
  termios settings{};
  const auto * speed = std::find_if(
    speeds.begin(), speeds.end(), [baud](const Speed & known) { return known.baud == baud; });
  if (speed == speeds.end() || tcgetattr(descriptor, &settings) != 0)
  {
    return false;
  }
  cfmakeraw(&settings);  // leaves VMIN = 1: a read of nothing is EAGAIN, of a dead line 0 or EIO
  settings.c_cflag |= static_cast<tcflag_t>(CLOCAL | CREAD);
  // HUPCL would drop DTR when we close, which resets many boards; CRTSCTS could block us.
  settings.c_cflag &= ~static_cast<tcflag_t>(HUPCL | CRTSCTS);
  cfsetspeed(&settings, speed->code);
  return tcsetattr(descriptor, TCSANOW, &settings) == 0;
}

/// USB adapters hold bytes back for up to 16 ms unless told otherwise. Not all drivers know it.
void ask_for_low_latency(int descriptor)
{
  serial_struct serial{};
  if (ioctl(descriptor, TIOCGSERIAL, &serial) == 0)
  {
    serial.flags |= ASYNC_LOW_LATENCY;
    ioctl(descriptor, TIOCSSERIAL, &serial);
  }
}

}  // namespace

bool SerialPort::knows(int baud)
{
  return std::any_of(
    speeds.begin(), speeds.end(), [baud](const Speed & known) { return known.baud == baud; });
}

HardwareError SerialPort::open(const char * path, int baud) noexcept
{
  close();
  descriptor_ = ::open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor_ < 0)
  {
    return error_of(errno);
  }
  if (isatty(descriptor_) != 1)
  {
    close();
    return HardwareError::wrong_device;
  }
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0 || !set_raw(descriptor_, baud))
  {
    const int number = errno;
    close();
    return error_of(number);
  }
  ask_for_low_latency(descriptor_);
  tcflush(descriptor_, TCIOFLUSH);
  cut_ = true;  // whatever the board has of an older frame ends with our first delimiter
  return HardwareError::none;
}

void SerialPort::close() noexcept
{
  if (descriptor_ >= 0)
  {
    ::close(descriptor_);
  }
  descriptor_ = -1;
}

HardwareError SerialPort::write(std::span<const std::uint8_t> bytes) noexcept
{
  if (descriptor_ < 0)
  {
    return HardwareError::disconnected;
  }
  constexpr std::uint8_t delimiter = 0;
  if (cut_ && ::write(descriptor_, &delimiter, 1) == 1)
  {
    cut_ = false;
  }
  const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
  if (written == static_cast<ssize_t>(bytes.size()))
  {
    return HardwareError::none;
  }
  cut_ = cut_ || written > 0;
  const bool full = written >= 0 || errno == EAGAIN || errno == EINTR;
  return full ? HardwareError::timeout : HardwareError::disconnected;
}

void SerialPort::write_urgently(std::span<const std::uint8_t> bytes) noexcept
{
  const int descriptor = descriptor_;
  for (int attempt = 0; attempt < 40 && descriptor >= 0; ++attempt)
  {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (
      written == static_cast<ssize_t>(bytes.size()) ||
      (written < 0 && errno != EAGAIN && errno != EINTR))
    {
      return;
    }
    if (attempt == 4)
    {
      tcflush(descriptor, TCOFLUSH);  // older frames are not worth waiting for
    }
    const timespec pause{0, 500'000};
    nanosleep(&pause, nullptr);
  }
}

HardwareError SerialPort::read(std::span<std::uint8_t> bytes, std::size_t & count) noexcept
{
  count = 0;
  if (descriptor_ < 0)
  {
    return HardwareError::disconnected;
  }
  const ssize_t got = ::read(descriptor_, bytes.data(), bytes.size());
  if (got > 0)
  {
    count = static_cast<std::size_t>(got);
    return HardwareError::none;
  }
  const bool nothing = got < 0 && (errno == EAGAIN || errno == EINTR);
  return nothing ? HardwareError::none : HardwareError::disconnected;
}

void SerialPort::wait(std::int64_t deadline_ns) noexcept
{
  const std::int64_t left = deadline_ns - monotonic_now_ns();
  if (descriptor_ < 0 || left <= 0)
  {
    return;
  }
  pollfd waited{descriptor_, POLLIN, 0};
  const timespec timeout{
    static_cast<time_t>(left / 1'000'000'000), static_cast<long>(left % 1'000'000'000)};
  ppoll(&waited, 1, &timeout, nullptr);
}

}  // namespace fivebar_control
