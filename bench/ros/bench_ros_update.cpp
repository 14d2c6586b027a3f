// SPDX-License-Identifier: Apache-2.0
// update() of our controller beside that of joint_trajectory_controller: both in one process,
// called in turns, each with two joints, each publishing its state in every update, as the other
// cannot do otherwise. Ours plays curve B on the simulated robot; the other follows a trajectory of
// 1,001 points with effort commands. Then the whole cycle of the manager: read, update of our
// controller and of joint_state_broadcaster, write. Times of each call, and calls of malloc.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <joint_state_broadcaster/joint_state_broadcaster.hpp>
#include <joint_trajectory_controller/joint_trajectory_controller.hpp>
#include <realtime_tools/realtime_helpers.hpp>
#include <trajectory_msgs/msg/joint_trajectory.hpp>

#include "cell_fixture.hpp"
#include "fivebar_control/simulation/simulated_robot.hpp"
#include "measurement.hpp"

namespace fivebar_control::test
{
namespace
{

constexpr double duration = 5.0;
constexpr int points = 1001;

/// joint_trajectory_controller does not initialise without a robot description.
constexpr const char * two_joints = R"(<robot name="two_joints">
  <link name="base"/><link name="link_1"/><link name="link_4"/>
  <joint name="joint_1" type="revolute"><parent link="base"/><child link="link_1"/><axis xyz="0 0 1"/>
    <limit lower="-7" upper="7" effort="10" velocity="30"/></joint>
  <joint name="joint_4" type="revolute"><parent link="base"/><child link="link_4"/><axis xyz="0 0 1"/>
    <limit lower="-7" upper="7" effort="10" velocity="30"/></joint>
</robot>)";

/// joint_trajectory_controller on interfaces that stand still.
class Peer
{
public:
  explicit Peer(unsigned int rate) : period_(std::chrono::nanoseconds(1'000'000'000 / rate))
  {
    const std::vector<std::string> joints{"joint_1", "joint_4"};
    controller_interface::ControllerInterfaceParams init;
    init.controller_name = "joint_trajectory_controller";
    init.robot_description = two_joints;
    init.update_rate = rate;
    init.controller_manager_update_rate = rate;
    init.node_options = rclcpp::NodeOptions().parameter_overrides(
      {{"joints", joints},
       {"command_interfaces", std::vector<std::string>{"effort"}},
       {"state_interfaces", std::vector<std::string>{"position", "velocity"}},
       {"allow_nonzero_velocity_at_trajectory_end", true},
       {"gains.joint_1.p", 22.7},
       {"gains.joint_1.d", 0.43},
       {"gains.joint_1.antiwindup_strategy", "none"},
       {"gains.joint_4.p", 22.7},
       {"gains.joint_4.d", 0.43},
       {"gains.joint_4.antiwindup_strategy", "none"}});
    if (controller_.init(init) != controller_interface::return_type::OK)
    {
      throw std::runtime_error("joint_trajectory_controller did not initialise");
    }
    controller_.configure();
    std::vector<hardware_interface::LoanedCommandInterface> commands;
    std::vector<hardware_interface::LoanedStateInterface> states;
    for (const auto & name : controller_.command_interface_configuration().names)
    {
      efforts_.push_back(make<hardware_interface::CommandInterface>(name));
      commands.emplace_back(efforts_.back(), nullptr);
    }
    for (const auto & name : controller_.state_interface_configuration().names)
    {
      states_.push_back(make<hardware_interface::StateInterface>(name));
      states.emplace_back(states_.back(), nullptr);
    }
    controller_.assign_interfaces(std::move(commands), std::move(states));
    controller_.get_node()->activate();
    node_ = std::make_shared<rclcpp::Node>("trajectory_source");
    publisher_ = node_->create_publisher<trajectory_msgs::msg::JointTrajectory>(
      "/joint_trajectory_controller/joint_trajectory", 1);
  }
  ~Peer() { controller_.release_interfaces(); }

  rclcpp_lifecycle::LifecycleNode::SharedPtr node() { return controller_.get_node(); }
  bool connected() const { return publisher_->get_subscription_count() > 0; }

  void follow(const Plan & plan)
  {
    trajectory_msgs::msg::JointTrajectory trajectory;
    trajectory.joint_names = {"joint_1", "joint_4"};
    for (int i = 0; i < points; ++i)
    {
      const auto n = static_cast<std::size_t>(i);
      trajectory_msgs::msg::JointTrajectoryPoint point;
      point.positions = {plan.samples.phi1[n], plan.samples.phi4[n]};
      point.velocities = {plan.samples.dphi1[n], plan.samples.dphi4[n]};
      // The first point must lie in the future.
      point.time_from_start = rclcpp::Duration::from_seconds(plan.samples.t[n] + 0.001);
      trajectory.points.push_back(point);
    }
    publisher_->publish(trajectory);
  }

  void update(const rclcpp::Time & time) { controller_.update(time, period_); }
  double effort() const { return efforts_.front()->get_optional().value_or(0.0); }

private:
  template <class Interface>
  static std::shared_ptr<Interface> make(const std::string & name)
  {
    hardware_interface::InterfaceInfo info;
    const std::size_t slash = name.rfind('/');
    info.name = name.substr(slash + 1);
    info.data_type = "double";
    info.initial_value = "0.0";
    return std::make_shared<Interface>(
      hardware_interface::InterfaceDescription(name.substr(0, slash), info));
  }

  rclcpp::Duration period_;
  joint_trajectory_controller::JointTrajectoryController controller_;
  std::vector<hardware_interface::CommandInterface::SharedPtr> efforts_;
  std::vector<hardware_interface::StateInterface::SharedPtr> states_;
  rclcpp::Node::SharedPtr node_;
  rclcpp::Publisher<trajectory_msgs::msg::JointTrajectory>::SharedPtr publisher_;
};

/// joint_state_broadcaster on the hardware of a cell, as config/controllers.yaml has it.
class Broadcaster
{
public:
  explicit Broadcaster(SystemUnderTest & hardware)
  {
    controller_interface::ControllerInterfaceParams init;
    init.controller_name = "joint_state_broadcaster";
    init.robot_description = two_joints;
    init.update_rate = 1000;
    init.controller_manager_update_rate = 1000;
    init.node_options = rclcpp::NodeOptions().parameter_overrides(
      {{"joints", std::vector<std::string>{"joint_1", "joint_2", "joint_3", "joint_4"}},
       {"interfaces", std::vector<std::string>{"position", "velocity"}},
       {"publish_dynamic_joint_states", false},
       {"use_urdf_to_filter", false}});
    if (controller_.init(init) != controller_interface::return_type::OK)
    {
      throw std::runtime_error("joint_state_broadcaster did not initialise");
    }
    controller_.configure();
    std::vector<hardware_interface::LoanedStateInterface> states;
    for (const auto & name : controller_.state_interface_configuration().names)
    {
      states.emplace_back(hardware.state(name), nullptr);
    }
    controller_.assign_interfaces({}, std::move(states));
    controller_.get_node()->activate();
  }
  ~Broadcaster() { controller_.release_interfaces(); }
  void update(const rclcpp::Time & time)
  {
    controller_.update(time, rclcpp::Duration(0, 1'000'000));
  }

private:
  joint_state_broadcaster::JointStateBroadcaster controller_;
};

hardware_interface::HardwareInfo hardware_at(unsigned int rate)
{
  hardware_interface::HardwareInfo info = hardware_info();
  info.rw_rate = rate;
  return info;
}

std::vector<rclcpp::Parameter> publishing_at(unsigned int rate)
{
  return {{"state_publish_rate", static_cast<double>(rate)}};
}

/// Publishing happens in other threads, as on the robot, and must get its turn.
void let_others_work() { std::this_thread::sleep_for(std::chrono::microseconds(20)); }

/// Ratio of the medians, both updated and publishing at this rate.
double compare_updates(unsigned int rate)
{
  Cell cell(publishing_at(rate), hardware_at(rate));
  Peer peer(rate);
  cell.start();
  cell.executor().add_node(peer.node()->get_node_base_interface());
  cell.load("", plan_text(plan_b()));
  if (!cell.wait([&]() { return peer.connected(); }))
  {
    throw std::runtime_error("the trajectory has no listener");
  }
  Measurement ours, theirs;
  bool peer_moved = false;
  const std::int64_t period_ns = 1'000'000'000 / rate;
  const rclcpp::Duration period{std::chrono::nanoseconds(period_ns)};
  const int cycles = static_cast<int>(duration * rate);
  std::int64_t cycle = 1'000'000;
  for (int i = 0; i < 20'000; ++i)
  {
    if (i % cycles == 0)
    {
      cell.wait([&]() { return cell.zero_volts(); });
      peer.follow(plan_b());
      cell.send(true);
      for (int k = 0; k < 20; ++k)
      {
        cell.executor().spin_some(std::chrono::milliseconds(5));
      }
    }
    const rclcpp::Time time(++cycle * period_ns, RCL_ROS_TIME);
    cell.hardware().read();
    ours.take([&]() { cell.controller().update(time, period); });
    theirs.take([&]() { peer.update(time); });
    cell.hardware().write();
    peer_moved = peer_moved || peer.effort() != 0.0;
    let_others_work();
    if (i % 50 == 0)
    {
      cell.executor().spin_some();
    }
  }
  if (!peer_moved || cell.hardware().injection().driven_cycles < 10000)
  {
    throw std::runtime_error("a controller stood still: the comparison would be unfair");
  }
  fmt::print("\n{}", heading(fmt::format("update() at {} Hz, publishing all", rate)));
  fmt::print("{}", ours.row("fivebar_control/FeedforwardController"));
  fmt::print("{}", theirs.row("joint_trajectory_controller"));
  const double ratio = ours.quantile(0.5) / theirs.quantile(0.5);
  fmt::print("ratio of the medians {:.2f}\n", ratio);
  return ratio;
}

/// What of read() is the simulated world and would not be there on a robot.
void time_world()
{
  const RobotModel robot = load_robot(config_path("robot.yaml"));
  SimulatedRobot world(
    robot, load_plant(config_path("plants/mismatched.yaml")), robot.parameters().home, 1'000'000);
  world.open();
  world.arm();
  Measurement equations;
  MotorSample sample;
  for (int i = 0; i < 5000; ++i)
  {
    world.write({0.5 * std::sin(0.01 * i), -0.5 * std::sin(0.01 * i)});
    equations.take([&]() { world.read(sample); });
    let_others_work();
  }
  fmt::print("{}", equations.row("  of read(): the simulated world"));
}

/// A whole cycle at 1 kHz, state at its default rate of 250 Hz, joint_state_broadcaster at `rate`.
void time_cycle(int rate)
{
  Cell cell;
  cell.start();
  cell.load("", plan_text(plan_b()));
  Broadcaster broadcaster(cell.hardware());
  Measurement read, update, broadcast, write, whole;
  const rclcpp::Duration period(0, 1'000'000);
  cell.send();
  for (int i = 0; i < 5000; ++i)
  {
    const rclcpp::Time time((i + 1'000'000) * 1'000'000LL, RCL_ROS_TIME);
    whole.take([&]() {
      read.take([&]() { cell.hardware().read(); });
      update.take([&]() { cell.controller().update(time, period); });
      if (i % (1000 / rate) == 0)
      {
        broadcast.take([&]() { broadcaster.update(time); });
      }
      write.take([&]() { cell.hardware().write(); });
    });
    let_others_work();
  }
  if (cell.hardware().injection().driven_cycles < 4000)
  {
    throw std::runtime_error("the robot stood still");
  }
  fmt::print("\n{}", heading(fmt::format("cycle at 1 kHz, /joint_states {} Hz", rate)));
  fmt::print("{}", read.row("read() of the simulated FiveBarSystem"));
  fmt::print("{}", update.row("update() of FeedforwardController"));
  fmt::print("{}", broadcast.row("update() of JointStateBroadcaster"));
  fmt::print("{}", write.row("write() of the simulated FiveBarSystem"));
  fmt::print("{}", whole.row("all"));
}

/// For scripts/bench: ratios and their bars, in the format of Google Benchmark.
void write_ratios(const std::string & path, double slow, double fast)
{
  constexpr double bar = 0.35;
  std::ofstream(path) << fmt::format(
    "{{\n\"name\": \"UpdateOfTheRosController250Hz\",\n\"ours/trajectory controller\": {},\n"
    "\"bar\": {}\n}}\n{{\n\"name\": \"UpdateOfTheRosController1kHz\",\n"
    "\"ours/trajectory controller\": {},\n\"bar\": {}\n}}\n",
    slow, bar, fast, bar);
}

int run(const std::string & output)
{
  const bool real_time = realtime_tools::configure_sched_fifo(50);
  fmt::print(
    "20000 calls each{}\n",
    real_time ? ", at a real-time priority, as in ros2_control_node" : ", at an ordinary priority");
  const double slow = compare_updates(250);
  const double fast = compare_updates(1000);
  time_cycle(1000);
  time_cycle(250);  // as config/controllers.yaml has it
  time_world();
  if (!output.empty())
  {
    write_ratios(output, slow, fast);
  }
  return 0;
}

}  // namespace
}  // namespace fivebar_control::test

int main(int argc, char ** argv)
{
  const std::string output_option = "--benchmark_out=";
  std::string output;
  for (int i = 1; i < argc; ++i)
  {
    const std::string argument = argv[i];
    output = argument.rfind(output_option, 0) == 0 ? argument.substr(output_option.size()) : output;
  }
  setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST", 1);
  setenv(
    "CYCLONEDDS_URI",
    "<CycloneDDS><Domain><General><Interfaces><NetworkInterface name='lo' multicast='false'/>"
    "</Interfaces></General><Discovery><ParticipantIndex>auto</ParticipantIndex><Peers>"
    "<Peer address='localhost'/></Peers></Discovery></Domain></CycloneDDS>",
    0);
  setenv("ROS_DOMAIN_ID", "87", 0);
  rclcpp::init(0, nullptr);
  int code = 1;
  try
  {
    code = fivebar_control::test::run(output);
  }
  catch (const std::exception & error)
  {
    fmt::print("{}\n", error.what());
  }
  rclcpp::shutdown();
  return code;
}
