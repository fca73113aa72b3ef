#include "weir/core/algorithm/hand_back.h"

#include <gtest/gtest.h>

#include "weir/core/algorithm/fixed_window.h"
#include "weir/core/algorithm/scaled_gcra.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kNow = 100'000'000'000 * Quota::kTicksPerNano;
constexpr std::int64_t kSecond = 1'000'000'000 * Quota::kTicksPerNano;
constexpr WallTime kWall{std::chrono::seconds(1'699'999'205)};
constexpr Share kQuarter{.part = 1, .whole = 4};

std::uint64_t At(std::int64_t ticks) {
  return static_cast<std::uint64_t>(ticks);
}

Quota BucketOf(std::uint64_t limit) {
  return MakeQuota({.limit = limit, .window = 1s}).value();
}
Quota FixedOf(std::uint64_t limit) {
  return MakeQuota({.algorithm = Algorithm::kFixedWindow, .limit = limit, .window = 10s}).value();
}

TEST(HandBackTest, AnInstanceOwesItsShareOfWhatItsOwnChargesMoved) {
  EXPECT_EQ(hand_back::TicksOwed(kQuarter, At(kNow + kSecond), At(kNow), kNow), At(kSecond / 4));
  EXPECT_EQ(hand_back::TicksOwed(kQuarter, At(kNow + 3 * kSecond), At(kNow + kSecond), kNow),
            At(kSecond / 2));
}

TEST(HandBackTest, WhatTimeHasHealedIsNotOwed) {
  EXPECT_EQ(hand_back::TicksOwed(kQuarter, At(kNow - 1), At(kNow - kSecond), kNow), 0U);
  EXPECT_EQ(hand_back::TicksOwed(kQuarter, At(kNow + kSecond), At(kNow - kSecond), kNow),
            At(kSecond / 4));
  EXPECT_EQ(hand_back::TicksOwed(kQuarter, At(kNow + 1), At(kNow + 2), kNow), 0U);
}

TEST(HandBackTest, FourQuartersThatEachSpentTheirAllEmptyTheBucketExactly) {
  const Quota quota = BucketOf(40);
  std::uint64_t store = 0;
  for (int instance = 0; instance < 4; ++instance) {
    std::uint64_t local = 0;
    for (int i = 0; i < 20; ++i) local = gcra::ChargeScaled(local, quota, kNow, 1, kQuarter).state;
    const std::uint64_t owed = hand_back::TicksOwed(kQuarter, local, 0, kNow);
    store = hand_back::AddTicks(store, quota, kNow, owed).state;
  }
  EXPECT_EQ(store, At(kNow + quota.tolerance));
}

TEST(HandBackTest, ABucketIsNeverHandedBackBelowEmpty) {
  const Quota quota = BucketOf(40);
  const Step step = hand_back::AddTicks(At(kNow + kSecond / 2), quota, kNow, At(100 * kSecond));
  EXPECT_EQ(step.state, At(kNow + quota.tolerance));
  EXPECT_TRUE(step.allowed);
  const std::uint64_t beyond = At(kNow + 3 * quota.tolerance);
  EXPECT_EQ(hand_back::AddTicks(beyond, quota, kNow, 1).state, beyond);
}

TEST(HandBackTest, UnitsAreAddedToTheWindowTheyWereAdmittedIn) {
  const Quota quota = FixedOf(10);
  const std::uint64_t state = fixed_window::Charge(0, quota, kWall, 4).state;
  const Step step = hand_back::AddToWindow(state, quota, kWall, 3, kWall - 1s, false);
  EXPECT_EQ(step.used, 7U);
  EXPECT_EQ(fixed_window::Charge(step.state, quota, kWall, 0).used, 7U);
}

TEST(HandBackTest, AClosedWindowsUnitsAreDropped) {
  const Quota quota = FixedOf(10);
  const std::uint64_t state = fixed_window::Charge(0, quota, kWall, 4).state;
  EXPECT_EQ(hand_back::AddToWindow(state, quota, kWall, 3, kWall - 10s, false).state, state);
}

TEST(HandBackTest, WhatOpenLetPassLocksNobodyOutAfterTheWindowAndCountsOnlyToTheLimit) {
  const Quota quota = FixedOf(10);
  const std::uint64_t state = fixed_window::Charge(0, quota, kWall, 4).state;
  EXPECT_EQ(hand_back::AddToWindow(state, quota, kWall, 300, kWall, true).used, 10U);
  EXPECT_EQ(hand_back::AddToWindow(state, quota, kWall, 300, kWall, false).used, 304U);
}

}  // namespace
}  // namespace weir
