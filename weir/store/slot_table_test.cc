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

TEST(SlotTest, AReservationHoldsNothingWhateverItsKind) {
  EXPECT_TRUE(IsReserved({IdentityOf(7, SlotKind::kTokenBucket, 0), 1}));
  EXPECT_TRUE(IsReserved({IdentityOf(7, SlotKind::kTokenBucket, 0), kFirstTick - 1}));
  EXPECT_FALSE(IsReserved({IdentityOf(7, SlotKind::kTokenBucket, 0), kFirstTick}));
  EXPECT_TRUE(IsReserved(Window(7, SlotKind::kFixedWindow, 1, 0)));
  EXPECT_FALSE(IsReserved(Window(7, SlotKind::kFixedWindow, 1, 1)));
  EXPECT_TRUE(IsDead(Window(7, SlotKind::kSlidingOdd, 1, 0), At(1)));
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
    table_.Sweep(&cursor, table_.lines(), At(now));
    return table_.used();
  }

  SlotTable table_{SlotTable::kProbedLines, SlotTable::kProbedSlots};
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

TEST_F(SlotTableTest, ARefundedCounterIsFoundNoMoreAndItsSlotIsTakenAgain) {
  const std::uint64_t id = IdNumber(1);
  ASSERT_TRUE(Insert(id, 10));
  const SlotTable::Place place = table_.Find(id, Bucket(id, 10).identity);
  ASSERT_TRUE(table_.Replace(place, {Bucket(id, 10).identity, 0}));
  EXPECT_EQ(Find(id), std::nullopt);
  EXPECT_TRUE(Insert(id, 12));
  EXPECT_EQ(Find(id), Bucket(id, 12).state);
  EXPECT_EQ(table_.used(), 1U);
}

TEST_F(SlotTableTest, WhatIsRemovedIsNotInUse) {
  const std::uint64_t id = IdNumber(1);
  ASSERT_TRUE(Insert(id, 10));
  const SlotTable::Place place = table_.Find(id, Bucket(id, 10).identity);
  EXPECT_TRUE(table_.Remove(place));
  EXPECT_FALSE(table_.Remove(place));
  EXPECT_EQ(table_.used(), 0U);
}

TEST(SlotTableBoundTest, NeverMoreSlotsAreInUseThanAllowed) {
  SlotTable table(SlotTable::kProbedLines, 3);
  for (std::uint64_t n = 0; n < 100; ++n) {
    ASSERT_TRUE(table.Insert(IdNumber(n), Bucket(IdNumber(n), 100), At(1)));
    ASSERT_LE(table.used(), 3U);
  }
  EXPECT_EQ(table.used(), 3U);
  EXPECT_EQ(table.evictions(), 97U);
}

TEST(SlotTableBoundTest, ATableThatIsFullElsewhereForgetsAKeyThere) {
  SlotTable table(64, 1);  // The two keys share no line.
  const std::uint64_t first = 1;
  const std::uint64_t last = std::uint64_t{1} << 63U;
  ASSERT_TRUE(table.Insert(first, Bucket(first, 100), At(1)));
  ASSERT_TRUE(table.Insert(last, Bucket(last, 100), At(1)));
  EXPECT_EQ(table.used(), 1U);
  EXPECT_EQ(table.evictions(), 1U);
  EXPECT_EQ(table.Find(first, Bucket(first, 0).identity).index, SlotTable::kNowhere);
  EXPECT_NE(table.Find(last, Bucket(last, 0).identity).index, SlotTable::kNowhere);
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
  table_.Sweep(&cursor, 2, At(1));
  EXPECT_EQ(cursor, 1U);
  table_.Sweep(&cursor, 1, At(100));
  EXPECT_EQ(cursor, 2U);
  EXPECT_EQ(Alive(1), 12U);
}

TEST(SlotTableSizeTest, KeysSpreadOverTheWholeTableAndWrapAroundItsEnd) {
  SlotTable table(101, 404);  // Not a power of two.
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
