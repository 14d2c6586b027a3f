// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/daemon/live_feed.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "fivebar_control/support/signal_sets.hpp"

namespace fivebar_control
{
namespace
{

constexpr auto message_interval = std::chrono::milliseconds(33);
constexpr std::size_t points_per_message = 8;

std::string point_text(const Eigen::Vector2d & point)
{
  return point.allFinite() ? fmt::format("[{:.5f},{:.5f}]", point[0], point[1]) : "null";
}

/// A message is JSON: it must hold finite numbers only.
double finite(double value) { return std::isfinite(value) ? value : 0.0; }

}  // namespace

LiveFeed::LiveFeed(const RobotModel & robot, const RunStatus & status, RecordSink * next)
: geometry_(robot.kinematics().geometry()),
  status_(status),
  next_(next),
  ring_(std::make_unique<Ring>())
{
  thread_ = std::thread([this] {
    leave_signals_to_others();
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 10);  // of this thread only
    show_until_told();
  });
}

LiveFeed::~LiveFeed() { finish("ended"); }

void LiveFeed::take(const CycleRecord & record) noexcept
{
  if (next_ != nullptr)
  {
    next_->take(record);
  }
  ring_->push(record);
}

LiveFeed::Message LiveFeed::newer_than(std::uint64_t number, std::chrono::milliseconds patience)
{
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [&] { return message_.number > number || message_.last; });
  return message_;
}

void LiveFeed::finish(const std::string & ending)
{
  ending_.store(true, std::memory_order_release);
  if (thread_.joinable())
  {
    thread_.join();
    show_waiting_records(ending);
  }
}

void LiveFeed::show_until_told()
{
  while (!ending_.load(std::memory_order_acquire))
  {
    show_waiting_records("");
    std::this_thread::sleep_for(message_interval);
  }
}

void LiveFeed::show_waiting_records(const std::string & ending)
{
  std::string path;
  double peak = 0.0;
  const std::size_t step = std::max<std::size_t>(1, ring_->read_available() / points_per_message);
  for (std::size_t i = 0; ring_->pop(newest_); ++i)
  {
    has_record_ = true;
    peak = std::max(peak, joint_error(newest_).cwiseAbs().maxCoeff());
    if (i % step == 0)
    {
      const Eigen::Vector2d p = end_effector_at(geometry_, newest_.angle);
      if (!path.empty())
      {
        path.push_back(',');
      }
      path.append(point_text(p));
    }
  }
  if (!has_record_)
  {
    if (!ending.empty())
    {
      const std::lock_guard lock(mutex_);
      message_ = {message_.number + 1, fmt::format("{{\"ended\":\"{}\"}}", ending), true};
      changed_.notify_all();
    }
    return;
  }
  const CycleRecord & r = newest_;
  const Eigen::Vector2d error = joint_error(r);
  const Pose<double> pose = pose_at<double>(geometry_, r.angle[0], r.angle[1]);
  const Eigen::Vector2d elbow_1 = geometry_.pivot_1 + geometry_.l1 * pose.e1;
  const Eigen::Vector2d elbow_4 = geometry_.pivot_4 + geometry_.l4 * pose.e4;
  fmt::memory_buffer json;
  fmt::format_to(
    std::back_inserter(json),
    "{{\"t\":{:.4f},\"plan_time\":{:.4f},\"state\":\"{}\",\"elbow1\":{},\"elbow4\":{},\"p\":{},"
    "\"path\":[{}],\"error\":[{:.6f},{:.6f}],\"peak\":{:.6f},\"volts\":[{:.4f},{:.4f}],"
    "\"feedback\":[{:.4f},{:.4f}],\"late\":{},\"ended\":\"{}\"}}",
    static_cast<double>(r.time_ns) * 1e-9, r.plan_time, to_string(r.state), point_text(elbow_1),
    point_text(elbow_4), point_text(end_effector<double>(geometry_, pose)), path, finite(error[0]),
    finite(error[1]), finite(peak), finite(r.volts[0]), finite(r.volts[1]), finite(r.feedback[0]),
    finite(r.feedback[1]), status_.late_cycles.load(std::memory_order_relaxed), ending);
  const std::lock_guard lock(mutex_);
  message_ = {message_.number + 1, fmt::to_string(json), !ending.empty()};
  changed_.notify_all();
}

}  // namespace fivebar_control
