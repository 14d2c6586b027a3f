// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace fivebar_control
{

/// A page with our style and script around `body`, which is HTML; the other texts are plain.
std::string html_page(
  const std::string & kind, const std::string & title, const std::string & body,
  const std::string & footer);

}  // namespace fivebar_control
