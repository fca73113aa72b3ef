#include "weir/core/shared_quota.h"

#include <gtest/gtest.h>

#include "test/dice.h"
#include "weir/core/algorithm/gcra.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

Quota Bucket(std::uint64_t limit, Duration window, std::uint64_t burst = 0) {
  return MakeQuota({.limit = limit, .window = window, .burst = burst}).value();
}

TEST(SharedTicksTest, CountsSixteenthsOfAMicrosecondSince2025) {
  EXPECT_EQ(SharedTicks::TickOf(SharedTicks::kOrigin), 0);
  EXPECT_EQ(SharedTicks::TickOf(SharedTicks::kOrigin + 1s), SharedTicks::kPerSecond);
  EXPECT_EQ(SharedTicks::TickOf(SharedTicks::kOrigin - 1ns), -1);
  EXPECT_EQ(SharedTicks::TickOf(SharedTicks::kOrigin + 62ns), 0);
  EXPECT_EQ(SharedTicks::TickOf(SharedTicks::kOrigin + 63ns), 1);
  EXPECT_EQ(SharedTicks::TicksIn(1us), 16);
  for (const std::int64_t micros : {0LL, 1LL, 999'999LL, 536'000'000'000'000LL}) {
    const WallTime wall = SharedTicks::WallOf(micros * SharedTicks::kPerMicro);
    EXPECT_EQ(wall, SharedTicks::kOrigin + std::chrono::microseconds(micros));
    EXPECT_EQ(SharedTicks::TickOf(wall), micros * SharedTicks::kPerMicro);
  }
}

TEST(SharedTicksTest, AreExactInADoubleFor17Years) {
  const WallTime end = SharedTicks::kOrigin + 17 * 365 * 24h;
  EXPECT_LT(SharedTicks::TickOf(end), std::int64_t{1} << 53);
}

TEST(SharedQuotaTest, RoundsTheIntervalUpToWholeTicks) {
  const Quota quota = Bucket(3, 1s);
  const Quota shared = SharedQuota(quota).value();
  EXPECT_EQ(shared.interval % SharedTicks::kQuotaTicks, 0);
  EXPECT_GE(shared.interval, quota.interval);
  EXPECT_EQ(shared.tolerance, 3 * shared.interval);
  EXPECT_EQ(SharedInterval(quota), 5'333'334);
}

TEST(SharedQuotaTest, RefusesARateThatRoundingWouldCutByMoreThanAThousandth) {
  EXPECT_TRUE(SharedQuota(Bucket(1'000'000, 1s)).ok());  // 16 ticks, exactly.
  EXPECT_TRUE(SharedQuota(Bucket(15'999, 1s)).ok());
  const auto refused = SharedQuota(Bucket(30'000, 1s));  // 533.3 ticks.
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().find("0.1 %"), std::string::npos);
  EXPECT_FALSE(FitsSharedStore(Bucket(30'000, 1s)));
}

TEST(SharedQuotaTest, RefusesAWindowBetweenTwoMicroseconds) {
  const Quota odd =
      MakeQuota({.algorithm = Algorithm::kFixedWindow, .limit = 1, .window = Duration(1'000'001)})
          .value();
  EXPECT_FALSE(SharedQuota(odd).ok());
  EXPECT_FALSE(FitsSharedStore(odd));
}

TEST(SharedQuotaTest, ALimitOfZeroIsFine) {
  const Quota none = Bucket(0, 1s);
  EXPECT_EQ(SharedQuota(none).value(), none);
  EXPECT_EQ(SharedInterval(none), 0);
  EXPECT_EQ(UsedOfShared(none, 0), 0U);
}

TEST(SharedQuotaTest, AnUsedLevelKeepsItsWholeUnits) {
  SCOPED_TRACE(SeedNote());
  Dice dice(31);
  for (int i = 0; i < 50'000; ++i) {
    const auto made = MakeQuota({.limit = dice.Scaled(1, 1'000'000),
                                 .window = std::chrono::seconds(dice.Between(1, 3600)),
                                 .burst = dice.Scaled(1, 100'000)});
    if (!made.ok()) continue;
    const Quota& quota = *made;
    const auto shared = SharedQuota(quota);
    EXPECT_EQ(shared.ok(), FitsSharedStore(quota));
    if (!shared.ok()) continue;
    const auto most = static_cast<std::uint64_t>(shared->tolerance / SharedTicks::kQuotaTicks);
    std::uint64_t ticks = dice.Between(0, most);
    if (dice.OneIn(3)) ticks -= ticks % static_cast<std::uint64_t>(SharedInterval(quota));
    const std::uint64_t used = UsedOfShared(quota, ticks);
    ASSERT_LE(used, static_cast<std::uint64_t>(quota.tolerance));
    ASSERT_EQ(gcra::Remaining(quota, used),
              gcra::Remaining(*shared, ticks * SharedTicks::kQuotaTicks));
  }
}

}  // namespace
}  // namespace weir
