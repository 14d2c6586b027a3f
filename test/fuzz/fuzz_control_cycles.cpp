// SPDX-License-Identifier: Apache-2.0
// What encoders, clock, board and user may do to the controller, cycle by cycle: its volts stay
// finite, within limit and slew, zero where nothing may move; a fault stays until it is reset.
#include <algorithm>
#include <cmath>

#include "fivebar_control/controller/control_core.hpp"
#include "fivebar_control/planner/planner.hpp"
#include "input_stream.hpp"
#include "known_robot.hpp"

namespace fivebar_control::fuzz
{
namespace
{

constexpr std::int64_t period_ns = 1'000'000;
constexpr int most_cycles = 4000;

const PlayablePlan & a_plan()
{
  static const PlayablePlan plan(
    make_plan(known_robot(), load_plan_request(FIVEBAR_SOURCE_DIR "/config/curves/b_gentle.yaml"))
      .plan.samples);
  return plan;
}

/// A robot that is where it should be, but for what the input does to it.
class World
{
public:
  World(InputStream & stream, const ControllerSettings & settings, ControlMode mode)
  : stream_(stream), core_(known_robot(), settings, mode, period_ns)
  {
    core_.set_plan(&a_plan());
    input_.angle = a_plan().start();
  }

  void run()
  {
    for (int cycle = 0; cycle < most_cycles && stream_.has_more(); ++cycle)
    {
      const int quiet = 1 + happen(stream_.byte());
      for (int i = 0; i < quiet && cycle < most_cycles; ++i, ++cycle)
      {
        step();
        input_.command = ControlCommand::none;
      }
    }
  }

private:
  /// Returns how many cycles are to follow in which nothing else happens.
  int happen(std::uint8_t what)
  {
    switch (what % 16)
    {
      case 0:
        input_.command = static_cast<ControlCommand>(stream_.byte() % 6);
        return 0;
      case 1:
        return stream_.byte();
      case 2:
        offset_[what / 16 % 2] += 0.2 * stream_.share();
        return 0;
      case 3:
        offset_[what / 16 % 2] = stream_.anything();
        return 0;
      case 4:
        offset_.setZero();
        return 0;
      case 5:
        input_.time_ns += static_cast<std::int64_t>(1e8 * std::abs(stream_.share()));
        return 0;
      case 6:
        delay_ns_ = static_cast<std::int64_t>(1e7 * stream_.share());
        return 0;
      case 7:
        input_.read_good = !input_.read_good;
        return 0;
      case 8:
        input_.write_good = !input_.write_good;
        return 0;
      case 9:
        input_.device_good = !input_.device_good;
        return 0;
      case 10:
        input_.armed = !input_.armed;
        return 0;
      case 11:
        ++input_.arm_count;
        return 0;
      case 12:
        gain_ = stream_.share();
        return 0;
      case 13:
        frozen_ = !frozen_;
        return 0;
      case 14:
        drift_[what / 16 % 2] = 0.01 * stream_.share();
        return 0;
      default:
        return what / 16;
    }
  }

  void step()
  {
    offset_ += drift_;
    if (!frozen_)
    {
      input_.angle = (1.0 + gain_) * (wanted_ - a_plan().start()) + a_plan().start() + offset_;
    }
    input_.time_ns += period_ns;
    input_.sample_time_ns = input_.time_ns - delay_ns_;
    const ControlState before = core_.state();
    const ControlOutput output = core_.update(input_);
    judge(before, output);
    wanted_ = has_reference(output.state) ? output.reference.phi : wanted_;
    volts_ = output.volts;
  }

  void judge(ControlState before, const ControlOutput & output) const
  {
    const Limits & limits = known_robot().limits();
    require(is_finite(output.volts), "volts are numbers");
    require(
      output.volts.cwiseAbs().maxCoeff() <= limits.voltage * (1.0 + 1e-12), "the voltage limit");
    const bool off = output.state == ControlState::idle || output.state == ControlState::fault;
    require(!off || output.volts.isZero(0.0), "zero volts unless something is played");
    require(
      off || (output.volts - volts_).cwiseAbs().maxCoeff() <=
               limits.voltage_rate * 1e-9 * period_ns * (1.0 + 1e-9),
      "the limit of their rate");
    require(
      before != ControlState::fault || output.state == ControlState::fault ||
        input_.command == ControlCommand::reset,
      "a fault stays until it is reset");
    require(
      output.state != ControlState::fault || static_cast<bool>(core_.fault()),
      "faults have reasons");
  }

  InputStream & stream_;
  ControlCore core_;
  ControlInput input_;
  Eigen::Vector2d wanted_ = a_plan().start();
  Eigen::Vector2d offset_ = Eigen::Vector2d::Zero();
  Eigen::Vector2d drift_ = Eigen::Vector2d::Zero();
  Eigen::Vector2d volts_ = Eigen::Vector2d::Zero();
  double gain_ = 0.0;
  bool frozen_ = false;
  std::int64_t delay_ns_ = 0;
};

}  // namespace

void control_cycles(Bytes bytes)
{
  static const ControllerSettings usual =
    load_controller_settings(FIVEBAR_SOURCE_DIR "/config/controller.yaml");
  InputStream stream(bytes);
  const std::uint8_t first = stream.byte();
  ControllerSettings settings = usual;
  settings.velocity.method =
    (first & 4) != 0 ? VelocityMethod::tracking_observer : VelocityMethod::filtered_difference;
  settings.gains.ki = (first & 8) != 0 ? 50.0 : 0.0;
  if ((first & 16) != 0)
  {
    settings.guard.following_band = 1.0;  // further into what lies behind it
    settings.guard.switch_off(Reason::implausible_motion);
    settings.guard.switch_off(Reason::encoder_jump);
  }
  World(stream, settings, static_cast<ControlMode>(first % 4 % 3)).run();
}

}  // namespace fivebar_control::fuzz
