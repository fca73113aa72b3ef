#include "weir/core/algorithm/window.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "test/dice.h"
#include "weir/core/quota.h"

namespace weir {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;
using std::chrono::year;

constexpr WallTime kM0{std::chrono::seconds(1'699'999'200)};  // 2023-11-14 22:00:00 UTC.

Quota WindowOf(Duration window) {
  return MakeQuota({.algorithm = Algorithm::kFixedWindow, .limit = 1, .window = window}).value();
}
Quota WindowOf(Unit unit, bool calendar = false) {
  return MakeQuota(
             {.algorithm = Algorithm::kFixedWindow, .limit = 1, .unit = unit, .calendar = calendar})
      .value();
}
WallTime Midnight(sys_days day) {
  return WallTime(day.time_since_epoch());
}

Quota AnyWindow(Dice& dice) {
  if (dice.OneIn(10)) return WindowOf(Unit::kMonth, true);
  return WindowOf(Duration(
      static_cast<std::int64_t>(dice.Scaled(static_cast<std::uint64_t>(kShortestWindow.count()),
                                            static_cast<std::uint64_t>(kLongestWindow.count())))));
}
WallTime AnyTime(Dice& dice) {  // 1970 to 2190.
  return WallTime(Duration(static_cast<std::int64_t>(dice.Between(0, 6'900'000'000'000'000'000))));
}

TEST(WindowTest, C31_UnitsAreFixedLengthsAlignedToTheEpoch) {
  struct Row {
    Unit unit;
    std::int64_t start;
    std::int64_t left;
  };
  for (const Row row :
       {Row{Unit::kSecond, 1'699'999'200, 1}, Row{Unit::kMinute, 1'699'999'200, 60},
        Row{Unit::kHour, 1'699'999'200, 3600}, Row{Unit::kDay, 1'699'920'000, 7200},
        Row{Unit::kWeek, 1'699'488'000, 93'600}, Row{Unit::kMonth, 1'697'760'000, 352'800},
        Row{Unit::kYear, 1'671'408'000, 2'944'800}}) {
    const WindowSpan span = WindowAt(WindowOf(row.unit), kM0);
    EXPECT_EQ(UnixSeconds(span.start), row.start) << NameOf(row.unit);
    EXPECT_EQ(span.end - kM0, std::chrono::seconds(row.left)) << NameOf(row.unit);
    EXPECT_EQ(span.length(), LengthOf(row.unit)) << NameOf(row.unit);
  }
}

TEST(WindowTest, AnEdgeBelongsToTheWindowThatStartsThere) {
  const Quota quota = WindowOf(10s);
  EXPECT_EQ(WindowAt(quota, WallTime(20s - 1ns)).start, WallTime(10s));
  EXPECT_EQ(WindowAt(quota, WallTime(20s)).start, WallTime(20s));
}

TEST(WindowTest, WindowsGoOnBeforeTheEpoch) {
  const WindowSpan span = WindowAt(WindowOf(10s), WallTime(-1ns));
  EXPECT_EQ(span, (WindowSpan{.start = WallTime(-10s), .end = WallTime(0s)}));
  EXPECT_EQ(WindowAt(WindowOf(10s), WallTime(-10s)).start, WallTime(-10s));
}

TEST(WindowTest, CalendarMonthsFollowTheCalendarAndItsLeapYears) {
  const Quota quota = WindowOf(Unit::kMonth, true);
  struct Row {
    sys_days within;
    sys_days first;
    sys_days next;
  };
  for (const Row& row : {
           Row{year(2024) / 2 / 29, year(2024) / 2 / 1, year(2024) / 3 / 1},
           Row{year(2023) / 2 / 28, year(2023) / 2 / 1, year(2023) / 3 / 1},
           Row{year(2100) / 2 / 28, year(2100) / 2 / 1, year(2100) / 3 / 1},
           Row{year(2000) / 2 / 29, year(2000) / 2 / 1, year(2000) / 3 / 1},
           Row{year(2023) / 12 / 31, year(2023) / 12 / 1, year(2024) / 1 / 1},
           Row{year(1970) / 1 / 1, year(1970) / 1 / 1, year(1970) / 2 / 1},
           Row{year(1969) / 12 / 31, year(1969) / 12 / 1, year(1970) / 1 / 1},
       }) {
    const WindowSpan span = WindowAt(quota, Midnight(row.within) + 23h);
    EXPECT_EQ(span.start, Midnight(row.first));
    EXPECT_EQ(span.end, Midnight(row.next));
  }
  EXPECT_EQ(WindowAt(quota, Midnight(year(2024) / 3 / 1) - 1ns).length(), 29 * 24h);
  EXPECT_EQ(WindowAt(quota, Midnight(year(2024) / 3 / 1)).length(), 31 * 24h);
}

TEST(WindowTest, EveryInstantLiesInItsWindowAndWindowsMeet) {
  SCOPED_TRACE(SeedNote());
  Dice dice(20);
  for (int i = 0; i < 20'000; ++i) {
    const Quota quota = AnyWindow(dice);
    const WallTime now = AnyTime(dice);
    const WindowSpan span = WindowAt(quota, now);
    ASSERT_LE(span.start, now);
    ASSERT_LT(now, span.end);
    ASSERT_EQ(WindowAt(quota, span.start), span);
    ASSERT_EQ(WindowAt(quota, span.end - 1ns), span);
    ASSERT_EQ(WindowAt(quota, span.end).start, span.end);
  }
}

TEST(WindowStateTest, HoldsANameAndACountSideBySide) {
  const WindowState state(0xffffff, WindowState::kMostCount);
  EXPECT_EQ(state.bits(), ~std::uint64_t{0});
  EXPECT_EQ(WindowState(0x123456, 789).name(), 0x123456U);
  EXPECT_EQ(WindowState(0x123456, 789).count(), 789U);
  EXPECT_EQ(WindowState(7, 5).CountIn(7), 5U);
  EXPECT_EQ(WindowState(7, 5).CountIn(8), 0U);
  EXPECT_EQ(WindowState().bits(), 0U);
}

TEST(WindowStateTest, TheUnitOfNamesFitsIntoTheWindow) {
  EXPECT_EQ(WindowState::Log2Of(WindowOf(kShortestWindow)), 19U);
  EXPECT_EQ(WindowState::Log2Of(WindowOf(1s)), 29U);
  EXPECT_EQ(WindowState::Log2Of(WindowOf(kLongestWindow)), 54U);
}

TEST(WindowStateTest, ConsecutiveWindowsHaveDifferentNames) {
  SCOPED_TRACE(SeedNote());
  Dice dice(21);
  const auto expect_distinct = [](const Quota& quota, WallTime now) {
    const std::uint32_t log2 = WindowState::Log2Of(quota);
    std::vector<std::uint32_t> names;
    for (int i = 0; i < 4; ++i) {
      now = WindowAt(quota, now).end;
      const std::uint32_t name = WindowState::NameOf(now, log2);
      for (const std::uint32_t earlier : names) ASSERT_NE(name, earlier);
      names.push_back(name);
    }
  };
  for (int i = 0; i < 20'000; ++i) expect_distinct(AnyWindow(dice), AnyTime(dice));
  expect_distinct(WindowOf(kShortestWindow), kM0);
  expect_distinct(WindowOf(kLongestWindow), kM0);
}

TEST(WindowStateTest, IsNeverOverBeforeTheEndAndAlwaysWithinOneUnitOfTheGraceAfterIt) {
  SCOPED_TRACE(SeedNote());
  Dice dice(22);
  for (int i = 0; i < 20'000; ++i) {
    const Quota quota = AnyWindow(dice);
    const WindowSpan span = WindowAt(quota, AnyTime(dice));
    const std::uint32_t log2 = WindowState::Log2Of(quota);
    const WindowState state(WindowState::NameOf(span.end, log2), 1);
    const auto grace = static_cast<std::uint32_t>(dice.Between(0, 3));
    const Duration unit(std::int64_t{1} << log2);

    ASSERT_FALSE(state.IsOver(span.start, log2, grace));
    ASSERT_FALSE(state.IsOver(span.end + grace * unit - 1ns, log2, grace));
    const Duration into(static_cast<std::int64_t>(
        dice.Between(0, static_cast<std::uint64_t>(span.length().count() - 1))));
    ASSERT_FALSE(state.IsOver(span.start + into, log2, grace));

    const WallTime late = span.end + (grace + 1) * unit;
    ASSERT_TRUE(state.IsOver(late, log2, grace));
    ASSERT_TRUE(state.IsOver(late + dice.Between(0, 1000) * unit / 1000, log2, grace));
  }
}

TEST(WindowStateTest, StaysOverForAQuarterOfTheNamesAndIsNotOverAQuarterBefore) {
  const Quota quota = WindowOf(1s);
  const std::uint32_t log2 = WindowState::Log2Of(quota);
  const Duration quarter((std::int64_t{1} << log2) << (WindowState::kNameBits - 2));
  const WallTime end = WindowAt(quota, kM0).end;
  const WindowState state(WindowState::NameOf(end, log2), 1);
  EXPECT_TRUE(state.IsOver(end + quarter, log2, 0));
  EXPECT_FALSE(state.IsOver(end - quarter, log2, 0));
}

}  // namespace
}  // namespace weir
