// After an outage: what was admitted without the store reaches its count, once.

#include <gtest/gtest.h>

#include "weir/failure/failing_rig.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

constexpr Algorithm kAll[] = {Algorithm::kTokenBucket, Algorithm::kFixedWindow,
                              Algorithm::kSlidingWindow};

class HandBackFlowTest : public testing::Test {
 protected:
  Hit HitOf(Algorithm algorithm, FailureMode mode, std::uint64_t limit = 100,
            Duration window = 1h) {
    return rig_.HitOn(rig_.NewRule(algorithm, limit, window, {.mode = mode}));
  }
  int Admit(RigInstance& at, const Hit& hit, int asked) {
    int passed = 0;
    for (int i = 0; i < asked; ++i) passed += rig_.Answer(at, {hit}).passed() ? 1 : 0;
    return passed;
  }

  FailingRig rig_;
};

TEST_F(HandBackFlowTest, WhatWasAdmittedInTheOutageIsInTheCountAfterIt) {
  for (const Algorithm algorithm : kAll) {
    SCOPED_TRACE(NameOf(algorithm));
    RigInstance& a = rig_.NewInstance();
    const Hit hit = HitOf(algorithm, FailureMode::kLocalShare);
    EXPECT_EQ(Admit(a, hit, 10), 10);
    rig_.OpenBreaker(a, Fault::kRefuse);
    EXPECT_EQ(Admit(a, hit, 30), 30);
    EXPECT_EQ(rig_.Counted(hit), 10U);
    rig_.Heal(a);
    rig_.Pass(200ms);
    EXPECT_EQ(rig_.Counted(hit), 40U);
    EXPECT_TRUE(a.state.ledger().empty());
  }
}

TEST_F(HandBackFlowTest, AKeysDebtTravelsAheadOfItsFirstLiveCheck) {
  for (const Algorithm algorithm : kAll) {
    SCOPED_TRACE(NameOf(algorithm));
    RigInstance& a = rig_.NewInstance();
    const Hit hit = HitOf(algorithm, FailureMode::kLocalShare, 10);
    rig_.OpenBreaker(a, Fault::kRefuse);
    EXPECT_EQ(Admit(a, hit, 20), 10);
    a.state.Renew(0, rig_.now().steady);
    a.remote.fault = Fault::kNone;
    const AskedCheck& first = rig_.Answer(a, {hit});
    EXPECT_EQ(first.outcomes[0].basis, Basis::kStore);
    EXPECT_FALSE(first.passed());
  }
}

TEST_F(HandBackFlowTest, WhatOpenLetPassLocksNobodyOut) {
  RigInstance& a = rig_.NewInstance();
  const Hit hit = HitOf(Algorithm::kFixedWindow, FailureMode::kOpen, 20, 10s);
  rig_.OpenBreaker(a, Fault::kRefuse);
  EXPECT_EQ(Admit(a, hit, 300), 300);
  rig_.Heal(a);
  rig_.Pass(200ms);
  EXPECT_EQ(rig_.Counted(hit), 20U);
}

TEST_F(HandBackFlowTest, AmbiguousHitsAreNeverHandedBack) {
  for (const Algorithm algorithm : kAll) {
    for (const Fault fault : {Fault::kCutAfter, Fault::kCutBefore}) {
      SCOPED_TRACE(NameOf(algorithm));
      RigInstance& a = rig_.NewInstance();
      const Hit hit = HitOf(algorithm, FailureMode::kLocalShare);
      a.remote.fault = fault;
      EXPECT_EQ(Admit(a, hit, 3), 3);
      EXPECT_TRUE(a.state.ledger().empty());
      a.remote.fault = Fault::kNone;
      rig_.Pass(200ms);
      EXPECT_EQ(rig_.Counted(hit), fault == Fault::kCutAfter ? 3U : 0U);
      EXPECT_EQ(a.store.counts().ambiguous.Read(), 3U);
    }
  }
}

TEST_F(HandBackFlowTest, RefundsInTheOutageNetWithWhatIsOwed) {
  for (const Algorithm algorithm : kAll) {
    SCOPED_TRACE(NameOf(algorithm));
    RigInstance& a = rig_.NewInstance();
    const Hit hit = HitOf(algorithm, FailureMode::kLocalShare);
    rig_.OpenBreaker(a, Fault::kRefuse);
    EXPECT_EQ(Admit(a, hit, 10), 10);
    Hit refund = hit;
    refund.refund = true;
    refund.cost = 4;
    EXPECT_TRUE(rig_.Answer(a, {refund}).passed());
    refund.cost = 50;
    EXPECT_TRUE(rig_.Answer(a, {refund}).passed());
    EXPECT_EQ(a.store.counts().refunds_lost.Read(), 1U);
    EXPECT_EQ(Admit(a, hit, 2), 2);
    rig_.Heal(a);
    rig_.Pass(200ms);
    EXPECT_EQ(rig_.Counted(hit), 2U);
  }
}

TEST_F(HandBackFlowTest, ADebtThatSurelyDidNotArriveIsSentAgainAndOneThatMayHaveIsNot) {
  for (const Fault fault : {Fault::kReadonly, Fault::kCutAfter}) {
    RigInstance& a = rig_.NewInstance();
    const Hit hit = HitOf(Algorithm::kFixedWindow, FailureMode::kLocalShare);
    rig_.OpenBreaker(a, Fault::kRefuse);
    EXPECT_EQ(Admit(a, hit, 10), 10);
    a.state.Renew(0, rig_.now().steady);
    a.remote.fault = fault;
    rig_.Pass(20ms);
    a.remote.fault = Fault::kNone;
    rig_.Pass(300ms);
    EXPECT_EQ(rig_.Counted(hit), 10U);
    EXPECT_TRUE(a.state.ledger().empty());
  }
}

TEST_F(HandBackFlowTest, SeveralInstancesHandBackTheirOwnPartsAndTheSumIsTheLimit) {
  LiveCount live({.source = FleetSource::kDns});
  live.ReportCount(4, rig_.now().steady);
  std::vector<RigInstance*> fleet;
  for (int i = 0; i < 4; ++i) fleet.push_back(&rig_.NewInstance({.fleet = &live}));
  const Hit hit = HitOf(Algorithm::kTokenBucket, FailureMode::kLocalShare, 100);
  int admitted = 0;
  for (RigInstance* at : fleet) {
    rig_.OpenBreaker(*at, Fault::kRefuse);
    admitted += Admit(*at, hit, 60);
  }
  EXPECT_EQ(admitted, 100);
  for (RigInstance* at : fleet) rig_.Heal(*at);
  rig_.Pass(200ms);
  EXPECT_GE(rig_.Counted(hit), 99U);
}

TEST_F(HandBackFlowTest, WithoutHandBackTheOutageIsForgotten) {
  RigInstance& a = rig_.NewInstance({.hand_back = false});
  const Hit hit = HitOf(Algorithm::kFixedWindow, FailureMode::kLocalShare);
  rig_.OpenBreaker(a, Fault::kRefuse);
  Admit(a, hit, 10);
  rig_.Heal(a);
  rig_.Pass(200ms);
  EXPECT_EQ(rig_.Counted(hit), 0U);
}

TEST_F(HandBackFlowTest, ALargeDebtFollowsInBoundedBatches) {
  RigInstance& a = rig_.NewInstance();
  const Rule& rule = rig_.NewRule(Algorithm::kFixedWindow, 100, 1h, {.mode = FailureMode::kOpen});
  rig_.OpenBreaker(a, Fault::kRefuse);
  for (int i = 0; i < 600; ++i) rig_.Ask(a, {rig_.HitOn(rule, std::to_string(i))});
  const std::uint64_t before = a.remote.hand_backs();
  a.state.Renew(0, rig_.now().steady);
  a.remote.fault = Fault::kNone;
  while (a.remote.hand_backs() == before) rig_.Pass(250us);
  EXPECT_LE(a.remote.hand_backs() - before, FailingStore::kHandBackBatch);
  rig_.Pass(200ms);
  EXPECT_TRUE(a.state.ledger().empty());
  EXPECT_GE(a.store.counts().hand_backs.Read(), 600U);
}

}  // namespace
}  // namespace weir
