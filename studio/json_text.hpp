// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace fivebar_control
{

/// Named rows of numbers for a page, six digits each: what a chart shows. Numbers that are not
/// finite become null.
using SeriesList = std::vector<std::pair<std::string, std::vector<double>>>;
std::string series_text(const SeriesList & series);

/// The JSON object `head` with more entries that are JSON text already.
std::string with_texts(
  const nlohmann::json & head, const std::vector<std::pair<std::string, std::string>> & texts);

/// JSON as text; bytes that are no UTF-8 are replaced.
std::string text_of(const nlohmann::json & json);

}  // namespace fivebar_control
