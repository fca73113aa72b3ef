#include "weir/core/algorithm/fixed_window.h"

#include <cstdint>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "test/dice.h"
#include "weir/core/quota.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kM0{std::chrono::seconds(1'699'999'200)};  // Starts a minute and an hour.

Quota WindowOf(std::uint64_t limit, Duration window) {
  return MakeQuota({.algorithm = Algorithm::kFixedWindow, .limit = limit, .window = window})
      .value();
}

// One counter under one quota.
class Window {
 public:
  explicit Window(const Quota& quota) : quota_(quota) {}

  Step Charge(WallTime at, std::uint64_t cost = 1) {
    return Keep(fixed_window::Charge(state_, quota_, at, cost));
  }
  Step Add(WallTime at, std::uint64_t cost = 1) {
    return Keep(fixed_window::Add(state_, quota_, at, cost));
  }
  Step Refund(WallTime at, std::uint64_t cost, WallTime charged = {}) {
    return Keep(fixed_window::Refund(state_, quota_, at, cost, charged));
  }
  std::uint64_t state() const { return state_; }

 private:
  Step Keep(const Step& step) {
    state_ = step.state;
    return step;
  }

  Quota quota_;
  std::uint64_t state_ = 0;
};

TEST(FixedWindowTest, ResetsAtTheNextEdgeOfTheEpochsGrid) {
  const Quota minute = WindowOf(5, 60s);
  EXPECT_EQ(Window(minute).Charge(WallTime(0s)).reset, 60s);
  EXPECT_EQ(Window(minute).Charge(WallTime(59'200ms)).reset, 800ms);
  EXPECT_EQ(CeilSeconds(Window(minute).Charge(WallTime(59'200ms)).reset), 1);
  EXPECT_EQ(Window(minute).Charge(WallTime(60s)).reset, 60s);
  const Quota day = WindowOf(5, 24h);
  EXPECT_EQ(Window(day).Charge(WallTime(1'714'701'491s)).reset, 79'309s);
  EXPECT_EQ(WindowAt(day, WallTime(1'714'701'491s)).start, WallTime(19'846 * 86'400s));
}

TEST(FixedWindowTest, ADeniedChargeSpendsNothingAndSaysWhenItWouldPass) {
  Window window(WindowOf(5, 60s));
  EXPECT_TRUE(window.Charge(kM0, 3).allowed);
  const Step denied = window.Charge(kM0 + 10s, 3);
  EXPECT_FALSE(denied.allowed);
  EXPECT_EQ(denied.used, 3U);
  EXPECT_EQ(denied.retry, 50s);
  EXPECT_TRUE(window.Charge(kM0 + 10s, 2).allowed);
  EXPECT_EQ(window.Charge(kM0 + 10s, 6).retry, kNeverFits);
}

TEST(FixedWindowTest, C08_AddingAcrossTheLimitCountsAllOfItAndDenies) {
  Window window(WindowOf(10, 60s));
  const Step first = window.Add(kM0, 6);
  EXPECT_TRUE(first.allowed);
  EXPECT_EQ(first.used, 6U);
  const Step second = window.Add(kM0, 6);
  EXPECT_FALSE(second.allowed);
  EXPECT_EQ(second.used, 12U);
  const Step third = window.Add(kM0, 1);
  EXPECT_FALSE(third.allowed);
  EXPECT_EQ(third.used, 13U);
}

TEST(FixedWindowTest, C09_AddingNothingLooksAndIsDeniedOnlyAboveTheLimit) {
  Window window(WindowOf(3, 60s));
  EXPECT_EQ(window.Add(kM0, 0).used, 0U);
  EXPECT_EQ(window.state(), 0U);
  for (int i = 0; i < 3; ++i) (void)window.Add(kM0);
  EXPECT_TRUE(window.Add(kM0, 0).allowed);
  (void)window.Add(kM0);
  const std::uint64_t before = window.state();
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(window.Add(kM0, 0).allowed);
  EXPECT_EQ(window.state(), before);
}

TEST(FixedWindowTest, C10_ARefundForAnotherWindowIsDropped) {
  Window window(WindowOf(5, 10s));
  const WallTime spent = WallTime(9900ms);
  EXPECT_TRUE(window.Charge(spent).allowed);
  EXPECT_EQ(window.Refund(WallTime(10'100ms), 1, spent).used, 0U);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(window.Charge(WallTime(10'200ms)).allowed);
  EXPECT_EQ(window.Refund(WallTime(10'300ms), 1, spent).used, 5U);
  EXPECT_FALSE(window.Charge(WallTime(10'400ms)).allowed);
  EXPECT_EQ(window.Refund(WallTime(10'500ms), 1, WallTime(10'200ms)).used, 4U);
}

TEST(FixedWindowTest, C11_RefundsStopAtZeroAndAreNeverDenied) {
  Window window(WindowOf(10, 60s));
  (void)window.Add(kM0, 3);
  const Step back = window.Refund(kM0, 5);
  EXPECT_TRUE(back.allowed);
  EXPECT_EQ(back.used, 0U);
  EXPECT_EQ(window.state(), 0U);
  for (int i = 0; i < 15; ++i) (void)window.Add(kM0);
  const Step over = window.Refund(kM0, 2);
  EXPECT_TRUE(over.allowed);
  EXPECT_EQ(over.used, 13U);
  EXPECT_FALSE(window.Add(kM0, 0).allowed);
}

TEST(FixedWindowTest, C12_EveryWindowServesTheWholeLimit) {
  Window window(WindowOf(5, 60s));
  for (int w = 0; w < 4; ++w) {
    int admitted = 0;
    for (int i = 0; i < 6; ++i) admitted += window.Charge(kM0 + 60s * w + 1s * i).allowed ? 1 : 0;
    EXPECT_EQ(admitted, 5) << "window " << w;
  }
}

TEST(FixedWindowTest, C29_TheMomentOfTheResetIsTheSameForAWholeWindow) {
  SCOPED_TRACE(SeedNote());
  Dice dice(30);
  Window window(WindowOf(100, 3600s));
  WallTime now = kM0;
  for (int i = 0; i < 50; ++i) {
    now += Duration(static_cast<std::int64_t>(dice.Between(0, 100'000'000)));
    const Step step = window.Charge(now);
    EXPECT_EQ(now + step.reset, kM0 + 3600s);
    EXPECT_EQ(UnixSeconds(now) +
                  CeilSeconds(now + step.reset - WallTime(std::chrono::seconds(UnixSeconds(now)))),
              UnixSeconds(kM0) + 3600);
  }
}

TEST(FixedWindowTest, C30_CountAndResetBelongToOneWindow) {
  Window window(WindowOf(5, 60s));
  const Step last = window.Charge(kM0 + 59'999ms);
  EXPECT_EQ(last.reset, 1ms);
  EXPECT_EQ(CeilSeconds(last.reset), 1);
  const Step next = window.Charge(kM0 + 60s);
  EXPECT_EQ(next.used, 1U);
  EXPECT_EQ(next.reset, 60s);
}

TEST(FixedWindowTest, C32_TwiceTheLimitPassesAcrossAnEdge) {
  Window window(WindowOf(10, 60s));
  int admitted = 0;
  for (int i = 0; i < 10; ++i) admitted += window.Charge(kM0 + 59s).allowed ? 1 : 0;
  for (const Duration at : {61s, 66s, 72s}) {
    for (int i = 0; i < 3; ++i) admitted += window.Charge(kM0 + at).allowed ? 1 : 0;
  }
  for (int i = 0; i < 3; ++i) admitted += window.Charge(kM0 + 73s).allowed ? 1 : 0;
  EXPECT_EQ(admitted, 20);
}

TEST(FixedWindowTest, C37_AWallClockSteppedBackStartsAnEmptyWindowAndPromisesNoLongWait) {
  Window window(WindowOf(5, 60s));
  EXPECT_TRUE(window.Charge(kM0 + 100s, 5).allowed);
  const Step back = window.Charge(kM0 - 11s, 6);
  EXPECT_EQ(back.used, 0U);
  EXPECT_LE(back.reset, 60s);
  EXPECT_TRUE(window.Charge(kM0 + 160s).allowed);
}

TEST(FixedWindowTest, C51_ALimitOfZeroDeniesWithAResetInRange) {
  for (int i = 0; i < 3; ++i) {
    Window window(WindowOf(0, 60s));
    const Step step = window.Add(kM0 + 7s * i);
    EXPECT_FALSE(step.allowed);
    EXPECT_GE(CeilSeconds(step.reset), 1);
    EXPECT_LE(CeilSeconds(step.reset), 60);
    EXPECT_EQ(Window(WindowOf(0, 60s)).Charge(kM0).retry, kNeverFits);
  }
}

TEST(FixedWindowTest, C79_HugeAddendsSaturateAndTheNextWindowIsFresh) {
  for (const std::uint64_t cost :
       {std::uint64_t{1} << 32U, ~std::uint64_t{0} >> 1U, ~std::uint64_t{0}}) {
    Window window(WindowOf(10, 60s));
    (void)window.Add(kM0, 3);
    EXPECT_FALSE(window.Add(kM0, cost).allowed);
    EXPECT_FALSE(window.Add(kM0, cost).allowed);
    EXPECT_LE(window.Add(kM0, 1).used, WindowState::kMostCount);
    EXPECT_FALSE(window.Add(kM0, 1).allowed);
    EXPECT_FALSE(window.Charge(kM0, cost).allowed);
    const Step next = window.Add(kM0 + 60s, 1);
    EXPECT_TRUE(next.allowed);
    EXPECT_EQ(next.used, 1U);
  }
}

TEST(FixedWindowTest, TheLargestLimitIsReachedAndStillHolds) {
  Window window(WindowOf(kLargestLimit, 366 * 24h));
  EXPECT_TRUE(window.Charge(kM0, kLargestLimit).allowed);
  EXPECT_FALSE(window.Charge(kM0).allowed);
  EXPECT_FALSE(window.Add(kM0).allowed);  // One above is representable, and saturates there.
  EXPECT_EQ(window.Add(kM0, 5).used, WindowState::kMostCount);
}

TEST(FixedWindowTest, C106_CountsThatIncludeDenialsOutliveARaisedLimit) {
  Window adding(WindowOf(10, 3600s));
  Window charging(WindowOf(10, 3600s));
  for (int i = 0; i < 50; ++i) {
    (void)adding.Add(kM0);
    (void)charging.Charge(kM0);
  }
  const Quota raised = WindowOf(20, 3600s);
  EXPECT_FALSE(fixed_window::Add(adding.state(), raised, kM0 + 20min, 1).allowed);
  EXPECT_TRUE(fixed_window::Charge(charging.state(), raised, kM0 + 20min, 10).allowed);
  EXPECT_FALSE(fixed_window::Charge(charging.state(), raised, kM0 + 20min, 11).allowed);
}

TEST(FixedWindowPropertyTest, AdmitsTheLimitPerWindowAndAgreesWithAPlainCount) {
  SCOPED_TRACE(SeedNote());
  Dice dice(31);
  for (int round = 0; round < 500; ++round) {
    const auto length = static_cast<std::int64_t>(dice.Scaled(1'000'000, 31'622'400'000'000'000));
    const Quota quota = WindowOf(dice.Scaled(1, kLargestLimit), Duration(length));
    std::map<std::int64_t, std::uint64_t> counted;  // By the window's number.
    Window window(quota);
    WallTime now(Duration(static_cast<std::int64_t>(dice.Between(0, 1'800'000'000'000'000'000))));
    for (int i = 0; i < 200; ++i) {
      now += Duration(static_cast<std::int64_t>(
          dice.OneIn(3) ? 0 : dice.Scaled(1, static_cast<std::uint64_t>(length) / 8)));
      const std::int64_t number = now.time_since_epoch().count() / length;
      std::uint64_t& count = counted[number];
      const std::uint64_t cost = dice.Scaled(1, quota.limit);
      const std::uint64_t before = window.state();
      if (dice.OneIn(8)) {
        count -= std::min(count, cost);
        ASSERT_EQ(window.Refund(now, cost).used, count);
        continue;
      }
      ASSERT_EQ(window.Charge(now, 0).used, count);
      ASSERT_EQ(window.state(), before);
      const Step step = window.Charge(now, cost);
      ASSERT_EQ(step.allowed, count + cost <= quota.limit);
      count += step.allowed ? cost : 0;
      ASSERT_EQ(step.used, count);
      ASSERT_LE(count, quota.limit);
      if (step.allowed) continue;
      const auto passes = [&](Duration after) {
        return fixed_window::Charge(window.state(), quota, now + after, cost).allowed;
      };
      ASSERT_TRUE(passes(step.retry));
      ASSERT_FALSE(passes(step.retry - 1ns));
      ASSERT_FALSE(passes(step.retry / 2));
    }
  }
}

TEST(FixedWindowPropertyTest, C67_WhoWaitsAsLongAsRetryAfterSaysIsAdmitted) {
  SCOPED_TRACE(SeedNote());
  Dice dice(32);
  const Quota quota = WindowOf(3, 10s);
  for (int run = 0; run < 1000; ++run) {
    Window window(quota);
    const WallTime now = kM0 + Duration(static_cast<std::int64_t>(dice.Between(0, 60'000'000'000)));
    EXPECT_TRUE(window.Charge(now, 3).allowed);
    const std::int64_t header = CeilSeconds(window.Charge(now).retry);
    ASSERT_GE(header, 1);
    ASSERT_TRUE(window.Charge(now + std::chrono::seconds(header)).allowed);
  }
}

}  // namespace
}  // namespace weir
