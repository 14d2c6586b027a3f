// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>

#include <filesystem>

#include "fivebar_control/hardware/calibration.hpp"
#include "hardware/emulation.hpp"
#include "support/counting_allocator.hpp"

namespace fivebar_control::test
{
namespace
{

/// The board at the other end runs in another process: its thread would be counted, too.
class BoardProcess
{
public:
  explicit BoardProcess(const std::string & link)
  {
    child_ = fork();
    if (child_ == 0)
    {
      EmulatedBoard board(default_robot(), {}, default_robot().parameters().home, {link});
      board.open();
      board.run([] { return getppid() == 1; });
      _exit(0);
    }
    for (int i = 0; i < 5000 && !std::filesystem::is_symlink(link); ++i)
    {
      sleep_ms(1);
    }
    link_ = link;
  }
  ~BoardProcess()
  {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    std::filesystem::remove(link_);
  }

private:
  pid_t child_ = -1;
  std::string link_;
};

void expect_no_allocation(MotorHardware & hardware)
{
  ASSERT_EQ(hardware.open(), HardwareError::none) << hardware.explanation();
  ASSERT_EQ(hardware.arm(), HardwareError::none);
  const std::size_t before = allocation_count();
  int good = 0;
  for (int i = 0; i < 500; ++i)
  {
    MotorSample sample;
    good += hardware.read(sample) == HardwareError::none ? 1 : 0;
    hardware.write({0.1, -0.1});
  }
  hardware.disarm();
  EXPECT_EQ(allocation_count(), before);
  EXPECT_GT(good, 100) << "the path of a good read must be among those counted";
}

TEST(HardwareAllocation, TheSerialBoardNeitherReadsNorWritesWithTheHeap)
{
  const std::string link = link_name("allocation");
  const BoardProcess board(link);
  const Calibration calibration =
    load_calibration(FIVEBAR_SOURCE_DIR "/config/hardware/serial.yaml", default_robot());
  const auto hardware = make_device("serial:" + link, calibration);
  expect_no_allocation(*hardware);
}

TEST(HardwareAllocation, NorDoesItWhenTheBoardIsGone)
{
  const std::string link = link_name("gone");
  auto board = std::make_unique<BoardProcess>(link);
  SerialBoard hardware(link, {});
  ASSERT_EQ(hardware.open(), HardwareError::none);
  board.reset();
  const std::size_t before = allocation_count();
  HardwareError error = HardwareError::none;
  for (int i = 0; i < 300; ++i)
  {
    MotorSample sample;
    error = hardware.read(sample);
    sleep_ms(1);
  }
  EXPECT_EQ(allocation_count(), before);
  EXPECT_EQ(error, HardwareError::disconnected);
}

TEST(HardwareAllocation, TheHilCardNeitherReadsNorWritesWithTheHeap)
{
  Calibration calibration =
    load_calibration(FIVEBAR_SOURCE_DIR "/config/hardware/hil.yaml", default_robot());
  calibration.hil.library = FIVEBAR_HIL_TEST_LIBRARY;
  const auto hardware = make_device("hil:q2_usb", calibration);
  expect_no_allocation(*hardware);
}

}  // namespace
}  // namespace fivebar_control::test
