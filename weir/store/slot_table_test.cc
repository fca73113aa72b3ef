#include "weir/store/slot_table.h"

#include <optional>
#include <set>

#include <gtest/gtest.h>

#include "weir/base/hash.h"
#include "weir/core/algorithm/window.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kSecondTicks = 1'000'000'000 * Quota::kTicksPerNano;
constexpr std::uint32_t kLog2 = 30;  // Windows of 2^30 ns.
constexpr WallTime kStart{Duration(std::int64_t{1'583'000'000} << kLog2)};

SlotTime At(std::int64_t seconds, WallTime wall = kStart) {
  return {.ticks = seconds * kSecondTicks, .wall = wall};
}
WallTime Units(int n) {
  return kStart + Duration(std::int64_t{n} << kLog2);
}

// A bucket that is full again at this second.
Slot Bucket(std::uint64_t id, std::int64_t full_at) {
  return {IdentityOf(id, SlotKind::kTokenBucket, 0),
          static_cast<std::uint64_t>(full_at * kSecondTicks)};
}
Slot Window(std::uint64_t id, SlotKind kind, int end_units, std::uint64_t count) {
  return {IdentityOf(id, kind, kLog2),
          WindowState(WindowState::NameOf(Units(end_units), kLog2), count).bits()};
}
std::uint64_t IdNumber(std::uint64_t n) {
  return MixHash(17, n);
}

TEST(SlotTest, AnEmptySlotAndAStateOfZeroAreDead) {
  EXPECT_TRUE(IsDead({}, At(1)));
  EXPECT_TRUE(IsDead({IdentityOf(7, SlotKind::kFixedWindow, kLog2), 0}, At(1)));
}

TEST(SlotTest, ABucketDiesWhenItIsFull) {
  const Slot slot = Bucket(7, 10);
  EXPECT_FALSE(IsDead(slot, At(9)));
  EXPECT_TRUE(IsDead(slot, At(10)));
  EXPECT_EQ(LifeLeft(slot, At(4)), Duration(6s));
  EXPECT_EQ(LifeLeft(slot, At(11)), Duration{});
}

TEST(SlotTest, AFixedWindowDiesWhenItIsOver) {
  const Slot slot = Window(7, SlotKind::kFixedWindow, 1, 3);
  EXPECT_FALSE(IsDead(slot, At(1, kStart)));
  EXPECT_FALSE(IsDead(slot, At(1, Units(1) - 1ns)));
  EXPECT_TRUE(IsDead(slot, At(1, Units(1))));
  EXPECT_EQ(LifeLeft(slot, At(1, kStart)), Units(1) - kStart);
}

TEST(SlotTest, ASlidingWindowLivesOnWhileItStillWeighsIn) {
  for (const SlotKind kind : {SlotKind::kSlidingEven, SlotKind::kSlidingOdd}) {
    const Slot slot = Window(7, kind, 1, 3);
    EXPECT_FALSE(IsDead(slot, At(1, Units(1))));
    EXPECT_FALSE(IsDead(slot, At(1, Units(3) - 1ns)));
    EXPECT_TRUE(IsDead(slot, At(1, Units(3))));
    EXPECT_EQ(LifeLeft(slot, At(1, kStart)), Units(3) - kStart);
  }
}

TEST(SlotTest, LifeLeftOrdersKindsByTime) {
  const SlotTime now = At(1);
  EXPECT_LT(LifeLeft(Window(1, SlotKind::kFixedWindow, 1, 9), now), LifeLeft(Bucket(2, 5), now));
  EXPECT_LT(LifeLeft(Bucket(2, 2), now), LifeLeft(Window(1, SlotKind::kFixedWindow, 2, 9), now));
}

TEST(SlotTest, IdentitiesTellKindAndWindowApartAndAreNeverZero) {
  std::set<std::uint64_t> seen;
  for (const std::uint64_t id : {std::uint64_t{0}, std::uint64_t{1} << 56U, std::uint64_t{5}}) {
    for (const SlotKind kind : {SlotKind::kTokenBucket, SlotKind::kFixedWindow,
                                SlotKind::kSlidingEven, SlotKind::kSlidingOdd}) {
      for (const std::uint32_t log2 : {0U, 19U, 54U}) {
        const std::uint64_t identity = IdentityOf(id, kind, log2);
        EXPECT_NE(identity, 0U);
        EXPECT_EQ(KindOf(identity), kind);
        seen.insert(identity);
      }
    }
  }
  EXPECT_EQ(seen.size(), 24U);  // The ids 0 and 2^56 differ in the line they select only.
}

TEST(MergeStatesTest, ABucketOwesWhatBothOwed) {
  const SlotTime now = At(10);
  EXPECT_EQ(MergeStates(Bucket(7, 12), Bucket(7, 15).state, now), Bucket(7, 17).state);
  EXPECT_EQ(MergeStates(Bucket(7, 12), Bucket(7, 3).state, now), Bucket(7, 12).state);
  EXPECT_EQ(MergeStates(Bucket(7, 3), Bucket(7, 15).state, now), Bucket(7, 15).state);
}

TEST(MergeStatesTest, CountsOfOneWindowAddUpAndSaturate) {
  const SlotTime now = At(1);
  const Slot three = Window(7, SlotKind::kFixedWindow, 1, 3);
  EXPECT_EQ(WindowState(MergeStates(three, three.state, now)).count(), 6U);
  const Slot most = Window(7, SlotKind::kFixedWindow, 1, WindowState::kMostCount - 1);
  EXPECT_EQ(WindowState(MergeStates(most, three.state, now)).count(), WindowState::kMostCount);
}

TEST(MergeStatesTest, OfTwoWindowsTheNewerCountStays) {
  const SlotTime now = At(1);
  const Slot older = Window(7, SlotKind::kFixedWindow, 1, 3);
  const Slot newer = Window(7, SlotKind::kFixedWindow, 2, 5);
  EXPECT_EQ(MergeStates(newer, older.state, now), newer.state);
  EXPECT_EQ(MergeStates(older, newer.state, now), newer.state);
}

// The lines are as few as a table can have: every key probes all sixteen slots.
class SlotTableTest : public testing::Test {
 protected:
  bool Insert(std::uint64_t id, std::int64_t full_at, std::int64_t now = 1) {
    return table_.Insert(id, Bucket(id, full_at), At(now));
  }
  std::optional<std::uint64_t> Find(std::uint64_t id) const {
    const SlotTable::Place place = table_.Find(id, IdentityOf(id, SlotKind::kTokenBucket, 0));
    if (place.index == SlotTable::kNowhere) return std::nullopt;
    return place.seen.state;
  }
  std::size_t Alive(std::int64_t now) {
    std::size_t cursor = 0;
    return table_.Sweep(&cursor, table_.lines(), At(now));
  }

  SlotTable table_{SlotTable::kProbedLines};
};

TEST_F(SlotTableTest, FindsWhatWasInsertedAndNothingElse) {
  EXPECT_EQ(Find(IdNumber(1)), std::nullopt);
  EXPECT_TRUE(Insert(IdNumber(1), 10));
  EXPECT_EQ(Find(IdNumber(1)), Bucket(IdNumber(1), 10).state);
  EXPECT_EQ(Find(IdNumber(2)), std::nullopt);
  EXPECT_EQ(table_.Find(IdNumber(1), IdentityOf(IdNumber(1), SlotKind::kFixedWindow, 30)).index,
            SlotTable::kNowhere);
}

TEST_F(SlotTableTest, ASecondInsertionOfTheSameKeyIsRefused) {
  EXPECT_TRUE(Insert(IdNumber(1), 10));
  EXPECT_FALSE(Insert(IdNumber(1), 20));
  EXPECT_EQ(Find(IdNumber(1)), Bucket(IdNumber(1), 10).state);
}

TEST_F(SlotTableTest, ReplacesOnlyWhatItSaw) {
  const std::uint64_t id = IdNumber(1);
  ASSERT_TRUE(Insert(id, 10));
  const SlotTable::Place place = table_.Find(id, IdentityOf(id, SlotKind::kTokenBucket, 0));
  EXPECT_TRUE(table_.Replace(place, Bucket(id, 11)));
  EXPECT_FALSE(table_.Replace(place, Bucket(id, 12)));
  EXPECT_EQ(Find(id), Bucket(id, 11).state);
}

TEST_F(SlotTableTest, HoldsSixteenKeysBeforeItForgetsOne) {
  for (std::uint64_t n = 0; n < SlotTable::kProbedSlots; ++n) {
    EXPECT_TRUE(Insert(IdNumber(n), 100));
  }
  EXPECT_EQ(table_.evictions(), 0U);
  for (std::uint64_t n = 0; n < SlotTable::kProbedSlots; ++n) EXPECT_TRUE(Find(IdNumber(n)));
}

TEST_F(SlotTableTest, AtTheBoundTheKeyNearestToFullAgainGoesFirst) {
  for (std::uint64_t n = 0; n < SlotTable::kProbedSlots; ++n) {
    // In no order: 107, 114, 104, 111, ...
    ASSERT_TRUE(Insert(IdNumber(n), static_cast<std::int64_t>(100 + (n + 1) * 7 % 17)));
  }
  const auto place_of = [](std::uint64_t rank) {  // The n with (n + 1) * 7 % 17 == rank.
    return (rank * 5 % 17) - 1;
  };
  for (std::uint64_t rank = 1; rank <= 3; ++rank) {
    EXPECT_TRUE(Find(IdNumber(place_of(rank))));
    EXPECT_TRUE(Insert(IdNumber(1000 + rank), 1000));
    EXPECT_EQ(Find(IdNumber(place_of(rank))), std::nullopt);
    EXPECT_EQ(table_.evictions(), rank);
    EXPECT_EQ(Alive(1), SlotTable::kProbedSlots);
  }
}

TEST_F(SlotTableTest, ADeadSlotIsTakenBeforeALiveOneAndIsNoEviction) {
  for (std::uint64_t n = 0; n < SlotTable::kProbedSlots; ++n) {
    ASSERT_TRUE(Insert(IdNumber(n), n == 11 ? 5 : 100));
  }
  EXPECT_TRUE(Insert(IdNumber(100), 200, /*now=*/6));
  EXPECT_EQ(table_.evictions(), 0U);
  EXPECT_EQ(Find(IdNumber(11)), std::nullopt);
}

TEST_F(SlotTableTest, ACounterSplitInTwoIsMadeOneAgain) {
  const std::uint64_t id = 1;  // Like 2 below, one that probes from the first slot on.
  // What a lost race leaves behind: the same key in two slots.  The second insertion goes to a slot
  // before the first one, which its search for a dead slot does not reach.
  ASSERT_TRUE(Insert(2, 5));
  ASSERT_TRUE(Insert(id, 20));
  ASSERT_TRUE(Insert(id, 30, /*now=*/10));
  EXPECT_EQ(Alive(10), 1U);
  EXPECT_EQ(Find(id), Bucket(id, 10 + (20 - 10) + (30 - 10)).state);
}

TEST_F(SlotTableTest, ASweepEmptiesTheDeadAndCountsTheLiving) {
  for (std::uint64_t n = 0; n < 10; ++n) {
    ASSERT_TRUE(Insert(IdNumber(n), static_cast<std::int64_t>(10 + n)));
  }
  EXPECT_EQ(Alive(9), 10U);
  EXPECT_EQ(Alive(14), 5U);
  for (std::uint64_t n = 0; n < 10; ++n) EXPECT_EQ(Find(IdNumber(n)).has_value(), n >= 5);
  EXPECT_EQ(Alive(100), 0U);
}

TEST_F(SlotTableTest, ASweepGoesOnWhereItStoppedAndAroundTheEnd) {
  for (std::uint64_t n = 0; n < SlotTable::kProbedSlots; ++n) ASSERT_TRUE(Insert(IdNumber(n), 50));
  std::size_t cursor = 3;
  EXPECT_EQ(table_.Sweep(&cursor, 2, At(1)), 8U);
  EXPECT_EQ(cursor, 1U);
  EXPECT_EQ(table_.Sweep(&cursor, 1, At(100)), 0U);
  EXPECT_EQ(cursor, 2U);
  EXPECT_EQ(Alive(1), 12U);
}

TEST(SlotTableSizeTest, KeysSpreadOverTheWholeTableAndWrapAroundItsEnd) {
  SlotTable table(101);  // Not a power of two.
  EXPECT_EQ(table.bytes(), 101U * 64);
  int found = 0;
  for (std::uint64_t n = 0; n < 200; ++n) {
    ASSERT_TRUE(table.Insert(IdNumber(n), Bucket(IdNumber(n), 100), At(1)));
  }
  // The last line's keys may lie in the first lines.
  ASSERT_TRUE(table.Insert(~std::uint64_t{0}, Bucket(~std::uint64_t{0}, 100), At(1)));
  for (std::uint64_t n = 0; n < 200; ++n) {
    const SlotTable::Place place =
        table.Find(IdNumber(n), IdentityOf(IdNumber(n), SlotKind::kTokenBucket, 0));
    found += place.index == SlotTable::kNowhere ? 0 : 1;
  }
  EXPECT_EQ(found, 200);
  EXPECT_EQ(table.evictions(), 0U);
}

}  // namespace
}  // namespace weir
