#include "weir/failure/failing_store.h"

#include <gtest/gtest.h>

#include "weir/failure/failing_rig.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

FailurePolicy Mode(FailureMode mode) {
  return {.mode = mode};
}

class FailingStoreTest : public testing::Test {
 protected:
  Hit HitOf(FailureMode mode, std::uint64_t limit = 10, std::string_view key = "acme") {
    return rig_.HitOn(rig_.NewRule(Algorithm::kFixedWindow, limit, 1h, Mode(mode)), key);
  }
  const Outcome& Only(const AskedCheck& check) { return check.outcomes.at(0); }

  FailingRig rig_;
  HeldDenials held_{1000};
};

// -- health --

TEST_F(FailingStoreTest, InHealthTheStoreDecides) {
  RigInstance& a = rig_.NewInstance();
  const Hit hit = HitOf(FailureMode::kOpen, 3);
  for (int i = 0; i < 5; ++i) {
    const AskedCheck& check = rig_.Answer(a, {hit});
    EXPECT_TRUE(check.was_pending);
    EXPECT_EQ(check.done, 1);
    EXPECT_EQ(check.passed(), i < 3);
    EXPECT_EQ(Only(check).basis, Basis::kStore);
    EXPECT_EQ(Only(check).cause, Cause::kNone);
  }
}

TEST_F(FailingStoreTest, AStoreThatAnswersAtOnceIsAnsweredAtOnce) {
  RigInstance& a = rig_.NewInstance();
  a.remote.at_once = true;
  const AskedCheck& check = rig_.Ask(a, {HitOf(FailureMode::kOpen)});
  EXPECT_FALSE(check.was_pending);
  EXPECT_EQ(check.done, 0);
  EXPECT_EQ(Only(check).used, 1U);
}

TEST_F(FailingStoreTest, AnEmptyCheckNeedsNobody) {
  RigInstance& a = rig_.NewInstance();
  EXPECT_FALSE(rig_.Ask(a, {}).was_pending);
  EXPECT_EQ(a.remote.calls(), 0U);
}

// -- deadlines --

TEST_F(FailingStoreTest, ASilentStoreCostsTheDeadlineAndNoMore) {
  RigInstance& a = rig_.NewInstance();
  a.remote.fault = Fault::kBlackhole;
  const AskedCheck& check = rig_.Answer(a, {HitOf(FailureMode::kOpen)});
  EXPECT_EQ(rig_.now().steady - check.asked, 10ms);
  EXPECT_EQ(Only(check).basis, Basis::kOpen);
  EXPECT_EQ(Only(check).cause, Cause::kTimeout);
  EXPECT_TRUE(Only(check).ambiguous);
  EXPECT_EQ(a.store.counts().ambiguous.Read(), 1U);
}

TEST_F(FailingStoreTest, ACallersEarlierDeadlineGoesBefore) {
  RigInstance& a = rig_.NewInstance();
  a.remote.fault = Fault::kBlackhole;
  AskedCheck check;
  check.hits = {HitOf(FailureMode::kOpen)};
  check.deadline = rig_.now().steady + 3ms;
  Check* const one[] = {&check};
  a.store.Commit(one, rig_.now());
  rig_.Pass(2750us);
  EXPECT_EQ(check.done, 0);
  rig_.Pass(250us);
  EXPECT_EQ(check.done, 1);
}

TEST_F(FailingStoreTest, NothingLeftMeansTheModeAtOnceAndNothingIsSent) {
  RigInstance& a = rig_.NewInstance();
  AskedCheck check;
  check.hits = {HitOf(FailureMode::kClosed)};
  check.deadline = rig_.now().steady;
  Check* const one[] = {&check};
  EXPECT_EQ(a.store.Commit(one, rig_.now()), 0U);
  EXPECT_EQ(check.outcomes[0].basis, Basis::kClosed);
  EXPECT_EQ(check.outcomes[0].cause, Cause::kTimeout);
  EXPECT_FALSE(check.outcomes[0].ambiguous);
  EXPECT_EQ(a.remote.calls(), 0U);
}

TEST_F(FailingStoreTest, AnAnswerThatIsThereWhenTheTurnBeginsIsInTimeHoweverLongTheTurnBefore) {
  RigInstance& a = rig_.NewInstance();
  const AskedCheck& check = rig_.Ask(a, {HitOf(FailureMode::kClosed)});
  rig_.Advance(500ms);
  a.store.Poll(rig_.now());
  EXPECT_EQ(Only(check).basis, Basis::kStore);
  EXPECT_EQ(a.store.counts().late_calls.Read(), 0U);
}

TEST_F(FailingStoreTest, ALateAnswerFeedsTheMirrorAndNotItsRequest) {
  RigInstance& a = rig_.NewInstance();
  const Hit hit = HitOf(FailureMode::kLocalShare, 10);
  for (int i = 0; i < 6; ++i) rig_.Answer(a, {hit});
  RigInstance& b = rig_.NewInstance();
  b.remote.fault = Fault::kSlow;
  const AskedCheck& check = rig_.Answer(b, {hit});
  EXPECT_EQ(Only(check).basis, Basis::kLocalShare);
  rig_.Pass(200ms);
  EXPECT_EQ(b.store.counts().late_answers.Read(), 1U);
  EXPECT_EQ(check.done, 1);
  rig_.OpenBreaker(b, Fault::kRefuse);
  const AskedCheck& after = rig_.Answer(b, {hit});
  EXPECT_EQ(LeftOf(hit, Only(after)), 2U);
}

TEST_F(FailingStoreTest, BeyondTheBoundOfCallsInFlightTheModeActsAtOnce) {
  RigInstance& a = rig_.NewInstance({.in_flight = 2});
  a.remote.fault = Fault::kBlackhole;
  const Hit hit = HitOf(FailureMode::kClosed);
  EXPECT_TRUE(rig_.Ask(a, {hit}).was_pending);
  EXPECT_TRUE(rig_.Ask(a, {hit}).was_pending);
  const AskedCheck& third = rig_.Ask(a, {hit});
  EXPECT_FALSE(third.was_pending);
  EXPECT_EQ(Only(third).cause, Cause::kQueueFull);
}

// -- the breaker --

TEST_F(FailingStoreTest, AnOpenBreakerCostsNoCallAndTellsWhyItOpened) {
  RigInstance& a = rig_.NewInstance();
  rig_.OpenBreaker(a, Fault::kOom);
  const std::uint64_t calls = a.remote.charges();
  for (int i = 0; i < 100; ++i) {
    const AskedCheck& check = rig_.Ask(a, {HitOf(FailureMode::kClosed)});
    EXPECT_FALSE(check.was_pending);
    EXPECT_EQ(Only(check).cause, Cause::kOom);
  }
  EXPECT_EQ(a.remote.charges(), calls);
}

TEST_F(FailingStoreTest, ManyChecksInOneCallAreOneFailure) {
  RigInstance& a = rig_.NewInstance();
  a.remote.fault = Fault::kRefuse;
  std::deque<AskedCheck> checks(64);
  std::vector<Check*> batch;
  for (AskedCheck& check : checks) {
    check.hits = {HitOf(FailureMode::kOpen)};
    batch.push_back(&check);
  }
  a.store.Commit(batch, rig_.now());
  rig_.Pass(5ms);
  EXPECT_FALSE(a.state.node(0).breaker.Read().open);
}

TEST_F(FailingStoreTest, ProbesCountNothingAndAGoodOneEndsTheOutage) {
  RigInstance& a = rig_.NewInstance();
  const Hit hit = HitOf(FailureMode::kOpen);
  rig_.OpenBreaker(a, Fault::kBlackhole);
  rig_.Ask(a, {hit});
  rig_.Pass(5s);
  EXPECT_TRUE(a.state.node(0).breaker.Read().open);
  EXPECT_GE(a.remote.probes(), 5U);
  EXPECT_LE(a.remote.probes(), 5000U / 50);
  a.remote.fault = Fault::kNone;
  rig_.Pass(1100ms);
  EXPECT_FALSE(a.state.node(0).breaker.Read().open);
  EXPECT_EQ(Only(rig_.Answer(a, {hit})).basis, Basis::kStore);
}

TEST_F(FailingStoreTest, AStoreThatIsMerelySlowStaysShut) {
  RigInstance& a = rig_.NewInstance();
  a.remote.delay = 20ms;
  rig_.OpenBreaker(a, Fault::kSlow);
  rig_.Pass(5s);
  EXPECT_TRUE(a.state.node(0).breaker.Read().open);
}

TEST_F(FailingStoreTest, ScriptAndProtocolErrorsUseTheModeAndOpenNothing) {
  for (const Fault fault : {Fault::kScript, Fault::kGarbage}) {
    RigInstance& a = rig_.NewInstance();
    a.remote.fault = fault;
    for (int i = 0; i < 100; ++i) {
      const AskedCheck& check = rig_.Answer(a, {HitOf(FailureMode::kClosed)});
      ASSERT_EQ(Only(check).basis, Basis::kClosed);
    }
    EXPECT_FALSE(a.state.node(0).breaker.Read().open);
  }
}

TEST_F(FailingStoreTest, ACallCutShortByItsCallerIsJudgedWhenTheTimeoutHasPassed) {
  RigInstance& a = rig_.NewInstance();
  a.remote.latency = 5ms;
  for (int i = 0; i < 100; ++i) {
    AskedCheck check;
    check.hits = {HitOf(FailureMode::kOpen)};
    check.deadline = rig_.now().steady + 1ms;
    Check* const one[] = {&check};
    a.store.Commit(one, rig_.now());
    rig_.Pass(2ms);
    ASSERT_EQ(check.outcomes[0].cause, Cause::kTimeout);
  }
  EXPECT_FALSE(a.state.node(0).breaker.Read().open);
  EXPECT_EQ(a.store.counts().late_calls.Read(), 0U);
}

TEST_F(FailingStoreTest, OfALossyStoreOnlyTheLostCallsAreAnsweredByTheMode) {
  RigInstance& a = rig_.NewInstance();
  a.remote.fault = Fault::kLossy;
  const Hit hit = HitOf(FailureMode::kClosed, 1000);
  int passed = 0;
  for (int i = 0; i < 300; ++i) {
    const AskedCheck& check = rig_.Answer(a, {hit});
    passed += check.passed() ? 1 : 0;
    ASSERT_LE(rig_.now().steady - check.asked, 10ms);
  }
  EXPECT_NEAR(passed, 200, 20);
  EXPECT_FALSE(a.state.node(0).breaker.Read().open);
}

// -- modes, seen from outside --

TEST_F(FailingStoreTest, ClosedSaysWhenToComeBack) {
  RigInstance& a = rig_.NewInstance();
  rig_.OpenBreaker(a, Fault::kRefuse);
  const AskedCheck& check = rig_.Ask(a, {HitOf(FailureMode::kClosed)});
  EXPECT_FALSE(check.passed());
  EXPECT_GE(Only(check).retry, 1s);
  EXPECT_LE(Only(check).retry, 30s);
}

TEST_F(FailingStoreTest, ARuleWithoutAModeTakesTheProcesss) {
  RigInstance& a = rig_.NewInstance({.fallback = Mode(FailureMode::kClosed)});
  rig_.OpenBreaker(a, Fault::kRefuse);
  Rule rule = rig_.NewRule(Algorithm::kFixedWindow, 10, 1h);
  rule.on_store_failure.reset();
  EXPECT_EQ(Only(rig_.Ask(a, {rig_.HitOn(rule)})).basis, Basis::kClosed);
}

TEST_F(FailingStoreTest, ALadderClimbsWhileTheStoreIsGone) {
  RigInstance& a = rig_.NewInstance();
  FailurePolicy policy = Mode(FailureMode::kOpen);
  policy.then = {{2s, FailureMode::kClosed}};
  const Hit hit = rig_.HitOn(rig_.NewRule(Algorithm::kFixedWindow, 10, 1h, policy));
  rig_.OpenBreaker(a, Fault::kRefuse);
  EXPECT_EQ(Only(rig_.Ask(a, {hit})).basis, Basis::kOpen);
  rig_.Pass(1900ms);
  EXPECT_EQ(Only(rig_.Ask(a, {hit})).basis, Basis::kOpen);
  rig_.Pass(200ms);
  EXPECT_EQ(Only(rig_.Ask(a, {hit})).basis, Basis::kClosed);
}

TEST_F(FailingStoreTest, ARestartDoesNotTurnStaticIntoOpen) {
  RigInstance& a = rig_.NewInstance();
  rig_.OpenBreaker(a, Fault::kRefuse);
  const Hit hit = HitOf(FailureMode::kStatic, 3);
  int passed = 0;
  for (int i = 0; i < 10; ++i) passed += rig_.Ask(a, {hit}).passed() ? 1 : 0;
  EXPECT_EQ(passed, 3);
  EXPECT_EQ(Only(rig_.Ask(a, {hit})).basis, Basis::kLocalShare);
}

// -- held denials --

TEST_F(FailingStoreTest, AHeldDenialAnswersWithoutTheStoreInHealth) {
  RigInstance& a = rig_.NewInstance({.held = &held_});
  const Hit hit = HitOf(FailureMode::kOpen, 1);
  rig_.Answer(a, {hit});
  rig_.Answer(a, {hit});
  const std::uint64_t calls = a.remote.calls();
  const AskedCheck& check = rig_.Ask(a, {hit});
  EXPECT_FALSE(check.passed());
  EXPECT_EQ(Only(check).basis, Basis::kHeld);
  EXPECT_EQ(a.remote.calls(), calls);
}

TEST_F(FailingStoreTest, InAnOutageHeldDenialsHoldForClosedAndNeverForOpen) {
  RigInstance& a = rig_.NewInstance({.held = &held_});
  const Hit open = HitOf(FailureMode::kOpen, 1, "a");
  const Hit closed = HitOf(FailureMode::kClosed, 1, "b");
  for (const Hit& hit : {open, open, closed, closed}) rig_.Answer(a, {hit});
  rig_.OpenBreaker(a, Fault::kRefuse);
  EXPECT_EQ(Only(rig_.Ask(a, {open})).basis, Basis::kOpen);
  EXPECT_EQ(Only(rig_.Ask(a, {closed})).basis, Basis::kHeld);
  EXPECT_EQ(Only(rig_.Ask(a, {HitOf(FailureMode::kClosed)})).basis, Basis::kClosed);
}

TEST_F(FailingStoreTest, ARefundEndsAHeldDenial) {
  RigInstance& a = rig_.NewInstance({.held = &held_});
  const Hit hit = HitOf(FailureMode::kOpen, 1);
  rig_.Answer(a, {hit});
  rig_.Answer(a, {hit});
  Hit refund = hit;
  refund.refund = true;
  rig_.Answer(a, {refund});
  EXPECT_TRUE(rig_.Answer(a, {hit}).passed());
}

// -- several rules --

TEST_F(FailingStoreTest, ACountedDenialGoesBeforeAClosedRuleAndThatBeforeAPass) {
  RigInstance& a = rig_.NewInstance();
  rig_.OpenBreaker(a, Fault::kRefuse);
  const Hit share = HitOf(FailureMode::kLocalShare, 1);
  const Hit closed = HitOf(FailureMode::kClosed);
  const AskedCheck& unavailable = rig_.Ask(a, {share, closed});
  EXPECT_TRUE(unavailable.outcomes[0].allowed);
  EXPECT_FALSE(unavailable.outcomes[1].allowed);
  EXPECT_TRUE(rig_.Ask(a, {share}).passed());
  const AskedCheck& denied = rig_.Ask(a, {share, closed});
  EXPECT_FALSE(denied.outcomes[0].allowed);
  EXPECT_EQ(denied.outcomes[0].basis, Basis::kLocalShare);
}

TEST_F(FailingStoreTest, LocalChargesAreAllOrNothing) {
  RigInstance& a = rig_.NewInstance();
  rig_.OpenBreaker(a, Fault::kRefuse);
  const Hit wide = HitOf(FailureMode::kLocalShare, 10);
  const Hit narrow = HitOf(FailureMode::kLocalShare, 2);
  for (int i = 0; i < 8; ++i) rig_.Ask(a, {wide, narrow});
  EXPECT_EQ(LeftOf(wide, Only(rig_.Ask(a, {wide}))), 7U);
}

TEST_F(FailingStoreTest, UnderEachEveryHitIsDecidedByItself) {
  RigInstance& a = rig_.NewInstance();
  rig_.OpenBreaker(a, Fault::kRefuse);
  const Hit wide = HitOf(FailureMode::kLocalShare, 10);
  const Hit narrow = HitOf(FailureMode::kLocalShare, 2);
  for (int i = 0; i < 8; ++i) rig_.Ask(a, {wide, narrow}, Charging::kEach);
  EXPECT_EQ(LeftOf(wide, Only(rig_.Ask(a, {wide}))), 1U);
}

TEST_F(FailingStoreTest, WhatALateAnswerSpentForADeniedRequestIsGivenBack) {
  RigInstance& a = rig_.NewInstance();
  const Hit hit = HitOf(FailureMode::kClosed, 5);
  a.remote.fault = Fault::kSlow;
  EXPECT_FALSE(rig_.Answer(a, {hit}).passed());
  EXPECT_EQ(rig_.Counted(hit), 1U);
  a.remote.fault = Fault::kNone;
  rig_.Pass(250ms);
  EXPECT_EQ(rig_.Counted(hit), 0U);
}

TEST_F(FailingStoreTest, KeepsWorkingWithoutGrowingOverManyRequests) {
  RigInstance& a = rig_.NewInstance();
  const Hit hit = HitOf(FailureMode::kOpen, 1'000'000);
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 200; ++i) rig_.Answer(a, {hit});
    rig_.OpenBreaker(a, Fault::kBlackhole);
    for (int i = 0; i < 200; ++i) rig_.Ask(a, {hit});
    rig_.Heal(a);
    rig_.Pass(1s);
  }
  EXPECT_EQ(a.store.in_flight(), 0U);
}

}  // namespace
}  // namespace weir
