// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace fivebar_control
{

/// A YAML string in double quotes, on one line whatever `text` has in it.
std::string yaml_quoted(std::string_view text);

/// Each line of `text` with `prefix` before it; the last one ends in a newline, too.
std::string prefixed_lines(std::string_view text, std::string_view prefix);

}  // namespace fivebar_control
