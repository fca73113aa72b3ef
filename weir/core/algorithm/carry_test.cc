#include "weir/core/algorithm/carry.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "test/dice.h"
#include "weir/core/algorithm/fixed_window.h"
#include "weir/core/algorithm/gcra.h"
#include "weir/core/algorithm/sliding_window.h"
#include "weir/core/quota.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kWall{std::chrono::seconds(1'699'999'205)};
constexpr std::int64_t kTicks = 1000 * Quota::kTicksPerNano;

Quota QuotaOf(Algorithm algorithm, std::uint64_t limit, Duration window, std::uint64_t burst = 0) {
  return MakeQuota({.algorithm = algorithm, .limit = limit, .window = window, .burst = burst})
      .value();
}
Quota BucketOf(std::uint64_t limit, Duration window, std::uint64_t burst = 0) {
  return QuotaOf(Algorithm::kTokenBucket, limit, window, burst);
}
Quota FixedOf(std::uint64_t limit, Duration window = 60s) {
  return QuotaOf(Algorithm::kFixedWindow, limit, window);
}

Step ChargeAt(const Quota& quota, std::uint64_t state, std::uint64_t cost) {
  switch (quota.algorithm) {
    case Algorithm::kTokenBucket:
      return gcra::Charge(state, quota, kTicks, cost);
    case Algorithm::kFixedWindow:
      return fixed_window::Charge(state, quota, kWall, cost);
    case Algorithm::kSlidingWindow:
      return sliding_window::Charge(0, state, quota, kWall, cost);
  }
  return {};
}
std::uint64_t RemainingAt(const Quota& quota, std::uint64_t state) {
  const std::uint64_t used = ChargeAt(quota, state, 0).used;
  return quota.algorithm == Algorithm::kTokenBucket ? gcra::Remaining(quota, used)
                                                    : quota.limit - used;
}

// A counter whose rule is changed under it.
class Carried {
 public:
  explicit Carried(const Quota& quota) : quota_(quota) {}

  bool Charge(std::uint64_t cost = 1) {
    const Step step = ChargeAt(quota_, state_, cost);
    state_ = step.state;
    return step.allowed;
  }
  void ChangeTo(const Quota& next) {
    const std::uint64_t used = ChargeAt(quota_, state_, 0).used;
    state_ = StateAt(next, FractionOf(quota_, used), kTicks, kWall);
    quota_ = next;
  }
  std::uint64_t Remaining() const { return RemainingAt(quota_, state_); }

 private:
  Quota quota_;
  std::uint64_t state_ = 0;
};

TEST(CarryTest, AnUntouchedCounterStaysUntouched) {
  for (const Quota& next : {BucketOf(3, 60s), FixedOf(3)}) {
    EXPECT_EQ(StateAt(next, FractionOf(BucketOf(10, 60s), 0), kTicks, kWall), 0U);
    EXPECT_EQ(StateAt(next, FractionOf(FixedOf(0), 0), kTicks, kWall), 0U);
    EXPECT_EQ(StateAt(next, FractionOf(BucketOf(0, 60s), 0), kTicks, kWall), 0U);
  }
}

TEST(CarryTest, ALoweredLimitScalesWhatIsLeft) {
  Carried bucket(BucketOf(100, 60s));
  EXPECT_TRUE(bucket.Charge(50));
  bucket.ChangeTo(BucketOf(10, 60s));
  EXPECT_EQ(bucket.Remaining(), 5U);
  Carried window(FixedOf(100));
  EXPECT_TRUE(window.Charge(50));
  window.ChangeTo(FixedOf(10));
  EXPECT_EQ(window.Remaining(), 5U);
}

TEST(CarryTest, AnExhaustedCounterStaysExhaustedUnderALowerLimit) {
  Carried bucket(BucketOf(100, 60s));
  EXPECT_TRUE(bucket.Charge(100));
  bucket.ChangeTo(BucketOf(10, 60s));
  EXPECT_FALSE(bucket.Charge());
  Carried window(FixedOf(100));
  EXPECT_TRUE(window.Charge(100));
  window.ChangeTo(FixedOf(10));
  EXPECT_FALSE(window.Charge());
}

TEST(CarryTest, ALevelMovesBetweenAlgorithms) {
  Carried counter(BucketOf(10, 60s));
  EXPECT_TRUE(counter.Charge(4));
  counter.ChangeTo(FixedOf(10));
  EXPECT_EQ(counter.Remaining(), 6U);
  counter.ChangeTo(QuotaOf(Algorithm::kSlidingWindow, 10, 60s));
  EXPECT_EQ(counter.Remaining(), 6U);
  counter.ChangeTo(BucketOf(10, 60s));
  EXPECT_EQ(counter.Remaining(), 6U);
}

TEST(CarryTest, ACountAboveTheLimitCountsAsExhausted) {
  const LevelFraction level = FractionOf(FixedOf(10), 50);
  EXPECT_EQ(level.used, level.whole);
}

TEST(CarryTest, C104_ALoweredThenRaisedLimitReachesKnownKeysAtOnce) {
  for (const Algorithm algorithm :
       {Algorithm::kTokenBucket, Algorithm::kFixedWindow, Algorithm::kSlidingWindow}) {
    SCOPED_TRACE(NameOf(algorithm));
    Carried counter(QuotaOf(algorithm, 5, 60s));
    EXPECT_TRUE(counter.Charge(3));
    counter.ChangeTo(QuotaOf(algorithm, 4, 60s));
    EXPECT_TRUE(counter.Charge());
    EXPECT_FALSE(counter.Charge());
    counter.ChangeTo(QuotaOf(algorithm, 100, 60s));
    EXPECT_TRUE(counter.Charge());
  }
}

TEST(CarryTest, C106_ALimitRaisedInTheMiddleOfAWindowFreesTheDifference) {
  for (const Algorithm algorithm :
       {Algorithm::kTokenBucket, Algorithm::kFixedWindow, Algorithm::kSlidingWindow}) {
    SCOPED_TRACE(NameOf(algorithm));
    Carried counter(QuotaOf(algorithm, 10, 1h));
    EXPECT_TRUE(counter.Charge(10));
    counter.ChangeTo(QuotaOf(algorithm, 20, 1h));
    EXPECT_TRUE(counter.Charge(10));
    EXPECT_FALSE(counter.Charge());
  }
}

TEST(CarryTest, C107_ARaisedRateNeverTurnsRoomIntoNone) {
  Carried counter(BucketOf(10, 20s, 16));  // The case's burst of 15 comes on top of one.
  EXPECT_TRUE(counter.Charge(4));
  EXPECT_EQ(counter.Remaining(), 12U);
  counter.ChangeTo(BucketOf(1000, 20s, 16));
  EXPECT_TRUE(counter.Charge());
  EXPECT_GE(counter.Remaining(), 11U);
}

TEST(CarryPropertyTest, ARaisedCapacityKeepsAllRoomAndALoweredOneKeepsItsShare) {
  SCOPED_TRACE(SeedNote());
  Dice dice(50);
  for (int round = 0; round < 20'000; ++round) {
    const auto draw = [&dice] {
      const auto algorithm = static_cast<Algorithm>(dice.Between(0, 2));
      const auto window = static_cast<std::int64_t>(dice.Scaled(1'000'000'000, 100'000'000'000));
      return QuotaOf(algorithm, dice.Scaled(1, 1'000'000), Duration(window));
    };
    const Quota before = draw();
    const Quota after = draw();
    Carried counter(before);
    if (!counter.Charge(dice.Between(1, before.burst))) FAIL();
    const std::uint64_t room = counter.Remaining();
    const std::uint64_t spent = before.burst - room;
    counter.ChangeTo(after);
    const std::uint64_t left = counter.Remaining();
    ASSERT_LE(left, after.burst);
    if (after.burst >= before.burst) {
      ASSERT_GE(left, room);
      ASSERT_GE(left + 1, after.burst - spent);
      ASSERT_LE(left, after.burst - spent);
    } else {
      // room / before.burst of after.burst, to within one unit.
      ASSERT_LE(left, room * after.burst / before.burst + 1);
      ASSERT_GE(left + 1, room * after.burst / before.burst);
    }
  }
}

TEST(CarryPropertyTest, AWindowWithRoomKeepsAtLeastOneUnitOfIt) {
  SCOPED_TRACE(SeedNote());
  Dice dice(51);
  for (int round = 0; round < 20'000; ++round) {
    const std::uint64_t before = dice.Scaled(2, kLargestLimit);
    Carried counter(FixedOf(before));
    ASSERT_TRUE(counter.Charge(dice.OneIn(2) ? before - 1 : dice.Between(1, before - 1)));
    counter.ChangeTo(FixedOf(dice.Scaled(1, kLargestLimit)));
    ASSERT_GE(counter.Remaining(), 1U);
  }
}

}  // namespace
}  // namespace weir
