// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/commission/rehearsal.hpp"

#include <cmath>

namespace fivebar_control::commission
{
namespace
{

constexpr double visible = 0.01;    // rad
constexpr double hand_volts = 0.5;  // V: as hard as a hand pushes
constexpr double turn_time = 0.45;  // s: some 0.3 rad
constexpr double hand_time = 5.0;   // s at most to get to a stop
constexpr double moment = 0.05;     // s

Eigen::Vector2d on_joint(std::size_t joint, double volts)
{
  return joint == 0 ? Eigen::Vector2d(volts, 0.0) : Eigen::Vector2d(0.0, volts);
}

bool begins_with(const std::string & text, const std::string & start)
{
  return text.compare(0, start.size(), start) == 0;
}

}  // namespace

void SimulatedPerson::tell(const std::string & key, const std::string &)
{
  if (key == "emergency_stop.press")
  {
    board_.press_emergency_stop(0.5);
  }
  else if (begins_with(key, "direction_"))
  {
    before_ = board_.plant().state().head<2>();
  }
  else if (begins_with(key, "turning_"))
  {
    const bool done = key.ends_with(".done");
    board_.push(
      on_joint(begins_with(key, "turning_1") ? 0 : 1, done ? 0.0 : hand_volts), turn_time);
  }
}

std::string SimulatedPerson::ask(const Question & question)
{
  if (question.key == "emergency_stop.released")
  {
    board_.release_emergency_stop();
    board_.let_time_pass(moment);
  }
  if (begins_with(question.key, "direction_"))
  {
    return describe_motion();
  }
  if (question.key == "end_stops.present")
  {
    return board_.plant().parameters().end_stops ? "yes" : "none";
  }
  if (begins_with(question.key, "end_stops.link_"))
  {
    const std::size_t joint = begins_with(question.key, "end_stops.link_1") ? 0 : 1;
    return go_to_stop(joint, question.key.ends_with("_ccw") ? 1.0 : -1.0);
  }
  return question.confirmation ? question.choices.front() : "";
}

std::string SimulatedPerson::describe_motion() const
{
  const Eigen::Vector2d moved = board_.plant().state().head<2>() - before_;
  const Eigen::Vector2d size = moved.cwiseAbs();
  const int most = size[1] > size[0] ? 1 : 0;
  if (size[most] < visible)
  {
    return "nothing";
  }
  if (size.minCoeff() > 0.5 * size.maxCoeff())
  {
    return "both";
  }
  return std::string(most == 0 ? "1 " : "4 ") + (moved[most] > 0.0 ? "ccw" : "cw");
}

std::string SimulatedPerson::go_to_stop(std::size_t joint, double way)
{
  board_.push(on_joint(joint, way * hand_volts), hand_time);
  const auto i = static_cast<int>(joint);
  double last = board_.plant().state()[i];
  for (double time = 0.0; time < hand_time; time += moment)
  {
    board_.let_time_pass(moment);
    const double now = board_.plant().state()[i];
    if (time > 0.2 && std::abs(now - last) < 1e-6)
    {
      break;
    }
    last = now;
  }
  board_.push(Eigen::Vector2d::Zero(), 0.0);
  return "there";
}

}  // namespace fivebar_control::commission
