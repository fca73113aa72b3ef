#include "weir/limiter/limiter.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

#include "test/limiter_test_world.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

TEST(LimiterTest, SaysWhetherARequestMayPassAndWhatIsLeft) {
  LimiterWorld world({NodeOf("tenant", "", 3)});
  const std::vector<Entry> acme = {{"tenant", "acme"}};
  for (std::uint64_t left = 3; left-- > 0;) {
    const Decision decision = world.Ask(acme);
    EXPECT_TRUE(decision.allowed());
    EXPECT_EQ(decision.basis, Basis::kStore);
    EXPECT_EQ(decision.rule, world.engine().policy()->FindRule("shop/tenant"));
    EXPECT_EQ(decision.limit, 3U);
    EXPECT_EQ(decision.remaining, left);
    EXPECT_EQ(decision.retry_after, Duration{});
  }
  const Decision denied = world.Ask(acme);
  EXPECT_EQ(denied.verdict, Verdict::kDeny);
  EXPECT_EQ(denied.remaining, 0U);
  EXPECT_EQ(CeilSeconds(denied.retry_after), 20);
  EXPECT_TRUE(world.Ask({{"tenant", "other"}}).allowed());
}

// Seven callers who each wait as long as they are told, but no longer than twelve seconds.
TEST(LimiterTest, C34_CallersWhoWaitAsToldNeverGetTwoWindowsAtOnce) {
  RuleNode node = BranchOf("tenant", "", {});
  Rule rule;
  rule.quota = MakeQuota({.algorithm = Algorithm::kFixedWindow, .limit = 3, .window = 10s}).value();
  node.rule = rule;
  LimiterWorld world({node});
  std::array<Duration, 7> due{};
  std::array<int, 7> admitted_at{};
  admitted_at.fill(-1);
  for (int second = 0; second <= 12; ++second) {
    for (std::size_t i = 0; i < due.size(); ++i) {
      if (admitted_at.at(i) >= 0 || due.at(i) > std::chrono::seconds(second)) continue;
      const Decision decision = world.Ask({{"tenant", "acme"}});
      if (decision.allowed()) {
        admitted_at.at(i) = second;
      } else {
        due.at(i) = std::chrono::seconds(second) + decision.retry_after;
      }
    }
    world.clock().Advance(1s);
  }
  EXPECT_EQ(admitted_at, (std::array<int, 7>{0, 0, 0, 10, 10, 10, -1}));
  EXPECT_GT(due.at(6), Duration(12s));
}

TEST(LimiterTest, C63_WhatNoRuleCountsPassesAndIsCountedAsThat) {
  LimiterWorld world({NodeOf("path", "", 1)});
  EXPECT_EQ(world.Ask(TestRequest("shop2", {{{"path", "/x"}}})), Decision{});
  EXPECT_EQ(world.Ask({{"PATH", "/x"}}).basis, Basis::kNoRule);
  EXPECT_TRUE(
      world.Ask(TestRequest("shop", {{{"path", "/x"}}, {{"a", "1"}}, {{"b", "2"}}})).allowed());
  const Engine::LoopTotals totals = world.engine().Loops();
  EXPECT_EQ(totals.requests, 3U);
  EXPECT_EQ(totals.unknown_domain, 1U);
  EXPECT_EQ(totals.unmatched, 3U);
  EXPECT_TRUE(world.engine().DomainsNotFound().empty());  // Named by the reference profile only.
}

TEST(LimiterTest, CountsRequestsByDomainAndFaceOverReloads) {
  LimiterWorld world({NodeOf("path", "", 1)});
  EXPECT_TRUE(world.Ask({{"path", "/x"}}).allowed());
  EXPECT_TRUE(world.Ask({{"none", "/x"}}).allowed());
  EXPECT_TRUE(world.Ask(TestRequest("nowhere", {{{"path", "/x"}}})).allowed());
  world.Load({NodeOf("path", "", 2)});
  EXPECT_TRUE(world.Ask({{"path", "/y"}}).allowed());
  const auto domains = world.engine().Domains();
  ASSERT_EQ(domains.size(), 1U);
  EXPECT_EQ(domains.at("shop"), (DomainTotals{.requests = {3, 0, 0, 0}, .unmatched = 1}));
  EXPECT_EQ(world.engine().Loops().elsewhere.requests.at(0), 1U);
}

TEST(LimiterTest, C78_EmptyAndOddRequestsAreAnsweredAndTheNextOneToo) {
  LimiterWorld world({NodeOf("k", "", 1)});
  EXPECT_TRUE(world.Ask(TestRequest("", {})).allowed());
  EXPECT_TRUE(world.Ask(TestRequest("shop", {})).allowed());
  EXPECT_TRUE(world.Ask(std::vector<Entry>{}).allowed());
  EXPECT_TRUE(world.Ask({{"", ""}}).allowed());
  EXPECT_TRUE(world.Ask(std::vector<Entry>(10'000, Entry{"k", "v"})).allowed());
  const std::string huge(1 << 20, 'v');
  EXPECT_EQ(world.Admitted({{"k", huge}}, 2), 1);
  EXPECT_EQ(world.Admitted({{"k", "v"}}, 2), 1);
}

TEST(LimiterTest, C01_ADeniedCallDoesNotEatTheSharedQuota) {
  LimiterWorld world({NodeOf("group", "bar", 10), NodeOf("special", "yes", 3)});
  EXPECT_EQ(world.Admitted(TestRequest("shop", {{{"group", "bar"}}, {{"special", "yes"}}}), 5), 3);
  EXPECT_EQ(world.Admitted({{"group", "bar"}}, 8), 7);
}

TEST(LimiterTest, C02_AShadowRuleSwitchesNothingOff) {
  LimiterWorld world({InShadow(NodeOf("tier", "free", 2)), NodeOf("user", "", 10)});
  EXPECT_EQ(world.Admitted(TestRequest("shop", {{{"tier", "free"}}, {{"user", "u1"}}}), 12), 10);
  const RuleTotals tier = world.TotalsOf("shop/tier=free");
  EXPECT_EQ(tier.total_hits, 12U);
  EXPECT_EQ(tier.shadow_mode, 10U);
  EXPECT_EQ(tier.shadow_denied, 10U);
  EXPECT_EQ(tier.denied, RuleTotals{}.denied);
  const RuleTotals user = world.TotalsOf("shop/user");
  EXPECT_EQ(user.allowed.at(static_cast<std::size_t>(Basis::kStore)), 10U);
  EXPECT_EQ(user.denied.at(static_cast<std::size_t>(Basis::kStore)), 2U);
  EXPECT_EQ(user.over_limit, 2U);
}

TEST(LimiterTest, C109_HeadersWouldDescribeEnforcedRulesOnly) {
  LimiterWorld world({InShadow(NodeOf("s", "", 1)), NodeOf("k", "", 100)});
  Decision last;
  for (int i = 0; i < 3; ++i) last = world.Ask(TestRequest("shop", {{{"s", "1"}}, {{"k", "1"}}}));
  EXPECT_EQ(last.limit, 100U);
  EXPECT_EQ(last.remaining, 97U);
  EXPECT_TRUE(last.would_deny);
}

TEST(LimiterTest, C03_TheTightRuleBlocksAtItsOwnLimit) {
  LimiterWorld world({NodeOf("client", "", 1000), NodeOf("method", "eth_call", 10)});
  const TestRequest call("shop", {{{"client", "a"}}, {{"method", "eth_call"}}});
  EXPECT_EQ(world.Admitted(call, 20), 10);
  EXPECT_EQ(world.Ask({{"client", "a"}}, 0).remaining, 990U);
}

TEST(LimiterTest, C06_TwoEnginesOverOneStoreKeepTheirCountersApart) {
  MemoryStore store({.max_keys = 1000, .max_bytes = 0, .now = kWorldStart});
  LimiterWorld day({Fixed("d", "", 500, Unit::kDay)}, Profile::kNative, {}, &store);
  LimiterWorld minute({Fixed("m", "", 10)}, Profile::kNative, {}, &store);
  EXPECT_EQ(minute.Admitted({{"m", "client"}}, 11), 10);
  EXPECT_LE(minute.Ask({{"m", "client"}}).retry_after, 60s);
  EXPECT_EQ(day.Ask({{"d", "client"}}, 0).remaining, 500U);
  minute.clock().Advance(61s);
  EXPECT_TRUE(minute.Ask({{"m", "client"}}).allowed());
}

TEST(LimiterTest, C14_AWaitCountsThePartGrownUnit) {
  LimiterWorld world({Bucket("k", "", {.limit = 1, .window = 1s})});
  EXPECT_TRUE(world.Ask({{"k", "1"}}).allowed());
  world.clock().Advance(200ms);
  EXPECT_EQ(world.Ask({{"k", "1"}}).retry_after, 800ms);
  EXPECT_EQ(CeilSeconds(world.Ask({{"k", "1"}}).retry_after), 1);
  world.clock().Advance(799ms);
  EXPECT_FALSE(world.Ask({{"k", "1"}}).allowed());
  world.clock().Advance(1ms);
  EXPECT_TRUE(world.Ask({{"k", "1"}}).allowed());
}

TEST(LimiterTest, C37_AStepOfTheWallClockGivesABucketNothingAndTakesNothing) {
  LimiterWorld world({Bucket("k", "", {.limit = 5, .window = 1s})});
  EXPECT_EQ(world.Admitted({{"k", "1"}}, 3), 3);
  world.clock().StepWall(-11s);
  EXPECT_EQ(world.Ask({{"k", "1"}}).remaining, 1U);
  world.clock().StepWall(11'500ms);
  EXPECT_EQ(world.Ask({{"k", "1"}}).remaining, 0U);
  const Decision denied = world.Ask({{"k", "1"}});
  EXPECT_FALSE(denied.allowed());
  EXPECT_LE(denied.retry_after, 1s);
}

TEST(LimiterTest, C62_CostsOfDescriptorsAreIndependent) {
  LimiterWorld world({NodeOf("budget", "", 100), NodeOf("requests", "", 10)});
  TestRequest call("shop", {{{"budget", "b"}}, {{"requests", "b"}}});
  call.WithCost(0, 40);
  EXPECT_EQ(world.Ask(call).limit, 10U);  // Nine left of ten: the least.
  EXPECT_EQ(world.Ask({{"budget", "b"}}, 0).remaining, 60U);
  EXPECT_TRUE(world.Ask(call).allowed());
  EXPECT_FALSE(world.Ask(call).allowed());
  EXPECT_EQ(world.Ask({{"budget", "b"}}, 0).remaining, 20U);
  EXPECT_EQ(world.Ask({{"requests", "b"}}, 0).remaining, 8U);
}

TEST(LimiterTest, C77_AMalformedLimitOfTheRequestsOwnFallsBackToTheRule) {
  LimiterWorld world({NodeOf("k", "", 2)});
  for (const std::uint64_t wire : {0U, 99U}) {
    const std::string key = std::to_string(wire);
    TestRequest request("shop", {{{"k", key}}});
    EXPECT_EQ(world.Admitted(request.WithLimit(0, 5, UnitFromWire(wire)), 3), 2);
  }
  EXPECT_TRUE(world.Ask({{"k", "x"}}).allowed());
}

TEST(LimiterTest, C79_HugeCostsAreDeniedAndSpendNothing) {
  LimiterWorld world({NodeOf("k", "", 10)});
  for (const std::uint64_t cost :
       {std::uint64_t{1} << 32U, (std::uint64_t{1} << 63U) - 1, ~std::uint64_t{0}}) {
    EXPECT_EQ(world.Ask({{"k", "1"}}, cost).retry_after, kNeverFits);
  }
  EXPECT_EQ(world.Admitted({{"k", "1"}}, 11), 10);
  EXPECT_EQ(world.TotalsOf("shop/k").within_limit, 10U);
}

TEST(LimiterTest, C10_ARefundOpensRoomAndBooksNothing) {
  LimiterWorld world({Fixed("k", "", 5)});
  EXPECT_EQ(world.Admitted({{"k", "1"}}, 6), 5);
  TestRequest refund("shop", {{{"k", "1"}}});
  const Decision decision = world.Ask(refund.AsRefund(0, 2));
  EXPECT_TRUE(decision.allowed());
  EXPECT_EQ(decision.rule, nullptr);
  EXPECT_EQ(world.TotalsOf("shop/k").total_hits, 6U);
  EXPECT_EQ(world.Admitted({{"k", "1"}}, 6), 2);
}

TEST(LimiterTest, C58_TheSameKeyUnderTwoRulesIsLimitedByBoth) {
  LimiterWorld world(
      {Bucket("a", "", {.limit = 5, .window = 1s}), Fixed("b", "", 20, Unit::kHour)});
  const TestRequest call("shop", {{{"a", "c"}}, {{"b", "c"}}});
  int admitted = world.Admitted(call, 10);
  EXPECT_EQ(admitted, 5);
  for (int i = 0; i < 60; ++i) {
    world.clock().Advance(500ms);
    admitted += world.Admitted(call, 1);
  }
  EXPECT_EQ(admitted, 20);
}

TEST(LimiterTest, ABatchIsDecidedLikeTheSameRequestsOneByOne) {
  LimiterWorld world({NodeOf("k", "", 5), NodeOf("g", "", 12)});
  LimiterWorld single({NodeOf("k", "", 5), NodeOf("g", "", 12)});
  std::array<Check, 16> checks;
  std::array<Check*, 16> batch{};
  Limiter& limiter = world.limiter();
  limiter.BeginTurn();
  const auto request = [](std::size_t i) {
    return std::vector<std::vector<Entry>>{{{"k", i % 3 == 0 ? "a" : "b"}}, {{"g", "1"}}};
  };
  for (std::size_t i = 0; i < batch.size(); ++i) {
    batch.at(i) = &checks.at(i);
    const auto entries = request(i);
    limiter.Match(TestRequest("shop", {entries[0], entries[1]}).request(), kWorldStart,
                  checks.at(i));
  }
  EXPECT_EQ(limiter.Commit(batch, kWorldStart), 0U);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto entries = request(i);
    const Decision want = single.Ask(TestRequest("shop", {entries[0], entries[1]}));
    const Decision got = limiter.Settle(checks.at(i));
    EXPECT_EQ(got.verdict, want.verdict);
    EXPECT_EQ(got.remaining, want.remaining);
    EXPECT_EQ(got.retry_after, want.retry_after);
  }
  EXPECT_EQ(world.TotalsOf("shop/k"), single.TotalsOf("shop/k"));
  EXPECT_EQ(world.TotalsOf("shop/g"), single.TotalsOf("shop/g"));
}

}  // namespace
}  // namespace weir
