#include "weir/failure/rehearsal.h"

#include <gtest/gtest.h>

#include "weir/failure/local_rig.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

constexpr Portion kQuarter{.share = {.part = 1, .whole = 4}};

class RehearsalTest : public testing::Test {
 protected:
  Rehearsed Answer(bool store_allows, FailureMode mode, const CaughtKeys::Hold& caught = {}) {
    return rehearsal_.Answer(hit_, {.allowed = store_allows}, mode, kQuarter, caught,
                             rig_.moment());
  }

  LocalRig rig_;
  const Hit hit_ = rig_.HitOn(rig_.NewRule(Algorithm::kTokenBucket, 40, 1h));
  Rehearsal rehearsal_{1000, 1.0};
};

TEST_F(RehearsalTest, OpenIsLooserThanADenialAndClosedStricterThanAGrant) {
  EXPECT_EQ(Answer(true, FailureMode::kOpen), Rehearsed::kAgreed);
  EXPECT_EQ(Answer(false, FailureMode::kOpen), Rehearsed::kLooser);
  EXPECT_EQ(Answer(true, FailureMode::kClosed), Rehearsed::kStricter);
  EXPECT_EQ(Answer(false, FailureMode::kClosed), Rehearsed::kAgreed);
}

TEST_F(RehearsalTest, TheShareIsChargedByItsOwnVerdictsWhateverTheStoreSays) {
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(Answer(true, FailureMode::kLocalShare), Rehearsed::kAgreed);
  EXPECT_EQ(Answer(true, FailureMode::kLocalShare), Rehearsed::kStricter);
  EXPECT_EQ(Answer(false, FailureMode::kLocalShare), Rehearsed::kAgreed);
  rig_.Advance(6min);
  EXPECT_EQ(Answer(false, FailureMode::kLocalShare), Rehearsed::kLooser);
}

TEST_F(RehearsalTest, StaticHoldsTheCaughtAndPassesTheRest) {
  EXPECT_EQ(Answer(true, FailureMode::kStatic), Rehearsed::kAgreed);
  const CaughtKeys::Hold held{.caught = true, .share = {.part = 1, .whole = 40}};
  EXPECT_EQ(Answer(true, FailureMode::kStatic, held), Rehearsed::kAgreed);
  EXPECT_EQ(Answer(true, FailureMode::kStatic, held), Rehearsed::kStricter);
}

TEST_F(RehearsalTest, SamplesTheStatedPartOfKeysTheSameEverywhere) {
  const Rehearsal one(1000, 0.1);
  const Rehearsal other(1000, 0.1);
  const Rule& rule = rig_.NewRule(Algorithm::kTokenBucket, 40, 1h);
  int sampled = 0;
  for (int i = 0; i < 10'000; ++i) {
    const Hit hit = rig_.HitOn(rule, std::to_string(i));
    ASSERT_EQ(one.Samples(hit), other.Samples(hit));
    sampled += one.Samples(hit) ? 1 : 0;
  }
  EXPECT_NEAR(sampled, 1000, 150);
}

TEST_F(RehearsalTest, NoneAreSampledWhenItIsOffAndPeeksAndRefundsNever) {
  EXPECT_FALSE(Rehearsal(10, 0).Samples(hit_));
  Hit peek = hit_;
  peek.cost = 0;
  EXPECT_FALSE(rehearsal_.Samples(peek));
  Hit refund = hit_;
  refund.refund = true;
  EXPECT_FALSE(rehearsal_.Samples(refund));
}

}  // namespace
}  // namespace weir
