// SPDX-License-Identifier: Apache-2.0
#include "effort_guard.hpp"

#include <fmt/core.h>

#include "fivebar_control/controller/output_pipeline.hpp"

namespace fivebar_control
{
namespace
{

/// rad/s: slower than this, friction or one count of the encoder may keep a feedback's effort as it
/// is; a constant effort then moves nothing far.
constexpr double moving = 0.2;

EffortStop stop_of(Reason reason)
{
  switch (reason)
  {
    case Reason::joint_range:
      return EffortStop::joint_range;
    case Reason::joint_speed:
      return EffortStop::joint_speed;
    case Reason::parallel_singularity:
    case Reason::serial_singularity:
      return EffortStop::singularity;
    case Reason::encoder_frozen:
    case Reason::encoder_jump:
    case Reason::encoder_not_finite:
      return EffortStop::encoder;
    case Reason::saturation:
      return EffortStop::saturation;
    case Reason::chatter:
      return EffortStop::chatter;
    case Reason::motor_overload:
      return EffortStop::overload;
    default:
      return EffortStop::connection;
  }
}

}  // namespace

EffortGuard::EffortGuard(const RobotModel & robot, std::int64_t timeout_ns)
: guard_(robot, GuardSettings{}), output_(robot, GuardSettings{}), timeout_ns_(timeout_ns)
{
}

void EffortGuard::reset()
{
  guard_.reset();
  output_.reset();
  unchanged_ns_ = 0;
  effort_.setZero();
  stop_ = EffortStop::none;
  finding_ = {};
}

void EffortGuard::cool(std::int64_t elapsed_ns)
{
  output_.cool(static_cast<double>(elapsed_ns) * 1e-9);
}

Finding EffortGuard::find(const Cycle & cycle)
{
  const double elapsed = static_cast<double>(cycle.elapsed_ns) * 1e-9;
  Finding finding = guard_.check_connection(cycle.read_good, true, cycle.device_good);
  if (!finding && cycle.elapsed_ns > 0)
  {
    finding = guard_.check_encoders(cycle.angle, cycle.before, elapsed);
  }
  if (!finding && cycle.elapsed_ns > 0)
  {
    finding = guard_.check_frozen(cycle.angle, cycle.before, cycle.volts, cycle.elapsed_ns);
  }
  if (!finding)
  {
    finding = guard_.check_motion(cycle.angle, guard_.pose(cycle.angle), cycle.speed);
  }
  if (!finding && is_finite(cycle.wanted))
  {
    finding = output_.check(cycle.wanted, cycle.next, cycle.speed, elapsed);
  }
  return finding;
}

EffortStop EffortGuard::check(const Cycle & cycle)
{
  stop_ = EffortStop::none;
  finding_ = find(cycle);
  if (finding_)
  {
    stop_ = stop_of(finding_.reason);
  }
  else if (!is_finite(cycle.effort))
  {
    stop_ = EffortStop::not_finite;
  }
  else if (is_stale(cycle))
  {
    stop_ = EffortStop::stale;
  }
  return stop_;
}

bool EffortGuard::is_stale(const Cycle & cycle)
{
  const bool same = cycle.effort == effort_ && cycle.speed.cwiseAbs().maxCoeff() > moving;
  unchanged_ns_ = same ? unchanged_ns_ + cycle.elapsed_ns : 0;
  effort_ = cycle.effort;
  return unchanged_ns_ > timeout_ns_;
}

std::string EffortGuard::explanation() const
{
  switch (stop_)
  {
    case EffortStop::none:
      return "";
    case EffortStop::not_finite:
      return "an effort is no number";
    case EffortStop::stale:
      return fmt::format(
        "the links moved for {:.3f} s under efforts that nobody changed (effort_timeout is {:.3f} "
        "s)",
        static_cast<double>(unchanged_ns_) * 1e-9, static_cast<double>(timeout_ns_) * 1e-9);
    default:
      return describe(finding_);
  }
}

}  // namespace fivebar_control
