#include "run_log.hpp"

#include <fmt/format.h>

#include <chrono>
#include <iterator>
#include <nlohmann/json.hpp>

#include "fivebar_control/support/file_error.hpp"

namespace fivebar_control
{
namespace
{

constexpr const char * column_line =
  "t,u1,u4,phi1,phi4,dphi1,dphi4,x,y,plan_time,u1_feedback,u4_feedback,u1_applied,u4_applied,"
  "phi1_measured,phi4_measured,dphi1_measured,dphi4_measured,x_measured,y_measured,"
  "count1,count4,state,late,limited,read_good,write_good\n";

/// P at these angles; where the linkage cannot close, `fallback`: logs hold finite numbers only.
Eigen::Vector2d point_at(
  const Geometry<double> & g, const std::array<double, 2> & phi, const Eigen::Vector2d & fallback)
{
  const Eigen::Vector2d point = end_effector<double>(g, pose_at<double>(g, phi[0], phi[1]));
  return point.allFinite() ? point : fallback;
}

void format_row(fmt::memory_buffer & buffer, const CycleRecord & r, const Geometry<double> & g)
{
  // Before the start and after the end there is no reference; then it is where the robot is.
  const bool has_reference = r.state != ControlState::idle && r.state != ControlState::fault;
  const std::array<double, 2> & reference = has_reference ? r.reference : r.angle;
  const Eigen::Vector2d planned = point_at(g, reference, g.pivot_1);
  const Eigen::Vector2d measured = point_at(g, r.angle, planned);
  fmt::format_to(
    std::back_inserter(buffer), "{},{},{},{},{},{},{},{},{},{},{},{},{},{},",
    static_cast<double>(r.time_ns) * 1e-9, r.feedforward[0], r.feedforward[1], reference[0],
    reference[1], r.reference_speed[0], r.reference_speed[1], planned[0], planned[1], r.plan_time,
    r.feedback[0], r.feedback[1], r.volts[0], r.volts[1]);
  fmt::format_to(
    std::back_inserter(buffer), "{},{},{},{},{},{},{},{},{},{:d},{:d},{:d},{:d}\n", r.angle[0],
    r.angle[1], r.speed[0], r.speed[1], measured[0], measured[1], r.counts[0], r.counts[1],
    static_cast<int>(r.state), r.late, r.limited, r.read_good, r.write_good);
}

}  // namespace

std::string commented(const std::string & yaml)
{
  std::string result;
  std::size_t start = 0;
  while (start < yaml.size())
  {
    const std::size_t end = std::min(yaml.find('\n', start), yaml.size());
    result += "# " + yaml.substr(start, end - start) + "\n";
    start = end + 1;
  }
  return result;
}

std::string run_log_header(
  const Plan & plan, const RobotModel & robot, const ControllerSettings & settings,
  const std::string & hardware, const std::string & mode, double rate)
{
  const auto quoted = [](const std::string & text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  };
  return fmt::format(
    "schema: 1\ncontent: run log\npackage_version: {}\nrobot: {{name: {}, fingerprint: {}}}\n"
    "curve: {}\nhardware: {}\nmode: {}\nrate: {}\nvoltage_limit: {}\n"
    "feedback: {{kp: {}, kd: {}, ki: {}}}\n"
    "states: [idle, aligning, playing, stopping, holding, relaxing, fault]\n",
    quoted(FIVEBAR_VERSION), quoted(robot.parameters().name), quoted(robot.fingerprint()),
    quoted(plan.curve_name), quoted(hardware), quoted(mode), rate, robot.limits().voltage,
    settings.gains.kp, settings.gains.kd, settings.gains.ki);
}

std::string run_log_ending(const RunOutcome & outcome)
{
  return fmt::format(
    "ended: {}\nreason: {}\n", to_string(outcome.end), to_string(outcome.finding.reason));
}

RunLog::RunLog(
  const std::string & path, const std::string & header, const RobotModel & robot,
  bool wait_when_full)
: geometry_(robot.kinematics().geometry()),
  wait_when_full_(wait_when_full),
  file_(path),
  ring_(std::make_unique<Ring>())
{
  file_.write(commented(header));
  file_.write(column_line);
  thread_ = std::thread([this] { write_until_told(); });
}

RunLog::~RunLog() { stop_thread(); }

void RunLog::take(const CycleRecord & record) noexcept
{
  while (!ring_->push(record))
  {
    if (!wait_when_full_)
    {
      lost_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    std::this_thread::yield();
  }
}

void RunLog::finish(const std::string & trailer)
{
  stop_thread();
  if (!failure_.empty())
  {
    throw FileError(failure_);
  }
  file_.write(commented(fmt::format(
    "{}rows: {}\nlost_rows: {}\nchecksum: \"{}\"\n", trailer, rows_, lost(), checksum_.hex())));
  file_.commit();
}

void RunLog::stop_thread()
{
  ending_.store(true, std::memory_order_release);
  if (thread_.joinable())
  {
    thread_.join();
  }
}

void RunLog::write_until_told()
{
  // Polls: a wake-up call would be a system call in the real-time thread.
  constexpr auto pause = std::chrono::milliseconds(10);
  for (;;)
  {
    const bool last = ending_.load(std::memory_order_acquire);
    write_waiting_rows();
    if (last)
    {
      return;
    }
    if (!wait_when_full_ || ring_->read_available() == 0)
    {
      std::this_thread::sleep_for(wait_when_full_ ? pause / 10 : pause);
    }
  }
}

void RunLog::write_waiting_rows()
{
  fmt::memory_buffer buffer;
  const auto flush = [&] {
    const std::string_view rows(buffer.data(), buffer.size());
    checksum_.add(rows);
    if (failure_.empty())
    {
      try
      {
        file_.write(rows);
      }
      catch (const FileError & error)
      {
        failure_ = error.what();  // told by finish(); the robot must not notice
      }
    }
    buffer.clear();
  };
  CycleRecord record;
  while (ring_->pop(record))
  {
    format_row(buffer, record, geometry_);
    ++rows_;
    if (buffer.size() > 60000)
    {
      flush();
    }
  }
  flush();
}

}  // namespace fivebar_control
