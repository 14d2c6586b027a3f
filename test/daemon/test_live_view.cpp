// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "fivebar_control/daemon/live_feed.hpp"
#include "fivebar_control/daemon/web_options.hpp"
#include "fivebar_control/support/errors.hpp"
#include "model/robots.hpp"

namespace fivebar_control
{
namespace
{

using testing::HasSubstr;
using namespace std::chrono_literals;

std::string refusal(const WebOptions & options)
{
  try
  {
    checked_address(options);
  }
  catch (const InputError & error)
  {
    return error.what();
  }
  return "no error";
}

CycleRecord record_at(std::int64_t cycle)
{
  CycleRecord record;
  record.time_ns = cycle * 1'000'000;
  record.state = ControlState::playing;
  record.angle = {0.0, 1.57};
  record.reference = {0.01, 1.57};
  return record;
}

class CountingSink : public RecordSink
{
public:
  void take(const CycleRecord &) noexcept override { ++count; }
  int count = 0;
};

}  // namespace

TEST(LiveView, BindsOnlyTheMachineItselfUnlessToldOtherwise)
{
  const std::string token = "0123456789abcdef";
  EXPECT_EQ(refusal({true, "127.0.0.1:8080", false, "", false}), "no error");
  EXPECT_EQ(refusal({true, "127.8.9.1:0", false, "", false}), "no error");
  EXPECT_EQ(refusal({true, "localhost:8080", false, "", false}), "no error");
  EXPECT_THAT(refusal({true, "0.0.0.0:8080", false, "", false}), HasSubstr("--web-remote"));
  EXPECT_THAT(refusal({true, "192.168.1.5:80", false, token, false}), HasSubstr("--web-remote"));
  EXPECT_THAT(refusal({true, "0.0.0.0:8080", true, "", false}), HasSubstr("needs a token"));
  EXPECT_THAT(refusal({true, "0.0.0.0:8080", true, "short", false}), HasSubstr("needs a token"));
  EXPECT_EQ(refusal({true, "0.0.0.0:8080", true, token, false}), "no error");
}

TEST(LiveView, RefusesWhatIsNoAddress)
{
  for (const char * text :
       {"", "8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:70000", "127.0.0.1:-1",
        "example.org:80", "b.csv", "127.0.0.1:80:90", "127.1:80"})
  {
    EXPECT_THAT(
      refusal({true, text, true, "0123456789abcdef", false}), HasSubstr("expected ADDRESS:PORT"))
      << text;
  }
}

TEST(LiveView, ComparesWholeTokens)
{
  EXPECT_TRUE(same_token("secret", "secret"));
  for (const char * wrong : {"", "secre", "secrets", "secretsecret", "Secret"})
  {
    EXPECT_FALSE(same_token(wrong, "secret")) << wrong;
  }
}

TEST(LiveView, KnowsItsOwnName)
{
  const WebAddress address{"127.0.0.1", 8080};
  EXPECT_TRUE(is_own_host("127.0.0.1:8080", address));
  EXPECT_TRUE(is_own_host("localhost:8080", address));
  for (const char * other : {"", "127.0.0.1", "127.0.0.1:80", "evil.example:8080", "localhost"})
  {
    EXPECT_FALSE(is_own_host(other, address)) << other;
  }
}

TEST(LiveFeed, ShowsTheNewestRecordAndTheEnd)
{
  RunStatus status;
  status.late_cycles = 3;
  LiveFeed feed(test::default_robot(), status, nullptr);
  for (int i = 0; i <= 50; ++i)
  {
    feed.take(record_at(i));
  }
  LiveFeed::Message message = feed.newer_than(0, 5s);
  nlohmann::json json = nlohmann::json::parse(message.json);
  EXPECT_EQ(json["state"], "playing");
  EXPECT_EQ(json["late"], 3);
  EXPECT_NEAR(json["error"][0].get<double>(), 0.01, 1e-9);
  EXPECT_LE(json["path"].size(), 16u);
  EXPECT_FALSE(message.last);
  feed.take(record_at(51));
  feed.finish("stopped");
  message = feed.newer_than(message.number, 0s);
  json = nlohmann::json::parse(message.json);
  EXPECT_TRUE(message.last);
  EXPECT_EQ(json["ended"], "stopped");
  EXPECT_NEAR(json["t"].get<double>(), 0.051, 1e-9);
}

TEST(LiveFeed, LosesRecordsRatherThanWaitButPassesAllOn)
{
  const RunStatus status;
  CountingSink log;
  LiveFeed feed(test::default_robot(), status, &log);
  constexpr int many = 200000;  // far more than the ring holds
  for (int i = 0; i < many; ++i)
  {
    feed.take(record_at(i));
  }
  EXPECT_EQ(log.count, many);
}

TEST(LiveFeed, SaysSoWhenTheRunNeverBegan)
{
  const RunStatus status;
  LiveFeed feed(test::default_robot(), status, nullptr);
  feed.finish("refused");
  const LiveFeed::Message message = feed.newer_than(0, 0s);
  EXPECT_TRUE(message.last);
  EXPECT_EQ(nlohmann::json::parse(message.json)["ended"], "refused");
}

TEST(LiveFeed, WritesFiniteNumbersOnly)
{
  const RunStatus status;
  LiveFeed feed(test::default_robot(), status, nullptr);
  CycleRecord record = record_at(0);
  record.angle = {std::numeric_limits<double>::quiet_NaN(), 1.0};
  record.volts = {std::numeric_limits<double>::infinity(), 0.0};
  feed.take(record);
  feed.finish("fault");
  const nlohmann::json json = nlohmann::json::parse(feed.newer_than(0, 0s).json);
  EXPECT_TRUE(json["p"].is_null());
}

}  // namespace fivebar_control
