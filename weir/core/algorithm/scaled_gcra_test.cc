#include "weir/core/algorithm/scaled_gcra.h"

#include <gtest/gtest.h>

#include "test/dice.h"
#include "weir/core/algorithm/gcra.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kNow = 100'000'000'000 * Quota::kTicksPerNano;
constexpr std::int64_t kSecond = 1'000'000'000 * Quota::kTicksPerNano;

Quota BucketOf(std::uint64_t limit, std::uint64_t burst = 0, Duration window = 1s) {
  return MakeQuota({.limit = limit, .window = window, .burst = burst}).value();
}
constexpr Share kQuarter{.part = 1, .whole = 4};

// How many of one-unit charges pass, `every` ticks apart.
int Passed(const Quota& quota, const Share& share, int asked, std::int64_t every) {
  std::uint64_t state = 0;
  int passed = 0;
  for (int i = 0; i < asked; ++i) {
    const Step step = gcra::ChargeScaled(state, quota, kNow + i * every, 1, share);
    state = step.state;
    passed += step.allowed ? 1 : 0;
  }
  return passed;
}

TEST(ScaledGcraTest, AQuarterGrantsAQuarterOfTheBurstAndOfTheRate) {
  const Quota quota = BucketOf(40, 40);
  EXPECT_EQ(Passed(quota, kQuarter, 100, 0), 10);
  EXPECT_EQ(Passed(quota, kQuarter, 1000, kSecond / 100), 10 + 99);
}

TEST(ScaledGcraTest, AWholeShareIsTheBucketItself) {
  SCOPED_TRACE(SeedNote());
  Dice dice(410);
  for (int i = 0; i < 5000; ++i) {
    const Quota quota = BucketOf(dice.Scaled(1, 1000), dice.Scaled(1, 1000));
    const std::uint64_t state = static_cast<std::uint64_t>(kNow) +
                                dice.Between(0, static_cast<std::uint64_t>(quota.tolerance));
    const std::uint64_t cost = dice.Between(0, 50);
    const Step scaled = gcra::ChargeScaled(state, quota, kNow, cost, {});
    const Step plain = gcra::Charge(state, quota, kNow, cost);
    ASSERT_EQ(scaled.allowed, plain.allowed);
    ASSERT_EQ(scaled.state, plain.state);
    ASSERT_EQ(scaled.retry, plain.retry);
  }
}

TEST(ScaledGcraTest, ACostAboveTheLocalBurstNeedsAFullBucketAndLeavesADebt) {
  const Quota quota = BucketOf(40, 40);
  const Step large = gcra::ChargeScaled(0, quota, kNow, 20, kQuarter);
  EXPECT_TRUE(large.allowed);
  EXPECT_EQ(large.used, static_cast<std::uint64_t>(2 * kSecond));
  const Step next = gcra::ChargeScaled(large.state, quota, kNow, 1, kQuarter);
  EXPECT_FALSE(next.allowed);
  EXPECT_EQ(next.retry, 1100ms);
  const Step again = gcra::ChargeScaled(large.state, quota, kNow + kSecond, 20, kQuarter);
  EXPECT_FALSE(again.allowed);
  EXPECT_EQ(again.retry, 1s);
  EXPECT_TRUE(gcra::ChargeScaled(large.state, quota, kNow + 2 * kSecond, 20, kQuarter).allowed);
}

TEST(ScaledGcraTest, ALocalBurstBelowOneIsOne) {
  const Quota quota = BucketOf(1, 1);
  const Step first = gcra::ChargeScaled(0, quota, kNow, 1, kQuarter);
  EXPECT_TRUE(first.allowed);
  EXPECT_FALSE(gcra::ChargeScaled(first.state, quota, kNow + 4 * kSecond - 1, 1, kQuarter).allowed);
  EXPECT_TRUE(gcra::ChargeScaled(first.state, quota, kNow + 4 * kSecond, 1, kQuarter).allowed);
  EXPECT_EQ(gcra::RemainingScaled(quota, 0, kQuarter), 1U);
}

TEST(ScaledGcraTest, WhoWaitsAsLongAsToldPasses) {
  SCOPED_TRACE(SeedNote());
  Dice dice(411);
  for (int i = 0; i < 5000; ++i) {
    const Quota quota = BucketOf(dice.Scaled(1, 1000), dice.Scaled(1, 1000));
    const Share share{.part = dice.Between(1, 20), .whole = 20};
    const std::uint64_t state = static_cast<std::uint64_t>(kNow) +
                                dice.Between(0, static_cast<std::uint64_t>(2 * quota.tolerance));
    const std::uint64_t cost = dice.Between(1, quota.burst);
    const Step step = gcra::ChargeScaled(state, quota, kNow, cost, share);
    if (step.allowed) continue;
    const std::int64_t then = kNow + step.retry.count() * Quota::kTicksPerNano;
    ASSERT_TRUE(gcra::ChargeScaled(state, quota, then, cost, share).allowed);
    ASSERT_FALSE(
        gcra::ChargeScaled(state, quota, then - Quota::kTicksPerNano, cost, share).allowed);
  }
}

TEST(ScaledGcraTest, ACostAboveThePolicysBurstNeverFitsAndAShareOfZeroGrantsNothing) {
  EXPECT_EQ(gcra::ChargeScaled(0, BucketOf(10), kNow, 11, kQuarter).retry, kNeverFits);
  const Share none{.part = 0, .whole = 4};
  EXPECT_FALSE(gcra::ChargeScaled(0, BucketOf(10), kNow, 1, none).allowed);
  EXPECT_TRUE(gcra::ChargeScaled(0, BucketOf(10), kNow, 0, none).allowed);
}

TEST(ScaledGcraTest, AddingWithoutVerdictStopsAtAnEmptyBucket) {
  const Quota quota = BucketOf(40, 40);
  std::uint64_t state = 0;
  for (int i = 0; i < 100; ++i) state = gcra::AddScaled(state, quota, kNow, 1, kQuarter).state;
  EXPECT_EQ(state, static_cast<std::uint64_t>(kNow + quota.tolerance));
  EXPECT_EQ(gcra::RemainingScaled(quota, quota.tolerance, kQuarter), 0U);
}

TEST(ScaledGcraTest, TheLargestNumbersSaturate) {
  const Quota quota = BucketOf(10'000'000, 10'000'000, 24h);
  const Share thin{.part = 1, .whole = 1ULL << 32U};
  EXPECT_EQ(gcra::PriceOf(quota, ~std::uint64_t{0}, thin), gcra::kMostTicks);
  EXPECT_TRUE(gcra::ChargeScaled(0, quota, kNow, 1, thin).allowed);
}

}  // namespace
}  // namespace weir
