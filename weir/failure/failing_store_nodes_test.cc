// One check over several nodes, one of which is dead.

#include <gtest/gtest.h>

#include "weir/failure/failing_rig.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

class TwoNodesTest : public testing::Test {
 protected:
  TwoNodesTest() { rig_.OpenBreaker(a_, Prepare(), 1); }
  Fault Prepare() {
    a_.remote.faulty_node = 1;
    return Fault::kRefuse;
  }
  Hit On(NodeId node, FailureMode mode, std::uint64_t limit) {
    Hit hit = rig_.HitOn(rig_.NewRule(Algorithm::kFixedWindow, limit, 1h, {.mode = mode}));
    while (a_.remote.NodeOf(hit) != node) ++hit.id;
    return hit;
  }

  FailingRig rig_;
  RigInstance& a_ = rig_.NewInstance({}, 2);
};

TEST_F(TwoNodesTest, OnlyTheDeadNodesRulesUseTheirMode) {
  const AskedCheck& check =
      rig_.Answer(a_, {On(0, FailureMode::kClosed, 5), On(1, FailureMode::kOpen, 5)});
  EXPECT_TRUE(check.passed());
  EXPECT_EQ(check.outcomes[0].basis, Basis::kStore);
  EXPECT_EQ(check.outcomes[1].basis, Basis::kOpen);
}

TEST_F(TwoNodesTest, WhatWasSpentOnALiveNodeIsGivenBackIfAClosedRuleHasNoCount) {
  const Hit live = On(0, FailureMode::kOpen, 5);
  const AskedCheck& check = rig_.Answer(a_, {live, On(1, FailureMode::kClosed, 5)});
  EXPECT_FALSE(check.passed());
  EXPECT_TRUE(check.outcomes[0].allowed);
  rig_.Pass(5ms);
  EXPECT_EQ(rig_.Counted(live), 0U);
  EXPECT_EQ(a_.store.counts().give_backs.Read(), 1U);
}

TEST_F(TwoNodesTest, ALiveNodesDenialGoesBeforeADeadNodesClosedRule) {
  const Hit live = On(0, FailureMode::kOpen, 0);
  const AskedCheck& check = rig_.Answer(a_, {live, On(1, FailureMode::kClosed, 5)});
  EXPECT_FALSE(check.outcomes[0].allowed);
  EXPECT_EQ(check.outcomes[0].basis, Basis::kStore);
}

TEST_F(TwoNodesTest, ALocalDenialAsksNoNode) {
  const Hit live = On(0, FailureMode::kOpen, 5);
  const AskedCheck& check = rig_.Ask(a_, {live, On(1, FailureMode::kLocalShare, 0)});
  EXPECT_FALSE(check.was_pending);
  EXPECT_FALSE(check.passed());
  EXPECT_EQ(rig_.Counted(live), 0U);
}

TEST_F(TwoNodesTest, ALiveNodesDenialLeavesNothingSpentHere) {
  const Hit share = On(1, FailureMode::kLocalShare, 3);
  const Hit live = On(0, FailureMode::kOpen, 0);
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(rig_.Answer(a_, {live, share}).passed());
  EXPECT_EQ(LeftOf(share, rig_.Ask(a_, {share}).outcomes.at(0)), 2U);
}

TEST_F(TwoNodesTest, AGiveBackThatFailsIsCountedAndNotRetried) {
  const Hit live = On(0, FailureMode::kOpen, 5);
  const AskedCheck& check = rig_.Ask(a_, {live, On(1, FailureMode::kClosed, 5)});
  a_.remote.faulty_node = ScriptedStore::kEveryNode;
  rig_.Pass(20ms);
  EXPECT_FALSE(check.passed());
  EXPECT_EQ(rig_.Counted(live), 1U);
  EXPECT_EQ(a_.store.counts().give_backs_lost.Read(), 1U);
  EXPECT_EQ(a_.remote.refunds(), 1U);
}

}  // namespace
}  // namespace weir
