#include "weir/failure/ledger.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "weir/failure/local_rig.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

constexpr Instant kNow{60s};

class LedgerTest : public testing::Test {
 protected:
  Hit HitOn(std::string_view key) { return rig_.HitOn(rule_, key); }
  bool Add(const Hit& hit, NodeId node = 0, bool capped = false) {
    return ledger_.Add(hit, node, {.part = 1, .whole = 4}, capped, kNow + 10s, kNow);
  }
  std::vector<Ledger::Owed> TakeSome(std::size_t most, NodeId alive) {
    std::vector<Ledger::Owed> out;
    ledger_.TakeSome(most, alive, out);
    return out;
  }

  LocalRig rig_;
  const Rule& rule_ = rig_.NewRule(Algorithm::kFixedWindow, 10, 10s);
  Ledger ledger_{100};
};

TEST_F(LedgerTest, HoldsWhatSendingAKeysDebtWillNeed) {
  const Hit hit = HitOn("acme");
  EXPECT_TRUE(Add(hit, 3));
  EXPECT_TRUE(Add(hit, 3, true));
  EXPECT_EQ(ledger_.size(), 1U);
  const auto owed = ledger_.Take(hit.id);
  ASSERT_TRUE(owed);
  EXPECT_EQ(owed->key, hit.key);
  EXPECT_EQ(owed->rule->id, rule_.id);
  EXPECT_EQ(owed->quota, rule_.quota);
  EXPECT_EQ(owed->node, 3);
  EXPECT_TRUE(owed->capped);
}

TEST_F(LedgerTest, GivesAnEntryOnce) {
  const Hit hit = HitOn("acme");
  Add(hit);
  EXPECT_TRUE(ledger_.Take(hit.id));
  EXPECT_FALSE(ledger_.Take(hit.id));
  EXPECT_TRUE(ledger_.empty());
}

TEST_F(LedgerTest, OfManyLoopsThatTakeAnEntryOneGetsIt) {
  for (int round = 0; round < 50; ++round) {
    const Hit hit = HitOn("acme");
    Add(hit);
    std::atomic<int> got{0};
    std::vector<std::thread> loops;
    for (int i = 0; i < 4; ++i) {
      loops.emplace_back([&] { got += ledger_.Take(hit.id) ? 1 : 0; });
    }
    for (std::thread& loop : loops) loop.join();
    ASSERT_EQ(got, 1);
  }
}

TEST_F(LedgerTest, TakesInBatchesAndOnlyForNodesThatAreReady) {
  for (int i = 0; i < 30; ++i) Add(HitOn(std::to_string(i)), static_cast<NodeId>(i % 2));
  EXPECT_EQ(TakeSome(10, 1).size(), 10U);
  EXPECT_EQ(TakeSome(10, 1).size(), 5U);
  EXPECT_EQ(TakeSome(10, 1).size(), 0U);
  EXPECT_EQ(ledger_.size(), 15U);
  EXPECT_EQ(ledger_.OwedTo(0), 15U);
  EXPECT_EQ(ledger_.OwedTo(1), 0U);
  for (const Ledger::Owed& owed : TakeSome(100, 0)) EXPECT_EQ(owed.node, 0);
  EXPECT_TRUE(ledger_.empty());
}

TEST_F(LedgerTest, BeyondItsBoundADebtIsDroppedAndCounted) {
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(Add(HitOn(std::to_string(i))));
  EXPECT_FALSE(Add(HitOn("one more")));
  EXPECT_TRUE(Add(HitOn("7")));
  EXPECT_EQ(ledger_.dropped(), 1U);
  EXPECT_EQ(ledger_.size(), 100U);
}

TEST_F(LedgerTest, WhatTimeHasCancelledMakesRoom) {
  for (int i = 0; i < 100; ++i) Add(HitOn(std::to_string(i)));
  const Instant later = kNow + 20s;
  int added = 0;
  for (int i = 100; i < 150; ++i) {
    added += ledger_.Add(HitOn(std::to_string(i)), 0, {}, false, later + 10s, later) ? 1 : 0;
  }
  EXPECT_GE(added, 40);
  for (int i = 0; i < 32; ++i) ledger_.Sweep(later);
  EXPECT_EQ(ledger_.size(), static_cast<std::size_t>(added));
}

TEST_F(LedgerTest, WhatCouldNotBeSentReturnsAndJoinsWhatCameMeanwhile) {
  const Hit hit = HitOn("acme");
  Add(hit, 0, true);
  auto owed = ledger_.Take(hit.id);
  Add(hit);
  ledger_.PutBack(std::move(*owed));
  EXPECT_EQ(ledger_.size(), 1U);
  EXPECT_TRUE(ledger_.Take(hit.id)->capped);
}

TEST_F(LedgerTest, ADebtOutlivesThePolicyItWasMadeUnder) {
  Rule rule = rule_;
  Hit hit = HitOn("acme");
  hit.rule = &rule;
  Add(hit);
  rule.id = "gone";
  EXPECT_EQ(ledger_.Take(hit.id)->rule->id, rule_.id);
}

}  // namespace
}  // namespace weir
