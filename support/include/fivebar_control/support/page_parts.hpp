// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace fivebar_control::page
{

/// The charts of all pages: hover, zoom, keyboard, light and dark, print (docs/report.md). The
/// style also has the colours that the pages share.
extern const std::string_view charts_css, charts_js;

}  // namespace fivebar_control::page
