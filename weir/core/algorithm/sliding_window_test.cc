#include "weir/core/algorithm/sliding_window.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "weir/core/quota.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kM0{std::chrono::seconds(1'699'999'200)};  // Starts a minute.

Quota SlidingOf(std::uint64_t limit, Duration window) {
  return MakeQuota({.algorithm = Algorithm::kSlidingWindow, .limit = limit, .window = window})
      .value();
}

// The state of a window of `quota` that starts at `start` and has counted `count`.
std::uint64_t StateOf(const Quota& quota, WallTime start, std::uint64_t count) {
  return WindowState(WindowState::NameOf(start + quota.window, WindowState::Log2Of(quota)), count)
      .bits();
}

// One counter under one quota; two states that take turns, as a store would keep them.
class Sliding {
 public:
  explicit Sliding(const Quota& quota) : quota_(quota) {}

  Step Charge(WallTime at, std::uint64_t cost = 1) {
    return Keep(at, sliding_window::Charge(Other(at), Mine(at), quota_, at, cost));
  }
  Step Refund(WallTime at, std::uint64_t cost, WallTime charged = {}) {
    return Keep(at, sliding_window::Refund(Other(at), Mine(at), quota_, at, cost, charged));
  }
  int Admit(WallTime at, int hits) {
    int admitted = 0;
    for (int i = 0; i < hits; ++i) admitted += Charge(at).allowed ? 1 : 0;
    return admitted;
  }

 private:
  bool IsOdd(WallTime at) const { return (at.time_since_epoch() / quota_.window) % 2 != 0; }
  std::uint64_t& Mine(WallTime at) { return IsOdd(at) ? odd_ : even_; }
  std::uint64_t& Other(WallTime at) { return IsOdd(at) ? even_ : odd_; }
  Step Keep(WallTime at, const Step& step) {
    Mine(at) = step.state;
    return step;
  }

  Quota quota_;
  std::uint64_t even_ = 0;
  std::uint64_t odd_ = 0;
};

TEST(SlidingWindowTest, FollowsTheVectorsOfTheSpecification) {
  struct Row {
    std::uint64_t previous;
    std::uint64_t current;
    std::uint64_t limit;
    Duration into;
    std::uint64_t cost;
    std::uint64_t estimate;  // Rounded up.
    Duration retry;
  };
  const std::vector<Row> rows = {
      {84, 36, 100, 18s, 1, 95, 0s},
      {5, 3, 7, 18s, 1, 7, 6s},
      {100, 50, 100, 15s, 1, 125, 15'600ms},
      {100, 100, 100, 15s, 1, 175, 45'600ms},
      {10, 0, 10, 0s, 1, 10, 6s},
      {0, 10, 10, 30s, 1, 10, 36s},
      {10, 10, 10, 59s, 10, 11, 61s},
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    SCOPED_TRACE("row " + std::to_string(i + 1));
    const Row& row = rows.at(i);
    const Quota quota = SlidingOf(row.limit, 60s);
    const std::uint64_t previous = StateOf(quota, kM0 - 60s, row.previous);
    const std::uint64_t current = StateOf(quota, kM0, row.current);
    const WallTime now = kM0 + row.into;
    EXPECT_EQ(sliding_window::Charge(previous, current, quota, now, 0).used, row.estimate);
    const Step step = sliding_window::Charge(previous, current, quota, now, row.cost);
    EXPECT_EQ(step.allowed, row.retry == 0s);
    EXPECT_EQ(step.retry, row.retry);
    if (!step.allowed) {
      EXPECT_EQ(step.state, current);
    }
  }
}

TEST(SlidingWindowTest, TheRunningExampleWeighsTheOldWindowAtNineteenTwentieths) {
  Sliding sliding(SlidingOf(10, 10s));
  EXPECT_EQ(sliding.Admit(WallTime(15s), 11), 10);
  EXPECT_EQ(sliding.Charge(WallTime(20s + 500ms), 0).used, 10U);  // 9.5, rounded up.
  EXPECT_EQ(sliding.Charge(WallTime(20s + 500ms)).retry, 500ms);  // One fits at weight 0.9.
  EXPECT_EQ(sliding.Admit(WallTime(21s), 2), 1);
}

TEST(SlidingWindowTest, C32_TheOldWindowFadesInsteadOfVanishingAtTheEdge) {
  Sliding sliding(SlidingOf(10, 60s));
  EXPECT_EQ(sliding.Admit(kM0 + 59s, 10), 10);
  EXPECT_EQ(sliding.Admit(kM0 + 61s, 3), 0);
  EXPECT_EQ(sliding.Admit(kM0 + 66s, 3), 1);
  EXPECT_EQ(sliding.Admit(kM0 + 72s, 3), 1);
}

TEST(SlidingWindowTest, ForgetsBothWindowsAfterTwoLengths) {
  Sliding sliding(SlidingOf(10, 60s));
  EXPECT_EQ(sliding.Admit(kM0 + 59s, 10), 10);
  EXPECT_EQ(sliding.Charge(kM0 + 120s, 0).used, 0U);
  EXPECT_EQ(sliding.Admit(kM0 + 120s, 11), 10);
}

TEST(SlidingWindowTest, ResetIsWhenBothWindowsHaveFaded) {
  Sliding sliding(SlidingOf(10, 60s));
  EXPECT_EQ(sliding.Charge(kM0, 0).reset, 0s);
  EXPECT_EQ(sliding.Charge(kM0 + 20s).reset, 100s);
  EXPECT_EQ(sliding.Charge(kM0 + 80s, 0).reset, 40s);
  EXPECT_EQ(sliding.Charge(kM0 + 120s, 0).reset, 0s);
}

TEST(SlidingWindowTest, NextIsWhenOneMoreUnitIsFree) {
  Sliding sliding(SlidingOf(10, 60s));
  EXPECT_EQ(sliding.Charge(kM0, 0).next, 0s);
  EXPECT_EQ(sliding.Charge(kM0 + 30s, 10).next, 36s);
  EXPECT_EQ(sliding.Charge(kM0 + 66s, 0).next, 6s);  // Nine used, one free: two free at 72 s.
}

TEST(SlidingWindowTest, C10_ARefundReachesTheCurrentWindowOnly) {
  Sliding sliding(SlidingOf(5, 10s));
  EXPECT_EQ(sliding.Admit(WallTime(9900ms), 1), 1);
  EXPECT_EQ(sliding.Refund(WallTime(10'100ms), 1, WallTime(9900ms)).used, 1U);
  EXPECT_EQ(sliding.Admit(WallTime(15s), 6), 4);  // Half of one unit rounds up.
  EXPECT_EQ(sliding.Refund(WallTime(15s), 1, WallTime(9900ms)).used, 5U);
  EXPECT_EQ(sliding.Refund(WallTime(15s), 2, WallTime(15s)).used, 3U);
  EXPECT_EQ(sliding.Refund(WallTime(15s), ~std::uint64_t{0}).used, 1U);
}

TEST(SlidingWindowTest, C51_ALimitOfZeroDeniesForEverButNotAPeek) {
  Sliding sliding(SlidingOf(0, 60s));
  for (int i = 0; i < 3; ++i) {
    const Step step = sliding.Charge(kM0 + 40s * i);
    EXPECT_FALSE(step.allowed);
    EXPECT_EQ(step.retry, kNeverFits);
    EXPECT_EQ(step.next, 0s);
  }
  EXPECT_TRUE(sliding.Charge(kM0, 0).allowed);
}

TEST(SlidingWindowTest, C70_ACostAboveTheLimitNeverFitsAndOneAtTheLimitDoes) {
  Sliding sliding(SlidingOf(5, 60s));
  EXPECT_EQ(sliding.Charge(kM0, 10).retry, kNeverFits);
  EXPECT_EQ(sliding.Charge(kM0, ~std::uint64_t{0}).retry, kNeverFits);
  EXPECT_TRUE(sliding.Charge(kM0, 5).allowed);
  const Step again = sliding.Charge(kM0, 5);
  EXPECT_FALSE(again.allowed);
  EXPECT_EQ(again.retry, 120s);
  EXPECT_TRUE(sliding.Charge(kM0 + 120s, 5).allowed);
}

TEST(SlidingWindowTest, AnEstimateAboveALoweredLimitStillGivesAWaitThatWorks) {
  const Quota lowered = SlidingOf(4, 60s);
  const std::uint64_t previous = StateOf(lowered, kM0 - 60s, 50);
  const std::uint64_t current = StateOf(lowered, kM0, 20);
  const Step step = sliding_window::Charge(previous, current, lowered, kM0 + 15s, 1);
  EXPECT_FALSE(step.allowed);
  EXPECT_EQ(step.retry, 96s);  // 45 to the edge, then until 20 weigh 3: 51 more.
}

TEST(SlidingWindowTest, C37_AWallClockSteppedBackCountsFromAnEmptyWindow) {
  Sliding sliding(SlidingOf(5, 60s));
  EXPECT_TRUE(sliding.Charge(kM0 + 200s, 5).allowed);
  const Step back = sliding.Charge(kM0 - 300s);
  EXPECT_TRUE(back.allowed);
  EXPECT_LE(back.reset, 120s);
}

}  // namespace
}  // namespace weir
