// SPDX-License-Identifier: Apache-2.0
#include "support/thread_allocations.hpp"

#include <cerrno>
#include <cstdlib>

extern "C" {
// glibc's allocator under its internal names.
void * __libc_malloc(std::size_t size);
void * __libc_calloc(std::size_t count, std::size_t size);
void * __libc_realloc(void * memory, std::size_t size);
void * __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace
{
thread_local std::size_t allocations = 0;
}

std::size_t fivebar_control::test::thread_allocations() { return allocations; }

extern "C" {
void * malloc(std::size_t size)
{
  ++allocations;
  return __libc_malloc(size);
}

void * calloc(std::size_t count, std::size_t size)
{
  ++allocations;
  return __libc_calloc(count, size);
}

void * realloc(void * memory, std::size_t size)
{
  ++allocations;
  return __libc_realloc(memory, size);
}

void * memalign(std::size_t alignment, std::size_t size)
{
  ++allocations;
  return __libc_memalign(alignment, size);
}

void * aligned_alloc(std::size_t alignment, std::size_t size)
{
  ++allocations;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void ** memory, std::size_t alignment, std::size_t size)
{
  ++allocations;
  *memory = __libc_memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}
}
