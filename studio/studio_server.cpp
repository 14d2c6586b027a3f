// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/studio/studio_server.hpp"

#include <cstdlib>

#include "fivebar_control/daemon/web_server.hpp"
#include "routes.hpp"

namespace fivebar_control
{

struct StudioServer::State
{
  explicit State(const StudioOptions & options)
  : routes(options),
    server(
      routes.gate().address(), {.largest_body = largest_question,
                                .most_connections = 60,
                                .page_threads = 16,
                                .send_buffer = 1'000'000})
  {
  }

  StudioRoutes routes;
  WebServer server;
};

StudioServer::StudioServer(const StudioOptions & options) : state_(std::make_unique<State>(options))
{
  if (!options.web.token.empty())
  {
    setenv("FIVEBAR_WEB_TOKEN", options.web.token.c_str(), 1);  // for the live view of its runs
  }
  state_->routes.gate().set_port(state_->server.port());
  state_->server.start([this](httplib::Server & server) { state_->routes.attach(server); });
}

StudioServer::~StudioServer()
{
  state_->routes.close();
  state_->server.stop();
}

int StudioServer::port() const { return state_->server.port(); }
std::string StudioServer::url() const { return state_->routes.gate().url(); }

}  // namespace fivebar_control
