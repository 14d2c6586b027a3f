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

TEST(ControllerFile, RefusesNumbersThatWouldSwitchAGuardOff)
{
  for (const auto & [from, to] :
       {std::pair("following_band: 0.12", "following_band: 1e300"),
        std::pair("following_window: 0.02", "following_window: 5"),
        std::pair("frozen_voltage: 1.5", "frozen_voltage: 1e6"),
        std::pair("frozen_window: 0.05", "frozen_window: 3600"),
        std::pair("jump_speed: 100.0", "jump_speed: 1e300"),
        std::pair("failures_in_a_row: 3", "failures_in_a_row: 1000"),
        std::pair("late_cycles_in_a_row: 5", "late_cycles_in_a_row: 1000"),
        std::pair("unexplained_voltage: 0.6", "unexplained_voltage: 1e9"),
        std::pair("motor_current: 1.0", "motor_current: 1e9"),
        std::pair("tolerance: 0.02", "tolerance: 1e300")})
  {
    const std::string key = std::string(from).substr(0, std::string(from).find(':'));
    EXPECT_THAT(refusal(changed(from, to)), HasSubstr(key)) << to;
  }
}

TEST(ControllerFile, SwitchesGuardsOffByNameOnly)
{
  const std::string off = "guard:\n  switched_off: [following_error, chatter]";
  const GuardSettings guard = parse_controller_settings(changed("guard:", off), "c.yaml").guard;
  EXPECT_FALSE(guard.is_on(Reason::following_error));
  EXPECT_FALSE(guard.is_on(Reason::chatter));
  EXPECT_TRUE(guard.is_on(Reason::implausible_motion));
  EXPECT_EQ(switched_off_names(guard), (std::vector<std::string>{"following_error", "chatter"}));
  for (const char * name : {"joint_range", "parallel_singularity", "read_failed", "nonsense"})
  {
    const std::string wrong = std::string("guard:\n  switched_off: [") + name + "]";
    EXPECT_THAT(refusal(changed("guard:", wrong)), HasSubstr("cannot be switched off"));
  }
}

TEST(ControllerFile, IsTheDefaultOfEveryGuard)
{
  const GuardSettings file = load_controller_settings(config_path("controller.yaml")).guard;
  std::vector<double> in_file, by_default;
  visit_guard(file, [&](const char *, auto value) { in_file.push_back(value); });
  const GuardSettings defaults;
  visit_guard(defaults, [&](const char *, auto value) { by_default.push_back(value); });
  EXPECT_EQ(in_file, by_default);
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
