// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fivebar_control/report/skeleton.hpp"

namespace fivebar_control::cli
{

/// The motion of a mechanism file as lines and points: that of `series` (as --series writes it),
/// or, where none is given, the one that the file describes. Throws InputError.
Skeleton skeleton_of_mechanism(
  const std::string & file, const std::string & series, const std::vector<std::string> & overrides);

}  // namespace fivebar_control::cli
