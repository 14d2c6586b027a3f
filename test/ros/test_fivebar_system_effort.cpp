// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <mutex>

#include "fivebar_control/model/motor_effort.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "system_fixture.hpp"

// Efforts of foreign controllers, and the guard below them.
namespace fivebar_control::test
{
namespace
{

using CallbackReturn = hardware_interface::CallbackReturn;
using Return = hardware_interface::return_type;
using Names = std::vector<std::string>;

const Names efforts = {"joint_1/effort", "joint_4/effort"};
const Names volts = {"joint_1/voltage", "joint_4/voltage"};

class EffortSystem : public testing::Test
{
protected:
  void SetUp() override
  {
    system.configure_and_activate();
    ASSERT_EQ(system.read(), Return::OK);
    ASSERT_EQ(system->prepare_command_mode_switch(efforts, {}), Return::OK);
    ASSERT_EQ(system->perform_command_mode_switch(efforts, {}), Return::OK);
  }

  void command(double effort_1, double effort_4)
  {
    system.set("joint_1/effort", effort_1);
    system.set("joint_4/effort", effort_4);
  }
  /// Efforts that a controller computes anew in every cycle, until the guard stops the motors.
  Return drive(int cycles, const std::function<Eigen::Vector2d(int)> & effort)
  {
    Return result = Return::OK;
    for (int i = 0; i < cycles && result == Return::OK; ++i)
    {
      const Eigen::Vector2d wanted = effort(i);
      command(wanted[0], wanted[1]);
      result = system.write();
      result = result == Return::OK ? system.read() : result;
    }
    return result;
  }
  /// At these speeds, until the guard stops the motors.
  Return drive_at(const Eigen::Vector2d & speed)
  {
    return drive(20'000, [this, speed](int i) {
      const Eigen::Vector2d now(system.value("joint_1/velocity"), system.value("joint_4/velocity"));
      const double renewed = 1e-6 * (i % 2);
      return Eigen::Vector2d(0.5 * (speed - now) + Eigen::Vector2d::Constant(renewed));
    });
  }
  /// A joint controller with the published gains at the links times these factors, on a motion to
  /// and fro about home.
  Return hold(double p_factor, double d_factor, int cycles)
  {
    const Eigen::Vector2d home = robot.parameters().home;
    return drive(cycles, [this, home, p_factor, d_factor](int i) {
      const double time = 1e-3 * i;
      const Eigen::Vector2d amplitude(0.15, -0.1);
      const Eigen::Vector2d angle(
        system.value("joint_1/position"), system.value("joint_4/position"));
      const Eigen::Vector2d speed(
        system.value("joint_1/velocity"), system.value("joint_4/velocity"));
      const Eigen::Vector2d error = home + amplitude * std::sin(4.0 * time) - angle;
      volts_1.push_back(system.injection().last_volts[0]);
      volts_4.push_back(system.injection().last_volts[1]);
      const Eigen::Vector2d speed_error = 4.0 * amplitude * std::cos(4.0 * time) - speed;
      return Eigen::Vector2d(p_factor * 3.24 * error + d_factor * 0.155 * speed_error);
    });
  }
  double guard() { return system.value("motor_board/guard"); }
  void expect_stopped(EffortStop why)
  {
    EXPECT_EQ(system.injection().last_volts, Eigen::Vector2d::Zero());
    EXPECT_FALSE(system.injection().armed);
    EXPECT_EQ(system.value("motor_board/armed"), 0.0);
    EXPECT_EQ(system.value("motor_board/guard"), static_cast<double>(why));
    // Latched: more commands change nothing.
    const int driven = system.injection().driven_cycles;
    command(0.01, 0.01);
    system.read();
    EXPECT_EQ(system.write(), Return::OK);
    EXPECT_EQ(system.injection().driven_cycles, driven);
    // Until it is activated again.
    EXPECT_EQ(system->on_deactivate(any_state()), CallbackReturn::SUCCESS);
    EXPECT_EQ(system->on_activate(any_state()), CallbackReturn::SUCCESS);
    EXPECT_EQ(system.value("motor_board/guard"), 0.0);
  }

  SystemUnderTest system;
  std::vector<double> volts_1, volts_4;  ///< of hold()
  const RobotModel robot = load_robot(config_path("robot.yaml"));
};

TEST_F(EffortSystem, BecomeTheVoltsThatTheMotorsEquationAsksFor)
{
  const MotorEffort motor = motor_effort(robot.parameters().physics.motors[0]);
  command(0.05, 0.0);
  ASSERT_EQ(system.write(), Return::OK);
  EXPECT_NEAR(system.injection().last_volts[0], 0.05 / motor.torque_gain, 1e-12);
  for (int i = 0; i < 50; ++i)
  {
    ASSERT_EQ(system.read(), Return::OK);
    command(0.05 + 1e-4 * i, 0.0);
    ASSERT_EQ(system.write(), Return::OK);
  }
  const double speed = system.value("joint_1/velocity");
  EXPECT_GT(speed, 0.1);
  EXPECT_NEAR(motor.torque(system.injection().last_volts[0], speed), 0.05 + 1e-4 * 49, 1e-12);
}

TEST_F(EffortSystem, AreNotTakenBesideVolts)
{
  EXPECT_EQ(system->prepare_command_mode_switch(volts, {}), Return::ERROR);
  EXPECT_EQ(
    system->prepare_command_mode_switch({"joint_4/voltage"}, {"joint_4/effort"}), Return::ERROR);
  EXPECT_EQ(system->prepare_command_mode_switch(volts, efforts), Return::OK);
  command(0.1, 0.1);
  EXPECT_EQ(system->perform_command_mode_switch(volts, efforts), Return::OK);
  system.read();
  system.write();
  EXPECT_EQ(system.injection().last_volts, Eigen::Vector2d::Zero());
  EXPECT_EQ(system->prepare_command_mode_switch(efforts, {}), Return::ERROR);
  EXPECT_EQ(system->prepare_command_mode_switch({"another/effort"}, {}), Return::OK);
}

TEST_F(EffortSystem, AreRefusedWhileTheMotorsAreOff)
{
  EXPECT_EQ(system->perform_command_mode_switch({}, efforts), Return::OK);
  system->on_deactivate(any_state());
  EXPECT_EQ(system->prepare_command_mode_switch(efforts, {}), Return::ERROR);
  EXPECT_EQ(system->prepare_command_mode_switch(volts, {}), Return::OK);
}

TEST_F(EffortSystem, StopAtTheJointSpeed)
{
  // Full torque, to and fro of a count so that it counts as renewed.
  const Return result =
    drive(2000, [](int i) { return Eigen::Vector2d(5.0 + 1e-3 * (i % 2), -5.0); });
  EXPECT_EQ(result, Return::DEACTIVATE);
  EXPECT_THAT(
    system.value("motor_board/guard"),
    testing::AnyOf(
      static_cast<double>(EffortStop::joint_speed), static_cast<double>(EffortStop::joint_range),
      static_cast<double>(EffortStop::singularity)));
  expect_stopped(static_cast<EffortStop>(static_cast<int>(system.value("motor_board/guard"))));
}

TEST_F(EffortSystem, StopNearASingularity)
{
  // Both links the same way: link 4 comes in line with its distal link.
  EXPECT_EQ(drive_at({1.0, 0.6}), Return::DEACTIVATE);
  expect_stopped(EffortStop::singularity);
}

TEST_F(EffortSystem, StopAtTheJointRange)
{
  // Links apart, in this direction: nothing is singular before phi1 is at -1.3 rad.
  EXPECT_EQ(drive_at({-1.0, 0.84}), Return::DEACTIVATE);
  expect_stopped(EffortStop::joint_range);
}

TEST_F(EffortSystem, StopGainsThatShakeTheRobotWithinItsLimits)
{
  // Of the right sign: joint range, speed and singularities alone would let them pass.
  EXPECT_EQ(hold(300.0, 300.0, 3000), Return::DEACTIVATE);
  EXPECT_THAT(
    guard(), testing::AnyOf(
               static_cast<double>(EffortStop::chatter), static_cast<double>(EffortStop::overload),
               static_cast<double>(EffortStop::saturation)));
  expect_stopped(static_cast<EffortStop>(static_cast<int>(guard())));
}

TEST_F(EffortSystem, StopATorqueThatTheMotorCannotGive)
{
  // A controller that has wound up: it wants ten times the largest torque, the links are slow.
  const MotorEffort motor = motor_effort(robot.parameters().physics.motors[0]);
  const double torque = 100.0 * motor.torque_gain;
  const Return result = drive(
    2000, [torque](int i) { return Eigen::Vector2d(torque * (i % 8 < 4 ? 1.0 : -1.0), 0.0); });
  EXPECT_EQ(result, Return::DEACTIVATE);
  expect_stopped(static_cast<EffortStop>(static_cast<int>(guard())));
}

TEST_F(EffortSystem, ChangeTheVoltsNoFasterThanTheRobotAllows)
{
  system.injection().last_volts.setZero();
  RobotParameters slow = robot.parameters();
  ASSERT_GT(slow.limits.voltage_rate, 0.0);
  const double per_cycle = 1e-3 * slow.limits.voltage_rate;
  Eigen::Vector2d before = Eigen::Vector2d::Zero();
  drive(12, [&](int i) {
    const Eigen::Vector2d now = system.injection().last_volts;
    EXPECT_LE((now - before).cwiseAbs().maxCoeff(), per_cycle * (1.0 + 1e-12)) << i;
    before = now;
    return Eigen::Vector2d(i % 2 == 0 ? 5.0 : -5.0, 0.0);
  });
}

/// Reversals of the volts by 5 V or more, counted from outside.
int reversals(const std::vector<double> & of)
{
  int count = 0;
  double low = 0.0, high = 0.0;
  bool rising = true;
  for (const double u : of)
  {
    low = std::min(low, u);
    high = std::max(high, u);
    if (rising ? u < high - 5.0 : u > low + 5.0)
    {
      rising = !rising;
      low = high = u;
      ++count;
    }
  }
  return count;
}

TEST_F(EffortSystem, StopWhenNobodyRenewsThem)
{
  int cycles = 0;
  const Return result = drive(2000, [&](int) {
    ++cycles;
    return Eigen::Vector2d(0.08, 0.0);
  });
  EXPECT_EQ(result, Return::DEACTIVATE);
  EXPECT_GT(cycles, 100);  // effort_timeout is 100 ms
  EXPECT_LT(cycles, 250);
  expect_stopped(EffortStop::stale);
}

TEST_F(EffortSystem, MayStayAsTheyAreWhileTheLinksRest)
{
  // Less than the friction of the mismatched plant, as a controller's that holds near its goal.
  EXPECT_EQ(drive(2000, [](int) { return Eigen::Vector2d(1e-4, 0.0); }), Return::OK);
  EXPECT_EQ(system.value("motor_board/guard"), 0.0);
}

TEST_F(EffortSystem, StopWhenOneIsNoNumber)
{
  command(std::numeric_limits<double>::quiet_NaN(), 0.1);
  EXPECT_EQ(system.write(), Return::DEACTIVATE);
  expect_stopped(EffortStop::not_finite);
}

TEST_F(EffortSystem, StopWhenTheDeviceReportsAFaultOrReadsFail)
{
  for (const char * fault : {"device", "read"})
  {
    // Its controller is activated anew; the commands of before would not be obeyed.
    ASSERT_EQ(system->perform_command_mode_switch(efforts, efforts), Return::OK);
    system.injection().fault = fault;
    system.injection().cycles_until_fault = system.injection().driven_cycles;
    const Return result = drive(4, [](int i) { return Eigen::Vector2d(0.02 + 1e-3 * i, 0.0); });
    EXPECT_EQ(result, Return::DEACTIVATE) << fault;
    system.injection().fault = "";
    expect_stopped(EffortStop::connection);
  }
}

TEST_F(EffortSystem, HoldTheLastValueForOneCycleIfItIsLocked)
{
  command(0.05, 0.0);
  ASSERT_EQ(system.write(), Return::OK);
  const Eigen::Vector2d before = system.injection().last_volts;
  ASSERT_NE(before[0], 0.0);
  std::unique_lock<std::shared_mutex> lock(system.command("joint_1/effort")->get_mutex());
  ASSERT_EQ(system.write(), Return::OK);
  EXPECT_EQ(system.injection().last_volts, before);
  ASSERT_EQ(system.write(), Return::OK);
  EXPECT_EQ(system.injection().last_volts, Eigen::Vector2d::Zero()) << "the second in a row";
  lock.unlock();
  ASSERT_EQ(system.write(), Return::OK);
  EXPECT_EQ(system.injection().last_volts, before);
}

struct Factors
{
  double p, d;
};

class EffortGains : public EffortSystem, public testing::WithParamInterface<Factors>
{
};

TEST_P(EffortGains, StopTheRobotOrLeaveItQuiet)
{
  constexpr int cycles = 4000;
  const auto [p, d] = GetParam();
  const Return result = hold(p, d, cycles);
  // What is left out: the quarter of a second over which the guard counts.
  const auto late = [](const std::vector<double> & of) {
    return std::vector<double>(
      of.begin() + std::min<std::ptrdiff_t>(250, std::ssize(of)), of.end());
  };
  const int most = std::max(reversals(late(volts_1)), reversals(late(volts_4)));
  const double seconds = 1e-3 * static_cast<double>(volts_1.size());
  std::printf(
    "kp x %6.1f, kd x %6.1f: %.3f s, guard %2.0f, %3.0f reversals a second\n", p, d, seconds,
    guard(), most / std::max(1e-3, seconds - 0.25));
  if (result == Return::OK)
  {
    EXPECT_LT(most, 60.0 * (seconds - 0.25));
    EXPECT_EQ(guard(), 0.0);
  }
  else
  {
    EXPECT_EQ(result, Return::DEACTIVATE);
    EXPECT_EQ(system.injection().last_volts, Eigen::Vector2d::Zero());
    EXPECT_GT(std::max(p, d), 2.0) << "gains near the published ones must be let alone";
  }
}

std::vector<Factors> all_factors()
{
  std::vector<Factors> factors;
  for (const double p : {0.3, 1.0, 2.0, 5.0, 20.0, 100.0, 1000.0})
  {
    for (const double d : {0.0, 1.0, 2.0, 5.0, 20.0, 100.0, 1000.0})
    {
      factors.push_back({p, d});
    }
  }
  return factors;
}

INSTANTIATE_TEST_SUITE_P(All, EffortGains, testing::ValuesIn(all_factors()));

}  // namespace
}  // namespace fivebar_control::test
