// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace fivebar_control::test
{

/// How often this thread has asked for memory, by malloc and its relatives (operator new included).
/// Link thread_allocations.cpp, which stands in front of the C library's allocator, into the
/// executable. By thread, because the middleware's threads may allocate as they like.
std::size_t thread_allocations();

}  // namespace fivebar_control::test
