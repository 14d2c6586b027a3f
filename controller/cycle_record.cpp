// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/controller/cycle_record.hpp"

namespace fivebar_control
{

CycleRecord record_of(std::int64_t time_ns, const ControlOutput & output) noexcept
{
  CycleRecord record;
  record.time_ns = time_ns;
  record.plan_time = output.plan_time;
  record.feedforward = output.reference.feedforward;
  record.reference = output.reference.phi;
  record.reference_speed = output.reference.speed;
  record.lead = output.reference.lead;
  record.feedback = output.feedback;
  record.volts = output.volts;
  record.angle = output.angle;
  record.speed = output.speed;
  record.state = output.state;
  record.late = output.late;
  record.limited = output.limited;
  return record;
}

}  // namespace fivebar_control
