#include "record_keeper.hpp"

namespace fivebar_control
{

void RecordKeeper::take(const CycleRecord & record) noexcept
{
  const Geometry<double> & g = robot_.kinematics().geometry();
  const auto point = [&g](const std::array<double, 2> & phi, const Eigen::Vector2d & fallback) {
    const Eigen::Vector2d p = end_effector<double>(g, pose_at<double>(g, phi[0], phi[1]));
    return p.allFinite() ? p : fallback;
  };
  // As in the log: without a reference it is where the robot is.
  const bool has_reference =
    record.state != ControlState::idle && record.state != ControlState::fault;
  const std::array<double, 2> & reference = has_reference ? record.reference : record.angle;
  const Eigen::Vector2d planned = point(reference, g.pivot_1);
  const Eigen::Vector2d measured = point(record.angle, planned);
  run_.t.push_back(static_cast<double>(record.time_ns) * 1e-9);
  run_.plan_time.push_back(record.plan_time);
  for (std::size_t i = 0; i < 2; ++i)
  {
    const auto j = static_cast<Eigen::Index>(i);
    run_.feedforward[i].push_back(record.feedforward[i]);
    run_.feedback[i].push_back(record.feedback[i]);
    run_.applied[i].push_back(record.volts[i]);
    run_.reference[i].push_back(reference[i]);
    run_.angle[i].push_back(record.angle[i]);
    run_.planned_point[i].push_back(planned[j]);
    run_.measured_point[i].push_back(measured[j]);
  }
  run_.state.push_back(record.state);
  run_.late.push_back(record.late);
  run_.limited.push_back(record.limited);
}

RunRecord RecordKeeper::finish(
  const std::string & curve, const std::string & hardware, ControlMode mode,
  const ControllerSettings & settings, double rate, const RunOutcome & outcome)
{
  RunRecord run = std::move(run_);
  run_ = {};
  run.file = "not logged";
  run.robot_name = robot_.parameters().name;
  run.robot_fingerprint = robot_.fingerprint();
  run.curve = curve;
  run.hardware = hardware;
  run.mode = to_string(mode);
  run.package_version = FIVEBAR_VERSION;
  run.ended = to_string(outcome.end);
  run.reason = to_string(outcome.finding.reason);
  run.rate = rate;
  run.voltage_limit = robot_.limits().voltage;
  run.kp = settings.gains.kp;
  run.kd = settings.gains.kd;
  run.ki = settings.gains.ki;
  return run;
}

}  // namespace fivebar_control
