// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/daemon/live_routes.hpp"

#include <fmt/core.h>
#include <httplib.h>

#include <random>
#include <string_view>
#include <thread>

#include "fivebar_control/hardware/emergency_zero.hpp"
#include "fivebar_control/support/message.hpp"
#include "fivebar_control/support/page_parts.hpp"

namespace fivebar_control::page
{
extern const std::string_view live_html;
}

namespace fivebar_control
{
namespace
{

constexpr int most_spectators = 6;
constexpr int stop_smoothly = 1;
constexpr int stop_at_once = 2;

constexpr double patience_ms = 1000.0;  // with the loop and its device
constexpr double second_way_after_ms = 50.0;

using Clock = std::chrono::steady_clock;

/// The page with the charts of all our pages.
const std::string & live_page()
{
  static const std::string page = [] {
    std::string text(page::live_html);
    for (const auto & [mark, part] :
         {std::pair("/*charts style*/", page::charts_css),
          std::pair("/*charts script*/", page::charts_js)})
    {
      text.replace(text.find(mark), std::string_view(mark).size(), part);
    }
    return text;
  }();
  return page;
}

std::string random_key()
{
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

}  // namespace

LiveRoutes::LiveRoutes(
  const WebOptions & options, LiveFeed & feed, RunRequests & requests, const RunStatus & status,
  std::string scene)
: gate_(options),
  feed_(feed),
  requests_(requests),
  status_(status),
  scene_(std::move(scene)),
  key_(random_key())
{
  const bool empty = scene_ == "{}";
  scene_.insert(1, fmt::format("\"key\":\"{}\"{}", key_, empty ? "" : ","));
}

bool LiveRoutes::has_key(const httplib::Request & request, httplib::Response & answer) const
{
  const bool has = same_token(request.get_param_value("key"), key_);
  if (!has)
  {
    answer.status = 403;
    answer.set_content("only the live page itself can listen\n", "text/plain");
  }
  return has;
}

void LiveRoutes::send_events(httplib::Response & answer)
{
  if (spectators_.fetch_add(1) >= most_spectators)
  {
    spectators_.fetch_sub(1);
    answer.status = 503;
    answer.set_content("too many pages are open\n", "text/plain");
    return;
  }
  auto number = std::make_shared<std::uint64_t>(0);
  answer.set_header("Cache-Control", "no-store");
  answer.set_chunked_content_provider(
    "text/event-stream",
    [this, number](std::size_t, httplib::DataSink & sink) {
      const LiveFeed::Message message = feed_.newer_than(*number, std::chrono::milliseconds(500));
      if (closing_.load())
      {
        sink.done();
        return true;
      }
      const std::string text =
        message.number > *number ? "data: " + message.json + "\n\n" : ": nothing new\n\n";
      *number = message.number;
      if (!sink.write(text.data(), text.size()))
      {
        return false;
      }
      if (message.last)
      {
        sink.done();
      }
      return true;
    },
    [this](bool) { spectators_.fetch_sub(1); });
}

/// Asks the loop and waits until it has answered, so that the page can say how long it took.
void LiveRoutes::stop(int interrupts, const httplib::Request & request, httplib::Response & answer)
{
  if (!gate_.from_own_page(request, answer, "stop"))
  {
    return;
  }
  int before = requests_.interrupts.load();
  while (before < interrupts && !requests_.interrupts.compare_exchange_weak(before, interrupts))
  {
  }
  stopped_.store(true);
  if (interrupts == stop_smoothly)
  {
    answer.set_content("{\"asked\":true}", "application/json");
    say("fivebar: smooth stop asked for by {}\n", request.remote_addr);
    return;
  }
  double elapsed = 0.0;
  const bool at_zero = wait_for_zero(elapsed);
  answer.set_content(
    fmt::format("{{\"zero_volts\":{},\"milliseconds\":{:.3f}}}", at_zero, elapsed),
    "application/json");
  say(
    "fivebar: E-stop asked for by {}: {} {:.2f} ms\n", request.remote_addr,
    at_zero ? "zero volts after" : "NO CONFIRMATION of zero volts within", elapsed);
}

/// Until the device itself has said that its motors have no volts. A loop that does not answer is
/// passed by.
bool LiveRoutes::wait_for_zero(double & elapsed) const
{
  const Clock::time_point begin = Clock::now();
  bool second_way = false;
  for (;;)
  {
    const bool finished = status_.finished.load(std::memory_order_acquire);
    const bool confirmed = status_.zero_confirmed.load(std::memory_order_acquire);
    elapsed = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    if (confirmed || finished || elapsed > patience_ms)
    {
      return confirmed;
    }
    if (!second_way && elapsed > second_way_after_ms)
    {
      second_way = true;
      zero_all_motors();
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

void LiveRoutes::attach(httplib::Server & server)
{
  gate_.guard(server);
  server.Get("/", [](const httplib::Request &, httplib::Response & answer) {
    WebGate::send_page(
      answer, live_page(),
      "style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:");
  });
  server.Get("/scene", [this](const httplib::Request &, httplib::Response & answer) {
    answer.set_content(scene_, "application/json");
  });
  server.Get("/events", [this](const httplib::Request & r, httplib::Response & answer) {
    if (has_key(r, answer))
    {
      send_events(answer);
    }
  });
  server.Post("/emergency-stop", [this](const httplib::Request & r, httplib::Response & answer) {
    stop(stop_at_once, r, answer);
  });
  server.Post("/smooth-stop", [this](const httplib::Request & r, httplib::Response & answer) {
    stop(stop_smoothly, r, answer);
  });
}

}  // namespace fivebar_control
