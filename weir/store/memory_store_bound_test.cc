#include <array>
#include <cstdint>
#include <memory>

#include <gtest/gtest.h>

#include "weir/base/hash.h"
#include "weir/core/check.h"
#include "weir/store/memory_store.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

constexpr Now kStart{.steady = Instant(60s), .wall = WallTime(1'699'999'200s)};

Now After(Duration d) {
  return {.steady = kStart.steady + d, .wall = kStart.wall + d};
}

// A store that is charged by number: key n of one rule.
class BoundedStore {
 public:
  BoundedStore(const MemoryStoreOptions& options, const QuotaSpec& spec) : store_(options) {
    rule_.quota = MakeQuota(spec).value();
  }

  Outcome Charge(std::uint64_t key, const Now& now, std::uint64_t cost = 1) {
    check_.Clear();
    Hit& hit = check_.hits.emplace_back();
    hit.rule = &rule_;
    hit.quota = &rule_.quota;
    hit.id = MixHash(rule_.id_hash, key);
    if (rule_.carried) hit.previous_id = MixHash(rule_.carried->id_hash, key);
    hit.cost = cost;
    const std::array<Check*, 1> batch = {&check_};
    store_.Commit(batch, now);
    return check_.outcomes[0];
  }

  // Gives the rule other numbers, as a reload does.
  void Change(const QuotaSpec& spec) {
    rule_.carried = CarriedQuota{.id_hash = rule_.id_hash, .quota = rule_.quota, .until = kNever};
    rule_.id_hash = MixHash(rule_.id_hash, 1);
    rule_.quota = MakeQuota(spec).value();
  }

  // Polls as a loop would, for two whole passes over the table.
  Now SweepAll(Now now) {
    const Instant end = now.steady + 122s;
    while (now.steady < end) {
      const Instant next = store_.Poll(now);
      EXPECT_GT(next, now.steady);
      now.wall += next - now.steady;
      now.steady = next;
    }
    return now;
  }

  MemoryStore& store() { return store_; }

 private:
  MemoryStore store_;
  Rule rule_;
  Check check_;
};

TEST(MemoryStoreBoundTest, C99_AFloodOfKeysNeitherGrowsTheTableNorOutlivesItsWindow) {
  constexpr std::size_t kCap = 100'000;
  BoundedStore table({.max_keys = kCap, .now = kStart}, {.limit = 5, .window = 10s});
  const std::size_t bytes = table.store().bytes();
  EXPECT_LE(bytes, kCap * MemoryStore::kBytesPerKey);
  constexpr std::uint64_t kFlood = 2'000'000;
  Now now = kStart;
  for (std::uint64_t key = 0; key < kFlood; ++key) {
    if (key % 1000 == 0) {
      now = After(30us * key);
      table.store().Poll(now);
    }
    ASSERT_TRUE(table.Charge(key, now, 5).allowed);
    ASSERT_LE(table.store().keys(), kCap);
  }
  EXPECT_EQ(table.store().bytes(), bytes);
  // Each key lives 10 s: a sixth of them at a time, and no more than there may be.
  EXPECT_GT(table.store().evictions(), std::uint64_t{1'000'000});
  EXPECT_LE(table.store().evictions(), kFlood - kCap);

  while (now.steady < kStart.steady + 60s + 30s) {
    const Instant next = table.store().Poll(now);
    now.wall += next - now.steady;
    now.steady = next;
  }
  EXPECT_LE(table.store().keys(), kCap / 100);
}

TEST(MemoryStoreBoundTest, C99_AnOrdinaryKeyCountsOnDuringAFlood) {
  BoundedStore table({.max_keys = 1000, .now = kStart}, {.limit = 100, .window = 1h});
  int admitted = 0;
  for (std::uint64_t n = 0; n < 1000; ++n) {
    admitted += table.Charge(~std::uint64_t{0}, kStart).allowed ? 1 : 0;
    // It is always the one that is furthest from full, so the flood forgets others.
    for (std::uint64_t i = 0; i < 20; ++i) ASSERT_TRUE(table.Charge(n * 20 + i, kStart).allowed);
  }
  EXPECT_LE(admitted, 101);
  EXPECT_GT(table.store().evictions(), 0U);
}

TEST(MemoryStoreBoundTest, AForgottenKeyStartsAnewAndOneThatIsKeptDoesNot) {
  BoundedStore table({.max_keys = 8, .now = kStart}, {.limit = 10, .window = 1h});
  ASSERT_EQ(table.store().bytes(), 256U);  // Four lines: every key probes all sixteen slots.
  for (std::uint64_t key = 0; key < 8; ++key) {
    ASSERT_TRUE(table.Charge(key, kStart, key == 3 ? 1 : 5 + key % 5).allowed);
  }
  EXPECT_EQ(table.store().evictions(), 0U);
  ASSERT_TRUE(table.Charge(100, kStart, 9).allowed);
  EXPECT_EQ(table.store().evictions(), 1U);
  EXPECT_TRUE(table.Charge(3, kStart, 10).allowed);
  EXPECT_FALSE(table.Charge(100, kStart, 9).allowed);
}

TEST(MemoryStoreBoundTest, C48_ATinyTableStaysTiny) {
  BoundedStore table({.max_keys = 2, .now = kStart}, {.limit = 10, .window = 1h});
  for (std::uint64_t key = 0; key < 1000; ++key) {
    ASSERT_TRUE(table.Charge(key, kStart).allowed);
    ASSERT_LE(table.store().bytes(), 256U);
    ASSERT_LE(table.store().keys(), 2U);
  }
  EXPECT_EQ(table.store().evictions(), 1000U - 2);
  EXPECT_EQ(table.store().keys(), 2U);
}

TEST(MemoryStoreBoundTest, TheTighterOfTheTwoBoundsHolds) {
  const QuotaSpec spec{.limit = 10, .window = 1h};
  EXPECT_EQ(BoundedStore({.max_keys = 1000, .now = kStart}, spec).store().bytes(), 32'000U);
  EXPECT_EQ(
      BoundedStore({.max_keys = 1000, .max_bytes = 4096, .now = kStart}, spec).store().bytes(),
      4096U);
  EXPECT_EQ(
      BoundedStore({.max_keys = 1000, .max_bytes = 1 << 30, .now = kStart}, spec).store().bytes(),
      32'000U);
  EXPECT_EQ(BoundedStore({.max_keys = 1000, .max_bytes = 1, .now = kStart}, spec).store().bytes(),
            256U);
  EXPECT_EQ(BoundedStore({.max_keys = 0, .now = kStart}, spec).store().bytes(), 256U);
}

TEST(MemoryStoreBoundTest, TenMillionKeysTakeThirtyTwoBytesEachOfAddressSpace) {
  const MemoryStore store({.max_keys = 10'000'000, .max_bytes = 0, .now = kStart});
  EXPECT_EQ(store.bytes(), 320'000'000U);
}

TEST(MemoryStoreBoundTest, PeeksAndRefundsOfUnknownKeysTakeNoSlot) {
  for (const Algorithm algorithm :
       {Algorithm::kTokenBucket, Algorithm::kFixedWindow, Algorithm::kSlidingWindow}) {
    BoundedStore table({.max_keys = 8, .now = kStart},
                       {.algorithm = algorithm, .limit = 10, .window = 1h});
    for (std::uint64_t key = 0; key < 1000; ++key) {
      table.Charge(key, kStart, 0);
      table.Charge(key, kStart, 11);  // Denied: nothing spent, nothing to remember.
    }
    EXPECT_EQ(table.store().evictions(), 0U);
    table.SweepAll(kStart);
    EXPECT_EQ(table.store().keys(), 0U);
  }
}

TEST(MemoryStoreSweepTest, KeepsAndCountsWhatIsAlive) {
  // More lines than one step sweeps, and no multiple of it.
  BoundedStore table({.max_keys = 10'000, .now = kStart}, {.limit = 10, .window = 1h});
  for (std::uint64_t key = 0; key < 8000; ++key) table.Charge(key, kStart, 10);
  ASSERT_EQ(table.store().evictions(), 0U);
  table.SweepAll(kStart);
  EXPECT_EQ(table.store().keys(), 8000U);
}

TEST(MemoryStoreSweepTest, APassTakesTwentySecondsAndEmptiesWhatIsDead) {
  BoundedStore table({.max_keys = 100'000, .now = kStart}, {.limit = 10, .window = 1s});
  for (std::uint64_t key = 0; key < 50'000; ++key) table.Charge(key, kStart, 10);
  Now now = After(2s);
  int polls = 0;
  while (now.steady <= kStart.steady + 23s) {
    const Instant next = table.store().Poll(now);
    now.wall += next - now.steady;
    now.steady = next;
    ++polls;
  }
  EXPECT_LT(polls, 20);
  EXPECT_EQ(table.store().keys(), 0U);
  EXPECT_EQ(table.store().evictions(), 0U);
}

TEST(MemoryStoreSweepTest, PollingTooEarlyDoesNothingAndSaysWhenToComeBack) {
  MemoryStore store({.max_keys = 1000, .max_bytes = 0, .now = kStart});
  const Instant due = store.Poll(kStart);
  EXPECT_GT(due, kStart.steady);
  EXPECT_EQ(store.Poll(After(1ms)), due);
}

TEST(MemoryStoreCarryTest, C107_ALevelIsCarriedOnceAndNotAgainAfterTheNewSlotDied) {
  BoundedStore table({.max_keys = 1000, .now = kStart}, {.limit = 10, .window = 1h});
  ASSERT_TRUE(table.Charge(1, kStart, 10).allowed);
  table.Change({.limit = 10, .window = 1s});
  EXPECT_FALSE(table.Charge(1, kStart).allowed);
  EXPECT_TRUE(table.Charge(1, After(1s), 10).allowed);
  // The bucket is full again and its slot is swept; the old level, of an hour, must not return.
  const Now later = table.SweepAll(After(3s));
  EXPECT_TRUE(table.Charge(1, later, 10).allowed);
}

}  // namespace
}  // namespace weir
