// SPDX-License-Identifier: Apache-2.0
#include "feedforward_controller.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <pluginlib/class_list_macros.hpp>

#include "controller_messages.hpp"
#include "fivebar_control/hardware/motor_hardware.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/support/config_location.hpp"
#include "fivebar_control/support/monotonic_clock.hpp"
#include "fivebar_control/support/nanoseconds.hpp"

namespace fivebar_control
{
namespace
{

/// Order of the state interfaces.
enum Slot : std::size_t
{
  position_1,
  position_4,
  velocity_1,
  velocity_4,
  sample_time,
  status,
  simulated,
};

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

std::int64_t nanoseconds_or_zero(double seconds)
{
  return std::isfinite(seconds) ? nanoseconds(seconds) : 0;
}

}  // namespace

controller_interface::InterfaceConfiguration
FeedforwardController::command_interface_configuration() const
{
  return {
    controller_interface::interface_configuration_type::INDIVIDUAL,
    {parameters_.command_prefix + parameters_.joints[0] + "/voltage",
     parameters_.command_prefix + parameters_.joints[1] + "/voltage"}};
}

controller_interface::InterfaceConfiguration FeedforwardController::state_interface_configuration()
  const
{
  std::vector<std::string> names{
    parameters_.joints[0] + "/position", parameters_.joints[1] + "/position",
    parameters_.joints[0] + "/velocity", parameters_.joints[1] + "/velocity"};
  if (!parameters_.motor_board.empty())
  {
    names.insert(
      names.end(), {parameters_.motor_board + "/sample_time", parameters_.motor_board + "/status",
                    parameters_.motor_board + "/simulated"});
  }
  return {controller_interface::interface_configuration_type::INDIVIDUAL, names};
}

FeedforwardController::CallbackReturn FeedforwardController::on_init()
{
  try
  {
    parameter_listener_ = std::make_shared<feedforward_controller::ParamListener>(get_node());
    parameters_ = parameter_listener_->get_params();
  }
  catch (const std::exception & error)
  {
    RCLCPP_ERROR(rclcpp::get_logger("feedforward_controller"), "%s", error.what());
    return CallbackReturn::ERROR;
  }
  return CallbackReturn::SUCCESS;
}

ControllerSettings FeedforwardController::settings() const
{
  const auto & p = parameters_;
  ControllerSettings s;
  s.gains = {p.feedback.kp, p.feedback.kd, p.feedback.ki, p.feedback.integral_limit};
  s.velocity.method = p.velocity.method == "tracking_observer"
                        ? VelocityMethod::tracking_observer
                        : VelocityMethod::filtered_difference;
  s.velocity.cutoff = p.velocity.cutoff;
  s.start = {
    p.start.tolerance, p.start.alignment_speed, p.start.settle_time, p.start.alignment_timeout};
  s.end = {p.end.stop_time, p.end.settle_time, p.end.hold_time, p.end.relax_time};
  s.guard.late_cycles_in_a_row = static_cast<int>(p.guard.late_cycles_in_a_row);
  s.guard.following_band = p.guard.following_band;
  s.guard.following_window = p.guard.following_window;
  s.guard.frozen_voltage = p.guard.frozen_voltage;
  s.guard.frozen_window = p.guard.frozen_window;
  s.guard.jump_speed = p.guard.jump_speed;
  s.guard.failures_in_a_row = static_cast<int>(p.guard.failures_in_a_row);
  s.guard.jump_distance = p.guard.jump_distance;
  s.guard.unexplained_voltage = p.guard.unexplained_voltage;
  s.guard.unexplained_share = p.guard.unexplained_share;
  s.guard.unexplained_window = p.guard.unexplained_window;
  s.guard.scale_ratio = p.guard.scale_ratio;
  s.guard.scale_voltage = p.guard.scale_voltage;
  s.guard.scale_window = p.guard.scale_window;
  s.guard.saturation_window = p.guard.saturation_window;
  s.guard.chatter_voltage = p.guard.chatter_voltage;
  s.guard.chatter_rate = p.guard.chatter_rate;
  s.guard.chatter_window = p.guard.chatter_window;
  s.guard.motor_current = p.guard.motor_current;
  s.guard.heating_time = p.guard.heating_time;
  switch_off(p.guard.switched_off, s.guard);
  return s;
}

FeedforwardController::CallbackReturn FeedforwardController::on_configure(
  const rclcpp_lifecycle::State &)
{
  const unsigned int rate = get_update_rate();
  if (rate == 0)
  {
    RCLCPP_ERROR(get_node()->get_logger(), "update_rate: expected a rate above 0 Hz");
    return CallbackReturn::ERROR;
  }
  period_ns_ = 1'000'000'000 / rate;
  const auto every = [rate](double wanted) {
    return std::max<std::int64_t>(1, std::llround(rate / wanted));
  };
  for (const std::string & name : parameters_.guard.switched_off)
  {
    RCLCPP_WARN(
      get_node()->get_logger(), "the guard does not watch for %s: guard.switched_off says so",
      name.c_str());
  }
  simulated_time_ = get_node()->get_parameter("use_sim_time").as_bool();
  publish_every_ = parameters_.state_publish_rate > 0.0 ? every(parameters_.state_publish_rate) : 0;
  tell_every_ = every(parameters_.monitor_rate);
  try
  {
    robot_ = load_robot(given_or_config(parameters_.robot, "robot.yaml"));
    scorer_.emplace(*robot_);
    zero_angle_.setZero();
    if (parameters_.zero_is_home)
    {
      zero_angle_ = robot_->parameters().home;
    }
    handover_ = std::make_shared<Handover>();
    const std::string hardware =
      parameters_.motor_board.empty() ? "" : " (" + parameters_.motor_board + ")";
    server_ = std::make_shared<PlanServer>(
      get_node(), handover_, *robot_,
      RunSetting{
        settings(), "ros2_control" + hardware, static_cast<double>(rate),
        parameters_.log_directory});
    if (!parameters_.plan.empty())
    {
      server_->load(parameters_.plan);
    }
    server_->start(parameters_.monitor_rate);
  }
  catch (const std::exception & error)
  {
    RCLCPP_ERROR(get_node()->get_logger(), "%s", error.what());
    server_.reset();
    return CallbackReturn::ERROR;
  }
  publisher_ = std::make_unique<realtime_tools::RealtimePublisher<ControllerState>>(
    get_node()->create_publisher<ControllerState>("~/state", rclcpp::SystemDefaultsQoS()));
  return CallbackReturn::SUCCESS;
}

FeedforwardController::CallbackReturn FeedforwardController::on_activate(
  const rclcpp_lifecycle::State &)
{
  // A request that came too late for the last activation must not start anything in this one.
  RunRequest stale;
  while (handover_->requests.pop(stale))
  {
  }
  core_.emplace(*robot_, settings(), ControlMode::feedforward_and_feedback, period_ns_);
  write_good_ = true;
  running_ = false;
  cycle_ = 0;
  board_is_simulated_.reset();
  if (state_interfaces_.size() != state_interface_configuration().names.size())
  {
    RCLCPP_ERROR(get_node()->get_logger(), "not all state interfaces are there");
    return CallbackReturn::ERROR;
  }
  if (!apply(Eigen::Vector2d::Zero()))
  {
    RCLCPP_ERROR(get_node()->get_logger(), "the voltage interfaces cannot be written");
    return CallbackReturn::ERROR;
  }
  handover_->active = true;
  return CallbackReturn::SUCCESS;
}

FeedforwardController::CallbackReturn FeedforwardController::on_deactivate(
  const rclcpp_lifecycle::State &)
{
  const bool good = apply(Eigen::Vector2d::Zero());
  if (running_)
  {
    end_run(RunEnd::deactivated, {}, Eigen::Vector2d::Zero());
  }
  handover_->active = false;
  return good ? CallbackReturn::SUCCESS : CallbackReturn::ERROR;
}

FeedforwardController::CallbackReturn FeedforwardController::on_cleanup(
  const rclcpp_lifecycle::State &)
{
  server_.reset();
  publisher_.reset();
  return CallbackReturn::SUCCESS;
}

FeedforwardController::CallbackReturn FeedforwardController::on_error(
  const rclcpp_lifecycle::State & before)
{
  apply(Eigen::Vector2d::Zero());
  if (handover_)
  {
    handover_->active = false;
  }
  return on_cleanup(before);
}

bool FeedforwardController::apply(const Eigen::Vector2d & volts)
{
  bool good = command_interfaces_.size() == 2;
  if (good)
  {
    good = compatibility::set(command_interfaces_[0], volts[0]) && good;
    good = compatibility::set(command_interfaces_[1], volts[1]) && good;
  }
  return good;
}

std::int64_t FeedforwardController::next_time() const
{
  return simulated_time_ ? time_ns_ + period_ns_ : monotonic_now_ns();
}

ControlInput FeedforwardController::sense()
{
  ControlInput input;
  const auto value = [&](Slot slot) {
    const std::optional<double> read = compatibility::get(state_interfaces_[slot]);
    input.read_good = input.read_good && read.has_value();
    return read.value_or(0.0);
  };
  input.angle = zero_angle_ + Eigen::Vector2d(value(position_1), value(position_4));
  input.write_good = write_good_;
  input.time_ns = next_time();
  input.sample_time_ns = input.time_ns;
  if (!parameters_.motor_board.empty())
  {
    const std::int64_t measured_ns = nanoseconds_or_zero(value(sample_time));
    const auto flags = static_cast<std::uint32_t>(value(status));
    if (!board_is_simulated_)
    {
      const std::optional<double> told = compatibility::get(state_interfaces_[simulated]);
      input.read_good = input.read_good && told.has_value();
      board_is_simulated_ = told ? std::optional(*told > 0.5) : std::nullopt;
    }
    if (input.read_good)
    {
      input.sample_time_ns = measured_ns;
      input.device_good = motor_status::is_good(flags);
      if (*board_is_simulated_)
      {
        // A simulated robot waits for the loop: its clock is the one that counts.
        simulated_time_ = true;
        input.time_ns = measured_ns;
      }
    }
  }
  time_ns_ = input.time_ns;
  return input;
}

ControlCommand FeedforwardController::take_request()
{
  RunRequest request;
  if (!handover_->requests.pop(request))
  {
    return ControlCommand::none;
  }
  if (request.command == ControlCommand::stop)
  {
    stopping_ = running_ && request.run == run_;
    return stopping_ ? ControlCommand::stop : ControlCommand::none;
  }
  run_ = request.run;
  running_ = true;
  stopping_ = false;
  run_start_ns_ = -1;
  core_->set_mode(request.mode);
  core_->set_plan(request.plan);
  scorer_.emplace(*robot_, request.log);
  return request.command;
}

FeedforwardController::Return FeedforwardController::update(
  const rclcpp::Time & time, const rclcpp::Duration &)
{
  ControlInput input = sense();
  input.command = take_request();
  const ControlOutput output = core_->update(input);
  write_good_ = apply(output.volts);
  if (running_)
  {
    follow_run(input, output);
  }
  else if (output.state == ControlState::fault)
  {
    end_run(RunEnd::fault, core_->fault(), output.volts);
  }
  tell(time, output);
  ++cycle_;
  return output.state == ControlState::fault ? Return::ERROR : Return::OK;
}

void FeedforwardController::follow_run(const ControlInput & input, const ControlOutput & output)
{
  run_start_ns_ = run_start_ns_ < 0 ? input.time_ns : run_start_ns_;
  CycleRecord record = record_of(input.time_ns - run_start_ns_, output);
  record.read_good = input.read_good;
  record.write_good = write_good_;
  scorer_->take(record);
  if (output.state == ControlState::fault)
  {
    end_run(RunEnd::fault, core_->fault(), output.volts);
  }
  else if (output.refusal)
  {
    end_run(RunEnd::refused, output.refusal, output.volts);
  }
  else if (output.state == ControlState::idle)
  {
    end_run(stopping_ ? RunEnd::stopped : RunEnd::finished, {}, output.volts);
  }
}

void FeedforwardController::end_run(
  RunEnd ending, const Finding & finding, const Eigen::Vector2d & volts)
{
  RunNews news;
  news.run = run_;
  news.ended = true;
  news.ending = ending;
  news.finding = finding;
  news.score = scorer_->score();
  news.state = core_->state();
  news.volts = volts;
  news.late_cycles = static_cast<std::uint64_t>(core_->late_cycles());
  running_ = false;
  // There is room: progress leaves some, and there is one run at a time.
  [[maybe_unused]] const bool told = handover_->news.push(news);
}

RunNews FeedforwardController::news_of(const ControlOutput & output) const
{
  RunNews news;
  news.run = run_;
  news.state = output.state;
  news.plan_time = output.plan_time;
  news.error = output.reference.phi - output.angle;
  news.volts = output.volts;
  news.late_cycles = static_cast<std::uint64_t>(core_->late_cycles());
  return news;
}

void FeedforwardController::tell(const rclcpp::Time & time, const ControlOutput & output)
{
  constexpr std::size_t room_for_endings = 32;
  if (cycle_ % tell_every_ == 0 && compatibility::waiting(handover_->news) < room_for_endings)
  {
    [[maybe_unused]] const bool told = handover_->news.push(news_of(output));
  }
  const bool due = publish_every_ > 0 && cycle_ % publish_every_ == 0;
  if (due || output.state == ControlState::fault)
  {
    message_.header.stamp = time;
    message_.velocity = {
      compatibility::get(state_interfaces_[velocity_1]).value_or(nothing),
      compatibility::get(state_interfaces_[velocity_4]).value_or(nothing)};
    fill(message_, output, core_->fault(), core_->late_cycles());
    compatibility::publish(*publisher_, message_);
  }
}

}  // namespace fivebar_control

PLUGINLIB_EXPORT_CLASS(
  fivebar_control::FeedforwardController, controller_interface::ControllerInterface)
