// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/commission/person.hpp"
#include "fivebar_control/simulation/stepped_board.hpp"

namespace fivebar_control::commission
{

/// Who stands at an emulated board: watches the true motion and tells the truth about it, presses
/// the emergency stop, turns links when asked. For rehearsals and tests.
class SimulatedPerson : public Person
{
public:
  explicit SimulatedPerson(SteppedBoard & board) : board_(board) {}

  void tell(const std::string & key, const std::string & text) override;
  std::string ask(const Question & question) override;

private:
  std::string describe_motion() const;
  std::string go_to_stop(std::size_t joint, double way);

  SteppedBoard & board_;
  Eigen::Vector2d before_ = Eigen::Vector2d::Zero();  ///< rad, when told to watch
};

}  // namespace fivebar_control::commission
