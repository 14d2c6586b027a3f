// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cmath>
#include <numeric>
#include <random>

#include "fivebar_control/report/decimation.hpp"

namespace fivebar_control
{
namespace
{

std::vector<double> noise(std::size_t size, unsigned seed)
{
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  std::vector<double> values(size);
  std::generate(values.begin(), values.end(), [&] { return normal(generator); });
  return values;
}

}  // namespace

TEST(Decimation, KeepsAllRowsOfAShortRecord)
{
  const std::vector<double> values = noise(400, 1);
  const auto rows = rows_to_draw({values}, values.size(), 100);
  ASSERT_EQ(rows.size(), 400u);
  EXPECT_EQ(rows[123], 123u);
}

TEST(Decimation, KeepsASpikeOfOneRowInTenMinutes)
{
  for (unsigned seed = 0; seed < 20; ++seed)
  {
    std::vector<double> values(600000, 0.0);
    std::mt19937 generator(seed);
    const std::size_t spike = generator() % values.size();
    values[spike] = seed % 2 == 0 ? 1.0 : -1.0;
    const auto rows = rows_to_draw({values}, values.size(), 1500);
    EXPECT_LE(rows.size(), 6000u);
    EXPECT_THAT(rows, testing::Contains(spike));
  }
}

TEST(Decimation, KeepsTheExtremesOfEveryBucketOfEveryChannelInOrder)
{
  const std::vector<double> x = noise(10007, 2);
  const std::vector<double> y = noise(10007, 3);
  constexpr std::size_t buckets = 97;
  const auto rows = rows_to_draw({x, y}, x.size(), buckets);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  EXPECT_EQ(std::adjacent_find(rows.begin(), rows.end()), rows.end());
  EXPECT_EQ(rows.front(), 0u);
  EXPECT_EQ(rows.back(), x.size() - 1);
  for (const std::vector<double> * channel : {&x, &y})
  {
    for (std::size_t b = 0; b < buckets; ++b)
    {
      const auto begin = channel->begin() + static_cast<std::ptrdiff_t>(x.size() * b / buckets);
      const auto end = channel->begin() + static_cast<std::ptrdiff_t>(x.size() * (b + 1) / buckets);
      const auto highest = std::max_element(begin, end) - channel->begin();
      const auto lowest = std::min_element(begin, end) - channel->begin();
      ASSERT_TRUE(std::binary_search(rows.begin(), rows.end(), static_cast<std::size_t>(highest)));
      ASSERT_TRUE(std::binary_search(rows.begin(), rows.end(), static_cast<std::size_t>(lowest)));
    }
  }
}

TEST(Decimation, TakesAnEmptyRecord) { EXPECT_TRUE(rows_to_draw({}, 0, 10).empty()); }

}  // namespace fivebar_control
