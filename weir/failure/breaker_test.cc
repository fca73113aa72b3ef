#include "weir/failure/breaker.h"

#include <algorithm>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace weir {
namespace {

using namespace std::chrono_literals;

constexpr Duration kTimeout = 10ms;
constexpr CallCounts kOk{.ok = 1};
constexpr CallCounts kFailed{.failed = 1, .cause = Cause::kRefused};
constexpr CallCounts kLate{.late = 1, .cause = Cause::kTimeout};

class BreakerTest : public testing::Test {
 protected:
  void Add(const CallCounts& counts, int times = 1) {
    for (int i = 0; i < times; ++i) {
      breaker_.Add(counts, breaker_.Read().generation, kTimeout, now_);
    }
  }
  bool open() const { return breaker_.Read().open; }
  // As a quiet instance would: a failure now and then until it opens.
  void OpenIt() {
    while (!open()) {
      Add(kFailed);
      now_ += 20ms;
    }
  }
  Duration UntilProbe() const { return breaker_.Read().next_probe - now_; }
  void WaitForProbe() { now_ = breaker_.Read().next_probe; }

  Breaker breaker_{{.seed = 42}};
  Instant now_{100s};
};

TEST_F(BreakerTest, StartsClosedAndStaysSoWhileCallsAreGood) {
  EXPECT_FALSE(open());
  for (int i = 0; i < 1000; ++i) {
    Add(kOk);
    now_ += 1ms;
  }
  EXPECT_FALSE(open());
  EXPECT_EQ(breaker_.ClosedSince(), Instant::min());
}

TEST_F(BreakerTest, OpensWhenHalfOfTwentyCallsInASecondFailed) {
  Add(kOk, 10);
  Add(kFailed, 9);
  EXPECT_FALSE(open());
  Add(kFailed);
  EXPECT_TRUE(open());
  EXPECT_EQ(breaker_.Read().cause, Cause::kRefused);
  EXPECT_EQ(breaker_.times_opened(), 1U);
}

TEST_F(BreakerTest, LateCallsCountLikeFailedOnes) {
  Add(kOk, 10);
  Add(kFailed, 5);
  Add(kLate, 5);
  EXPECT_TRUE(open());
  EXPECT_EQ(breaker_.Read().cause, Cause::kTimeout);
}

TEST_F(BreakerTest, NineteenFailuresAtOnceAreNotEnough) {
  Add(kFailed, 19);
  EXPECT_FALSE(open());
  Add(kFailed);
  EXPECT_TRUE(open());
}

TEST_F(BreakerTest, JustBelowHalfStaysClosed) {
  for (int i = 0; i < 200; ++i) {
    Add(kOk, 11);
    Add(kFailed, 9);
    now_ += 10ms;
    ASSERT_FALSE(open());
  }
}

TEST_F(BreakerTest, CallsOlderThanASecondDoNotCount) {
  Add(kFailed, 15);
  now_ += 1100ms;
  Add(kOk);
  Add(kFailed, 4);
  EXPECT_FALSE(open());
}

TEST_F(BreakerTest, ABusySecondOfGoodCallsDelaysTheHalfAndTheRunIsQuicker) {
  for (int i = 0; i < 1000; ++i) {
    Add(kOk);
    now_ += 1ms;
  }
  const Instant silent = now_;
  while (!open()) {
    now_ += 1ms;
    Add(kLate);
  }
  EXPECT_LE(now_ - silent, 6 * kTimeout);
}

TEST_F(BreakerTest, AQuietInstanceOpensOnARunOfFiveThatLastsFiveTimeouts) {
  for (int i = 0; i < 4; ++i) {
    Add(kFailed);
    now_ += 30s;
  }
  EXPECT_FALSE(open());
  Add(kFailed);
  EXPECT_TRUE(open());
}

TEST_F(BreakerTest, ARunShorterThanFiveTimeoutsDoesNotOpen) {
  Add(kFailed, 5);
  now_ += 5 * kTimeout - 1ns;
  Add(kFailed);
  EXPECT_FALSE(open());
  now_ += 1ns;
  Add(kFailed);
  EXPECT_TRUE(open());
}

TEST_F(BreakerTest, OneGoodCallBreaksTheRun) {
  for (int i = 0; i < 100; ++i) {
    Add(kFailed, 4);
    now_ += 1s;
    Add(kOk);
    now_ += 1s;
    ASSERT_FALSE(open());
  }
}

TEST_F(BreakerTest, TheNextProbeIsFiftyMillisecondsToASecondAwayAndTheSpanDoubles) {
  OpenIt();
  Duration widest{};
  for (int i = 0; i < 300; ++i) {
    WaitForProbe();
    ASSERT_TRUE(breaker_.WinProbe(kTimeout, now_));
    ASSERT_GE(UntilProbe(), 50ms);
    ASSERT_LE(UntilProbe(), 1s);
    if (i == 0) {
      EXPECT_LE(UntilProbe(), 100ms);
    }
    widest = std::max(widest, UntilProbe());
    breaker_.ProbeEnded(Cause::kTimeout, 0, now_);
  }
  EXPECT_GT(widest, 900ms);
}

TEST_F(BreakerTest, SeedsDrawDifferentWaits) {
  std::vector<Duration> waits;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Breaker breaker({.seed = seed});
    breaker.Add({.failed = 20, .cause = Cause::kReset}, 0, kTimeout, now_);
    ASSERT_TRUE(breaker.WinProbe(kTimeout, breaker.Read().next_probe));
    waits.push_back(breaker.Read().next_probe - now_);
  }
  std::sort(waits.begin(), waits.end());
  EXPECT_EQ(std::unique(waits.begin(), waits.end()), waits.end());
}

TEST_F(BreakerTest, ALongTimeoutKeepsProbesApart) {
  OpenIt();
  WaitForProbe();
  ASSERT_TRUE(breaker_.WinProbe(5s, now_));
  EXPECT_GE(UntilProbe(), 5s);
}

TEST_F(BreakerTest, NoProbeBeforeItIsDueAndOneAnInstance) {
  EXPECT_FALSE(breaker_.WinProbe(kTimeout, now_));
  OpenIt();
  now_ = breaker_.Read().next_probe - 1ns;
  EXPECT_FALSE(breaker_.WinProbe(kTimeout, now_));
  now_ += 1ns;
  EXPECT_TRUE(breaker_.WinProbe(kTimeout, now_));
  EXPECT_FALSE(breaker_.WinProbe(kTimeout, now_));
}

TEST_F(BreakerTest, OneGoodProbeClosesItAndStartsAfresh) {
  OpenIt();
  EXPECT_EQ(breaker_.ClosedSince(), kNever);
  WaitForProbe();
  ASSERT_TRUE(breaker_.WinProbe(kTimeout, now_));
  breaker_.ProbeEnded(Cause::kNone, 0, now_);
  EXPECT_FALSE(open());
  EXPECT_EQ(breaker_.ClosedSince(), now_);
  Add(kFailed, 4);
  EXPECT_FALSE(open());
}

TEST_F(BreakerTest, KnowsHowLongItHasBeenOpenInAll) {
  EXPECT_EQ(breaker_.OpenFor(now_), 0s);
  OpenIt();
  const Instant opened = now_ - 20ms;
  EXPECT_EQ(breaker_.OpenFor(now_), now_ - opened);
  now_ += 10s;
  breaker_.ProbeEnded(Cause::kNone, 0, now_);
  EXPECT_EQ(breaker_.OpenFor(now_ + 1h), now_ - opened);
}

TEST_F(BreakerTest, ABadProbeKeepsItOpenAndTellsTheLatestCause) {
  OpenIt();
  WaitForProbe();
  ASSERT_TRUE(breaker_.WinProbe(kTimeout, now_));
  breaker_.ProbeEnded(Cause::kLoading, 0, now_);
  EXPECT_TRUE(open());
  EXPECT_EQ(breaker_.Read().cause, Cause::kLoading);
}

TEST_F(BreakerTest, CallsThatEndWhileItIsOpenNeitherCloseItNorDelayTheProbe) {
  OpenIt();
  const Instant due = breaker_.Read().next_probe;
  Add(kOk, 100);
  Add(kFailed, 100);
  EXPECT_TRUE(open());
  EXPECT_EQ(breaker_.Read().next_probe, due);
}

TEST_F(BreakerTest, ANewOwnerHasANewBreakerAndTheOldOnesCallsSayNothing) {
  OpenIt();
  breaker_.Renew(now_);
  EXPECT_FALSE(open());
  EXPECT_EQ(breaker_.Read().generation, 1U);
  breaker_.Add({.failed = 100, .cause = Cause::kReset}, 0, kTimeout, now_);
  EXPECT_FALSE(open());
  breaker_.Add({.failed = 100, .cause = Cause::kReset}, 1, kTimeout, now_);
  EXPECT_TRUE(open());
  breaker_.ProbeEnded(Cause::kNone, 0, now_);
  EXPECT_TRUE(open());
}

TEST(BreakerThreadsTest, OfManyLoopsThatSeeTheProbeDueOneSendsIt) {
  for (int round = 0; round < 50; ++round) {
    Breaker breaker({.seed = 7});
    breaker.Add({.failed = 20, .cause = Cause::kReset}, 0, kTimeout, Instant(1s));
    const Instant due = breaker.Read().next_probe;
    std::atomic<int> won{0};
    std::vector<std::thread> loops;
    for (int i = 0; i < 4; ++i) {
      loops.emplace_back([&] { won += breaker.WinProbe(kTimeout, due) ? 1 : 0; });
    }
    for (std::thread& loop : loops) loop.join();
    ASSERT_EQ(won, 1);
  }
}

}  // namespace
}  // namespace weir
