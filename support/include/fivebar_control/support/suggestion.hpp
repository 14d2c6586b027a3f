// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace fivebar_control
{

/// The one of `known` that was probably meant by `name`; empty if none is near.
std::string nearest_name(const std::string & name, const std::vector<std::string> & known);

}  // namespace fivebar_control
