// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace fivebar_control::multibody
{

/// One number that a source prints (or that was checked independently), beside ours.
struct VerificationRow
{
  std::string source;  ///< "001 table 1"; "checked" for independently computed values
  std::string quantity;
  std::string printed;  ///< as the source has it
  double ours = 0.0;
  std::string method;
  double seconds = 0.0;  ///< of the computation that the row belongs to
  /// Where the printed digits are known not to be the exact solution's: why, and how far they may
  /// be off instead.
  std::string explanation;
  double allowance = 0.0;

  double printed_value() const;
  /// How many leading digits agree.
  double digits() const;
  /// Ours rounds to the printed digits, or lies within an explained allowance.
  bool agrees() const;
  bool exact() const;  ///< agrees without an allowance
};

/// Recomputes everything; `progress` hears the name of each group before it starts.
std::vector<VerificationRow> verify(const std::function<void(const std::string &)> & progress);

}  // namespace fivebar_control::multibody
