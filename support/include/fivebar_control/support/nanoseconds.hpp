// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

namespace fivebar_control
{

/// Of seconds, rounded; they must be finite and less than some 292 years.
inline std::int64_t nanoseconds(double seconds)
{
  return static_cast<std::int64_t>(std::llround(seconds * 1e9));
}

}  // namespace fivebar_control
