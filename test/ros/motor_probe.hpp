// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <Eigen/Core>
#include <cstdint>
#include <cstdlib>

namespace fivebar_control::test
{

/// What arrives at the simulated motors, in a file that another process can look into
/// (FIVEBAR_TEST_PROBE): launch tests see there what no message can claim.
class MotorProbe
{
public:
  struct Record
  {
    double volts[2];      ///< of the last write
    std::int64_t driven;  ///< writes with volts other than zero
    std::int64_t armed;   ///< 1: the motors are armed
  };

  MotorProbe()
  {
    const char * path = std::getenv("FIVEBAR_TEST_PROBE");
    const int file = path == nullptr ? -1 : ::open(path, O_RDWR | O_CREAT, 0600);
    if (file >= 0 && ::ftruncate(file, sizeof(Record)) == 0)
    {
      void * place = ::mmap(nullptr, sizeof(Record), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
      record_ = place == MAP_FAILED ? nullptr : static_cast<Record *>(place);
      ::close(file);
    }
  }

  void write(const Eigen::Vector2d & volts) noexcept
  {
    if (record_ != nullptr)
    {
      record_->volts[0] = volts[0];
      record_->volts[1] = volts[1];
      record_->driven += volts[0] != 0.0 || volts[1] != 0.0 ? 1 : 0;
    }
  }
  void arm(bool armed) noexcept
  {
    if (record_ != nullptr)
    {
      record_->armed = armed ? 1 : 0;
      write(Eigen::Vector2d::Zero());  // a motor that is not driven has none
    }
  }

private:
  Record * record_ = nullptr;
};

}  // namespace fivebar_control::test
