// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"

// `balance` at the command line: what it says, what it writes, and what it refuses.

namespace fivebar_control::test
{
namespace
{

using testing::HasSubstr;

const std::string config = std::string(FIVEBAR_SOURCE_DIR) + "/config/balance/";

class BalanceCommand : public ProgramTest
{
protected:
  void refused(const std::vector<std::string> & arguments, const std::string & words) const
  {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr(words));
  }
  void write_changed(const std::string & from, const std::string & to) const
  {
    std::string text = content_of(config + "upright.yaml");
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, from.size(), to);
    write("changed.yaml", text);
  }
};

TEST_F(BalanceCommand, StandsAndSaysSo)
{
  const Outcome outcome = run(
    {"balance", "--tilt", "-5", "-5", "--hold", "2", "--trials", "2", "--json", "b.json", "--out",
     "plan.csv", "--log", "log.csv"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("stands"));
  EXPECT_THAT(outcome.out, HasSubstr("2 of 2 random robots stand"));
  EXPECT_THAT(outcome.err, HasSubstr("note: pendulum.inertia"));
  const auto json = nlohmann::json::parse(content_of(path("b.json")));
  EXPECT_EQ(json["content"], "balance");
  EXPECT_EQ(json["plan"]["verdict"], "converged");
  EXPECT_NEAR(json["plan"]["start_tilt"].get<double>(), 0.123335, 1e-5);
  EXPECT_LE(json["plan"]["largest_voltage"].get<double>(), 10.0);
  EXPECT_EQ(json["run"]["stood"], true);
  EXPECT_EQ(json["trials"]["stood"], 2);
  EXPECT_THAT(content_of(path("plan.csv")), HasSubstr("t,u1,u4,phi1,phi4,a1,a2"));
  EXPECT_THAT(content_of(path("log.csv")), HasSubstr("ended: stood"));
}

TEST_F(BalanceCommand, PlansThePublishedChain)
{
  const Outcome outcome =
    run({"balance", config + "published.yaml", "--plan-only", "--quiet", "--json", "-"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(json["plan"]["stages"].size(), 4U);
  EXPECT_NEAR(json["plan"]["cost"].get<double>(), 1.64013818e-3, 1e-8);
  EXPECT_FALSE(json.contains("run"));
}

TEST_F(BalanceCommand, RefusesWhatCannotBeDoneWithAClearWord)
{
  refused({"balance", "--tilt", "-30", "-30"}, "no motion within 10 V brings the pendulum upright");
  refused({"balance", "--picture", "p.jpg"}, "the name must end in");
  write_changed("mass: 0.125", "mass: -1");
  refused({"balance", "changed.yaml"}, "changed.yaml:9");
  write_changed("robot: ../robot.yaml", "robot: nowhere.yaml");
  refused({"balance", "changed.yaml"}, "nowhere.yaml");
}

TEST_F(BalanceCommand, AFallIsNoSuccess)
{
  // The hand is off by more than the controller starts with.
  const Outcome outcome =
    run({"balance", "--tilt", "-5", "-5", "--start-error", "5", "--hold", "1", "--seed", "2"});
  EXPECT_EQ(outcome.exit_code, 5) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("away from the plan's start"));
}

}  // namespace
}  // namespace fivebar_control::test
