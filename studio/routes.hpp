// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "desk.hpp"
#include "fivebar_control/daemon/web_gate.hpp"
#include "fivebar_control/studio/studio_options.hpp"
#include "jobs.hpp"
#include "latest_wins.hpp"
#include "robot_station.hpp"

namespace fivebar_control
{

/// Bytes of a question: a curve file may have 1 MB, a log that a page saves more is none.
inline constexpr std::size_t largest_question = 4'000'000;

/// What the studio answers to each request. Pages and files are read by GET; everything else is
/// POST with JSON and the header 'X-Fivebar: studio' (stops: 'X-Fivebar: stop').
class StudioRoutes
{
public:
  explicit StudioRoutes(const StudioOptions & options);

  void attach(httplib::Server & server);
  WebGate & gate() { return gate_; }
  /// Ends what requests wait for.
  void close();

private:
  using Json = nlohmann::json;
  using Answer = std::string (StudioRoutes::*)(const Json &);

  void add(httplib::Server & server, const char * path, Answer answer);
  void send_file(const httplib::Request & request, httplib::Response & answer) const;
  void stop(bool emergency, const httplib::Request & request, httplib::Response & answer);

  std::string start(const Json & question);
  std::string plan(const Json & question);
  std::string play(const Json & question);
  std::string logs(const Json & question);
  std::string files(const Json & question);
  std::string open(const Json & question);
  std::string save(const Json & question);
  std::string save_plan(const Json & question);
  std::string action(const Json & question);
  std::string job(const Json & question);
  std::string interrupt(const Json & question);
  std::string arm(const Json & question);
  std::string run(const Json & question);

  StudioOptions options_;
  WebGate gate_;
  Desk desk_;
  std::string page_;
  LatestWins planning_;
  LatestWins playing_{std::chrono::milliseconds(2000)};
  Jobs jobs_;
  RobotStation station_;
};

}  // namespace fivebar_control
