#include "weir/failure/outage_timers.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

using namespace std::chrono_literals;

constexpr Instant kStart{1000s};
constexpr Instant kAlways = Instant::min();

TEST(OutageTimersTest, StartsAtTheFirstUncountedHit) {
  OutageTimers timers;
  EXPECT_EQ(timers.Since(0, 7, kNever, kStart), kStart);
  EXPECT_EQ(timers.Since(0, 7, kNever, kStart + 1h), kStart);
}

TEST(OutageTimersTest, EachNodeAndRuleHasItsOwn) {
  OutageTimers timers;
  timers.Since(0, 7, kNever, kStart);
  EXPECT_EQ(timers.Since(1, 7, kNever, kStart + 1s), kStart + 1s);
  EXPECT_EQ(timers.Since(0, 8, kNever, kStart + 2s), kStart + 2s);
  EXPECT_EQ(timers.Since(0, 7, kNever, kStart + 3s), kStart);
}

TEST(OutageTimersTest, SurvivesFlapsOfLessThanAMinute) {
  OutageTimers timers;
  timers.Since(0, 7, kNever, kStart);
  EXPECT_EQ(timers.Since(0, 7, kStart + 30s, kStart + 89s), kStart);
  EXPECT_EQ(timers.Since(0, 7, kNever, kStart + 100s), kStart);
}

TEST(OutageTimersTest, StartsAgainAfterAMinuteOfAClosedBreaker) {
  OutageTimers timers;
  timers.Since(0, 7, kNever, kStart);
  EXPECT_EQ(timers.Since(0, 7, kStart + 30s, kStart + 90s), kStart + 90s);
}

TEST(OutageTimersTest, AFirstFailureBeforeTheBreakerOpensIsTheBeginning) {
  OutageTimers timers;
  EXPECT_EQ(timers.Since(0, 7, kAlways, kStart), kStart);
  EXPECT_EQ(timers.Since(0, 7, kAlways, kStart + 50ms), kStart);
  EXPECT_EQ(timers.Since(0, 7, kNever, kStart + 60ms), kStart);
}

TEST(OutageTimersTest, StrayFailuresUnderABreakerThatNeverOpensAddUpToNothing) {
  OutageTimers timers;
  Instant began{};
  for (int i = 0; i < 100; ++i) began = timers.Since(0, 7, kAlways, kStart + i * 40s);
  EXPECT_GE(began, kStart + 98 * 40s);
}

TEST(OutageTimersTest, AtItsBoundTheOneLeastRecentlyUsedStartsAgain) {
  OutageTimers timers(8);
  for (std::uint64_t rule = 0; rule < 1000; ++rule) {
    timers.Since(0, rule, kNever, kStart + std::chrono::seconds(rule));
  }
  EXPECT_EQ(timers.Since(0, 999, kNever, kStart + 2000s), kStart + 999s);
  EXPECT_EQ(timers.Since(0, 0, kNever, kStart + 2000s), kStart + 2000s);
}

}  // namespace
}  // namespace weir
