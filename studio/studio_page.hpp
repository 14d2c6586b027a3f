// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "desk.hpp"

namespace fivebar_control
{

/// The page with its style and scripts inside.
std::string studio_page();

/// What a page needs once: the robot, where it can be, plants to play on, a curve to begin with.
std::string answer_start(const Desk & desk, const std::string & hardware);

}  // namespace fivebar_control
