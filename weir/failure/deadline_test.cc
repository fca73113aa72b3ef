#include "weir/failure/deadline.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

using namespace std::chrono_literals;

TEST(DeadlineTest, KeepsAMillisecondOrATenthForTheWayBack) {
  EXPECT_EQ(BudgetOf(20ms), 18ms);
  EXPECT_EQ(BudgetOf(5ms), 4ms);
  EXPECT_EQ(BudgetOf(1s), 900ms);
}

TEST(DeadlineTest, NothingIsLeftOfAMillisecond) {
  EXPECT_LE(BudgetOf(1ms), 0ms);
  EXPECT_LE(BudgetOf(100us), 0ms);
}

TEST(DeadlineTest, TheEarlierOfTheTimeoutAndTheCallerDecides) {
  const Instant now{5s};
  EXPECT_EQ(DeadlineOf(now, 10ms, kNever), now + 10ms);
  EXPECT_EQ(DeadlineOf(now, 10ms, now + BudgetOf(20ms)), now + 10ms);
  EXPECT_EQ(DeadlineOf(now, 10ms, now + BudgetOf(5ms)), now + 4ms);
}

TEST(DeadlineTest, AConnectionIsDroppedAfterASecondOrTenTimeouts) {
  EXPECT_EQ(DropAfter(10ms), 1s);
  EXPECT_EQ(DropAfter(250ms), 2500ms);
}

TEST(DeadlineTest, ACallIsLateWhenItsTimeoutHasPassedSinceItWasSent) {
  EXPECT_FALSE(IsLate(Instant(1s), 10ms, Instant(1s) + 10ms - 1ns));
  EXPECT_TRUE(IsLate(Instant(1s), 10ms, Instant(1s) + 10ms));
}

class TimeoutTest : public testing::Test {
 protected:
  // One lesson of 10 s with calls that take this long; one in 500 of them `slow`.
  void Teach(Duration usual, Duration slow, int calls = 5000) {
    for (int i = 0; i < calls; ++i) timeout_.Add(i % 500 == 0 ? slow : usual);
    now_ += TimeoutOptions::kLesson;
    timeout_.Learn(now_);
  }
  void Begin() { timeout_.Learn(now_); }

  Timeout timeout_{{.automatic = true}};
  Instant now_{100s};
};

TEST_F(TimeoutTest, IsTenMillisecondsUnlessTold) {
  EXPECT_EQ(Timeout({}).value(), 10ms);
  EXPECT_EQ(Timeout({.timeout = 25ms}).value(), 25ms);
}

TEST_F(TimeoutTest, AutoIsTwiceTheHealthyTail) {
  Begin();
  Teach(1ms, 8ms);
  EXPECT_GE(timeout_.value(), 16ms);
  EXPECT_LE(timeout_.value(), 17500us);
  EXPECT_GE(timeout_.p99(), 1ms);
  EXPECT_LE(timeout_.p99(), 1100us);
}

TEST_F(TimeoutTest, AutoStaysBetweenFiveAndFiftyMilliseconds) {
  Begin();
  Teach(100us, 200us);
  EXPECT_EQ(timeout_.value(), 5ms);
  for (int i = 0; i < 5; ++i) Teach(40ms, 200ms);
  EXPECT_EQ(timeout_.value(), 50ms);
}

TEST_F(TimeoutTest, AnOutageTeachesNothing) {
  Begin();
  Teach(1ms, 8ms);
  const Duration before = timeout_.value();
  timeout_.Spoil();
  Teach(45ms, 45ms);
  EXPECT_EQ(timeout_.value(), before);
  Teach(1ms, 8ms);
  EXPECT_EQ(timeout_.value(), before);
}

TEST_F(TimeoutTest, WhatWasGatheredBeforeTheFirstLessonBeganTeachesNothing) {
  Teach(45ms, 45ms);
  EXPECT_EQ(timeout_.value(), 10ms);
}

TEST_F(TimeoutTest, FewCallsTeachNothing) {
  Begin();
  Teach(1ms, 1ms, 999);
  EXPECT_EQ(timeout_.value(), 10ms);
}

TEST_F(TimeoutTest, OldLessonsFade) {
  Begin();
  Teach(20ms, 20ms);
  EXPECT_GT(timeout_.value(), 40ms);
  for (int i = 0; i < 12; ++i) Teach(1ms, 1ms);
  EXPECT_EQ(timeout_.value(), 5ms);
}

TEST_F(TimeoutTest, AFixedTimeoutStaysAndWarnsWhenHealthyCallsComeCloseToIt) {
  Timeout fixed({.timeout = 10ms});
  fixed.Learn(now_);
  for (int i = 0; i < 5000; ++i) fixed.Add(6ms);
  fixed.Learn(now_ + TimeoutOptions::kLesson);
  EXPECT_EQ(fixed.value(), 10ms);
  EXPECT_TRUE(fixed.Tight());
  EXPECT_FALSE(timeout_.Tight());
}

TEST_F(TimeoutTest, BucketsAreASixteenthWideAndCoverEveryLatency) {
  for (std::int64_t us = 0; us < 3'000'000; us += 1 + us / 50) {
    const std::size_t bucket = Timeout::BucketOf(std::chrono::microseconds(us));
    ASSERT_GT(Timeout::UpperEdgeOf(bucket), std::chrono::microseconds(us));
    ASSERT_LE(Timeout::UpperEdgeOf(bucket).count(),
              std::chrono::nanoseconds(std::chrono::microseconds(us + us / 16 + 1)).count());
  }
  EXPECT_EQ(Timeout::BucketOf(-5ms), 0U);
  EXPECT_EQ(Timeout::BucketOf(1000h), Timeout::kBuckets - 1);
}

}  // namespace
}  // namespace weir
