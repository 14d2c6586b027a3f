// SPDX-License-Identifier: Apache-2.0
#include "controller_messages.hpp"

namespace fivebar_control
{
namespace
{

using Message = fivebar_control::msg::ControllerState;

// The message's constants are the core's enumerations.
static_assert(Message::IDLE == static_cast<int>(ControlState::idle));
static_assert(Message::ALIGNING == static_cast<int>(ControlState::aligning));
static_assert(Message::PLAYING == static_cast<int>(ControlState::playing));
static_assert(Message::STOPPING == static_cast<int>(ControlState::stopping));
static_assert(Message::HOLDING == static_cast<int>(ControlState::holding));
static_assert(Message::RELAXING == static_cast<int>(ControlState::relaxing));
static_assert(Message::FAULT == static_cast<int>(ControlState::fault));
static_assert(Message::NO_FAULT == static_cast<int>(Reason::none));
static_assert(Message::LATE_CYCLES == static_cast<int>(Reason::late_cycles));
static_assert(Message::FOLLOWING_ERROR == static_cast<int>(Reason::following_error));
static_assert(Message::JOINT_RANGE == static_cast<int>(Reason::joint_range));
static_assert(Message::JOINT_SPEED == static_cast<int>(Reason::joint_speed));
static_assert(Message::PARALLEL_SINGULARITY == static_cast<int>(Reason::parallel_singularity));
static_assert(Message::SERIAL_SINGULARITY == static_cast<int>(Reason::serial_singularity));
static_assert(Message::ENCODER_FROZEN == static_cast<int>(Reason::encoder_frozen));
static_assert(Message::ENCODER_JUMP == static_cast<int>(Reason::encoder_jump));
static_assert(Message::ENCODER_NOT_FINITE == static_cast<int>(Reason::encoder_not_finite));
static_assert(Message::READ_FAILED == static_cast<int>(Reason::read_failed));
static_assert(Message::WRITE_FAILED == static_cast<int>(Reason::write_failed));
static_assert(Message::DEVICE_FAULT == static_cast<int>(Reason::device_fault));
static_assert(Message::ALIGNMENT_TIMEOUT == static_cast<int>(Reason::alignment_timeout));
static_assert(Message::OUTPUT_NOT_FINITE == static_cast<int>(Reason::output_not_finite));
static_assert(Message::IMPLAUSIBLE_MOTION == static_cast<int>(Reason::implausible_motion));
static_assert(Message::IMPLAUSIBLE_SCALE == static_cast<int>(Reason::implausible_scale));
static_assert(Message::SATURATION == static_cast<int>(Reason::saturation));
static_assert(Message::CHATTER == static_cast<int>(Reason::chatter));
static_assert(Message::MOTOR_OVERLOAD == static_cast<int>(Reason::motor_overload));
static_assert(Message::DEVICE_DISARMED == static_cast<int>(Reason::device_disarmed));
static_assert(Message::HOST_LATE == static_cast<int>(Reason::host_late));
static_assert(reason_count == 26, "a new reason needs a constant in ControllerState.msg");

}  // namespace

void fill(
  Message & message, const ControlOutput & output, const Finding & fault, std::int64_t late_cycles)
{
  message.state = static_cast<std::uint8_t>(output.state);
  message.fault = static_cast<std::uint8_t>(fault.reason);
  message.plan_time = output.plan_time;
  message.reference_position = as_array(output.reference.phi);
  message.reference_velocity = as_array(output.reference.speed);
  message.position = as_array(output.angle);
  message.velocity_estimate = as_array(output.speed);
  message.feedforward = as_array(output.reference.feedforward);
  message.feedback = as_array(output.feedback);
  message.applied = as_array(output.volts);
  message.limited = output.limited;
  message.late = output.late;
  message.late_cycles = static_cast<std::uint64_t>(late_cycles);
}

}  // namespace fivebar_control
