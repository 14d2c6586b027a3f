// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace fivebar_control::page
{

// The files of page/, built into the library.
extern const std::string_view report_css;

}  // namespace fivebar_control::page
