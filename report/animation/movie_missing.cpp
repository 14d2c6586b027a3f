// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/report/picture_file.hpp"
#include "fivebar_control/support/errors.hpp"

// In place of movie.cpp where cairo was not found.

namespace fivebar_control
{
namespace
{

[[noreturn]] void refuse(const std::string & path)
{
  throw InputError(
    path + ": this program was built without cairo (package libcairo2-dev) and writes only .svg");
}

}  // namespace

void write_still(const Picture &, const MovieOptions &, const std::string & path) { refuse(path); }
void write_movie(const Picture &, const MovieOptions &, const std::string & path) { refuse(path); }

}  // namespace fivebar_control
