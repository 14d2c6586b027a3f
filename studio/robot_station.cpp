// SPDX-License-Identifier: Apache-2.0
#include "robot_station.hpp"

#include <fmt/core.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <csignal>
#include <random>
#include <thread>

#include "fivebar_control/controller/loop_gains.hpp"
#include "fivebar_control/daemon/play.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/support/checksum.hpp"
#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{
namespace
{

constexpr double armed_for = 30.0;  // s
constexpr double patience = 1.0;    // s with a run that was told to end

std::string checksum_of(const std::string & text)
{
  Checksum checksum;
  checksum.add(text);
  return checksum.hex();
}

/// A request to the stop lane of a run's live view; without a port there is none.
class StopQuestion
{
public:
  StopQuestion(int port, const std::string & token)
  : socket_(port == 0 ? -1 : socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
  {
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(static_cast<std::uint16_t>(port));
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval wait{0, 100'000};  // for a connection
    setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
    if (socket_ >= 0 && connect(socket_, reinterpret_cast<sockaddr *>(&place), sizeof(place)) == 0)
    {
      const std::string text = fmt::format(
        "POST /emergency-stop{}{} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nX-Fivebar: stop\r\n\r\n",
        token.empty() ? "" : "?token=", token, port);
      send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
    }
  }
  ~StopQuestion()
  {
    if (socket_ >= 0)
    {
      close(socket_);
    }
  }
  StopQuestion(const StopQuestion &) = delete;
  StopQuestion & operator=(const StopQuestion &) = delete;

  /// Has it been answered within that time that the motors have no volts?
  bool is_confirmed(double seconds) const
  {
    const timeval wait{
      static_cast<time_t>(seconds), static_cast<suseconds_t>(1e6 * std::fmod(seconds, 1.0))};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
    std::string answer;
    std::array<char, 1024> bytes{};
    for (ssize_t got = 1; got > 0 && !answer.ends_with('}') && answer.size() < 4096;)
    {
      got = recv(socket_, bytes.data(), bytes.size(), 0);
      answer.append(bytes.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
    }
    return answer.find("\"zero_volts\":true") != std::string::npos;
  }

private:
  int socket_;
};

std::string random_ticket()
{
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

}  // namespace

RobotStation::RobotStation(const StudioOptions & options, const Desk & desk, Jobs & jobs)
: options_(options), desk_(desk), jobs_(jobs)
{
}

RobotStation::Armed RobotStation::arm(
  const std::string & plan, const std::string & mode, bool align)
{
  if (options_.hardware.empty())
  {
    throw InputError("there is no robot: start the studio with --hardware");
  }
  if (!control_mode_named(mode))
  {
    throw InputError::of("mode", "expected feedforward+pd, pd or feedforward");
  }
  if (jobs_.robot_moves())
  {
    throw InputError("the robot is being moved already");
  }
  const std::string text = desk_.folder.read(plan, {".csv"});
  const Plan checked = parse_plan(text, plan);
  require_plan_can_be_played(checked, desk_.robot, desk_.settings, plan);
  const std::lock_guard lock(mutex_);
  ticket_ = random_ticket();
  plan_ = plan;
  fingerprint_ = checksum_of(text);
  until_ = Clock::now() + std::chrono::milliseconds(static_cast<int>(1e3 * armed_for));
  const std::string stem = plan.substr(0, plan.size() - 4);
  const std::string host = options_.web.address.substr(0, options_.web.address.find(':'));
  words_ = {"run", plan, "--hardware", options_.hardware, "--mode", mode};
  const auto add = [this](const std::vector<std::string> & more) {
    words_.insert(words_.end(), more.begin(), more.end());
  };
  add(options_.hardware_options);
  add(desk_.robot_options);
  add(desk_.controller_options);
  if (align)
  {
    words_.emplace_back("--align");
  }
  add({"--log", stem + ".robot.log.csv", "--json", stem + ".robot.json", "--web", host + ":0"});
  if (options_.web.remote)
  {
    words_.emplace_back("--web-remote");
  }
  return {ticket_, "fivebar " + shell_line(words_), armed_for};
}

int RobotStation::start(const std::string & ticket)
{
  const std::lock_guard lock(mutex_);
  const bool armed = !ticket_.empty() && same_token(ticket, ticket_) && Clock::now() < until_;
  ticket_.clear();
  if (!armed)
  {
    throw InputError("the robot is not armed, or was armed too long ago: arm it again");
  }
  if (checksum_of(desk_.folder.read(plan_, {".csv"})) != fingerprint_)
  {
    throw InputError("the plan has changed since the robot was armed: arm it again");
  }
  return jobs_.start(words_, "fivebar " + shell_line(words_), true);
}

RobotStation::Stopped RobotStation::stop(bool emergency)
{
  const Clock::time_point begin = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  Stopped stopped;
  if (!emergency)
  {
    stopped.sent = jobs_.signal_robot(SIGINT);
    return stopped;
  }
  const StopQuestion question(jobs_.robot_port(), options_.web.token);
  stopped.sent = jobs_.signal_robot(SIGQUIT);
  stopped.zero_volts = stopped.sent && question.is_confirmed(patience);
  while (!stopped.zero_volts && jobs_.robot_moves() && elapsed() < patience)
  {
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
  stopped.ended = !jobs_.robot_moves();
  stopped.milliseconds = 1e3 * elapsed();
  return stopped;
}

}  // namespace fivebar_control
