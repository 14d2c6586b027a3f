// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace fivebar_control::test
{

/// How often operator new was called in this executable. Link counting_allocator.cpp, which
/// replaces the global allocator, into it.
std::size_t allocation_count();

}  // namespace fivebar_control::test
