#include "weir/answer/applied.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "weir/answer/header_rig.h"

namespace weir {
namespace {

using AppliedTest = HeaderRig;

std::string Identifier(const Rule& rule, bool unique = false) {
  IdentifierText memory;
  return std::string(IdentifierOf(rule, memory, unique));
}

TEST_F(AppliedTest, ARuleGoesByItsNameElseByItsId) {
  Rule rule;
  rule.id = "shop/tenant=acme";
  EXPECT_EQ(Identifier(rule), "shop/tenant=acme");
  rule.name = "acme per minute";
  EXPECT_EQ(Identifier(rule), "acme per minute");
}

TEST_F(AppliedTest, ANameThatNoHeaderCanHoldGivesWayToTheId) {
  Rule rule;
  rule.id = "shop/t\xc3\xbcr=\n";
  rule.name = "\xc3\xbc";
  EXPECT_EQ(Identifier(rule), "shop/t__r=_");
  rule.name = std::string(kLongestIdentifier + 1, 'n');
  EXPECT_EQ(Identifier(rule), "shop/t__r=_");
  rule.name = std::string(kLongestIdentifier, 'n');
  EXPECT_EQ(Identifier(rule), rule.name);
}

TEST_F(AppliedTest, LongIdsEndInAHashThatTellsThemApart) {
  Rule one;
  one.id = std::string(100, 'x') + "1";
  Rule two;
  two.id = std::string(100, 'x') + "2";
  EXPECT_EQ(Identifier(one).size(), kLongestIdentifier);
  EXPECT_EQ(Identifier(one).substr(0, 48), std::string(47, 'x') + "~");
  EXPECT_NE(Identifier(one), Identifier(two));
  EXPECT_EQ(Identifier(one), Identifier(one));
}

TEST_F(AppliedTest, TheWindowIsNeverBelowOneSecond) {
  Applied full = Level("fast", MakeQuotaOf(Algorithm::kTokenBucket, 1000, 1), 3);
  EXPECT_EQ(EffectiveWindow(full), 1);
  Applied denied = Denied(full, Seconds(0.001));
  denied.remaining = 0;
  denied.next = Seconds(0.001);
  EXPECT_EQ(EffectiveWindow(denied), 1);
}

TEST_F(AppliedTest, AnUntouchedFixedWindowIsAllAhead) {
  EXPECT_EQ(EffectiveWindow(Fixed("f", 10, 60, 10, 0)), 60);
}

TEST_F(AppliedTest, ALimitOfZeroHasItsPolicysWindow) {
  const Applied none = Level("none", MakeQuotaOf(Algorithm::kTokenBucket, 0, 60), 0);
  EXPECT_EQ(EffectiveWindow(Denied(none, kNeverFits)), 60);
}

TEST_F(AppliedTest, HugeBucketsDoNotOverflowTheWindow) {
  Applied huge =
      Level("huge", MakeQuotaOf(Algorithm::kTokenBucket, 1, 31'536'000), std::uint64_t{1} << 60U);
  EXPECT_EQ(EffectiveWindow(huge), 999'999'999'999'999);
}

TEST_F(AppliedTest, TheRatioCapLeavesAtLeastOneOfWhatIsThere) {
  EXPECT_EQ(Advertised(Fixed("day", 5, 86400, 4, 1), 10), 1U);
  EXPECT_EQ(Advertised(Fixed("day", 5, 86400, 0, 1), 10), 0U);
  EXPECT_EQ(Advertised(Fixed("day", 5, 86400, 4, 1), 0), 4U);
}

TEST_F(AppliedTest, TheAdvertisedRateNeverExceedsTheCap) {
  std::mt19937_64 random(20'260'601);
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t limit = 1 + random() % 100'000;
    const auto window = static_cast<std::int64_t>(1 + random() % 100'000);
    const auto left = static_cast<std::int64_t>(1 + random() % static_cast<std::uint64_t>(window));
    const Applied applied =
        Fixed("f", limit, window, random() % (limit + 1), static_cast<double>(left));
    const std::uint64_t shown = Advertised(applied, 10);
    ASSERT_LE(shown, applied.remaining);
    if (shown > 1) {
      ASSERT_LE(static_cast<Duration::rep>(shown) * window,
                10 * static_cast<Duration::rep>(limit) * left);
    }
    rules_.pop_back();
  }
}

TEST_F(AppliedTest, C67_RetryAfterIsNeverShorterThanTheWait) {
  std::mt19937_64 random(20'260'602);
  for (int i = 0; i < 1000; ++i) {
    const Duration wait(static_cast<std::int64_t>(1 + random() % 100'000'000'000));
    const std::vector<Applied> applied = {Denied(Bucket(0, 0.001, 30), wait)};
    const AnswerFacts facts{.verdict = Verdict::kDeny, .applied = applied};
    const std::int64_t seconds = RetryAfterSeconds(facts);
    ASSERT_GE(seconds, 1);
    ASSERT_GE(std::chrono::seconds(seconds), wait);
    ASSERT_LT(std::chrono::seconds(seconds) - wait, std::chrono::seconds(1));
    rules_.pop_back();
  }
}

TEST_F(AppliedTest, C68_ATenthOfASecondIsAWholeSecondOfRetryAfter) {
  const std::vector<Applied> applied = {Denied(Bucket(0, 0.1, 60), Seconds(0.1))};
  EXPECT_EQ(RetryAfterSeconds({.verdict = Verdict::kDeny, .applied = applied}), 1);
}

TEST_F(AppliedTest, C70_RetryAfterIsAbsentWhenOneOfThePoliciesCanNeverBeMet) {
  const std::vector<Applied> applied = {Fixed("a", 10, 60, 0, 30, true),
                                        Denied(Bucket(5, 0, 0), kNeverFits)};
  EXPECT_EQ(RetryAfterSeconds({.verdict = Verdict::kDeny, .applied = applied}), 0);
}

TEST_F(AppliedTest, RetryAfterFollowsTheDecisionWhereNoRuleDenied) {
  EXPECT_EQ(RetryAfterSeconds({.verdict = Verdict::kUnavailable}), 0);
  EXPECT_EQ(RetryAfterSeconds({.verdict = Verdict::kUnavailable, .retry_after = Seconds(1.5)}), 2);
  EXPECT_EQ(RetryAfterSeconds({.verdict = Verdict::kDeny}), 1);
  EXPECT_EQ(RetryAfterSeconds({.verdict = Verdict::kDeny, .retry_after = kNeverFits}), 0);
  EXPECT_EQ(RetryAfterSeconds({.verdict = Verdict::kAllow, .retry_after = Seconds(9)}), 0);
}

TEST_F(AppliedTest, RetryAfterIsNeverEarlierThanAnEmittedWindow) {
  Applied odd = Denied(Bucket(0, 6, 30), Seconds(2));
  const std::vector<Applied> applied = {odd};
  EXPECT_EQ(RetryAfterSeconds({.verdict = Verdict::kDeny, .applied = applied}), 6);
}

}  // namespace
}  // namespace weir
