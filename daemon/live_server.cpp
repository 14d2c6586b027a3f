#include "live_server.hpp"

#include <fmt/core.h>
#include <httplib.h>

#include <string_view>

#include "fivebar_control/support/file_error.hpp"

namespace fivebar_control::page
{
extern const std::string_view live_html;
}

namespace fivebar_control
{
namespace
{

// A page that reads nothing holds one thread; the others are left for the stop buttons.
constexpr int most_spectators = 6;
constexpr std::size_t server_threads = 12;
constexpr auto socket_patience = std::chrono::seconds(1);
constexpr int stop_smoothly = 1;
constexpr int stop_at_once = 2;

using Clock = std::chrono::steady_clock;

}  // namespace

struct LiveServer::State
{
  WebOptions options;
  WebAddress address;
  LiveFeed & feed;
  RunRequests & requests;
  const RunStatus & status;
  std::string scene;
  httplib::Server server;
  std::atomic<int> spectators{0};
  std::atomic<bool> stopped{false};
  std::atomic<bool> closing{false};
  std::thread thread;

  httplib::Server::HandlerResponse admit(
    const httplib::Request & request, httplib::Response & answer)
  {
    using Handled = httplib::Server::HandlerResponse;
    const bool has_token = !options.token.empty();
    const bool allowed = has_token ? same_token(request.get_param_value("token"), options.token)
                                   : is_own_host(request.get_header_value("Host"), address);
    if (allowed)
    {
      return Handled::Unhandled;
    }
    answer.status = 403;
    answer.set_content(has_token ? "wrong or missing token\n" : "wrong host\n", "text/plain");
    return Handled::Handled;
  }

  void send_events(httplib::Response & answer)
  {
    if (spectators.fetch_add(1) >= most_spectators)
    {
      spectators.fetch_sub(1);
      answer.status = 503;
      answer.set_content("too many pages are open\n", "text/plain");
      return;
    }
    auto number = std::make_shared<std::uint64_t>(0);
    answer.set_header("Cache-Control", "no-store");
    answer.set_chunked_content_provider(
      "text/event-stream",
      [this, number](std::size_t, httplib::DataSink & sink) {
        const LiveFeed::Message message = feed.newer_than(*number, std::chrono::milliseconds(500));
        if (closing.load())
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
      [this](bool) { spectators.fetch_sub(1); });
  }

  /// Asks the loop and waits until it has answered, so that the page can say how long it took.
  void stop(int interrupts, const httplib::Request & request, httplib::Response & answer)
  {
    // A form of a foreign page cannot set this header.
    if (request.get_header_value("X-Fivebar") != "stop")
    {
      answer.status = 403;
      answer.set_content("expected the header 'X-Fivebar: stop'\n", "text/plain");
      return;
    }
    const Clock::time_point begin = Clock::now();
    int before = requests.interrupts.load();
    while (before < interrupts && !requests.interrupts.compare_exchange_weak(before, interrupts))
    {
    }
    stopped.store(true);
    const auto milliseconds = [&] {
      return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    };
    if (interrupts == stop_smoothly)
    {
      fmt::print(stderr, "fivebar: smooth stop asked for by {}\n", request.remote_addr);
      answer.set_content("{\"asked\":true}", "application/json");
      return;
    }
    bool at_zero = false;
    while (!at_zero && milliseconds() < 1000.0)
    {
      const ControlState state = status.state.load();
      at_zero =
        status.finished.load() || ((state == ControlState::idle || state == ControlState::fault) &&
                                   status.volts_1.load() == 0.0 && status.volts_4.load() == 0.0);
      if (!at_zero)
      {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
    }
    const double elapsed = milliseconds();
    fmt::print(
      stderr, "fivebar: E-stop asked for by {}: {} {:.2f} ms\n", request.remote_addr,
      at_zero ? "zero volts after" : "NO ANSWER of the loop within", elapsed);
    answer.set_content(
      fmt::format("{{\"zero_volts\":{},\"milliseconds\":{:.3f}}}", at_zero, elapsed),
      "application/json");
  }

  void route()
  {
    server.set_pre_routing_handler(
      [this](const httplib::Request & request, httplib::Response & answer) {
        return admit(request, answer);
      });
    server.Get("/", [](const httplib::Request &, httplib::Response & answer) {
      answer.set_header(
        "Content-Security-Policy",
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src "
        "'self'; img-src data:");
      answer.set_header("Referrer-Policy", "no-referrer");
      answer.set_content(
        page::live_html.data(), page::live_html.size(), "text/html; charset=utf-8");
    });
    server.Get("/scene", [this](const httplib::Request &, httplib::Response & answer) {
      answer.set_content(scene, "application/json");
    });
    server.Get("/events", [this](const httplib::Request &, httplib::Response & answer) {
      send_events(answer);
    });
    server.Post("/emergency-stop", [this](const httplib::Request & r, httplib::Response & answer) {
      stop(stop_at_once, r, answer);
    });
    server.Post("/smooth-stop", [this](const httplib::Request & r, httplib::Response & answer) {
      stop(stop_smoothly, r, answer);
    });
  }
};

LiveServer::LiveServer(
  const WebOptions & options, LiveFeed & feed, RunRequests & requests, const RunStatus & status,
  std::string scene)
: state_(new State{
    options,
    checked_address(options),
    feed,
    requests,
    status,
    std::move(scene),
    {},
    {},
    {},
    {},
    {}})
{
  State & s = *state_;
  s.route();
  s.server.new_task_queue = [] { return new httplib::ThreadPool(server_threads); };
  s.server.set_keep_alive_max_count(1);  // an idle connection must not hold a thread
  s.server.set_read_timeout(socket_patience);
  s.server.set_write_timeout(socket_patience);
  s.server.set_payload_max_length(4096);
  // The library's default lets a second server share the port.
  s.server.set_socket_options([](socket_t socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    // A page that stopped reading shall not find minutes of old messages later.
    const int send_buffer = 16384;
    setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &send_buffer, sizeof(send_buffer));
  });
  const std::string host = s.address.host;
  const bool bound = s.address.port == 0 ? (s.address.port = s.server.bind_to_any_port(host)) > 0
                                         : s.server.bind_to_port(host, s.address.port);
  if (!bound)
  {
    throw FileError(fmt::format("--web: {} cannot be bound: is it in use?", options.address));
  }
  s.thread = std::thread([&s] {
    block_signals();  // normal priority: a stop button must not wait for other work
    s.server.listen_after_bind();
  });
}

LiveServer::~LiveServer()
{
  // A spectator that reads gets the last message before its connection closes.
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(300);
  while (state_->spectators.load() > 0 && Clock::now() < end)
  {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  state_->closing.store(true);
  while (!state_->server.is_running())  // stopping it before it has begun would not stop it
  {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  state_->server.stop();
  state_->thread.join();
}

std::string LiveServer::url() const
{
  const WebAddress & a = state_->address;
  // The token itself is not printed: terminals are logged.
  const char * query = state_->options.token.empty() ? "" : "?token=...";
  return fmt::format("http://{}:{}/{}", a.host, a.port, query);
}

int LiveServer::spectators() const { return state_->spectators.load(); }
bool LiveServer::stopped() const { return state_->stopped.load(); }

}  // namespace fivebar_control
