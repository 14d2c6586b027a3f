// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fivebar_control/commission/step.hpp"
#include "fivebar_control/hardware/calibration.hpp"
#include "fivebar_control/model/robot_model.hpp"

namespace fivebar_control::commission
{

/// What was commissioned, or is about to be driven. Results hold for nothing else.
struct Subject
{
  std::string hardware;  ///< "serial:/dev/fivebar"
  std::string board;     ///< what it says about itself; empty where it says nothing
  std::string robot, robot_fingerprint;
  std::string calibration, calibration_fingerprint;
};

/// Progress of a commissioning, and once all steps are done its stamp.
struct Record
{
  Subject subject;
  std::string date;  ///< UTC, "2026-03-01T14:05:00Z"
  double rate = 0.0, voltage = 0.0;
  std::vector<StepResult> steps;

  /// Null if the step was not done.
  const StepResult * find(const std::string & name) const;
  /// Replaces an earlier result of the same step.
  void put(StepResult result);
  bool is_complete() const;
};

/// Over all that decides what volts do and what counts mean; names and comments are no part of it.
std::string fingerprint_of(const Calibration & calibration);
/// The robot's own, and its joint ranges, which the end stops were compared with.
std::string fingerprint_of(const RobotModel & robot);

Subject subject_of(
  const std::string & hardware, const RobotModel & robot, const Calibration & calibration);
/// Greets a serial board and says what it is; empty for others, and if it does not answer.
std::string ask_board(const std::string & hardware, const Calibration & calibration);

/// JSON with a seal over its content.
std::string to_text(const Record & record);
/// Throws InputError: not a record, another schema, changed by hand.
Record parse_record(const std::string & text, const std::string & name);
Record load_record(const std::string & path);

/// The files of this hardware in default_state_folder(): "commission-serial-dev-fivebar.json" and
/// "commission-serial-dev-fivebar.progress.json".
std::string default_stamp(const std::string & hardware);
std::string default_progress(const std::string & hardware);

/// Why the stamp does not allow to drive the subject, as a sentence; empty if it does. Never
/// throws: a stamp that cannot be read is none.
std::string objection(const std::string & stamp, const Subject & subject);
/// The same for motors that are about to be driven; a serial board is asked what it is, but only if
/// nothing else is wrong.
std::string objection_to_driving(
  const std::string & stamp, const std::string & hardware, const RobotModel & robot,
  const Calibration & calibration);

}  // namespace fivebar_control::commission
