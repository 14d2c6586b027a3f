// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fivebar_control
{

/// "0.1.0": the version of this package, which every file that it writes carries.
const char * package_version();

}  // namespace fivebar_control
