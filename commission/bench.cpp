// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/commission/bench.hpp"

#include <algorithm>

namespace fivebar_control::commission
{

const char * to_string(StepEnd end)
{
  switch (end)
  {
    case StepEnd::passed:
      return "passed";
    case StepEnd::failed:
      return "failed";
    case StepEnd::skipped:
      return "skipped";
    case StepEnd::interrupted:
      return "interrupted";
  }
  return "unknown";
}

void StepResult::add(Measurement measurement)
{
  if (!measurement.passed && !measurement.skipped)
  {
    end = StepEnd::failed;
  }
  measurements.push_back(std::move(measurement));
}

void StepResult::fail(std::string sentence)
{
  end = StepEnd::failed;
  if (std::find(faults.begin(), faults.end(), sentence) == faults.end())
  {
    faults.push_back(std::move(sentence));
  }
}

Bench make_bench(
  MotorHardware & hardware, const RobotModel & robot, const Calibration & calibration,
  const Settings & settings, Person & person, std::function<bool()> interrupted)
{
  return {
    robot, calibration, settings, person,
    Driver(hardware, settings.rate, settings.limits, std::move(interrupted))};
}

Calibration bench_calibration(Calibration calibration, const RobotModel & robot)
{
  calibration.homing = {};
  calibration.homing.at_open = true;
  calibration.homing.angle = robot.parameters().home;
  for (JointCalibration & joint : calibration.joints)
  {
    joint.dead_band = 0.0;
    joint.offset = 0.0;
  }
  return calibration;
}

std::string ask(Bench & bench, const Question & question)
{
  const std::string answer = bench.person.ask(question);
  if (std::find(question.choices.begin(), question.choices.end(), answer) == question.choices.end())
  {
    throw StepStopped{};
  }
  return answer;
}

Track require_good(Track track, StepResult & result)
{
  if (track.interrupted)
  {
    throw StepStopped{};
  }
  if (!track.fault.empty())
  {
    result.fail("Stopped with zero volts: " + track.fault + ".");
    throw StepFailed{};
  }
  return track;
}

}  // namespace fivebar_control::commission
