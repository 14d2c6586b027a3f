// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/support/package_version.hpp"

namespace fivebar_control
{

const char * package_version() { return FIVEBAR_VERSION; }

}  // namespace fivebar_control
