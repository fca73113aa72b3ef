#include "weir/core/algorithm/gcra.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "weir/core/quota.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

constexpr Duration kDay = std::chrono::hours(24);

Quota BucketOf(std::uint64_t limit, Duration window, std::uint64_t burst = 0) {
  return MakeQuota({.limit = limit, .window = window, .burst = burst}).value();
}

// One counter under one quota, asked at instants since its origin.
class Bucket {
 public:
  explicit Bucket(const Quota& quota) : quota_(quota) {}

  Step Charge(Duration at, std::uint64_t cost = 1) {
    return Keep(gcra::Charge(state_, quota_, Ticks(at), cost));
  }
  Step Refund(Duration at, std::uint64_t cost) {
    return Keep(gcra::Refund(state_, quota_, Ticks(at), cost));
  }
  std::uint64_t Remaining(Duration at) const {
    return gcra::Remaining(quota_, gcra::Charge(state_, quota_, Ticks(at), 0).used);
  }
  // How many of `hits` single hits, `gap` apart and from zero on, pass.
  std::uint64_t Admit(std::int64_t hits, Duration gap) {
    std::uint64_t admitted = 0;
    for (std::int64_t i = 0; i < hits; ++i) admitted += Charge(gap * i).allowed ? 1 : 0;
    return admitted;
  }
  std::uint64_t state() const { return state_; }

 private:
  static std::int64_t Ticks(Duration d) { return d.count() * Quota::kTicksPerNano; }
  Step Keep(const Step& step) {
    state_ = step.state;
    return step;
  }

  Quota quota_;
  std::uint64_t state_ = 0;
};

TEST(GcraTest, FollowsTheVectorsOfTheSpecification) {
  struct Row {
    Duration at;
    std::uint64_t cost;
    bool allowed;
    std::uint64_t remaining;
    Duration retry;
    Duration reset;
  };
  const std::vector<Row> rows = {
      {0s, 1, true, 4, 0s, 6s},    {0s, 1, true, 3, 0s, 12s},   {0s, 3, true, 0, 0s, 30s},
      {0s, 1, false, 0, 6s, 30s},  {5s, 1, false, 0, 1s, 25s},  {6s, 1, true, 0, 0s, 30s},
      {6s, 2, false, 0, 12s, 30s}, {18s, 2, true, 0, 0s, 30s},  {100s, 6, false, 5, kNeverFits, 0s},
      {100s, 5, true, 0, 0s, 30s}, {106s, 0, true, 1, 0s, 24s},
  };
  const Quota quota = BucketOf(5, 30s);
  Bucket bucket(quota);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    SCOPED_TRACE("row " + std::to_string(i + 1));
    const Row& row = rows.at(i);
    const Step step = bucket.Charge(row.at, row.cost);
    EXPECT_EQ(step.allowed, row.allowed);
    EXPECT_EQ(gcra::Remaining(quota, step.used), row.remaining);
    EXPECT_EQ(step.retry, row.retry);
    EXPECT_EQ(step.reset, row.reset);
  }
}

TEST(GcraTest, TheNextUnitComesWhenThePartGrownOneIsWhole) {
  const Quota quota = BucketOf(5, 30s);
  Bucket bucket(quota);
  EXPECT_EQ(gcra::RoomOf(quota, 0).next, 0s);
  EXPECT_EQ(gcra::RoomOf(quota, bucket.Charge(0s, 5).used).next, 6s);
  EXPECT_EQ(gcra::RoomOf(quota, bucket.Charge(7s, 0).used).next, 5s);
  EXPECT_EQ(gcra::RoomOf(quota, bucket.Charge(29s, 0).used).next, 1s);
  EXPECT_EQ(gcra::RoomOf(quota, bucket.Charge(30s, 0).used).next, 0s);
}

TEST(GcraTest, ADenialLeavesTheStateAsItWas) {
  Bucket bucket(BucketOf(2, 2s));
  (void)bucket.Charge(5s, 2);
  const std::uint64_t before = bucket.state();
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(bucket.Charge(5s).allowed);
  EXPECT_EQ(bucket.state(), before);
  EXPECT_TRUE(bucket.Charge(6s).allowed);
}

TEST(GcraTest, AStateTooFarAheadCountsAsAFullDebtAndNoMore) {
  const Quota quota = BucketOf(5, 30s);
  const auto lost = static_cast<std::uint64_t>(std::int64_t{1} << 62);
  const Step step = gcra::Charge(lost, quota, 0, 1);
  EXPECT_FALSE(step.allowed);
  EXPECT_EQ(step.retry, 6s);
  EXPECT_EQ(step.reset, 30s);
}

TEST(GcraTest, ARefundOpensRoomAtOnceButNeverMoreThanAFullBucket) {
  const Quota quota = BucketOf(5, 30s);
  Bucket bucket(quota);
  (void)bucket.Charge(0s, 5);
  EXPECT_EQ(gcra::Remaining(quota, bucket.Refund(0s, 2).used), 2U);
  EXPECT_TRUE(bucket.Charge(0s, 2).allowed);
  EXPECT_EQ(bucket.Refund(0s, ~std::uint64_t{0}).reset, 0s);
  EXPECT_EQ(bucket.state(), 0U);
  EXPECT_TRUE(bucket.Charge(0s, 5).allowed);
  EXPECT_FALSE(bucket.Charge(0s, 1).allowed);
}

TEST(GcraTest, ARefundToAFullBucketDoesNothing) {
  Bucket bucket(BucketOf(5, 30s));
  const Step step = bucket.Refund(3s, 4);
  EXPECT_TRUE(step.allowed);
  EXPECT_EQ(step.used, 0U);
  EXPECT_EQ(bucket.Remaining(3s), 5U);
}

TEST(GcraTest, C13_TenMillionADayNeitherOverflowsNorForgetsAfterAMonthIdle) {
  Bucket bucket(BucketOf(10'000'000, kDay));
  EXPECT_TRUE(bucket.Charge(0s, 10'000'000).allowed);
  EXPECT_EQ(bucket.Remaining(kDay / 2), 5'000'000U);
  EXPECT_TRUE(bucket.Charge(kDay / 2).allowed);
  EXPECT_EQ(bucket.Remaining(kDay / 2 + 30 * kDay), 10'000'000U);
  EXPECT_TRUE(bucket.Charge(kDay / 2 + 30 * kDay).allowed);
}

TEST(GcraTest, C14_AWaitCountsThePartGrownUnit) {
  Bucket bucket(BucketOf(1, 1s));
  EXPECT_TRUE(bucket.Charge(0s).allowed);
  const Step step = bucket.Charge(200ms);
  EXPECT_FALSE(step.allowed);
  EXPECT_EQ(step.retry, 800ms);
  EXPECT_EQ(CeilSeconds(step.retry), 1);
  EXPECT_FALSE(bucket.Charge(999ms).allowed);
  EXPECT_TRUE(bucket.Charge(1s).allowed);
}

TEST(GcraTest, C15_SpendingKeepsTheRemainderOfTheRefill) {
  Bucket bucket(BucketOf(1, 10s, 10));
  (void)bucket.Charge(0s, 10);
  EXPECT_TRUE(bucket.Charge(25s, 2).allowed);
  EXPECT_EQ(bucket.Charge(29s).retry, 1s);
  EXPECT_TRUE(bucket.Charge(30s).allowed);
}

TEST(GcraTest, C16_SteadyHitsPassAtTheRateWithoutAJumpBackToFull) {
  const Quota quota = BucketOf(3, 1s);
  Bucket bucket(quota);
  std::uint64_t admitted = 0;
  for (int i = 0; i < 100; ++i) {
    const Step step = bucket.Charge(100ms * i);
    admitted += step.allowed ? 1 : 0;
    EXPECT_LE(gcra::Remaining(quota, step.used), 3U);
    if (i == 19) {
      EXPECT_EQ(admitted, 8U);
    }
  }
  EXPECT_EQ(admitted, 32U);
}

TEST(GcraTest, C17_FrequentHitsDoNotStarveTheRefill) {
  Bucket bucket(BucketOf(10, 30s));
  std::vector<int> passed;
  for (int t = 0; t <= 30; ++t) {
    if (bucket.Charge(std::chrono::seconds(t)).allowed) passed.push_back(t);
    if (t == 3) {
      EXPECT_EQ(bucket.Remaining(3s), 7U);
    }
    if (t == 6) {
      EXPECT_EQ(bucket.Remaining(6s), 5U);
    }
    if (t == 9) {
      EXPECT_EQ(bucket.Remaining(9s), 3U);
    }
  }
  EXPECT_EQ(passed, (std::vector<int>{0,  1,  2,  3,  4,  5,  6,  7,  8,  9,
                                      10, 11, 12, 13, 15, 18, 21, 24, 27, 30}));
}

TEST(GcraTest, C18_FiveTimesTheRateStillGetsTheWholeRate) {
  Bucket bucket(BucketOf(1000, 1s));
  std::vector<std::uint64_t> per_second(10);
  std::uint64_t total = 0;
  for (int i = 0; i < 50'000; ++i) {
    if (!bucket.Charge(200us * i).allowed) continue;
    ++per_second.at(static_cast<std::size_t>(i) / 5000);
    ++total;
  }
  EXPECT_GE(total, 9990U);
  EXPECT_LE(total, 11'010U);
  for (std::size_t s = 1; s < per_second.size(); ++s) {
    EXPECT_NEAR(static_cast<double>(per_second.at(s)), 1000, 10) << "second " << s;
  }
}

TEST(GcraTest, C36_AnAskerWhoseClockLagsRefillsNothing) {
  Bucket bucket(BucketOf(10, 1s));
  EXPECT_TRUE(bucket.Charge(100s, 10).allowed);
  EXPECT_FALSE(bucket.Charge(99s).allowed);
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(bucket.Charge(100s).allowed);
}

TEST(GcraTest, C37_AClockSteppedBackNeitherCrashesNorPunishesForLong) {
  Bucket bucket(BucketOf(5, 1s));
  EXPECT_TRUE(bucket.Charge(100s, 3).allowed);
  const Step back = bucket.Charge(89s);
  EXPECT_FALSE(back.allowed);  // Steady time does not step; whoever feeds it other time is safe.
  EXPECT_LE(back.retry, 1s);
  const Step on = bucket.Charge(100s + 500ms);
  EXPECT_TRUE(on.allowed);
  EXPECT_LE(on.reset, 1s);
}

TEST(GcraTest, C51_ALimitOfZeroDeniesEveryCostForEverButNotAPeek) {
  const Quota quota = BucketOf(0, 60s);
  Bucket bucket(quota);
  for (int i = 0; i < 3; ++i) {
    const Step step = bucket.Charge(std::chrono::hours(i));
    EXPECT_FALSE(step.allowed);
    EXPECT_EQ(step.retry, kNeverFits);
    EXPECT_EQ(gcra::Remaining(quota, step.used), 0U);
    EXPECT_EQ(gcra::RoomOf(quota, step.used).next, 0s);
  }
  EXPECT_TRUE(bucket.Charge(0s, 0).allowed);
  EXPECT_TRUE(bucket.Refund(0s, 3).allowed);
  EXPECT_EQ(bucket.state(), 0U);
}

TEST(GcraTest, C53_HighRatesAreNeitherRefusedNorRoundedToNothing) {
  struct Row {
    std::int64_t rate;
    std::uint64_t burst;
  };
  for (const Row row : {Row{2000, 20}, Row{1500, 20}, Row{1'000'000, 100}}) {
    SCOPED_TRACE(row.rate);
    const Quota quota = BucketOf(static_cast<std::uint64_t>(row.rate), 1s, row.burst);
    const auto gap = [&](std::int64_t percent) {
      return Duration(100'000'000'000 / (row.rate * percent) + 1);
    };
    EXPECT_EQ(Bucket(quota).Admit(10'000, gap(90)), 10'000U);
    const std::uint64_t passed = Bucket(quota).Admit(10'000, gap(150));
    EXPECT_GE(passed, 6200U);
    EXPECT_LE(passed, 7200U);
  }
}

TEST(GcraTest, C68_AUnitComesWhenItWasPromisedAndNotAtHalfTheWait) {
  Bucket bucket(BucketOf(6, 60s));
  (void)bucket.Charge(0s, 6);
  EXPECT_EQ(bucket.Charge(0s).retry, 10s);
  EXPECT_EQ(bucket.Charge(5100ms).retry, 4900ms);
  EXPECT_EQ(bucket.Charge(9900ms).retry, 100ms);
  EXPECT_TRUE(bucket.Charge(10s).allowed);
  EXPECT_EQ(bucket.Charge(10'100ms).retry, 9900ms);
}

TEST(GcraTest, C69_ResetIsTheTimeToFullAndRetryTheTimeToOne) {
  Bucket fast(BucketOf(1, 1s, 6));
  (void)fast.Charge(0s, 6);
  const Step seventh = fast.Charge(0s);
  EXPECT_EQ(seventh.retry, 1s);
  EXPECT_EQ(seventh.reset, 6s);

  const Quota quota = BucketOf(30, 60s, 16);
  const Step first = Bucket(quota).Charge(0s);
  EXPECT_EQ(gcra::Remaining(quota, first.used), 15U);
  EXPECT_EQ(first.reset, 2s);
}

TEST(GcraTest, C70_ACostAboveTheBucketNeverFitsAndSpendsNothing) {
  Bucket bucket(BucketOf(5, 10s));
  const Step large = bucket.Charge(0s, 10);
  EXPECT_FALSE(large.allowed);
  EXPECT_EQ(large.retry, kNeverFits);
  EXPECT_EQ(bucket.state(), 0U);
  EXPECT_TRUE(bucket.Charge(0s, 5).allowed);
  EXPECT_EQ(bucket.Remaining(0s), 0U);
  const Step again = bucket.Charge(0s, 5);
  EXPECT_FALSE(again.allowed);
  EXPECT_EQ(again.retry, 10s);
  EXPECT_TRUE(bucket.Charge(10s, 5).allowed);
}

TEST(GcraTest, C79_CostsUpToTheLastNumberAreDeniedWithoutWrappingAround) {
  Bucket bucket(BucketOf(10, 60s));
  for (const std::uint64_t cost :
       {std::uint64_t{1} << 32U, ~std::uint64_t{0} >> 1U, ~std::uint64_t{0}}) {
    EXPECT_EQ(bucket.Charge(0s, cost).retry, kNeverFits);
  }
  EXPECT_TRUE(bucket.Charge(0s).allowed);
}

}  // namespace
}  // namespace weir
