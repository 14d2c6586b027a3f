// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace fivebar_control::commission
{

/// One figure of a step, with what is demanded of it.
struct Measurement
{
  std::string name, measured, limit;
  bool passed = false;
  bool skipped = false;
  std::optional<double> value{};  ///< the figure alone, for programs
  std::string unit{};
};

enum class StepEnd
{
  passed,
  failed,
  skipped,      ///< the robot has no such thing, the person said
  interrupted,  ///< by a signal, or because nobody answered
};

/// Stable names, part of files: "passed", "failed", "skipped", "interrupted".
const char * to_string(StepEnd end);

/// What a step found out.
struct StepResult
{
  std::string name;
  StepEnd end = StepEnd::passed;
  std::vector<Measurement> measurements;
  std::vector<std::string> faults;  ///< sentences: what is wrong, and what to change
  std::vector<std::string> advice;  ///< what would be better, though nothing is wrong
  double peak_volts = 0.0, peak_speed = 0.0, peak_excursion = 0.0;  ///< V, rad/s, rad: measured

  void add(Measurement measurement);
  void fail(std::string sentence);
};

struct Bench;

/// A step of the procedure, as data: what it is called, what the person is told, and the function
/// that does it.
struct Step
{
  const char * name;
  const char * title;
  const char * explanation;  ///< for the person: what happens, at how many volts, what is measured
  bool moves;                ///< whether the motors get volts
  bool despite_failure;      ///< worth doing although the step before it failed
  void (*run)(Bench &, StepResult &);
};

/// The keys of all questions that steps ask, for files of answers.
const std::vector<std::string> & question_keys();

/// In the order in which they are done.
const std::vector<Step> & steps();
/// Null if there is none of this name.
const Step * find_step(const std::string & name);

}  // namespace fivebar_control::commission
