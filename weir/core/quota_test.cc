#include "weir/core/quota.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "test/dice.h"
#include "weir/base/wide.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

constexpr Algorithm kAll[] = {Algorithm::kTokenBucket, Algorithm::kFixedWindow,
                              Algorithm::kSlidingWindow};

TEST(QuotaTest, AUnitSetsTheWindowWhateverElseWasSaid) {
  const Quota quota = MakeQuota({.limit = 5, .window = 10s, .unit = Unit::kMinute}).value();
  EXPECT_EQ(quota.window, 60s);
  EXPECT_EQ(quota.unit, Unit::kMinute);
}

TEST(QuotaTest, TheBurstIsTheLimitUnlessGiven) {
  EXPECT_EQ(MakeQuota({.limit = 5, .window = 10s}).value().burst, 5U);
  EXPECT_EQ(MakeQuota({.limit = 5, .window = 10s, .burst = 9}).value().capacity(), 9U);
  const Quota window =
      MakeQuota({.algorithm = Algorithm::kFixedWindow, .limit = 5, .window = 10s}).value();
  EXPECT_EQ(window.capacity(), 5U);
}

TEST(QuotaTest, ABucketKnowsItsIntervalAndToleranceInTicks) {
  const Quota quota = MakeQuota({.limit = 5, .window = 30s}).value();
  EXPECT_EQ(quota.interval, Duration(6s).count() * Quota::kTicksPerNano);
  EXPECT_EQ(quota.tolerance, 5 * quota.interval);
}

TEST(QuotaTest, WindowsLastFromAMillisecondToAYearOfLeap) {
  for (const Algorithm algorithm : kAll) {
    const auto make = [algorithm](Duration window) {
      return MakeQuota({.algorithm = algorithm, .limit = 1, .window = window});
    };
    EXPECT_TRUE(make(kShortestWindow).ok());
    EXPECT_TRUE(make(kLongestWindow).ok());
    EXPECT_FALSE(make(kShortestWindow - 1ns).ok());
    EXPECT_FALSE(make(kLongestWindow + 1ns).ok());
    EXPECT_FALSE(make(0s).ok());
    EXPECT_FALSE(make(-1s).ok());
    EXPECT_FALSE(make(Duration::min()).ok());
    EXPECT_FALSE(make(Duration::max()).ok());
  }
}

TEST(QuotaTest, LimitsAndBurstsEndBelowTheLargestCount) {
  for (const Algorithm algorithm : kAll) {
    EXPECT_TRUE(MakeQuota({.algorithm = algorithm, .limit = kLargestLimit, .window = 1s}).ok());
    EXPECT_FALSE(
        MakeQuota({.algorithm = algorithm, .limit = kLargestLimit + 1, .window = 1s}).ok());
    EXPECT_FALSE(
        MakeQuota({.algorithm = algorithm, .limit = ~std::uint64_t{0}, .window = 1s}).ok());
  }
  EXPECT_FALSE(MakeQuota({.limit = 1, .window = 1s, .burst = kLargestLimit + 1}).ok());
}

TEST(QuotaTest, ABurstOnAWindowIsAnError) {
  for (const Algorithm algorithm : {Algorithm::kFixedWindow, Algorithm::kSlidingWindow}) {
    const auto made = MakeQuota({.algorithm = algorithm, .limit = 5, .window = 1s, .burst = 5});
    ASSERT_FALSE(made.ok());
    EXPECT_NE(made.error().find("burst"), std::string::npos);
  }
}

TEST(QuotaTest, CalendarWindowsAreFixedMonthsOnly) {
  const auto make = [](Algorithm algorithm, Unit unit) {
    return MakeQuota(
        {.algorithm = algorithm, .limit = 5, .window = 1s, .unit = unit, .calendar = true});
  };
  EXPECT_TRUE(make(Algorithm::kFixedWindow, Unit::kMonth).ok());
  EXPECT_FALSE(make(Algorithm::kSlidingWindow, Unit::kMonth).ok());
  EXPECT_FALSE(make(Algorithm::kTokenBucket, Unit::kMonth).ok());
  EXPECT_FALSE(make(Algorithm::kFixedWindow, Unit::kDay).ok());
  EXPECT_FALSE(make(Algorithm::kFixedWindow, Unit::kUnknown).ok());
}

TEST(QuotaTest, ABucketRefillsWithinTwoYears) {
  EXPECT_FALSE(MakeQuota({.limit = 1, .window = 1s, .burst = 1'000'000'000}).ok());
  EXPECT_FALSE(MakeQuota({.limit = 1, .window = kLongestWindow, .burst = kLargestLimit}).ok());
  // The bound itself, 2^62 ticks, would leave no room for an equally late `now`.
  const Duration window(std::int64_t{1} << 54);
  EXPECT_FALSE(MakeQuota({.limit = 1, .window = window, .burst = 4}).ok());
  EXPECT_TRUE(MakeQuota({.limit = 1, .window = window - 1ns, .burst = 4}).ok());
}

TEST(QuotaTest, C50_ABurstOfZeroMeansTheLimitAndNeverNoLimit) {
  const Quota quota = MakeQuota({.limit = 1, .window = 1s, .burst = 0}).value();
  EXPECT_EQ(quota.burst, 1U);
  EXPECT_EQ(quota.tolerance, quota.interval);
}

TEST(QuotaTest, C51_ALimitOfZeroIsAQuotaThatGrantsNothing) {
  for (const Algorithm algorithm : kAll) {
    const Quota quota = MakeQuota({.algorithm = algorithm, .limit = 0, .window = 60s}).value();
    EXPECT_EQ(quota.capacity(), 0U);
    EXPECT_EQ(quota.interval, 0);
  }
}

TEST(QuotaTest, C54_ALimitOfZeroWithABurstIsRefusedAndNotReplacedByADefault) {
  const auto made = MakeQuota({.limit = 0, .window = 60s, .burst = 3});
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().find("never refills"), std::string::npos);
}

TEST(QuotaTest, C53_HighRatesKeepAnIntervalOfAtLeastATick) {
  for (const std::uint64_t limit : {std::uint64_t{1500}, std::uint64_t{2000},
                                    std::uint64_t{1'000'000}, std::uint64_t{0xffff'ffff}}) {
    const Quota quota = MakeQuota({.limit = limit, .window = 1s}).value();
    EXPECT_GE(quota.interval, 1) << limit;
  }
}

TEST(QuotaTest, C55_TheLargestWireLimitFitsEveryUnitAndAlgorithm) {
  for (const Algorithm algorithm : kAll) {
    for (std::uint64_t unit = 1; unit <= 7; ++unit) {
      EXPECT_TRUE(
          MakeQuota({.algorithm = algorithm, .limit = 0xffff'ffff, .unit = UnitFromWire(unit)})
              .ok());
    }
  }
}

TEST(QuotaTest, SixtyMillionASecondLoseLessThanAThousandthToRounding) {
  for (std::uint64_t limit = 1; limit <= 60'000'000; limit = limit * 3 + 1) {
    const Quota quota = MakeQuota({.limit = limit, .window = 1s}).value();
    const Wide rounded = static_cast<Wide>(quota.interval) * limit;
    EXPECT_LE(rounded * 1000, Wide{64'000'000'000} * 1001) << limit;
  }
}

TEST(QuotaPropertyTest, TheIntervalIsRoundedUpAndByLessThanATick) {
  SCOPED_TRACE(SeedNote());
  Dice dice(60);
  for (int i = 0; i < 20'000; ++i) {
    const auto window = static_cast<std::int64_t>(dice.Scaled(1'000'000, 31'622'400'000'000'000));
    const auto made =
        MakeQuota({.limit = dice.Scaled(1, kLargestLimit), .window = Duration(window)});
    if (!made.ok()) continue;  // Rounding up by less than a tick can exceed two years in total.
    const Wide ticks = static_cast<Wide>(window) * Quota::kTicksPerNano;
    const auto interval = static_cast<Wide>(made.value().interval);
    ASSERT_TRUE(interval * made.value().limit >= ticks);
    ASSERT_TRUE((interval - 1) * made.value().limit < ticks);
  }
}

TEST(QuotaTest, AlgorithmsAreCalledAsTheConfigurationCallsThem) {
  EXPECT_EQ(NameOf(Algorithm::kTokenBucket), "token_bucket");
  EXPECT_EQ(NameOf(Algorithm::kFixedWindow), "fixed_window");
  EXPECT_EQ(NameOf(Algorithm::kSlidingWindow), "sliding_window");
}

}  // namespace
}  // namespace weir
