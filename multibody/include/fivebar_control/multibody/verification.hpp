// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace fivebar_control::multibody
{

/// Where the number that ours is compared with comes from.
enum class Evidence
{
  printed,     ///< in one of the five documents
  reference,   ///< computed by programs that are independent of this one
  self_check,  ///< two ways of this program to the same number
};
const char * name(Evidence evidence);

/// One number beside ours.
struct VerificationRow
{
  Evidence evidence = Evidence::reference;
  std::string source;  ///< "Dopico et al. table 1"
  std::string quantity;
  std::string printed;  ///< what is expected, with the digits of its source
  double ours = 0.0;
  std::string method;
  double seconds = 0.0;  ///< of the computation that the row belongs to
  /// Where the digits are known not to be the exact solution's: why, and how far they may be off
  /// instead.
  std::string explanation;
  double allowance = 0.0;
  bool at_most = false;      ///< the source gives a limit that ours must not exceed
  bool reproducible = true;  ///< false: listed for completeness, explanation says why

  double printed_value() const;
  /// How many leading digits agree.
  double digits() const;
  /// Ours rounds to the expected digits, keeps to a limit, or lies within an explained allowance.
  bool agrees() const;
  bool exact() const;  ///< agrees without an allowance
};

/// Printed numbers that are no rows, and why.
struct NotRecomputed
{
  std::string source, numbers, reason;
};
const std::vector<NotRecomputed> & not_recomputed();

/// Recomputes everything; `progress` hears the name of each group before it starts.
std::vector<VerificationRow> verify(const std::function<void(const std::string &)> & progress);

}  // namespace fivebar_control::multibody
