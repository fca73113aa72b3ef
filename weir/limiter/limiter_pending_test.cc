// Start() over a store that answers later, and what may happen in between.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "test/limiter_test_world.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

// Leaves every check pending and answers it, from memory, at the next Poll(); or as if the shared
// store were gone.
class LateStore final : public Store {
 public:
  std::size_t Commit(std::span<Check* const> checks, const Now&) override {
    for (Check* check : checks) {
      if (check->hits.empty()) {
        check->outcomes.clear();
        continue;
      }
      check->pending = true;
      waiting_.push_back(check);
    }
    return waiting_.size();
  }

  Instant Poll(const Now& now) override {
    std::vector<Check*> due;
    due.swap(waiting_);
    if (newest_first) std::reverse(due.begin(), due.end());
    for (Check* check : due) {
      Check* const batch[] = {check};
      memory_.Commit(batch, now);
      if (fail_closed) {
        for (Outcome& outcome : check->outcomes) {
          outcome = {
              .allowed = false, .basis = Basis::kClosed, .cause = Cause::kTimeout, .retry = 2s};
        }
      }
      check->pending = false;
      check->Done();
    }
    return kNever;
  }

  NodeId NodeOf(const Hit&) const override { return 0; }
  std::size_t waiting() const { return waiting_.size(); }

  bool newest_first = false;
  bool fail_closed = false;

 private:
  MemoryStore memory_{{.max_keys = 1000, .max_bytes = 0, .now = kWorldStart}};
  std::vector<Check*> waiting_;
};

class LimiterPendingTest : public testing::Test {
 protected:
  void Start(std::vector<Entry> entries, Limiter::Callback done) {
    const TestRequest request("shop", {std::move(entries)});
    world_.limiter().Start(request.request(), kWorldStart, std::move(done));
  }
  void Poll() { world_.limiter().Poll(kWorldStart); }
  // Starts one that writes its verdict, as a letter, behind those before it.
  void StartNoted(std::vector<Entry> entries, char name) {
    Start(std::move(entries), [this, name](const Decision& decision) {
      notes_ += name;
      notes_ += decision.allowed() ? '+' : '-';
    });
  }

  LateStore store_;
  LimiterWorld world_{{weir::NodeOf("k", "", 2)}, Profile::kNative, {}, &store_};
  std::string notes_;
};

TEST_F(LimiterPendingTest, AnswersInsideThePollThatCompletesTheCheckAndOnlyOnce) {
  StartNoted({{"k", "1"}}, 'a');
  EXPECT_EQ(notes_, "");
  EXPECT_EQ(store_.waiting(), 1U);
  Poll();
  EXPECT_EQ(notes_, "a+");
  Poll();
  EXPECT_EQ(notes_, "a+");
}

TEST_F(LimiterPendingTest, AnswersAtOnceWhereNothingIsLeftToAsk) {
  StartNoted({{"unmatched", "1"}}, 'a');
  EXPECT_EQ(notes_, "a+");
}

TEST_F(LimiterPendingTest, AnswersAtOnceOverAStoreThatDoes) {
  LimiterWorld world({NodeOf("k", "", 1)});
  for (const bool want : {true, false}) {
    std::optional<bool> allowed;
    const TestRequest request("shop", {{{"k", "1"}}});
    world.limiter().Start(request.request(), kWorldStart,
                          [&](const Decision& decision) { allowed = decision.allowed(); });
    EXPECT_EQ(allowed, want);
  }
}

TEST_F(LimiterPendingTest, ManyAreInFlightAndMayCompleteInAnyOrder) {
  store_.newest_first = true;
  for (const char name : {'a', 'b', 'c'}) StartNoted({{"k", "1"}}, name);
  EXPECT_EQ(notes_, "");
  Poll();
  EXPECT_EQ(notes_, "c+b+a-");
  store_.newest_first = false;
  StartNoted({{"k", "2"}}, 'd');
  Poll();
  EXPECT_EQ(notes_, "c+b+a-d+");
  EXPECT_EQ(world_.TotalsOf("shop/k").total_hits, 4U);
}

TEST_F(LimiterPendingTest, TheRequestAndItsTextsMayGoBeforeTheAnswer) {
  {
    auto key = std::make_unique<std::string>("k");
    auto value = std::make_unique<std::string>(5000, 'v');
    StartNoted({{*key, *value}}, 'a');
    key->assign(1, 'x');
    value->assign(5000, 'x');
  }
  Poll();
  EXPECT_EQ(notes_, "a+");
}

TEST_F(LimiterPendingTest, AStoreThatIsGoneBecomesADecisionAndNotAnError) {
  store_.fail_closed = true;
  Decision seen;
  Start({{"k", "1"}}, [&](const Decision& decision) { seen = decision; });
  Poll();
  EXPECT_EQ(seen.verdict, Verdict::kUnavailable);
  EXPECT_EQ(seen.basis, Basis::kClosed);
  EXPECT_EQ(seen.retry_after, 2s);
  EXPECT_EQ(world_.TotalsOf("shop/k").denied.at(static_cast<std::size_t>(Basis::kClosed)), 1U);
}

TEST_F(LimiterPendingTest, AnAnswerMayStartTheNextQuestion) {
  int answers = 0;
  std::function<void()> next = [&] {
    Start({{"k", "1"}}, [&](const Decision&) {
      if (++answers < 5) next();
    });
  };
  next();
  for (int turn = 1; turn <= 5; ++turn) {
    Poll();
    EXPECT_EQ(answers, turn);
  }
  EXPECT_EQ(store_.waiting(), 0U);
}

TEST_F(LimiterPendingTest, APendingCheckKeepsItsRulesOverAReload) {
  std::string rule;
  const auto note = [&](const Decision& decision) {
    rule = decision.rule->id + " " + std::to_string(decision.limit);
  };
  Start({{"k", "1"}}, note);
  world_.Load({weir::NodeOf("other", "", 1)});
  world_.limiter().BeginTurn();  // The last reader lets go of the old policy.
  Poll();
  EXPECT_EQ(rule, "shop/k 2");
}

TEST_F(LimiterPendingTest, ACheckThatWaitedOverAReloadIsCountedForItsRuleIfThatIsStillThere) {
  StartNoted({{"k", "1"}}, 'a');
  world_.Load({weir::NodeOf("first", "", 9), weir::NodeOf("k", "", 7)});
  world_.limiter().BeginTurn();
  Poll();
  EXPECT_EQ(notes_, "a+");
  const RuleTotals totals = world_.TotalsOf("shop/k");
  EXPECT_EQ(totals.total_hits, 1U);
  EXPECT_EQ(totals.allowed.at(static_cast<std::size_t>(Basis::kStore)), 1U);
  EXPECT_EQ(world_.TotalsOf("shop/first"), RuleTotals{});

  StartNoted({{"k", "1"}}, 'b');
  world_.Load({weir::NodeOf("first", "", 9)});
  world_.limiter().BeginTurn();
  Poll();
  EXPECT_EQ(notes_, "a+b+");
  EXPECT_EQ(world_.TotalsOf("shop/first"), RuleTotals{});
}

TEST_F(LimiterPendingTest, AReloadInsideAnAnswerIsFine) {
  Start({{"k", "1"}}, [&](const Decision& decision) {
    world_.Load({weir::NodeOf("other", "", 1)});
    world_.limiter().BeginTurn();
    EXPECT_EQ(decision.rule->id, "shop/k");
  });
  StartNoted({{"k", "1"}}, 'b');
  Poll();
  EXPECT_EQ(notes_, "b+");
}

TEST_F(LimiterPendingTest, AReloadInsideAnAnswerThatCameAtOnceIsFineToo) {
  LimiterWorld world({weir::NodeOf("k", "", 2)});
  std::string rule;
  const TestRequest request("shop", {{{"k", "1"}}});
  world.limiter().Start(request.request(), kWorldStart, [&](const Decision& decision) {
    world.Load({weir::NodeOf("other", "", 1)});
    world.limiter().BeginTurn();
    rule = decision.rule->id;
  });
  EXPECT_EQ(rule, "shop/k");
}

TEST_F(LimiterPendingTest, ABatchOfOnesOwnChecksIsPinnedWhileItWaits) {
  Limiter& limiter = world_.limiter();
  limiter.BeginTurn();
  Check counted;
  Check unmatched;
  limiter.Match(TestRequest("shop", {{{"k", "1"}}}).request(), kWorldStart, counted);
  limiter.Match(TestRequest("shop", {{{"x", "1"}}}).request(), kWorldStart, unmatched);
  Check* const batch[] = {&counted, &unmatched};
  EXPECT_EQ(limiter.Commit(batch, kWorldStart), 1U);
  EXPECT_TRUE(counted.pending);
  EXPECT_EQ(counted.pin.get(), &limiter.policy());
  EXPECT_FALSE(unmatched.pending);
  EXPECT_EQ(unmatched.pin, nullptr);
  EXPECT_TRUE(limiter.Settle(unmatched).allowed());
  Poll();
  EXPECT_FALSE(counted.pending);
  EXPECT_TRUE(limiter.Settle(counted).allowed());
}

}  // namespace
}  // namespace weir
