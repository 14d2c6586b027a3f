#include "fivebar_control/controller/cycle_record.hpp"

#include "fivebar_control/controller/pair.hpp"

namespace fivebar_control
{

CycleRecord record_of(std::int64_t time_ns, const ControlOutput & output) noexcept
{
  CycleRecord record;
  record.time_ns = time_ns;
  record.plan_time = output.plan_time;
  record.feedforward = pair(output.reference.feedforward);
  record.reference = pair(output.reference.phi);
  record.reference_speed = pair(output.reference.speed);
  record.feedback = pair(output.feedback);
  record.volts = pair(output.volts);
  record.angle = pair(output.angle);
  record.speed = pair(output.speed);
  record.state = output.state;
  record.late = output.late;
  record.limited = output.limited;
  return record;
}

}  // namespace fivebar_control
