// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fivebar_control::cli
{

/// What `fivebar --version` prints: "fivebar 0.1.0+12.gabcdef0", then what is compiled in.
const char * version_text();

}  // namespace fivebar_control::cli
