// The reference profile, end to end over a memory store: what envoyproxy/ratelimit answers and
// counts.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "test/limiter_test_world.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

class LimiterReferenceTest : public testing::Test {
 protected:
  void Load(std::vector<RuleNode> rules) {
    if (world_ == nullptr) {
      world_ = std::make_unique<LimiterWorld>(std::move(rules), Profile::kReference);
    } else {
      world_->Load(std::move(rules));
    }
  }
  Decision Ask(const TestRequest& request) {
    Limiter& limiter = world_->limiter();
    limiter.BeginTurn();
    limiter.Match(request.request(), world_->clock().Read(), check_);
    Check* const batch[] = {&check_};
    EXPECT_EQ(limiter.Commit(batch, world_->clock().Read()), 0U);
    const Decision decision = limiter.Settle(check_);
    StatusesOf(check_, statuses_);
    return decision;
  }
  Decision Ask(std::vector<Entry> entries, std::uint64_t cost = 1) {
    return Ask(TestRequest("shop", {std::move(entries)}, cost));
  }
  void Spend(std::vector<Entry> entries, std::uint64_t cost = 1) {
    static_cast<void>(Ask(std::move(entries), cost));
  }
  int Admitted(const TestRequest& request, int times) {
    int admitted = 0;
    for (int i = 0; i < times; ++i) admitted += Ask(request).allowed() ? 1 : 0;
    return admitted;
  }
  int Admitted(std::vector<Entry> entries, int times) {
    return Admitted(TestRequest("shop", {std::move(entries)}), times);
  }
  const DescriptorStatus& status(std::size_t i = 0) const { return statuses_.at(i); }

  std::unique_ptr<LimiterWorld> world_;
  Check check_;
  std::vector<DescriptorStatus> statuses_;
};

TEST_F(LimiterReferenceTest, C01_ADeniedCallIsStillChargedToTheGroup) {
  Load({Fixed("group", "bar", 10), Fixed("special", "yes", 3)});
  EXPECT_EQ(Admitted(TestRequest("shop", {{{"group", "bar"}}, {{"special", "yes"}}}), 5), 3);
  EXPECT_EQ(Admitted({{"group", "bar"}}, 6), 5);
}

TEST_F(LimiterReferenceTest, C08_AnAddendAcrossTheLimitStaysInTheCounterAndIsBookedInParts) {
  Load({Fixed("k", "", 10)});
  EXPECT_TRUE(Ask({{"k", "1"}}, 6).allowed());
  EXPECT_EQ(status().remaining, 4U);
  EXPECT_FALSE(Ask({{"k", "1"}}, 6).allowed());
  EXPECT_EQ(status().remaining, 0U);
  EXPECT_EQ(check_.outcomes[0].used, 12U);
  EXPECT_FALSE(Ask({{"k", "1"}}, 1).allowed());
  const RuleTotals totals = world_->TotalsOf("shop/k");
  EXPECT_EQ(totals.total_hits, 13U);
  EXPECT_EQ(totals.within_limit, 6U);
  EXPECT_EQ(totals.near_limit, 2U);
  EXPECT_EQ(totals.over_limit, 3U);
}

TEST_F(LimiterReferenceTest, C09_ADescriptorsZeroLooksAndSaysOverOnlyAboveTheLimit) {
  Load({Fixed("k", "", 3)});
  TestRequest peek("shop", {{{"k", "1"}}});
  peek.WithCost(0, 0);
  EXPECT_TRUE(Ask(peek).allowed());
  EXPECT_EQ(status().remaining, 3U);
  EXPECT_EQ(Admitted({{"k", "1"}}, 3), 3);
  EXPECT_EQ(Admitted(peek, 100), 100);
  EXPECT_EQ(status().remaining, 0U);
  EXPECT_FALSE(Ask({{"k", "1"}}).allowed());
  EXPECT_EQ(Admitted(peek, 100), 0);
  EXPECT_EQ(world_->TotalsOf("shop/k").total_hits, 4U);
}

TEST_F(LimiterReferenceTest, C11_NegativeHitsStopAtZeroAndAreNeverRefused) {
  Load({Fixed("k", "", 10)});
  const auto refund = [&](std::uint64_t cost) {
    TestRequest request("shop", {{{"k", "1"}}});
    return Ask(request.AsRefund(0, cost)).allowed();
  };
  Spend({{"k", "1"}}, 3);
  EXPECT_TRUE(refund(5));
  EXPECT_EQ(status().remaining, 10U);
  EXPECT_EQ(Admitted({{"k", "1"}}, 15), 10);
  EXPECT_TRUE(refund(2));
  EXPECT_EQ(check_.outcomes[0].used, 13U);
  EXPECT_FALSE(Ask({{"k", "1"}}).allowed());
}

TEST_F(LimiterReferenceTest, C29_TheMomentOfTheResetDoesNotWobble) {
  Load({Fixed("k", "", 100, Unit::kHour)});
  const WallTime end = kWorldStart.wall + 1h;
  Duration before = 2h;
  for (int i = 0; i < 50; ++i) {
    world_->clock().Advance(Duration(97'131'337));
    Spend({{"k", "1"}});
    EXPECT_EQ(world_->clock().Read().wall + status().reset, end);
    EXPECT_LE(status().reset, before);
    before = status().reset;
  }
}

TEST_F(LimiterReferenceTest, C31_ResetsOfAllUnits) {
  const std::pair<Unit, std::int64_t> rows[] = {
      {Unit::kSecond, 1},    {Unit::kMinute, 60},     {Unit::kHour, 3600},      {Unit::kDay, 7200},
      {Unit::kWeek, 93'600}, {Unit::kMonth, 352'800}, {Unit::kYear, 2'944'800},
  };
  for (const auto& [unit, seconds] : rows) {
    SCOPED_TRACE(NameOf(unit));
    Load({Fixed(std::string(NameOf(unit)), "", 10, unit)});
    EXPECT_TRUE(Ask({{NameOf(unit), "1"}}).allowed());
    EXPECT_EQ(CeilSeconds(status().reset), seconds);
  }
}

TEST_F(LimiterReferenceTest, C56_SharedPatternsCountTogetherAndExactValuesApart) {
  for (const bool shared : {false, true}) {
    world_.reset();
    RuleNode foo = Fixed("path", "/foo*", 2);
    foo.share_threshold = shared;
    Load({foo, Fixed("path", "/foo/exact", 5)});
    EXPECT_EQ(Admitted({{"path", "/foo/1"}}, 3), 2);
    EXPECT_EQ(Admitted({{"path", "/foo/2"}}, 2), shared ? 0 : 2);
    EXPECT_EQ(Admitted({{"path", "/foo/exact"}}, 6), 5);
  }
}

TEST_F(LimiterReferenceTest, C63_AnUnknownDomainPassesAndIsNamed) {
  Load({Fixed("k", "", 1)});
  EXPECT_TRUE(Ask(TestRequest("shop2", {{{"k", "1"}}, {{"k", "2"}}})).allowed());
  EXPECT_EQ(status().rule, nullptr);
  EXPECT_EQ(world_->engine().DomainsNotFound().at("shop2"), 2U);
  EXPECT_EQ(world_->engine().Loops().unknown_domain, 1U);
}

TEST_F(LimiterReferenceTest, C79_HugeAddendsAreOverAndTheNextWindowIsFresh) {
  Load({Fixed("k", "", 10)});
  for (const std::uint64_t cost : {std::uint64_t{1} << 32U, (std::uint64_t{1} << 63U) - 1,
                                   ~std::uint64_t{0}, std::uint64_t{1}}) {
    EXPECT_FALSE(Ask({{"k", "1"}}, cost).allowed());
  }
  world_->clock().Advance(60s);
  EXPECT_TRUE(Ask({{"k", "1"}}).allowed());
  EXPECT_EQ(status().remaining, 9U);
}

TEST_F(LimiterReferenceTest, C100_OverridesFillNoMoreNamesThanTheBound) {
  Load({Fixed("k", "", 1)});
  for (int i = 0; i < 50'000; ++i) {
    const std::string user = std::to_string(i);
    TestRequest request("shop", {{{"user", user}}});
    ASSERT_TRUE(Ask(request.WithLimit(0, 5, Unit::kMinute)).allowed());
  }
  const auto named = world_->engine().Named();
  EXPECT_EQ(named.size(), NamedCounters::kMostNames + 1);
  EXPECT_EQ(named.at("shop.user_7").total_hits, 1U);
  EXPECT_EQ(named.at("__other__").total_hits, 50'000U - NamedCounters::kMostNames);
}

TEST_F(LimiterReferenceTest, C106_ARaisedLimitStillSeesTheDeniedCalls) {
  Load({Fixed("k", "", 10, Unit::kHour)});
  EXPECT_EQ(Admitted({{"k", "1"}}, 50), 10);
  world_->clock().Advance(20min);
  Load({Fixed("k", "", 20, Unit::kHour)});
  EXPECT_EQ(Admitted({{"k", "1"}}, 11), 0);
}

TEST_F(LimiterReferenceTest, C108_AShadowRuleIsOkWithRealStats) {
  for (const std::uint64_t cost : {1U, 5U}) {
    world_.reset();
    Load({InShadow(Fixed("s", "", 2))});
    for (std::uint64_t spent = 0; spent < 5; spent += cost) {
      EXPECT_TRUE(Ask({{"s", "1"}}, cost).allowed());
      EXPECT_FALSE(status().over);
    }
    const RuleTotals totals = world_->TotalsOf("shop/s");
    EXPECT_EQ(totals.within_limit, cost == 1 ? 2U : 0U);
    EXPECT_EQ(totals.over_limit, 3U);
    EXPECT_EQ(totals.shadow_mode, 3U);
  }
}

TEST_F(LimiterReferenceTest, ADetailedRuleIsBookedUnderItsValuesOnly) {
  RuleNode node = Fixed("k", "", 10);
  node.rule->detailed_metric = true;
  Load({node});
  Spend({{"k", "one"}});
  Spend({{"k", "two"}}, 3);
  const auto named = world_->engine().Named();
  EXPECT_EQ(named.at("shop.k_one").total_hits, 1U);
  EXPECT_EQ(named.at("shop.k_two").total_hits, 3U);
  EXPECT_EQ(world_->TotalsOf("shop/k").total_hits, 0U);
}

TEST_F(LimiterReferenceTest, AnOverrideAndARuleOfEqualEntriesAndUnitShareACounter) {
  Load({Fixed("k", "", 10)});
  EXPECT_EQ(Admitted({{"k", "1"}}, 4), 4);
  TestRequest own("shop", {{{"k", "1"}}});
  EXPECT_EQ(Admitted(own.WithLimit(0, 6, Unit::kMinute), 3), 2);
}

}  // namespace
}  // namespace weir
