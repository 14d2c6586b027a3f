// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "fivebar_control/controller/finding.hpp"
#include "fivebar_control/controller/settings.hpp"
#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/text_file.hpp"
#include "model/robots.hpp"

namespace fivebar_control::test
{
namespace
{

using testing::HasSubstr;

std::string changed(const std::string & from, const std::string & to)
{
  std::string text = read_text_file(config_path("controller.yaml"), 100000);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string refusal(const std::string & text)
{
  try
  {
    parse_controller_settings(text, "c.yaml");
  }
  catch (const InputError & error)
  {
    return error.what();
  }
  return "accepted";
}

TEST(ControllerFile, HoldsThePublishedGains)
{
  const ControllerSettings settings = load_controller_settings(config_path("controller.yaml"));
  EXPECT_EQ(settings.gains.kp, 22.7);
  EXPECT_EQ(settings.gains.kd, 0.43);
  EXPECT_EQ(settings.gains.ki, 0.0);
  EXPECT_EQ(settings.velocity.cutoff, 50.0);
  EXPECT_EQ(settings.velocity.method, VelocityMethod::filtered_difference);
}

TEST(ControllerFile, NamesLineAndKeyOfWhatItRefuses)
{
  EXPECT_THAT(refusal(changed("kp: 22.7", "kp: -1")), HasSubstr("c.yaml:7:"));
  EXPECT_THAT(refusal(changed("kp: 22.7", "kp: -1")), HasSubstr("feedback.kp"));
  EXPECT_THAT(refusal(changed("kp: 22.7", "kq: 22.7")), HasSubstr("kp"));
  EXPECT_THAT(
    refusal(changed("method: filtered_difference", "method: magic")),
    HasSubstr("tracking_observer"));
  EXPECT_THAT(refusal(changed("relax_time: 0.3", "relax_time: 0")), HasSubstr("end.relax_time"));
  EXPECT_THAT(
    refusal(changed("late_cycles_in_a_row: 5", "late_cycles_in_a_row: 0")),
    HasSubstr("late_cycles_in_a_row"));
  EXPECT_THAT(refusal(changed("schema: 1", "schema: 9")), HasSubstr("schema"));
}

TEST(ControllerFile, SelectsTheObserver)
{
  const ControllerSettings settings = parse_controller_settings(
    changed("method: filtered_difference", "method: tracking_observer"), "c.yaml");
  EXPECT_EQ(settings.velocity.method, VelocityMethod::tracking_observer);
}

TEST(Finding, EveryReasonHasAnOwnNameAndASentence)
{
  std::set<std::string> names;
  for (int i = 0; i < reason_count; ++i)
  {
    const Finding finding{static_cast<Reason>(i), 1, 1.25, 0.5};
    names.insert(to_string(finding.reason));
    EXPECT_GT(describe(finding).size(), 10U);
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(reason_count));
  EXPECT_EQ(names.count("unknown"), 0U);
  EXPECT_THAT(describe({Reason::joint_range, 1, 1.25, 0.5}), HasSubstr("joint 4 is at 1.25 rad"));
}

}  // namespace
}  // namespace fivebar_control::test
