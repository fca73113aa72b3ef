// How hits are booked: the tables of the reference service, and the same meaning for rules that
// never count a denied hit.

#include <cstdint>

#include <gtest/gtest.h>

#include "test/rule_tree.h"
#include "weir/limiter/settle.h"

namespace weir {
namespace {

constexpr float kNear = 0.8F;

// Hits of the reference service that found `before` in the counter.
Attribution Added(std::uint64_t limit, std::uint64_t before, std::uint64_t hits,
                  bool shadow = false, float near_ratio = kNear) {
  Rule rule = RuleOf(limit, Unit::kMinute, Algorithm::kFixedWindow);
  rule.shadow_mode = shadow;
  Hit hit;
  hit.rule = &rule;
  hit.quota = &rule.quota;
  hit.cost = hits;
  Outcome outcome;
  outcome.used = before + hits;
  outcome.allowed = outcome.used <= limit;
  CompleteLevel(hit, outcome);
  return AttributionOf(hit, outcome, Charging::kEach, near_ratio);
}

TEST(AttributionTest, BelowTheThresholdHitsAreWithin) {
  EXPECT_EQ(Added(10, 0, 1), (Attribution{.total = 1, .within = 1}));
  EXPECT_EQ(Added(10, 5, 3), (Attribution{.total = 3, .within = 3}));  // At 8: not yet near.
}

TEST(AttributionTest, AboveTheThresholdHitsAreNear) {
  EXPECT_EQ(Added(10, 8, 1), (Attribution{.total = 1, .within = 1, .near = 1}));
  EXPECT_EQ(Added(10, 9, 1), (Attribution{.total = 1, .within = 1, .near = 1}));
  EXPECT_EQ(Added(10, 7, 3), (Attribution{.total = 3, .within = 3, .near = 2}));
  EXPECT_EQ(Added(15, 11, 2), (Attribution{.total = 2, .within = 2, .near = 1}));
  EXPECT_EQ(Added(15, 12, 2), (Attribution{.total = 2, .within = 2, .near = 2}));
}

TEST(AttributionTest, AcrossTheLimitHitsAreSplit) {
  EXPECT_EQ(Added(20, 19, 3), (Attribution{.total = 3, .near = 1, .over = 2}));
  EXPECT_EQ(Added(20, 15, 7), (Attribution{.total = 7, .near = 4, .over = 2}));
  EXPECT_EQ(Added(8, 0, 20), (Attribution{.total = 20, .near = 2, .over = 12}));
  EXPECT_EQ(Added(10, 10, 2), (Attribution{.total = 2, .over = 2}));
  EXPECT_EQ(Added(10, 25, 7), (Attribution{.total = 7, .over = 7}));
}

TEST(AttributionTest, C08_AnAddendAcrossTheLimitIsBookedInParts) {
  Attribution sum = Added(10, 0, 6);
  for (const Attribution& a : {Added(10, 6, 6), Added(10, 12, 1)}) {
    sum.total += a.total;
    sum.within += a.within;
    sum.near += a.near;
    sum.over += a.over;
  }
  EXPECT_EQ(sum, (Attribution{.total = 13, .within = 6, .near = 2, .over = 3}));
}

TEST(AttributionTest, LookingAtACounterThatIsOverBooksNothing) {
  EXPECT_EQ(Added(10, 12, 0), Attribution{});
  EXPECT_EQ(Added(10, 5, 0), Attribution{});
}

// The reference service takes the hits off a count they were never added to.
TEST(AttributionTest, HitsThatOnlyLookedCountWhereTheCounterStands) {
  const Rule rule = RuleOf(15, Unit::kMinute, Algorithm::kFixedWindow);
  Hit hit;
  hit.rule = &rule;
  hit.quota = &rule.quota;
  hit.cost = 2;
  const auto looked = [&](std::uint64_t at) {
    const Outcome outcome{.allowed = at <= 15, .added = false, .used = at};
    return AttributionOf(hit, outcome, Charging::kEach, kNear);
  };
  EXPECT_EQ(looked(0), (Attribution{.total = 2, .within = 2}));
  EXPECT_EQ(looked(1), (Attribution{.total = 2, .within = 2}));
  EXPECT_EQ(looked(12), (Attribution{.total = 2, .within = 2}));
  EXPECT_EQ(looked(13), (Attribution{.total = 2, .within = 2, .near = 2}));
  EXPECT_EQ(looked(16), (Attribution{.total = 2, .over = 2}));
}

TEST(AttributionTest, C108_AShadowRulesDenialsAreBookedTwice) {
  EXPECT_EQ(Added(2, 2, 1, true), (Attribution{.total = 1, .over = 1, .shadow = 1}));
  EXPECT_EQ(Added(2, 0, 5, true), (Attribution{.total = 5, .near = 1, .over = 3, .shadow = 3}));
  EXPECT_EQ(Added(2, 0, 1, true), (Attribution{.total = 1, .within = 1}));
}

TEST(AttributionTest, ALimitOfZeroIsAlwaysOver) {
  EXPECT_EQ(Added(0, 0, 1), (Attribution{.total = 1, .over = 1}));
}

TEST(AttributionTest, TheThresholdIsThatOfTheReferencesArithmetic) {
  // floor(float(0.8) x limit): 4 of 5, 3 of 4, 0 of 1.
  EXPECT_EQ(Added(5, 3, 1).near, 0U);
  EXPECT_EQ(Added(5, 4, 1).near, 1U);
  EXPECT_EQ(Added(4, 3, 1).near, 1U);
  EXPECT_EQ(Added(1, 0, 1).near, 1U);
}

TEST(AttributionTest, ARatioBeyondTheLimitOrBelowZeroIsCutThere) {
  for (const float ratio : {1.0F, 1.5F, 1e30F}) {
    EXPECT_EQ(Added(10, 8, 2, false, ratio), (Attribution{.total = 2, .within = 2}));
    EXPECT_EQ(Added(10, 8, 4, false, ratio), (Attribution{.total = 4, .over = 2}));
  }
  for (const float ratio : {0.0F, -1.0F, -1e30F}) {
    EXPECT_EQ(Added(10, 0, 2, false, ratio), (Attribution{.total = 2, .within = 2, .near = 2}));
    EXPECT_EQ(Added(10, 8, 4, false, ratio), (Attribution{.total = 4, .near = 2, .over = 2}));
  }
  // As a float this limit is one more.
  EXPECT_EQ(Added(16'777'219, 16'777'218, 2, false, 1),
            (Attribution{.total = 2, .near = 0, .over = 1}));
}

class NativeAttributionTest : public testing::TestWithParam<Algorithm> {
 protected:
  // A native hit that left `used` units in use, or was denied with so many.
  static Attribution Booked(std::uint64_t limit, std::uint64_t used, std::uint64_t hits,
                            bool allowed, NotEnforced why = NotEnforced::kNo, bool refund = false) {
    const Rule rule = RuleOf(limit, Unit::kMinute, GetParam());
    Hit hit;
    hit.rule = &rule;
    hit.quota = &rule.quota;
    hit.cost = hits;
    hit.not_enforced = why;
    hit.refund = refund;
    Outcome outcome;
    outcome.allowed = allowed;
    outcome.used = GetParam() == Algorithm::kTokenBucket
                       ? used * static_cast<std::uint64_t>(rule.quota.interval)
                       : used;
    CompleteLevel(hit, outcome);
    return AttributionOf(hit, outcome, Charging::kAllOrNothing, kNear);
  }
};
INSTANTIATE_TEST_SUITE_P(Algorithms, NativeAttributionTest,
                         testing::Values(Algorithm::kTokenBucket, Algorithm::kFixedWindow,
                                         Algorithm::kSlidingWindow));

TEST_P(NativeAttributionTest, AnAllowedHitIsWithinAndPerhapsNear) {
  EXPECT_EQ(Booked(10, 3, 2, true), (Attribution{.total = 2, .within = 2}));
  EXPECT_EQ(Booked(10, 9, 2, true), (Attribution{.total = 2, .within = 2, .near = 1}));
  EXPECT_EQ(Booked(10, 10, 1, true), (Attribution{.total = 1, .within = 1, .near = 1}));
}

TEST_P(NativeAttributionTest, ADeniedHitIsOverAsAWhole) {
  EXPECT_EQ(Booked(10, 7, 5, false), (Attribution{.total = 5, .over = 5}));
  EXPECT_EQ(Booked(10, 10, 1, false, NotEnforced::kShadow),
            (Attribution{.total = 1, .over = 1, .shadow = 1}));
}

TEST_P(NativeAttributionTest, ARefundBooksNothing) {
  EXPECT_EQ(Booked(10, 7, 3, true, NotEnforced::kNo, true), Attribution{});
}

}  // namespace
}  // namespace weir
