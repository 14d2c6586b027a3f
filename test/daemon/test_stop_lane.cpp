// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "controller/rig.hpp"
#include "fivebar_control/daemon/live_server.hpp"
#include "fivebar_control/daemon/loop_thread.hpp"
#include "fivebar_control/daemon/realtime.hpp"
#include "fivebar_control/support/monotonic_clock.hpp"
#include "request_lane.hpp"

namespace fivebar_control::test
{
namespace
{

using testing::HasSubstr;
using testing::StartsWith;

/// Knows when its motors lost their volts for good.
class WatchedRobot : public SimulatedRobot
{
public:
  using SimulatedRobot::SimulatedRobot;
  HardwareError write(const Eigen::Vector2d & volts) noexcept override
  {
    note(volts.isZero(0.0));
    return SimulatedRobot::write(volts);
  }
  HardwareError disarm() noexcept override
  {
    note(true);
    return SimulatedRobot::disarm();
  }
  bool confirms_zero() noexcept override { return confirms; }

  std::atomic<bool> driven{false};
  std::atomic<std::int64_t> zero_ns{0};
  bool confirms = true;

private:
  void note(bool zero)
  {
    if (zero && driven)
    {
      zero_ns = monotonic_now_ns();
    }
    driven = !zero;
  }
};

/// A run in real time with its live view, as `fivebar run --web` puts it together.
class LiveRun
{
public:
  LiveRun()
  : robot(default_robot()),
    plan(gentle_plan()),
    hardware(robot, {}, plan.start(), millisecond),
    controller(robot, default_settings(), ControlMode::feedforward_and_feedback, millisecond),
    feed(robot, status, nullptr),
    server({true, "127.0.0.1:0", false, "", false}, feed, requests, status, "{\"curve\":\"b\"}")
  {
    controller.set_plan(&plan);
  }
  void start()
  {
    loop.emplace(requests, [this] {
      RealtimeReport report;
      enter_realtime({}, report);
      Pacer pacer(millisecond, true);
      outcome = run_loop(controller, hardware, pacer, feed, requests, status, {millisecond, false});
    });
    while (!hardware.driven)
    {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  RobotModel robot;
  PlayablePlan plan;
  WatchedRobot hardware;
  ControlCore controller;
  RunRequests requests;
  RunStatus status;
  LiveFeed feed;
  LiveServer server;
  RunOutcome outcome;
  std::optional<LoopThread> loop;
};

class Client
{
public:
  explicit Client(int port) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
  {
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(static_cast<std::uint16_t>(port));
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = connect(socket_, reinterpret_cast<sockaddr *>(&place), sizeof(place)) == 0;
    host_ = "127.0.0.1:" + std::to_string(port);
  }
  ~Client() { close(socket_); }
  Client(const Client &) = delete;

  bool is_connected() const { return connected_; }
  void send_text(const std::string & text) const
  {
    send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
  }
  /// All that comes until the other end closes.
  std::string answer() const
  {
    std::string text;
    char bytes[4096];
    for (ssize_t got = 1; got > 0;)
    {
      got = recv(socket_, bytes, sizeof(bytes), 0);
      text.append(bytes, got > 0 ? static_cast<std::size_t>(got) : 0);
    }
    return text;
  }
  std::string get(const std::string & path) const
  {
    send_text("GET " + path + " HTTP/1.1\r\nHost: " + host_ + "\r\n\r\n");
    return answer();
  }
  /// As short as a request can be: without a body and without its length.
  std::string emergency_stop() const
  {
    send_text("POST /emergency-stop HTTP/1.1\r\nHost: " + host_ + "\r\nX-Fivebar: stop\r\n\r\n");
    return answer();
  }

private:
  int socket_;
  bool connected_ = false;
  std::string host_;
};

TEST(StopLane, TwoHundredIdleAndFiftySlowConnectionsDoNotDelayTheEmergencyStop)
{
  for (int repetition = 0; repetition < 3; ++repetition)
  {
    LiveRun run;
    run.start();
    std::vector<std::unique_ptr<Client>> idle;
    std::vector<std::unique_ptr<Client>> slow;
    for (int i = 0; i < 250; ++i)
    {
      auto client = std::make_unique<Client>(run.server.port());
      ASSERT_TRUE(client->is_connected());
      if (i % 5 == 0)
      {
        client->send_text("GET /scene HTTP/1.1\r\nX-Slow: ");
      }
      (i % 5 == 0 ? slow : idle).push_back(std::move(client));
    }
    std::atomic<bool> over{false};
    std::thread drip([&] {
      while (!over)
      {
        for (const auto & client : slow)
        {
          client->send_text("a");
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const Client hand(run.server.port());
    const std::int64_t pressed_ns = monotonic_now_ns();
    const std::string answer = hand.emergency_stop();
    over = true;
    drip.join();
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
    EXPECT_THAT(answer, HasSubstr("\"zero_volts\":true"));
    const double milliseconds = 1e-6 * static_cast<double>(run.hardware.zero_ns - pressed_ns);
    std::printf("zero volts at the motors %.2f ms after the button\n", milliseconds);
    EXPECT_GT(milliseconds, 0.0);
    EXPECT_LE(milliseconds, 100.0);
    run.loop->join();
    EXPECT_EQ(run.outcome.end, RunEnd::aborted);
  }
}

TEST(StopLane, DoesNotClaimZeroVoltsThatTheDeviceHasNotConfirmed)
{
  LiveRun run;
  run.hardware.confirms = false;
  run.start();
  EXPECT_THAT(Client(run.server.port()).emergency_stop(), HasSubstr("\"zero_volts\":false"));
}

TEST(StopLane, OnlyOurOwnPageCountsAsAnOpenPage)
{
  LiveRun run;
  EXPECT_THAT(Client(run.server.port()).get("/events"), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(Client(run.server.port()).get("/events?key=guess"), StartsWith("HTTP/1.1 403"));
  EXPECT_EQ(run.server.spectators(), 0);
  const std::string scene = Client(run.server.port()).get("/scene");
  const auto json = nlohmann::json::parse(scene.substr(scene.find("\r\n\r\n") + 4));
  EXPECT_EQ(json["curve"], "b");
  run.feed.finish("ended");
  const std::string events =
    Client(run.server.port()).get("/events?key=" + json["key"].get<std::string>());
  EXPECT_THAT(events, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(events, HasSubstr("ended"));
}

TEST(StopLane, KnowsWhenARequestIsWhole)
{
  const auto judged = [](std::string text) { return judge_request(text); };
  EXPECT_EQ(judged(""), Arrival::partial);
  EXPECT_EQ(judged("GET / HTTP/1.1\r\nHost: a\r\n"), Arrival::partial);
  EXPECT_EQ(judged("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), Arrival::whole);
  EXPECT_EQ(judged("POST / HTTP/1.1\r\ncontent-LENGTH: 3\r\n\r\nab"), Arrival::partial);
  EXPECT_EQ(judged("POST / HTTP/1.1\r\nContent-Length:3\r\n\r\nabc"), Arrival::whole);
  for (const char * length : {"-1", "3x", "99999999999999999999"})
  {
    EXPECT_EQ(
      judged(std::string("POST / HTTP/1.1\r\nContent-Length: ") + length + "\r\n\r\n"),
      Arrival::refused)
      << length;
  }
  EXPECT_EQ(judged("POST / HTTP/1.1\r\nContent-Length: 5000\r\n\r\n"), Arrival::too_large);
  EXPECT_EQ(judged("GET / HTTP/1.1\r\nX: " + std::string(9000, 'a')), Arrival::refused);
  std::string bare = "POST /smooth-stop HTTP/1.1\r\nHost: a\r\n\r\n";
  EXPECT_EQ(judge_request(bare), Arrival::whole);
  EXPECT_THAT(bare, HasSubstr("\r\nContent-Length: 0\r\n\r\n"));
  EXPECT_TRUE(is_stop_request(bare));
  EXPECT_FALSE(is_stop_request("GET /emergency-stop HTTP/1.1"));
}

}  // namespace
}  // namespace fivebar_control::test
