// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace fivebar_control
{

/// `text` as content or attribute of XML, SVG or HTML.
std::string escaped(const std::string & text);

}  // namespace fivebar_control
