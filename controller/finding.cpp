// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/controller/finding.hpp"

#include <fmt/core.h>

namespace fivebar_control
{

const char * to_string(Reason reason)
{
  switch (reason)
  {
    case Reason::none:
      return "none";
    case Reason::no_plan:
      return "no_plan";
    case Reason::not_idle:
      return "not_idle";
    case Reason::no_measurement:
      return "no_measurement";
    case Reason::not_at_start:
      return "not_at_start";
    case Reason::late_cycles:
      return "late_cycles";
    case Reason::following_error:
      return "following_error";
    case Reason::joint_range:
      return "joint_range";
    case Reason::joint_speed:
      return "joint_speed";
    case Reason::parallel_singularity:
      return "parallel_singularity";
    case Reason::serial_singularity:
      return "serial_singularity";
    case Reason::encoder_frozen:
      return "encoder_frozen";
    case Reason::encoder_jump:
      return "encoder_jump";
    case Reason::encoder_not_finite:
      return "encoder_not_finite";
    case Reason::read_failed:
      return "read_failed";
    case Reason::write_failed:
      return "write_failed";
    case Reason::device_fault:
      return "device_fault";
    case Reason::alignment_timeout:
      return "alignment_timeout";
    case Reason::output_not_finite:
      return "output_not_finite";
    case Reason::implausible_motion:
      return "implausible_motion";
    case Reason::implausible_scale:
      return "implausible_scale";
    case Reason::saturation:
      return "saturation";
    case Reason::chatter:
      return "chatter";
    case Reason::motor_overload:
      return "motor_overload";
    case Reason::device_disarmed:
      return "device_disarmed";
    case Reason::host_late:
      return "host_late";
  }
  return "unknown";
}

namespace
{

/// Findings about what is asked of the motors and what comes of it.
std::string describe_drive(const Finding & f, const char * joint)
{
  switch (f.reason)
  {
    case Reason::encoder_frozen:
      return fmt::format(
        "the encoder of {} has not changed for {:.4g} s although its motor is driven (limit {:.4g} "
        "s): broken encoder or blocked joint",
        joint, f.value, f.limit);
    case Reason::encoder_jump:
      return fmt::format(
        "the encoder of {} jumped by {:.4g} rad in one cycle, possible are {:.4g} rad", joint,
        f.value, f.limit);
    case Reason::encoder_not_finite:
      return fmt::format("the encoder of {} gives {}, which is no angle", joint, f.value);
    case Reason::implausible_motion:
      return fmt::format(
        "{} does not move as its volts should move it: {:.3g} V are unexplained, allowed are "
        "{:.3g} V (wiring, signs, encoder, belt, or something holds or pushes the link)",
        joint, f.value, f.limit);
    case Reason::implausible_scale:
      return fmt::format(
        "{} moves {:.3g} times as much as its volts should move it, the limit is {:.3g} (counts "
        "per turn, gear ratio, supply, friction)",
        joint, f.value, f.limit);
    case Reason::saturation:
      return fmt::format(
        "{} was asked for more than the voltage limit for {:.3g} s without a break, the limit is "
        "{:.3g} s",
        joint, f.value, f.limit);
    case Reason::chatter:
      return fmt::format(
        "the volts of {} go to and fro {:.0f} times a second, the limit is {:.0f}: gains too high?",
        joint, f.value, f.limit);
    case Reason::motor_overload:
      return fmt::format(
        "the motor of {} has had {:.3g} A (root mean square, by the model), it stands {:.3g} A",
        joint, f.value, f.limit);
    case Reason::device_disarmed:
      return f.value == 0.0 ? "the motor board is not armed"
                            : "the motor board was disarmed and armed again in the middle of a run";
    case Reason::host_late:
      return "the board plays by itself and was left alone for too long: it stopped on its path, "
             "held and relaxed";
    default:
      return "unknown";
  }
}

}  // namespace

std::string describe(const Finding & f)
{
  const char * joint = f.joint == 0 ? "joint 1" : (f.joint == 1 ? "joint 4" : "the robot");
  switch (f.reason)
  {
    case Reason::none:
      return "nothing found";
    case Reason::no_plan:
      return "there is no plan to play";
    case Reason::not_idle:
      return "something is running already, or a fault is latched: stop or reset first";
    case Reason::no_measurement:
      return "the encoders have not been read yet";
    case Reason::not_at_start:
      return fmt::format(
        "{} is {:.4g} rad from the plan's start, allowed are {:.4g} rad: align first", joint,
        f.value, f.limit);
    case Reason::late_cycles:
      return fmt::format("{:.0f} cycles in a row were late, the limit is {:.0f}", f.value, f.limit);
    case Reason::following_error:
      return fmt::format(
        "{} is {:.4g} rad off its reference, longer than allowed outside the band of {:.4g} rad",
        joint, f.value, f.limit);
    case Reason::joint_range:
      return fmt::format("{} is at {:.4g} rad, its limit is {:.4g} rad", joint, f.value, f.limit);
    case Reason::joint_speed:
      return fmt::format("{} turns at {:.4g} rad/s, the limit is {:.4g}", joint, f.value, f.limit);
    case Reason::parallel_singularity:
      return fmt::format(
        "links 2 and 3 are nearly aligned: |sin| = {:.4g}, the limit is {:.4g}", f.value, f.limit);
    case Reason::serial_singularity:
      return fmt::format(
        "{} is nearly aligned with its distal link: |sin| = {:.4g}, the limit is {:.4g}", joint,
        f.value, f.limit);
    case Reason::read_failed:
      return fmt::format("{:.0f} reads in a row failed, the limit is {:.0f}", f.value, f.limit);
    case Reason::write_failed:
      return fmt::format("{:.0f} writes in a row failed, the limit is {:.0f}", f.value, f.limit);
    case Reason::device_fault:
      return "the motor board reports a fault or its watchdog has tripped";
    case Reason::alignment_timeout:
      return fmt::format(
        "the alignment did not settle: {} is {:.4g} rad from the plan's start, allowed are {:.4g} "
        "rad",
        joint, f.value, f.limit);
    case Reason::output_not_finite:
      return fmt::format("the control law gave {1} V for {0}", joint, f.value);
    default:
      return describe_drive(f, joint);
  }
}

}  // namespace fivebar_control
