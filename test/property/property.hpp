// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "fivebar_control/support/random.hpp"

namespace fivebar_control::test
{

/// Calls check(random) for many seeds, which are the same in every run, and stops at the first that
/// fails. Environment: FIVEBAR_PROPERTY_SEED=N runs that one case, FIVEBAR_PROPERTY_FIRST=N takes
/// the seeds from N on.
template <class Check>
void for_all(int cases, Check && check)
{
  const auto variable = [](const char * name, std::uint64_t fallback) {
    const char * text = std::getenv(name);
    return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
  };
  const bool replay = std::getenv("FIVEBAR_PROPERTY_SEED") != nullptr;
  const std::uint64_t first =
    replay ? variable("FIVEBAR_PROPERTY_SEED", 0) : variable("FIVEBAR_PROPERTY_FIRST", 1);
  const std::uint64_t count = replay ? 1 : static_cast<std::uint64_t>(cases);
  const testing::TestInfo & info = *testing::UnitTest::GetInstance()->current_test_info();
  const auto begin = std::chrono::steady_clock::now();
  for (std::uint64_t seed = first; seed < first + count; ++seed)
  {
    Random random(seed);
    check(random);
    if (testing::Test::HasFailure() || testing::Test::IsSkipped())
    {
      ADD_FAILURE() << "the property does not hold for seed " << seed
                    << "; replay: FIVEBAR_PROPERTY_SEED=" << seed
                    << " test_property --gtest_filter=" << info.test_suite_name() << '.'
                    << info.name();
      return;
    }
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  std::printf(
    "[ property ] %8llu cases %7.2f s  %s.%s\n", static_cast<unsigned long long>(count),
    elapsed.count(), info.test_suite_name(), info.name());
}

/// Any finite number, from the smallest denormal to the largest, and often an ordinary one.
inline double any_finite(Random & random)
{
  if (random.chance(0.5))
  {
    return random.uniform(-20.0, 20.0);
  }
  for (;;)
  {
    const double number = std::bit_cast<double>(random.bits());
    if (number - number == 0.0)
    {
      return number;
    }
  }
}

/// Whatever fits into a double, with the special ones far more often than by chance.
inline double any_double(Random & random)
{
  using Limit = std::numeric_limits<double>;
  static constexpr std::array<double, 10> special{
    Limit::quiet_NaN(),  Limit::infinity(), -Limit::infinity(),   Limit::max(), Limit::lowest(),
    Limit::denorm_min(), Limit::min(),      -Limit::denorm_min(), -0.0,         0.0};
  return random.chance(0.3) ? random.pick(special) : any_finite(random);
}

}  // namespace fivebar_control::test
