// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "fivebar_control/commission/procedure.hpp"
#include "fivebar_control/commission/rehearsal.hpp"
#include "fivebar_control/commission/stamp.hpp"
#include "fivebar_control/model/robot_file.hpp"

namespace fivebar_control::test
{

inline const RobotModel & default_robot()
{
  static const RobotModel robot = load_robot(FIVEBAR_SOURCE_DIR "/config/robot.yaml");
  return robot;
}

/// A robot on its bench: the reference firmware in simulated time, its calibration, and a person
/// who tells the truth. Nothing here depends on the machine's load.
class Rig
{
public:
  explicit Rig(
    const PlantParameters & plant, const RobotModel & robot = default_robot(),
    Calibration calibration = named("bench"))
  : robot_(robot), calibration_(std::move(calibration))
  {
    auto device = std::make_unique<SteppedBoard>(robot, plant, robot.parameters().home, 1'000'000);
    board_ = device.get();
    hardware_ = std::make_unique<CalibratedHardware>(
      std::move(device), commission::bench_calibration(calibration_, robot));
    person_ = std::make_unique<commission::SimulatedPerson>(*board_);
    hardware_->open();
  }

  static Calibration named(const std::string & name)
  {
    Calibration calibration;
    calibration.name = name;
    return calibration;
  }

  commission::Bench bench(std::function<bool()> interrupted = nullptr)
  {
    commission::Settings settings;
    settings.communication_time = 0.5;
    return make_bench(*hardware_, robot_, calibration_, settings, *person_, std::move(interrupted));
  }

  /// All steps in order, as the command does them: until one fails.
  commission::Record commission()
  {
    commission::Record record;
    commission::Bench b = bench();
    bool failed = false;
    for (const commission::Step & step : commission::steps())
    {
      if (!failed || step.despite_failure)
      {
        const commission::StepResult result = run_step(b, step);
        failed = failed || result.end == commission::StepEnd::failed;
        record.put(result);
      }
      else
      {
        break;
      }
    }
    return record;
  }

  std::vector<commission::StepResult> check(bool turned_by_hand = true)
  {
    commission::Bench b = bench();
    return run_check(b, {turned_by_hand, true});
  }

  SteppedBoard & board() { return *board_; }
  MotorHardware & hardware() { return *hardware_; }
  const Calibration & calibration() const { return calibration_; }

private:
  const RobotModel & robot_;
  Calibration calibration_;
  SteppedBoard * board_ = nullptr;
  std::unique_ptr<MotorHardware> hardware_;
  std::unique_ptr<commission::SimulatedPerson> person_;
};

inline std::string faults_of(const std::vector<commission::StepResult> & steps)
{
  std::string text;
  for (const commission::StepResult & step : steps)
  {
    for (const std::string & fault : step.faults)
    {
      text += step.name + ": " + fault + "\n";
    }
  }
  return text;
}

inline bool all_passed(const std::vector<commission::StepResult> & steps)
{
  return std::all_of(steps.begin(), steps.end(), [](const commission::StepResult & step) {
    return step.end == commission::StepEnd::passed || step.end == commission::StepEnd::skipped;
  });
}

/// The figure of a measurement whose name contains this.
inline double value_of(const std::vector<commission::StepResult> & steps, const std::string & name)
{
  for (const commission::StepResult & step : steps)
  {
    for (const commission::Measurement & m : step.measurements)
    {
      if (m.name.find(name) != std::string::npos && m.value)
      {
        return *m.value;
      }
    }
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace fivebar_control::test
