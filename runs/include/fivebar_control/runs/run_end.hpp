// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fivebar_control
{

/// How a run ended.
enum class RunEnd
{
  finished,        ///< the plan was played, held and relaxed
  stopped,         ///< on request, smoothly
  aborted,         ///< on request, at once
  refused,         ///< the controller did not start
  fault,           ///< the guard stopped it
  hardware_fault,  ///< the hardware did not open, did not arm, or failed on the way
  deactivated,     ///< the controller was switched off in the middle of it (ROS 2)
};

const char * to_string(RunEnd end);

}  // namespace fivebar_control
