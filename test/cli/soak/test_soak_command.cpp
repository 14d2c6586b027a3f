// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace fivebar_control::test
{
namespace
{

class SoakCommand : public ProgramTest
{
protected:
  nlohmann::json soak(const std::vector<std::string> & options, int exit_code = 0) const
  {
    std::vector<std::string> arguments{"soak", "--fast", "--json", path("soak.json")};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.out << outcome.err;
    nlohmann::json json = nlohmann::json::parse(content_of(path("soak.json")));
    // What depends on the machine.
    json.erase("seconds");
    json.erase("memory_kb");
    return json;
  }
};

TEST_F(SoakCommand, KeepsEveryPromiseAndSaysWhatHappened)
{
  const nlohmann::json json = soak({"--hours", "0.1"});
  EXPECT_EQ(json["episodes"], 6);
  EXPECT_GE(json["robot_seconds"], 360.0);
  EXPECT_TRUE(json["violation"].is_null());
  EXPECT_GT(json["clean_runs"], 0);
  EXPECT_GT(json["ends"]["finished"], 0);
  EXPECT_GT(json["ends"]["fault"], 0);
  EXPECT_GT(json["ends"]["hardware_fault"], 0);
  EXPECT_GT(json["transitions"]["playing"]["holding"], 0);
  EXPECT_GT(json["transitions"]["fault"]["idle"], 0);
}

TEST_F(SoakCommand, IsTheSameFromTheSameSeedWhateverTheJobs)
{
  const std::vector<std::string> one{"--hours", "0.05", "--seed", "5", "--jobs", "1"};
  const nlohmann::json first = soak(one);
  EXPECT_EQ(soak(one), first);
  EXPECT_EQ(soak({"--hours", "0.05", "--seed", "5", "--jobs", "3"}), first);
  EXPECT_NE(soak({"--hours", "0.05", "--seed", "6"})["checksum"], first["checksum"]);
}

TEST_F(SoakCommand, PlaysOneEpisodeAgain)
{
  const nlohmann::json both = soak({"--hours", "0.03", "--seed", "5"});
  const nlohmann::json first = soak({"--seed", "5", "--episode", "0"});
  const nlohmann::json second = soak({"--seed", "5", "--episode", "1"});
  ASSERT_EQ(both["episodes"], 2);
  EXPECT_EQ(first["cycles"].get<long>() + second["cycles"].get<long>(), both["cycles"].get<long>());
}

TEST_F(SoakCommand, RefusesNonsense)
{
  EXPECT_EQ(run({"soak", "--fast", "--hours", "-1"}).exit_code, 2);
  EXPECT_EQ(run({"soak", "--fast", "--hours", "1", "--episode", "3"}).exit_code, 2);
}

}  // namespace
}  // namespace fivebar_control::test
