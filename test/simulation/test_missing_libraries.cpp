// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "fivebar_control/simulation/mujoco_engine.hpp"
#include "fivebar_control/support/errors.hpp"
#include "model/robots.hpp"
#include "mujoco_library.hpp"

// Built with the name of a library that does not exist, and with the stand-in of builds without
// MuJoCo.

namespace fivebar_control
{
namespace
{

std::string complaint_of(const std::function<void()> & action)
{
  try
  {
    action();
  }
  catch (const InputError & error)
  {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST(MissingMujoco, AtRunTimeSaysWhichFileAndWhatToDo)
{
  const std::string complaint = complaint_of([] { mujoco_library(); });
  EXPECT_THAT(complaint, testing::HasSubstr("libmujoco.so.missing: cannot open shared object"));
  EXPECT_THAT(complaint, testing::HasSubstr("LD_LIBRARY_PATH"));
}

TEST(MissingMujoco, AtBuildTimeSaysSo)
{
  const RobotModel robot = test::default_robot();
  EXPECT_THAT(
    complaint_of([&] { make_mujoco_engine(robot, {}); }),
    testing::HasSubstr("built without it; install libmujoco-dev"));
}

}  // namespace fivebar_control
