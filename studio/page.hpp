// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace fivebar_control::page
{

// The files of page/, built into the library.
extern const std::string_view studio_html, studio_css, tools_js, yaml_js, shapes_js, font_js,
  drawing_js, panels_js, results_js, play_js, files_js, robot_js, studio_js;

}  // namespace fivebar_control::page
