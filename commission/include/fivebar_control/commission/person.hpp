// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace fivebar_control::commission
{

/// Something that only a person can do or see.
struct Question
{
  std::string key;                   ///< "direction_1.seen": its name in files of answers
  std::string text;                  ///< whole sentences
  std::vector<std::string> choices;  ///< the answers that are understood
  /// Only whether to go on; an observation is never assumed, a confirmation may be.
  bool confirmation = false;
};

/// Who stands at the robot: a terminal, a file of answers, a test. While ask() waits, the motors
/// have zero volts and are disarmed.
class Person
{
public:
  virtual ~Person() = default;
  /// Something to read, or to do while the procedure goes on.
  virtual void tell(const std::string & key, const std::string & text) = 0;
  /// One of the question's choices; empty: nobody answers, and the step ends.
  virtual std::string ask(const Question & question) = 0;
};

}  // namespace fivebar_control::commission
