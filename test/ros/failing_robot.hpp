// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "fivebar_control/simulation/simulated_robot.hpp"
#include "fivebar_system.hpp"
#include "motor_probe.hpp"

namespace fivebar_control::test
{

/// What a test does to the hardware, and what it saw.
struct Injection
{
  std::string fault;           ///< "", "read", "write", "device" (emergency stop), "open" or "arm"
  int cycles_until_fault = 0;  ///< counted in driven cycles
  int driven_cycles = 0;       ///< with volts other than zero
  Eigen::Vector2d last_volts = Eigen::Vector2d::Zero();
  bool armed = false;

  bool now(const char * name) const { return fault == name && driven_cycles >= cycles_until_fault; }
};

/// Of the WatchedSystem that was made last; in the library of the test plugins.
std::shared_ptr<Injection> & latest_injection();

/// Passes everything on to another hardware until the injected fault happens.
class FailingRobot : public MotorHardware
{
public:
  FailingRobot(std::unique_ptr<MotorHardware> robot, std::shared_ptr<Injection> injection)
  : robot_(std::move(robot)), injection_(std::move(injection))
  {
  }
  HardwareError open() override
  {
    return injection_->fault == "open" ? HardwareError::no_device : robot_->open();
  }
  HardwareError home(const HomingCalls & calls) override { return robot_->home(calls); }
  bool is_homed() const noexcept override { return robot_->is_homed(); }
  HardwareError arm() override
  {
    if (injection_->fault == "arm")
    {
      return HardwareError::busy;
    }
    injection_->armed = true;
    probe_.arm(true);
    return robot_->arm();
  }
  HardwareError read(MotorSample & sample) noexcept override
  {
    const HardwareError error = robot_->read(sample);
    if (injection_->now("device"))
    {
      sample.status |= motor_status::device_fault;
    }
    return injection_->now("read") ? HardwareError::disconnected : error;
  }
  HardwareError write(const Eigen::Vector2d & volts) noexcept override
  {
    injection_->last_volts = volts;
    probe_.write(volts);
    injection_->driven_cycles += volts[0] != 0.0 || volts[1] != 0.0 ? 1 : 0;
    return injection_->now("write") ? HardwareError::timeout : robot_->write(volts);
  }
  HardwareError disarm() noexcept override
  {
    injection_->armed = false;
    probe_.arm(false);
    return robot_->disarm();
  }
  void close() noexcept override { robot_->close(); }
  Encoder encoder() const override { return robot_->encoder(); }
  HardwareClock clock() const override { return robot_->clock(); }
  std::string description() const override { return robot_->description(); }

private:
  std::unique_ptr<MotorHardware> robot_;
  std::shared_ptr<Injection> injection_;
  MotorProbe probe_;
};

/// FiveBarSystem around a FailingRobot. As a plugin (launch tests) it takes the fault's name from
/// the environment variable FIVEBAR_TEST_FAULT and lets it happen half a second into the motion.
class FailingSystem : public FiveBarSystem
{
public:
  FailingSystem() : injection_(std::make_shared<Injection>())
  {
    const char * fault = std::getenv("FIVEBAR_TEST_FAULT");
    injection_->fault = fault == nullptr ? "" : fault;
    injection_->cycles_until_fault = 500;
  }
  explicit FailingSystem(std::shared_ptr<Injection> injection) : injection_(std::move(injection)) {}

protected:
  const std::shared_ptr<Injection> & injection() const { return injection_; }
  std::unique_ptr<MotorHardware> make_hardware(
    const BackendChoice & choice, const RobotModel & robot) override
  {
    return std::make_unique<FailingRobot>(FiveBarSystem::make_hardware(choice, robot), injection_);
  }

private:
  std::shared_ptr<Injection> injection_;
};

}  // namespace fivebar_control::test
