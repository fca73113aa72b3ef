// What a reload does to callers who are known already.

#include <gtest/gtest.h>

#include "test/limiter_test_world.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

const std::vector<Entry> kAcme = {{"k", "acme"}};

TEST(LimiterReloadTest, C103_ReloadingTheSameRulesRefillsNothing) {
  const auto rules = [] {
    return std::vector{Bucket("k", "", {.limit = 1, .window = 60s, .burst = 5})};
  };
  LimiterWorld world(rules());
  EXPECT_EQ(world.Admitted(kAcme, 6), 5);
  for (int i = 0; i < 10; ++i) {
    world.Load(rules());
    EXPECT_FALSE(world.Ask(kAcme).allowed());
  }
  EXPECT_EQ(world.TotalsOf("shop/k").over_limit, 11U);
}

TEST(LimiterReloadTest, C103_OtherRulesOfTheFileMayChangeMoveAndGo) {
  LimiterWorld world({NodeOf("x", "", 7), NodeOf("k", "", 5)});
  EXPECT_EQ(world.Admitted(kAcme, 6), 5);
  world.Load({NodeOf("k", "", 5), NodeOf("x", "", 8), NodeOf("y", "", 1)});
  EXPECT_FALSE(world.Ask(kAcme).allowed());
  world.Load({NodeOf("k", "", 5)});
  EXPECT_FALSE(world.Ask(kAcme).allowed());
}

TEST(LimiterReloadTest, C104_AChangeReachesKnownCallersAtOnce) {
  LimiterWorld world({NodeOf("k", "", 5)});
  EXPECT_EQ(world.Admitted(kAcme, 3), 3);
  // Three fifths used: 2.4 of four, rounded in the caller's favour.
  world.Load({NodeOf("k", "", 4)});
  EXPECT_EQ(world.Admitted(kAcme, 2), 1);
  world.Load({NodeOf("k", "", 100)});
  EXPECT_TRUE(world.Ask(kAcme).allowed());
  world.Load({NodeOf("other", "", 1)});
  EXPECT_EQ(world.Admitted(kAcme, 200), 200);
}

TEST(LimiterReloadTest, C104_ARaisedWindowKeepsItsCountAndAddsTheRest) {
  LimiterWorld world({Fixed("k", "", 10)});
  EXPECT_EQ(world.Admitted(kAcme, 5), 5);
  world.Load({Fixed("k", "", 20)});
  EXPECT_EQ(world.Ask(kAcme, 0).remaining, 15U);
  EXPECT_EQ(world.Admitted(kAcme, 20), 15);
}

TEST(LimiterReloadTest, C106_CountingAdmittedCallsOnlyARaisedLimitHelpsAtOnce) {
  LimiterWorld world({Fixed("k", "", 10, Unit::kHour)});
  EXPECT_EQ(world.Admitted(kAcme, 50), 10);
  world.clock().Advance(20min);
  world.Load({Fixed("k", "", 20, Unit::kHour)});
  EXPECT_EQ(world.Admitted(kAcme, 11), 10);
}

TEST(LimiterReloadTest, C107_ARaisedRateNeverRefusesWhoWasAdmitted) {
  LimiterWorld world({Bucket("k", "", {.limit = 10, .window = 20s, .burst = 15})});
  EXPECT_EQ(world.Admitted(kAcme, 4), 4);
  world.Load({Bucket("k", "", {.limit = 1000, .window = 20s, .burst = 15})});
  const Decision decision = world.Ask(kAcme);
  EXPECT_TRUE(decision.allowed());
  EXPECT_GE(decision.remaining, 10U);
}

TEST(LimiterReloadTest, ALoweredLimitLeavesAPartOfWhatWasLeft) {
  LimiterWorld world({NodeOf("k", "", 100)});
  EXPECT_EQ(world.Admitted(kAcme, 90), 90);
  world.Load({NodeOf("k", "", 10)});
  EXPECT_EQ(world.Admitted(kAcme, 5), 1);
}

TEST(LimiterReloadTest, ARuleThatWasInShadowAndIsEnforcedKeepsItsCount) {
  LimiterWorld world({InShadow(NodeOf("k", "", 5))});
  EXPECT_EQ(world.Admitted(kAcme, 8), 8);
  world.Load({NodeOf("k", "", 5)});
  EXPECT_FALSE(world.Ask(kAcme).allowed());
}

TEST(LimiterReloadTest, ALimiterAdoptsANewPolicyAtItsNextTurnOnly) {
  LimiterWorld world({NodeOf("k", "", 5)});
  Limiter& limiter = world.limiter();
  const Policy* const before = &limiter.policy();
  world.Load({NodeOf("k", "", 6)});
  EXPECT_EQ(&limiter.policy(), before);
  limiter.BeginTurn();
  EXPECT_NE(&limiter.policy(), before);
  EXPECT_EQ(limiter.policy().FindRule("shop/k")->quota.limit, 6U);
}

}  // namespace
}  // namespace weir
