// SPDX-License-Identifier: Apache-2.0
#include "targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t * data, std::size_t size)
{
  fivebar_control::fuzz::FIVEBAR_FUZZ_TARGET({data, size});
  return 0;
}
