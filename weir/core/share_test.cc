#include "weir/core/share.h"

#include <gtest/gtest.h>

#include "test/dice.h"

namespace weir {
namespace {

Share Even(std::uint64_t n, std::uint64_t rank) {
  return {.part = 1, .whole = n, .rank = rank};
}

TEST(ShareTest, TenOverFourIsThreeThreeTwoTwo) {
  EXPECT_EQ(PartOf(10, Even(4, 0)), 3U);
  EXPECT_EQ(PartOf(10, Even(4, 1)), 3U);
  EXPECT_EQ(PartOf(10, Even(4, 2)), 2U);
  EXPECT_EQ(PartOf(10, Even(4, 3)), 2U);
}

TEST(ShareTest, RankedPartsSumToTheWholeWhateverTheNumbers) {
  SCOPED_TRACE(SeedNote());
  Dice dice(400);
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t units = dice.Scaled(1, std::uint64_t{1} << 40U);
    const std::uint64_t n = dice.Scaled(1, 200);
    std::uint64_t sum = 0;
    for (std::uint64_t rank = 0; rank < n; ++rank) sum += PartOf(units, Even(n, rank));
    ASSERT_EQ(sum, units) << units << " over " << n;
  }
}

TEST(ShareTest, WithoutARankEveryoneTakesTheFloor) {
  EXPECT_EQ(PartOf(10, Share{.part = 1, .whole = 4}), 2U);
  EXPECT_EQ(PartOf(10, Share{.part = 3, .whole = 4}), 7U);
}

TEST(ShareTest, AnInstanceGetsAtLeastOneOfALimitUnlessStrict) {
  EXPECT_EQ(CapOf(2, Even(4, 3), false), 1U);
  EXPECT_EQ(CapOf(2, Even(4, 3), true), 0U);
  EXPECT_EQ(CapOf(0, Even(4, 0), false), 0U);
}

TEST(ShareTest, TogetherTheyAdmitAtMostTheLimitOrOneEach) {
  for (std::uint64_t limit = 0; limit < 30; ++limit) {
    for (std::uint64_t n = 1; n < 12; ++n) {
      std::uint64_t sum = 0;
      for (std::uint64_t rank = 0; rank < n; ++rank) sum += CapOf(limit, Even(n, rank), false);
      ASSERT_EQ(sum, limit == 0 ? 0 : std::max(limit, n));
    }
  }
}

TEST(ShareTest, TheLargestNumbersDoNotOverflow) {
  const std::uint64_t most = (std::uint64_t{1} << 40U) - 2;
  EXPECT_EQ(PartOf(most, Share{.part = 1ULL << 32U, .whole = 1ULL << 32U}), most);
}

}  // namespace
}  // namespace weir
