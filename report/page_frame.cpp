// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/report/page_frame.hpp"

#include <fmt/format.h>

#include "fivebar_control/support/markup.hpp"
#include "fivebar_control/support/page_parts.hpp"
#include "page.hpp"

namespace fivebar_control
{

std::string html_page(
  const std::string & kind, const std::string & title, const std::string & body,
  const std::string & footer)
{
  return fmt::format(
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<link rel=\"icon\" href=\"data:,\">\n"
    "<title>{1} - five-bar {0}</title>\n<style>\n{2}</style></head>\n<body>\n<header><p>Five-bar "
    "{0}</p><h1>{1}</h1></header>\n<main>\n{3}</main>\n<footer>{4}</footer>\n<script>\n{5}"
    "</script>\n</body></html>\n",
    escaped(kind), escaped(title), std::string(page::charts_css) + std::string(page::report_css),
    body, escaped(footer), page::charts_js);
}

}  // namespace fivebar_control
