// What several threads may do to one MemoryStore at once.  Every test asserts what holds in any
// interleaving; the thread sanitizer watches the same runs.

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <cstdint>
#include <deque>
#include <span>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "test/dice.h"
#include "weir/base/hash.h"
#include "weir/core/algorithm/gcra.h"
#include "weir/core/check.h"
#include "weir/store/memory_store.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

constexpr Now kStart{.steady = Instant(60s), .wall = WallTime(1'699'999'200s)};
constexpr std::size_t kThreads = 4;

Rule RuleOf(const QuotaSpec& spec, std::uint64_t id) {
  Rule rule;
  rule.quota = MakeQuota(spec).value();
  rule.id_hash = MixHash(5, id);
  return rule;
}

// One thread's check, reused.
class Asker {
 public:
  explicit Asker(MemoryStore& store) : store_(store) {}

  void Add(const Rule& rule, std::uint64_t key, std::uint64_t cost = 1) {
    Hit& hit = check_.hits.emplace_back();
    hit.rule = &rule;
    hit.quota = &rule.quota;
    hit.id = MixHash(rule.id_hash, key);
    hit.cost = cost;
  }
  // Whether every hit added since passed.
  bool Commit(const Now& now, Charging charging = Charging::kAllOrNothing) {
    check_.charging = charging;
    const std::array<Check*, 1> batch = {&check_};
    store_.Commit(batch, now);
    bool passed = true;
    for (const Outcome& outcome : check_.outcomes) passed = passed && outcome.allowed;
    used_ = check_.outcomes.empty() ? 0 : check_.outcomes[0].used;
    check_.Clear();
    return passed;
  }
  bool Charge(const Rule& rule, std::uint64_t key, const Now& now, std::uint64_t cost = 1) {
    Add(rule, key, cost);
    return Commit(now);
  }
  // Outcome::used of the first hit last committed.
  std::uint64_t used() const { return used_; }

 private:
  MemoryStore& store_;
  Check check_;
  std::uint64_t used_ = 0;
};

// Runs `body(thread)` on all threads, which start together.
template <typename Body>
void Together(const Body& body) {
  std::barrier<> start(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      start.arrive_and_wait();
      body(t);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(MemoryStoreThreadsTest, C98_RacersNeverGetMoreThanTheLimitAndNeverLess) {
  constexpr std::uint64_t kLimit = 50;
  constexpr std::uint64_t kKeys = 3;
  for (const Algorithm algorithm :
       {Algorithm::kTokenBucket, Algorithm::kFixedWindow, Algorithm::kSlidingWindow}) {
    for (std::uint64_t round = 0; round < 20; ++round) {
      MemoryStore store({.max_keys = 1000, .max_bytes = 0, .now = kStart});
      const Rule rule = RuleOf({.algorithm = algorithm, .limit = kLimit, .window = 1h}, round);
      std::array<std::atomic<std::uint64_t>, kKeys> admitted{};
      Together([&](std::size_t) {
        Asker asker(store);
        for (std::uint64_t i = 0; i < 250; ++i) {
          if (asker.Charge(rule, i % kKeys, kStart)) ++admitted.at(i % kKeys);
        }
      });
      for (const auto& n : admitted) EXPECT_EQ(n.load(), kLimit);
    }
  }
}

TEST(MemoryStoreThreadsTest, C98_CostsOfManySizesNeverExceedTheLimitAndAreCountedExactly) {
  MemoryStore store({.max_keys = 1000, .max_bytes = 0, .now = kStart});
  const Rule rule = RuleOf({.limit = 10'000, .window = 1h}, 1);
  std::atomic<std::uint64_t> spent{0};
  Together([&](std::size_t t) {
    Asker asker(store);
    Dice dice(100 + t);
    for (int i = 0; i < 3000; ++i) {
      const std::uint64_t cost = dice.Between(1, 7);
      if (asker.Charge(rule, 0, kStart, cost)) spent += cost;
    }
  });
  EXPECT_LE(spent.load(), rule.quota.limit);
  EXPECT_GE(spent.load(), rule.quota.limit - 6);
  Asker asker(store);
  asker.Charge(rule, 0, kStart, 0);
  EXPECT_EQ(asker.used(), spent.load() * static_cast<std::uint64_t>(rule.quota.interval));
}

TEST(MemoryStoreThreadsTest, EveryHitIsAddedUnderEach) {
  MemoryStore store({.max_keys = 1000, .max_bytes = 0, .now = kStart});
  const Rule rule = RuleOf({.algorithm = Algorithm::kFixedWindow, .limit = 10, .window = 1h}, 1);
  Together([&](std::size_t) {
    Asker asker(store);
    for (int i = 0; i < 5000; ++i) {
      asker.Add(rule, 0);
      asker.Add(rule, 1, 2);
      asker.Commit(kStart, Charging::kEach);
    }
  });
  Asker asker(store);
  asker.Charge(rule, 0, kStart, 0);
  EXPECT_EQ(asker.used(), kThreads * 5000);
  asker.Charge(rule, 1, kStart, 0);
  EXPECT_EQ(asker.used(), kThreads * 10'000);
}

TEST(MemoryStoreThreadsTest, AllOrNothingNeverOverAdmitsAndEndsWithExactLevels) {
  for (const Algorithm algorithm : {Algorithm::kTokenBucket, Algorithm::kFixedWindow}) {
    for (std::uint64_t round = 0; round < 10; ++round) {
      MemoryStore store({.max_keys = 1000, .max_bytes = 0, .now = kStart});
      std::deque<Rule> rules;
      for (const std::uint64_t limit : {40U, 60U, 90U}) {
        rules.push_back(RuleOf({.algorithm = algorithm, .limit = limit, .window = 1h}, limit));
      }
      std::array<std::atomic<std::uint64_t>, 3> spent{};
      Together([&](std::size_t t) {
        Asker asker(store);
        Dice dice(200 + t);
        for (int i = 0; i < 400; ++i) {
          const std::size_t first = dice.Between(0, 2);
          const std::size_t second = (first + dice.Between(1, 2)) % 3;
          const std::uint64_t cost = dice.Between(1, 3);
          asker.Add(rules[first], 0, cost);
          asker.Add(rules[second], 0, 1);
          if (!asker.Commit(kStart)) continue;
          spent.at(first) += cost;
          spent.at(second) += 1;
        }
      });
      Asker asker(store);
      for (std::size_t r = 0; r < 3; ++r) {
        asker.Charge(rules[r], 0, kStart, 0);
        const std::uint64_t unit = algorithm == Algorithm::kTokenBucket
                                       ? static_cast<std::uint64_t>(rules[r].quota.interval)
                                       : 1;
        EXPECT_EQ(asker.used(), spent.at(r).load() * unit);
        EXPECT_LE(spent.at(r).load(), rules[r].quota.limit);
      }
    }
  }
}

TEST(MemoryStoreThreadsTest, RacingFirstHitsOfAKeyAreAllCounted) {
  MemoryStore store({.max_keys = 100'000, .max_bytes = 0, .now = kStart});
  const Rule rule = RuleOf({.algorithm = Algorithm::kFixedWindow, .limit = 1000, .window = 1h}, 1);
  constexpr std::uint64_t kRounds = 2000;
  std::barrier<> turn(kThreads);
  Together([&](std::size_t) {
    Asker asker(store);
    for (std::uint64_t key = 0; key < kRounds; ++key) {
      turn.arrive_and_wait();
      EXPECT_TRUE(asker.Charge(rule, key, kStart));
    }
  });
  Asker asker(store);
  for (std::uint64_t key = 0; key < kRounds; ++key) {
    asker.Charge(rule, key, kStart, 0);
    EXPECT_EQ(asker.used(), kThreads);
  }
}

// The threads' clocks disagree about which slots are dead, so that they reserve different ones for
// the same new key: it must count as one all the same.
TEST(MemoryStoreThreadsTest, RacingFirstHitsAmongDyingSlotsCountAsOneKey) {
  constexpr std::uint64_t kLimit = kThreads - 2;
  MemoryStore store({.max_keys = 9, .max_bytes = 0, .now = kStart});
  const Rule filler = RuleOf({.limit = 1'000'000, .window = 1s}, 1);  // 1 us a unit.
  const Rule rule =
      RuleOf({.algorithm = Algorithm::kFixedWindow, .limit = kLimit, .window = 1ms}, 2);
  constexpr std::uint64_t kRounds = 3000;
  std::barrier<> turn(kThreads);
  std::array<std::uint64_t, kRounds> counted{};
  std::array<std::atomic<std::uint64_t>, kRounds> admitted{};
  Together([&](std::size_t t) {
    Asker asker(store);
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      const Duration start = 2ms * static_cast<std::int64_t>(round);  // All before it is dead.
      const Now now{.steady = kStart.steady + start, .wall = kStart.wall + start};
      turn.arrive_and_wait();
      if (t == 0) {  // Eight slots that die one after the other, 10 us apart.
        for (std::uint64_t i = 0; i < 8; ++i) {
          EXPECT_TRUE(asker.Charge(filler, round * 8 + i, now, 10 * (i + 1)));
        }
      }
      turn.arrive_and_wait();
      const Duration lead = 25us * static_cast<std::int64_t>(t);
      if (asker.Charge(rule, round, {.steady = now.steady + lead, .wall = now.wall})) {
        ++admitted.at(round);
      }
      turn.arrive_and_wait();
      if (t != 0) continue;
      asker.Charge(rule, round, now, 0);
      counted.at(round) = asker.used();
    }
  });
  EXPECT_EQ(store.evictions(), 0U);
  for (const std::uint64_t n : counted) EXPECT_EQ(n, kLimit);
  for (const auto& n : admitted) EXPECT_EQ(n.load(), kLimit);
}

TEST(MemoryStoreThreadsTest, EvictionsUnderRaceLoseNoSlotAndSplitNoKey) {
  MemoryStore store({.max_keys = 8, .max_bytes = 0, .now = kStart});  // In sixteen slots.
  constexpr std::uint64_t kKeys = 64;
  const Rule rule = RuleOf({.limit = 100, .window = 1000h}, 1);  // A unit lasts ten hours.
  std::array<std::atomic<std::uint64_t>, kKeys> admitted{};
  Together([&](std::size_t t) {
    Asker asker(store);
    Dice dice(300 + t);
    for (int i = 0; i < 20'000; ++i) {
      const std::uint64_t key = dice.Between(0, kKeys - 1);
      if (asker.Charge(rule, key, kStart)) ++admitted.at(key);
    }
  });
  EXPECT_GT(store.evictions(), 0U);
  Asker asker(store);
  std::size_t alive = 0;
  for (std::uint64_t key = 0; key < kKeys; ++key) {
    asker.Charge(rule, key, kStart, 0);
    if (asker.used() == 0) continue;
    ++alive;
    // A key that was forgotten counts from nothing: never more than what was admitted.
    const std::uint64_t units = rule.quota.limit - gcra::Remaining(rule.quota, asker.used());
    EXPECT_LE(units, admitted.at(key).load());
    EXPECT_LE(asker.used(), static_cast<std::uint64_t>(rule.quota.tolerance));
  }
  EXPECT_EQ(alive, 8U);
  EXPECT_EQ(store.keys(), alive);
}

TEST(MemoryStoreThreadsTest, AtNoMomentAreThereMoreKeysThanTheBound) {
  constexpr std::size_t kMost = 8;
  MemoryStore store({.max_keys = kMost, .max_bytes = 0, .now = kStart});
  const Rule rule = RuleOf({.limit = 100, .window = 1000h}, 1);
  Together([&](std::size_t t) {
    Asker asker(store);
    std::size_t most = 0;
    for (std::uint64_t i = 0; i < 20'000; ++i) {
      asker.Charge(rule, t * 20'000 + i, kStart);
      most = std::max(most, store.keys());
    }
    EXPECT_LE(most, kMost);
  });
}

TEST(MemoryStoreThreadsTest, SweepsBesideChargesLoseNothingThatIsAlive) {
  MemoryStore store({.max_keys = 10'000, .max_bytes = 0, .now = kStart});
  const Rule lasting = RuleOf({.limit = 1000, .window = 1h}, 1);
  const Rule brief = RuleOf({.limit = 1000, .window = 1ms}, 2);
  std::array<std::atomic<std::uint64_t>, 50> admitted{};
  Together([&](std::size_t t) {
    Asker asker(store);
    Now now = kStart;
    for (std::uint64_t i = 0; i < 5000; ++i) {
      now.steady += 20ms;
      store.Poll(now);
      asker.Charge(brief, t * 10'000 + i, now);
      if (asker.Charge(lasting, i % 50, kStart)) ++admitted.at(i % 50);
    }
  });
  Asker asker(store);
  for (std::uint64_t key = 0; key < 50; ++key) {
    asker.Charge(lasting, key, kStart, 0);
    EXPECT_EQ(asker.used(),
              admitted.at(key).load() * static_cast<std::uint64_t>(lasting.quota.interval));
  }
  EXPECT_EQ(store.evictions(), 0U);
}

}  // namespace
}  // namespace weir
