#include "weir/limiter/held_hits.h"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "test/limiter_test_world.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

// A memory store that counts the hits it is asked for, and, if told, answers at the next Poll()
// only.
class WatchedStore final : public Store {
 public:
  std::size_t Commit(std::span<Check* const> checks, const Now& now) override {
    std::size_t pending = 0;
    for (Check* check : checks) {
      asked += check->hits.size();
      memory_.Commit({&check, 1}, now);
      if (!late || check->hits.empty()) continue;
      check->pending = true;
      waiting_.push_back(check);
      ++pending;
    }
    return pending;
  }
  Instant Poll(const Now&) override {
    std::vector<Check*> due;
    due.swap(waiting_);
    for (Check* check : due) {
      check->pending = false;
      check->Done();
    }
    return kNever;
  }
  NodeId NodeOf(const Hit&) const override { return 0; }

  std::size_t asked = 0;
  bool late = false;

 private:
  MemoryStore memory_{{.max_keys = 1000, .max_bytes = 0, .now = kWorldStart}};
  std::vector<Check*> waiting_;
};

EngineOptions Holding(bool stand_still = false) {
  EngineOptions options;
  options.held_denials = 1000;
  options.stand_still_when_over = stand_still;
  return options;
}

// -- native ---

class HeldHitsTest : public testing::Test {
 protected:
  void Load(std::vector<RuleNode> rules, Profile profile = Profile::kNative) {
    if (world_ != nullptr) return world_->Load(std::move(rules));
    world_ = std::make_unique<LimiterWorld>(std::move(rules), profile, Holding(), &store_);
  }
  Decision Ask(std::vector<Entry> entries, std::uint64_t cost = 1) {
    return world_->Ask(std::move(entries), cost);
  }
  // Hits that reached the store in `ask`.
  template <typename F>
  std::size_t AskedIn(const F& ask) {
    const std::size_t before = store_.asked;
    ask();
    return store_.asked - before;
  }

  WatchedStore store_;
  std::unique_ptr<LimiterWorld> world_;
};

TEST_F(HeldHitsTest, ADenialIsGivenAgainWithoutTheStoreUntilOneUnitIsFree) {
  // A unit each two seconds.
  Load({Bucket("k", "", {.limit = 30, .burst = 3, .unit = Unit::kMinute})});
  EXPECT_EQ(world_->Admitted({{"k", "1"}}, 3), 3);
  const Decision first = Ask({{"k", "1"}});
  EXPECT_EQ(first.basis, Basis::kStore);
  EXPECT_EQ(first.retry_after, 2s);
  world_->clock().Advance(500ms);
  EXPECT_EQ(AskedIn([&] {
              const Decision again = Ask({{"k", "1"}});
              EXPECT_FALSE(again.allowed());
              EXPECT_EQ(again.basis, Basis::kHeld);
              EXPECT_EQ(again.remaining, 0U);
              EXPECT_EQ(again.retry_after, 1500ms);
              EXPECT_EQ(again.reset_after, 5500ms);
              EXPECT_EQ(Ask({{"k", "1"}}, 2).retry_after, 3500ms);
              EXPECT_EQ(Ask({{"k", "1"}}, 4).retry_after, kNeverFits);
            }),
            0U);
  world_->clock().Advance(1500ms);
  EXPECT_TRUE(Ask({{"k", "1"}}).allowed());
}

TEST_F(HeldHitsTest, ADenialWithUnitsLeftIsNotHeld) {
  Load({Bucket("k", "", {.limit = 30, .burst = 3, .unit = Unit::kMinute})});
  EXPECT_TRUE(Ask({{"k", "1"}}).allowed());
  EXPECT_FALSE(Ask({{"k", "1"}}, 3).allowed());
  EXPECT_TRUE(Ask({{"k", "1"}}, 2).allowed());
}

TEST_F(HeldHitsTest, APeekAlwaysAsksTheStore) {
  Load({NodeOf("k", "", 1)});
  EXPECT_EQ(world_->Admitted({{"k", "1"}}, 2), 1);
  EXPECT_EQ(AskedIn([&] { EXPECT_TRUE(Ask({{"k", "1"}}, 0).allowed()); }), 1U);
}

TEST_F(HeldHitsTest, OneHeldDenialAnswersForTheWholeCheckAndNothingIsSpent) {
  Load({NodeOf("a", "", 10), NodeOf("k", "", 1), InShadow(NodeOf("s", "", 10))});
  EXPECT_EQ(world_->Admitted({{"k", "1"}}, 2), 1);
  const TestRequest three("shop", {{{"a", "1"}}, {{"s", "1"}}, {{"k", "1"}}});
  EXPECT_EQ(AskedIn([&] {
              const Decision decision = world_->Ask(three);
              EXPECT_EQ(decision.basis, Basis::kHeld);
              EXPECT_EQ(decision.rule->id, "shop/k");
            }),
            0U);
  EXPECT_EQ(Ask({{"a", "1"}}).remaining, 9U);
}

TEST_F(HeldHitsTest, RulesWithoutASayAreNotHeld) {
  Load({InShadow(NodeOf("s", "", 1))});
  EXPECT_EQ(world_->Admitted({{"s", "1"}}, 3), 3);
  EXPECT_EQ(AskedIn([&] { EXPECT_TRUE(Ask({{"s", "1"}}).would_deny); }), 1U);
}

TEST_F(HeldHitsTest, ARefundEndsTheDenial) {
  Load({NodeOf("k", "", 2)});
  EXPECT_EQ(world_->Admitted({{"k", "1"}}, 4), 2);
  TestRequest refund("shop", {{{"k", "1"}}});
  EXPECT_TRUE(world_->Ask(refund.AsRefund(0, 1)).allowed());
  EXPECT_TRUE(Ask({{"k", "1"}}).allowed());
}

TEST_F(HeldHitsTest, ARefundEndsADenialOfTheSameBatchThatWasGivenBeforeIt) {
  Load({NodeOf("k", "", 1)});
  EXPECT_TRUE(Ask({{"k", "1"}}).allowed());
  const TestRequest hit("shop", {{{"k", "1"}}});
  TestRequest refund("shop", {{{"k", "1"}}});
  refund.AsRefund(0, 1);
  Limiter& limiter = world_->limiter();
  Check first;
  Check second;
  limiter.Match(hit.request(), kWorldStart, first);
  limiter.Match(refund.request(), kWorldStart, second);
  Check* const batch[] = {&first, &second};
  EXPECT_EQ(limiter.Commit(batch, kWorldStart), 0U);
  EXPECT_FALSE(limiter.Settle(first).allowed());
  EXPECT_TRUE(limiter.Settle(second).allowed());
  EXPECT_TRUE(Ask({{"k", "1"}}).allowed());
}

TEST_F(HeldHitsTest, ARefundBesideAHeldDenialIsGiven) {
  Load({NodeOf("a", "", 10), NodeOf("k", "", 1), NodeOf("b", "", 10)});
  EXPECT_EQ(world_->Admitted({{"a", "1"}}, 5), 5);
  EXPECT_EQ(world_->Admitted({{"k", "1"}}, 2), 1);
  TestRequest three("shop", {{{"b", "1"}}, {{"a", "1"}}, {{"k", "1"}}});
  const Decision decision = world_->Ask(three.AsRefund(1, 3));
  EXPECT_EQ(decision.basis, Basis::kHeld);
  EXPECT_EQ(decision.rule->id, "shop/k");
  EXPECT_EQ(Ask({{"a", "1"}}).remaining, 7U);
  EXPECT_EQ(Ask({{"b", "1"}}).remaining, 9U);
}

TEST_F(HeldHitsTest, AChangeOfTheRuleEndsTheDenialAndAReloadOfTheSameDoesNot) {
  Load({NodeOf("k", "", 2)});
  EXPECT_EQ(world_->Admitted({{"k", "1"}}, 4), 2);
  Load({NodeOf("k", "", 2)});
  EXPECT_EQ(Ask({{"k", "1"}}).basis, Basis::kHeld);
  Load({NodeOf("k", "", 20)});
  EXPECT_TRUE(Ask({{"k", "1"}}).allowed());
}

TEST_F(HeldHitsTest, AWindowsDenialEndsWithTheWindow) {
  Load({Fixed("k", "", 2)});
  world_->clock().Advance(20s);
  EXPECT_EQ(world_->Admitted({{"k", "1"}}, 3), 2);
  world_->clock().Advance(10s);
  const Decision held = Ask({{"k", "1"}});
  EXPECT_EQ(held.basis, Basis::kHeld);
  EXPECT_EQ(held.retry_after, 30s);
  EXPECT_EQ(held.reset_after, 30s);
  EXPECT_EQ(Ask({{"k", "1"}}, 3).retry_after, kNeverFits);
  world_->clock().Advance(30s);
  EXPECT_TRUE(Ask({{"k", "1"}}).allowed());
}

TEST_F(HeldHitsTest, C37_AWallClockThatStepsIntoAnotherWindowLeavesTheDenialBehind) {
  Load({Fixed("k", "", 1, Unit::kHour)});
  EXPECT_EQ(world_->Admitted({{"k", "1"}}, 3), 1);
  const Now later{.steady = kWorldStart.steady + 1s, .wall = kWorldStart.wall + 1h};
  EXPECT_TRUE(
      world_->limiter().Check(TestRequest("shop", {{{"k", "1"}}}).request(), later).allowed());
}

TEST_F(HeldHitsTest, ASlidingWindowsDenialEndsWhenOneUnitIsFree) {
  Load({Bucket("k", "",
               {.algorithm = Algorithm::kSlidingWindow, .limit = 10, .unit = Unit::kMinute})});
  EXPECT_EQ(world_->Admitted({{"k", "1"}}, 10), 10);
  const Decision denied = Ask({{"k", "1"}});
  EXPECT_EQ(denied.basis, Basis::kStore);
  EXPECT_EQ(Ask({{"k", "1"}}).basis, Basis::kHeld);
  EXPECT_EQ(Ask({{"k", "1"}}).retry_after, denied.retry_after);
  world_->clock().Advance(denied.retry_after);
  EXPECT_TRUE(Ask({{"k", "1"}}).allowed());
}

TEST_F(HeldHitsTest, AStoreThatAnswersLaterIsRememberedFromWhenItWasAsked) {
  Load({Bucket("k", "", {.limit = 60, .burst = 1, .unit = Unit::kMinute})});
  store_.late = true;
  std::vector<Decision> got;
  const auto start = [&] {
    const TestRequest request("shop", {{{"k", "1"}}, {{"none", "1"}}});
    world_->limiter().Start(request.request(), world_->clock().Read(),
                            [&](const Decision& decision) { got.push_back(decision); });
  };
  start();
  start();
  world_->clock().Advance(400ms);
  world_->limiter().Poll(world_->clock().Read());
  ASSERT_EQ(got.size(), 2U);
  EXPECT_FALSE(got[1].allowed());
  start();  // Answered at once.
  ASSERT_EQ(got.size(), 3U);
  EXPECT_EQ(got[2].basis, Basis::kHeld);
  EXPECT_EQ(got[2].retry_after, 600ms);
}

TEST_F(HeldHitsTest, LookupsAndHitsAreCounted) {
  Load({NodeOf("k", "", 1)});
  EXPECT_EQ(world_->Admitted({{"k", "1"}}, 5), 1);
  const Engine::LoopTotals totals = world_->engine().Loops();
  EXPECT_EQ(totals.held_lookups, 5U);
  EXPECT_EQ(totals.held_hits, 3U);
  EXPECT_EQ(world_->TotalsOf("shop/k").over_limit_with_local_cache, 3U);
}

TEST_F(HeldHitsTest, WithoutTheOptionNothingIsRemembered) {
  LimiterWorld world({NodeOf("k", "", 1)}, Profile::kNative, {}, &store_);
  EXPECT_EQ(world.Admitted({{"k", "1"}}, 3), 1);
  EXPECT_EQ(store_.asked, 3U);
  EXPECT_EQ(world.engine().held_denials(), nullptr);
}

// -- reference ---

TEST_F(HeldHitsTest, UnderEachOnlyTheHeldHitStaysAwayFromTheStore) {
  Load({Fixed("a", "", 10), Fixed("k", "", 1)}, Profile::kReference);
  EXPECT_EQ(world_->Admitted({{"k", "1"}}, 2), 1);
  EXPECT_EQ(
      AskedIn([&] {
        EXPECT_FALSE(world_->Ask(TestRequest("shop", {{{"k", "1"}}, {{"a", "1"}}})).allowed());
      }),
      1U);
  EXPECT_EQ(Ask({{"a", "1"}}).remaining, 8U);
}

TEST_F(HeldHitsTest, UnderEachADenialOutlivesAChangeOfTheRule) {
  Load({Fixed("k", "", 1)}, Profile::kReference);
  EXPECT_EQ(world_->Admitted({{"k", "1"}}, 2), 1);
  Load({Fixed("k", "", 100)}, Profile::kReference);
  EXPECT_FALSE(Ask({{"k", "1"}}).allowed());
  world_->clock().Advance(1min);
  EXPECT_TRUE(Ask({{"k", "1"}}).allowed());
}

TEST_F(HeldHitsTest, UnderEachARefundEndsTheDenialAndTheCountDecidesAgain) {
  Load({Fixed("k", "", 2)}, Profile::kReference);
  EXPECT_EQ(world_->Admitted({{"k", "1"}}, 3), 2);
  TestRequest refund("shop", {{{"k", "1"}}});
  EXPECT_TRUE(world_->Ask(refund.AsRefund(0, 2)).allowed());
  EXPECT_TRUE(Ask({{"k", "1"}}).allowed());
}

}  // namespace
}  // namespace weir
