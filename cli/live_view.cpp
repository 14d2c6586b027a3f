// SPDX-License-Identifier: Apache-2.0
#include "live_view.hpp"

#include <fmt/core.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "fivebar_control/daemon/live_feed.hpp"
#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/message.hpp"
#ifdef FIVEBAR_HAS_LIVE_VIEW
#include "fivebar_control/daemon/live_server.hpp"
#endif

namespace fivebar_control::cli
{
namespace
{

/// What stays the same during a run.
[[maybe_unused]] std::string scene_of(const RobotModel & robot, const Plan & plan)
{
  constexpr std::size_t most_points = 1000;
  nlohmann::json path = nlohmann::json::array();
  const std::size_t step = 1 + plan.samples.size() / most_points;
  for (std::size_t i = 0; i < plan.samples.size(); i += step)
  {
    path.push_back({plan.samples.x[i], plan.samples.y[i]});
  }
  // What the page must show: the pivots, and all joints along the plan.
  const auto & physics = robot.physics();
  Eigen::Array2d low = physics.pivot_1.array().min(physics.pivot_4.array());
  Eigen::Array2d high = physics.pivot_1.array().max(physics.pivot_4.array());
  for (std::size_t i = 0; i < plan.samples.size(); i += step)
  {
    if (const auto pose = robot.kinematics().forward({plan.samples.phi1[i], plan.samples.phi4[i]}))
    {
      for (const Eigen::Vector2d & p : {pose->elbow_1, pose->elbow_4, pose->end_effector})
      {
        low = low.min(p.array());
        high = high.max(p.array());
      }
    }
  }
  return nlohmann::json{
    {"curve", plan.curve_name},
    {"duration", plan.samples.t.back()},
    {"voltage_limit", robot.limits().voltage},
    {"pivot1", {physics.pivot_1[0], physics.pivot_1[1]}},
    {"pivot4", {physics.pivot_4[0], physics.pivot_4[1]}},
    {"low", {low[0], low[1]}},
    {"high", {high[0], high[1]}},
    {"path", path}}
    .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

void add_web_options(CLI::App & command, WebOptions & options)
{
  command
    .add_option_function<std::string>(
      "--web",
      [&options](const std::string & address) {
        options.wanted = true;
        options.address = address.empty() ? options.address : address;
      },
      "Serve a live page with stop buttons (default address: 127.0.0.1:8080)")
    ->type_name("ADDRESS:PORT")
    ->expected(0, 1);
  command.add_flag("--web-remote", options.remote, "Let --web bind an address others can reach");
  command.add_option("--web-token", options.token, "What the page's URL must have as ?token=")
    ->type_name("TOKEN")
    ->envname("FIVEBAR_WEB_TOKEN");
  command.add_flag("--web-wait", options.wait, "Begin when the live page is open");
}

#ifdef FIVEBAR_HAS_LIVE_VIEW

struct LiveView::State
{
  const WebOptions & options;
  RunRequests & requests;
  LiveFeed feed;
  std::optional<LiveServer> server;
};

LiveView::LiveView(
  const WebOptions & options, const RobotModel & robot, const Plan & plan, RunRequests & requests,
  const RunStatus & status, RecordSink * next)
{
  if (!options.wanted)
  {
    return;
  }
  checked_address(options);
  state_.reset(new State{options, requests, {robot, status, next}, std::nullopt});
  state_->server.emplace(options, state_->feed, requests, status, scene_of(robot, plan));
  say("fivebar: live view at {}\n", state_->server->url());
}

RecordSink * LiveView::sink() const { return state_ ? &state_->feed : nullptr; }

void LiveView::wait_for_page() const
{
  while (state_ && state_->options.wait && state_->server->spectators() == 0 &&
         state_->requests.interrupts.load() == 0)
  {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void LiveView::finish(const std::string & ending)
{
  if (state_)
  {
    state_->feed.finish(ending);
    state_->server.reset();
  }
}

#else

struct LiveView::State
{
};

LiveView::LiveView(
  const WebOptions & options, const RobotModel &, const Plan &, RunRequests &, const RunStatus &,
  RecordSink *)
{
  if (options.wanted)
  {
    throw InputError("--web: this build has no live view, cpp-httplib was not found");
  }
}

RecordSink * LiveView::sink() const { return nullptr; }
void LiveView::wait_for_page() const {}
void LiveView::finish(const std::string &) {}

#endif

LiveView::~LiveView() = default;

}  // namespace fivebar_control::cli
