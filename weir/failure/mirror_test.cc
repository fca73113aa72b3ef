#include "weir/failure/mirror.h"

#include <vector>

#include <gtest/gtest.h>

#include "weir/failure/local_rig.h"
#include "weir/store/memory_store.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

constexpr Algorithm kAll[] = {Algorithm::kTokenBucket, Algorithm::kFixedWindow,
                              Algorithm::kSlidingWindow};

// A mirror beside the store that it mirrors.
class MirrorTest : public testing::Test {
 protected:
  static Portion Of(std::uint64_t n, std::uint64_t rank = Share::kNoRank, bool strict = false) {
    return {.share = {.part = 1, .whole = n, .rank = rank}, .strict = strict};
  }
  // Asks the store, and lets the mirror hear of it.
  Outcome Counted(const Hit& hit) {
    const Outcome outcome = Asked(hit);
    mirror_.Set(hit, outcome, rig_.moment(), 1s);
    return outcome;
  }
  Outcome Asked(const Hit& hit) {
    Check check;
    check.hits = {hit};
    Check* const batch[] = {&check};
    store_.Commit(batch, rig_.now());
    return check.outcomes[0];
  }
  bool Passes(const Hit& hit, const Portion& portion, bool ambiguous = false) {
    return mirror_.Charge(hit, portion, rig_.moment(), LocalCharge::kVerdict, ambiguous).allowed;
  }
  int Admitted(const Hit& hit, const Portion& portion, int asked) {
    int admitted = 0;
    for (int i = 0; i < asked; ++i) admitted += Passes(hit, portion) ? 1 : 0;
    return admitted;
  }
  std::uint64_t Left(const Hit& hit, const Portion& portion) {
    return LeftOf(hit, mirror_.Charge(hit, portion, rig_.moment(), LocalCharge::kLook, false));
  }
  std::uint64_t Owed(const Hit& hit, const Share& share = {.part = 1, .whole = 4}) {
    const std::uint64_t owed = mirror_.TakeOwed(hit.id, *hit.quota, share, rig_.moment());
    return hit.quota->algorithm == Algorithm::kTokenBucket
               ? owed / static_cast<std::uint64_t>(hit.quota->interval)
               : owed;
  }

  LocalRig rig_;
  MemoryStore store_{{.max_keys = 1000, .now = kRigStart}};
  Mirror mirror_{1000};
};

TEST_F(MirrorTest, AKeyTheStoreNeverSpokeOfStartsAtItsShareOfTheLimit) {
  for (const Algorithm algorithm : kAll) {
    SCOPED_TRACE(NameOf(algorithm));
    const Hit hit = rig_.HitOn(rig_.NewRule(algorithm, 40, 1h));
    EXPECT_EQ(Left(hit, Of(4)), 10U);
    EXPECT_EQ(Admitted(hit, Of(4), 50), 10);
  }
}

TEST_F(MirrorTest, AnOutageStartsAtTheShareOfWhatTheStoreHadLeft) {
  for (const Algorithm algorithm : kAll) {
    SCOPED_TRACE(NameOf(algorithm));
    const Rule& rule = rig_.NewRule(algorithm, 40, 1h);
    Counted(rig_.HitOn(rule, "acme", 28));
    const Hit hit = rig_.HitOn(rule);
    EXPECT_EQ(Left(hit, Of(4)), 3U);
    EXPECT_EQ(Admitted(hit, Of(4), 50), 3);
  }
}

TEST_F(MirrorTest, AnAnswerSetsTheLevelAndChargesNothingTwice) {
  for (const Algorithm algorithm : kAll) {
    SCOPED_TRACE(NameOf(algorithm));
    const Hit hit = rig_.HitOn(rig_.NewRule(algorithm, 40, 1h));
    for (int i = 0; i < 20; ++i) Counted(hit);
    EXPECT_EQ(Left(hit, Of(1)), 20U);
    EXPECT_EQ(Owed(hit), 0U);
  }
}

TEST_F(MirrorTest, InstancesWithRanksShareALimitWithoutLossOrGain) {
  for (const Algorithm algorithm : {Algorithm::kFixedWindow, Algorithm::kSlidingWindow}) {
    SCOPED_TRACE(NameOf(algorithm));
    const Rule& rule = rig_.NewRule(algorithm, 10, 1h);
    const Hit hit = rig_.HitOn(rule);
    const Outcome counted = Asked(rig_.HitOn(rule, "acme", 3));
    int sum = 0;
    for (std::uint64_t rank = 0; rank < 4; ++rank) {
      Mirror one(1000);
      one.Set(hit, counted, rig_.moment(), 1s);
      for (int i = 0; i < 20; ++i) {
        sum += one.Charge(hit, Of(4, rank), rig_.moment(), LocalCharge::kVerdict, false).allowed;
      }
    }
    EXPECT_EQ(sum, 7);
  }
}

TEST_F(MirrorTest, AWindowThatIsOverStartsAgainAtTheShare) {
  const Hit hit = rig_.HitOn(rig_.NewRule(Algorithm::kFixedWindow, 40, 10s));
  for (int i = 0; i < 40; ++i) Counted(hit);
  EXPECT_EQ(Left(hit, Of(4)), 0U);
  rig_.Advance(10s);
  EXPECT_EQ(Left(hit, Of(4)), 10U);
}

TEST_F(MirrorTest, ASlidingWindowRemembersTheOneBefore) {
  const Hit hit = rig_.HitOn(rig_.NewRule(Algorithm::kSlidingWindow, 40, 10s));
  for (int i = 0; i < 40; ++i) Counted(hit);
  rig_.Advance(15s);
  EXPECT_EQ(Left(hit, Of(4)), 5U);
  EXPECT_EQ(Admitted(hit, Of(4), 20), 5);
}

TEST_F(MirrorTest, ASlidingWindowHeardOfInItsSecondWindowKnowsBothParts) {
  const Hit hit = rig_.HitOn(rig_.NewRule(Algorithm::kSlidingWindow, 40, 10s));
  for (int i = 0; i < 20; ++i) Asked(hit);
  rig_.Advance(15s);
  for (int i = 0; i < 10; ++i) Counted(hit);
  EXPECT_EQ(Left(hit, Of(1)), 20U);
  rig_.Advance(4s);
  EXPECT_EQ(Left(hit, Of(1)), 28U);
}

TEST_F(MirrorTest, ABucketFillsWhileNobodyAsks) {
  const Hit hit = rig_.HitOn(rig_.NewRule(Algorithm::kTokenBucket, 40, 1s));
  for (int i = 0; i < 40; ++i) Counted(hit);
  rig_.Advance(500ms);
  EXPECT_EQ(Left(hit, Of(4)), 5U);
}

TEST_F(MirrorTest, AnAnswerOlderThanTheOneThatLastSetTheLevelIsIgnored) {
  for (const Algorithm algorithm : kAll) {
    SCOPED_TRACE(NameOf(algorithm));
    const Hit hit = rig_.HitOn(rig_.NewRule(algorithm, 40, 1h));
    const Outcome first = Asked(hit);
    rig_.Advance(1ms);
    for (int i = 0; i < 19; ++i) Counted(hit);
    mirror_.Set(hit, first, rig_.moment(), 1s);
    EXPECT_EQ(Left(hit, Of(1)), 20U);
  }
}

TEST_F(MirrorTest, AClockThatWasSetBackIsBelieved) {
  const Hit hit = rig_.HitOn(rig_.NewRule(Algorithm::kTokenBucket, 40, 1h));
  Outcome outcome = Counted(hit);
  outcome.at -= 5s;
  outcome.used *= 20;
  mirror_.Set(hit, outcome, rig_.moment(), 1s);
  EXPECT_EQ(Left(hit, Of(1)), 20U);
}

TEST_F(MirrorTest, AnAnswerHeardLateIsAgedToTheMomentItWasTrue) {
  const Hit hit = rig_.HitOn(rig_.NewRule(Algorithm::kTokenBucket, 40, 1s));
  for (int i = 0; i < 39; ++i) Asked(hit);
  const Outcome outcome = Asked(hit);
  rig_.Advance(500ms);
  mirror_.Set(hit, outcome, rig_.moment(), 1s);
  EXPECT_EQ(Left(hit, Of(1)), 20U);
}

TEST_F(MirrorTest, AChangeOfTheShareChangesTheCapAndNeverTheCount) {
  const Hit hit = rig_.HitOn(rig_.NewRule(Algorithm::kFixedWindow, 40, 1h));
  EXPECT_EQ(Admitted(hit, Of(4), 8), 8);
  EXPECT_EQ(Left(hit, Of(4)), 2U);
  EXPECT_EQ(Left(hit, Of(2)), 12U);
  EXPECT_EQ(Left(hit, Of(8)), 0U);
  EXPECT_EQ(Owed(hit), 8U);
}

TEST_F(MirrorTest, AnInstanceMayAlwaysHaveOneUnlessStrict) {
  for (const Algorithm algorithm : {Algorithm::kFixedWindow, Algorithm::kSlidingWindow}) {
    const Hit hit = rig_.HitOn(rig_.NewRule(algorithm, 2, 1h));
    EXPECT_EQ(Admitted(hit, Of(4), 10), 1);
    const Hit strict = rig_.HitOn(rig_.NewRule(algorithm, 2, 1h));
    EXPECT_EQ(Admitted(strict, Of(4, 3, true), 10), 0);
  }
}

TEST_F(MirrorTest, ACostAboveTheCapButNotTheLimitWaitsForTheWindowAndNotForEver) {
  const Rule& rule = rig_.NewRule(Algorithm::kFixedWindow, 40, 10s);
  const Outcome outcome = mirror_.Charge(rig_.HitOn(rule, "acme", 20), Of(4), rig_.moment(),
                                         LocalCharge::kVerdict, false);
  EXPECT_FALSE(outcome.allowed);
  EXPECT_EQ(outcome.retry, 10s);
  EXPECT_EQ(
      mirror_
          .Charge(rig_.HitOn(rule, "acme", 41), Of(4), rig_.moment(), LocalCharge::kVerdict, false)
          .retry,
      kNeverFits);
}

TEST_F(MirrorTest, OwnChargesAreOwedOnceAndAmbiguousOnesNever) {
  for (const Algorithm algorithm : kAll) {
    SCOPED_TRACE(NameOf(algorithm));
    const Hit hit = rig_.HitOn(rig_.NewRule(algorithm, 40, 1h));
    EXPECT_TRUE(Passes(hit, Of(4)));
    EXPECT_TRUE(Passes(hit, Of(4), true));
    EXPECT_TRUE(Passes(hit, Of(4)));
    EXPECT_EQ(Left(hit, Of(4)), 7U);
    EXPECT_EQ(Owed(hit), 2U);
    EXPECT_EQ(Owed(hit), 0U);
    EXPECT_EQ(Left(hit, Of(4)), 7U);
  }
}

TEST_F(MirrorTest, WhatCouldNotBeSentIsOwedAgain) {
  for (const Algorithm algorithm : kAll) {
    SCOPED_TRACE(NameOf(algorithm));
    const Hit hit = rig_.HitOn(rig_.NewRule(algorithm, 40, 1h));
    const Share quarter{.part = 1, .whole = 4};
    EXPECT_EQ(Admitted(hit, Of(4), 6), 6);
    const std::uint64_t owed = mirror_.TakeOwed(hit.id, *hit.quota, quarter, rig_.moment());
    mirror_.OweAgain(hit.id, *hit.quota, quarter, owed, rig_.moment());
    EXPECT_EQ(Left(hit, Of(4)), 4U);
    EXPECT_EQ(Owed(hit), 6U);
  }
}

TEST_F(MirrorTest, AnAnswerThatComesBeforeTheHandBackKeepsWhatIsOwedInTheLevel) {
  for (const Algorithm algorithm : kAll) {
    SCOPED_TRACE(NameOf(algorithm));
    const Hit hit = rig_.HitOn(rig_.NewRule(algorithm, 40, 1h));
    EXPECT_EQ(Admitted(hit, Of(1), 5), 5);
    Counted(hit);
    EXPECT_EQ(Left(hit, Of(1)), 34U);
    EXPECT_EQ(Owed(hit, {}), 5U);
    Counted(hit);
    EXPECT_EQ(Left(hit, Of(1)), 38U);
  }
}

TEST_F(MirrorTest, CountingWithoutVerdictMovesTheLevelAndIsOwed) {
  for (const Algorithm algorithm : kAll) {
    SCOPED_TRACE(NameOf(algorithm));
    const Hit hit = rig_.HitOn(rig_.NewRule(algorithm, 40, 1h));
    for (int i = 0; i < 25; ++i) {
      EXPECT_TRUE(mirror_.Charge(hit, Of(4), rig_.moment(), LocalCharge::kCount, false).allowed);
    }
    EXPECT_EQ(Left(hit, Of(4)), 0U);
    EXPECT_EQ(Owed(hit), algorithm == Algorithm::kTokenBucket ? 10U : 25U);
  }
}

TEST_F(MirrorTest, ARefundNetsWithWhatIsOwedAndTheRestIsDropped) {
  for (const Algorithm algorithm : kAll) {
    SCOPED_TRACE(NameOf(algorithm));
    const Rule& rule = rig_.NewRule(algorithm, 40, 1h);
    const Hit hit = rig_.HitOn(rule);
    EXPECT_EQ(Admitted(hit, Of(4), 6), 6);
    EXPECT_TRUE(mirror_.Refund(rig_.HitOn(rule, "acme", 2), Of(4), rig_.moment()));
    EXPECT_EQ(Left(hit, Of(4)), 6U);
    EXPECT_FALSE(mirror_.Refund(rig_.HitOn(rule, "acme", 5), Of(4), rig_.moment()));
    EXPECT_EQ(Owed(hit), 0U);
  }
}

TEST_F(MirrorTest, ARefundOfAnAmbiguousHitIsDropped) {
  for (const Algorithm algorithm : kAll) {
    SCOPED_TRACE(NameOf(algorithm));
    const Hit hit = rig_.HitOn(rig_.NewRule(algorithm, 40, 1h));
    EXPECT_TRUE(Passes(hit, Of(4), true));
    EXPECT_FALSE(mirror_.Refund(hit, Of(4), rig_.moment()));
    EXPECT_EQ(Left(hit, Of(4)), 9U);
  }
}

TEST_F(MirrorTest, UndoneChargesLeaveNoTrace) {
  for (const Algorithm algorithm : kAll) {
    for (const bool ambiguous : {false, true}) {
      SCOPED_TRACE(NameOf(algorithm));
      const Hit hit = rig_.HitOn(rig_.NewRule(algorithm, 40, 1h));
      EXPECT_TRUE(Passes(hit, Of(4), ambiguous));
      mirror_.Undo(hit, Of(4), rig_.moment(), ambiguous);
      EXPECT_EQ(Left(hit, Of(4)), 10U);
      EXPECT_EQ(Owed(hit), 0U);
    }
  }
}

TEST_F(MirrorTest, WhatIsOwedForAClosedWindowIsDroppedAndCounted) {
  const Hit hit = rig_.HitOn(rig_.NewRule(Algorithm::kFixedWindow, 40, 10s));
  EXPECT_EQ(Admitted(hit, Of(4), 6), 6);
  rig_.Advance(10s);
  EXPECT_EQ(Owed(hit), 0U);
  EXPECT_EQ(mirror_.dropped_units(), 6U);
}

TEST_F(MirrorTest, TheWaitItTellsIsLongEnoughAndNotTooLong) {
  for (const Algorithm algorithm : kAll) {
    SCOPED_TRACE(NameOf(algorithm));
    const Hit hit = rig_.HitOn(rig_.NewRule(algorithm, 40, 10s));
    Admitted(hit, Of(4), 20);
    const Outcome denied = mirror_.Charge(hit, Of(4), rig_.moment(), LocalCharge::kVerdict, false);
    ASSERT_FALSE(denied.allowed);
    EXPECT_EQ(denied.next, denied.retry);
    rig_.Advance(denied.retry - 1ns);
    EXPECT_FALSE(Passes(hit, Of(4)));
    rig_.Advance(1ns);
    EXPECT_TRUE(Passes(hit, Of(4)));
  }
}

TEST_F(MirrorTest, AtItsBoundTheKeyLeastRecentlyUsedStartsAgain) {
  Mirror small(8);
  const Rule& rule = rig_.NewRule(Algorithm::kFixedWindow, 4, 1h);
  for (int i = 0; i < 1000; ++i) {
    rig_.Advance(1ms);
    const Hit hit = rig_.HitOn(rule, std::to_string(i));
    EXPECT_TRUE(small.Charge(hit, Of(4), rig_.moment(), LocalCharge::kVerdict, false).allowed);
  }
  EXPECT_GT(small.forgotten(), 900U);
  const Hit last = rig_.HitOn(rule, "999");
  EXPECT_FALSE(small.Charge(last, Of(4), rig_.moment(), LocalCharge::kVerdict, false).allowed);
}

}  // namespace
}  // namespace weir
