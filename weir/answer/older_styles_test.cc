#include <gtest/gtest.h>

#include "weir/answer/field_list.h"
#include "weir/answer/header_rig.h"

namespace weir {
namespace {

// Limit 100 a minute, one used, 50 s to the window's end, at 1714701491.
class OlderStylesTest : public HeaderRig {
 protected:
  OlderStylesTest() { facts_.now = WallTime(std::chrono::seconds(1'714'701'491)); }

  Applied Usual() { return Fixed("default", 100, 60, 99, 50); }
};

TEST_F(OlderStylesTest, WritesEachStyleOfTheTable) {
  EXPECT_EQ(Lines(HeaderStyle::kEnvoy03, {Usual()}),
            (Texts{R"(x-ratelimit-limit: 100, 100;w=60;name="default")",
                   "x-ratelimit-remaining: 99", "x-ratelimit-reset: 50"}));
  EXPECT_EQ(
      Lines(HeaderStyle::kXDelta, {Usual()}),
      (Texts{"x-ratelimit-limit: 100", "x-ratelimit-remaining: 99", "x-ratelimit-reset: 50"}));
  EXPECT_EQ(Lines(HeaderStyle::kGithub, {Usual()}),
            (Texts{"x-ratelimit-limit: 100", "x-ratelimit-remaining: 99", "x-ratelimit-used: 1",
                   "x-ratelimit-reset: 1714701541", "x-ratelimit-resource: default"}));
  EXPECT_EQ(Lines(HeaderStyle::kPlain, {Usual()}),
            (Texts{"ratelimit-limit: 100", "ratelimit-remaining: 99", "ratelimit-reset: 50"}));
  EXPECT_EQ(
      Lines(HeaderStyle::kDraft03, {Usual()}),
      (Texts{"ratelimit-limit: 100, 100;w=60", "ratelimit-remaining: 99", "ratelimit-reset: 50"}));
  EXPECT_EQ(Lines(HeaderStyle::kDraft06, {Usual()}),
            (Texts{"ratelimit-limit: 100", "ratelimit-policy: 100;w=60", "ratelimit-remaining: 99",
                   "ratelimit-reset: 50"}));
  EXPECT_EQ(Lines(HeaderStyle::kDraft07, {Usual()}),
            (Texts{"ratelimit: limit=100, remaining=99, reset=50", "ratelimit-policy: 100;w=60"}));
}

TEST_F(OlderStylesTest, Envoy03ListsEveryPolicyAfterTheLowest) {
  EXPECT_EQ(
      Lines(HeaderStyle::kEnvoy03, {Fixed("first", 1, 60, 2, 3), Fixed("second", 4, 3600, 5, 6)}),
      (Texts{R"(x-ratelimit-limit: 1, 1;w=60;name="first", 4;w=3600;name="second")",
             "x-ratelimit-remaining: 2", "x-ratelimit-reset: 3"}));
}

TEST_F(OlderStylesTest, C71_Envoy03TakesTheLowestAndParsesStrictly) {
  Applied per_minute = Fixed("", 50, 60, 9, 30);
  Applied per_hour = Fixed("", 1000, 3600, 4, 3570);
  EXPECT_EQ(Lines(HeaderStyle::kEnvoy03, {per_minute, per_hour}),
            (Texts{"x-ratelimit-limit: 1000, 50;w=60, 1000;w=3600", "x-ratelimit-remaining: 4",
                   "x-ratelimit-reset: 3570"}));
  Lines(HeaderStyle::kEnvoy03, {Fixed("a\"b", 50, 60, 9, 30)});
  EXPECT_TRUE(ParseFieldList(out_.lines().front().value).has_value());
}

TEST_F(OlderStylesTest, C65_ADenialShowsTheLimitThatDeniedForTheLongest) {
  const Applied user = Fixed("user", 60, 60, 56, 12);
  const Applied spend = Fixed("spend", 100, 3600, 0, 3000, true);
  EXPECT_EQ(Lines(HeaderStyle::kXDelta, {user, spend}),
            (Texts{"retry-after: 3000", "x-ratelimit-limit: 100", "x-ratelimit-remaining: 0",
                   "x-ratelimit-reset: 3000"}));
  const Applied user_too = Fixed("user", 60, 60, 0, 12, true);
  EXPECT_EQ(Lines(HeaderStyle::kXDelta, {user_too, spend}),
            (Texts{"retry-after: 3000", "x-ratelimit-limit: 100", "x-ratelimit-remaining: 0",
                   "x-ratelimit-reset: 3000"}));
}

TEST_F(OlderStylesTest, C66_ResetIsNeverZeroOnADenial) {
  for (const HeaderStyle style : {HeaderStyle::kEnvoy03, HeaderStyle::kXDelta, HeaderStyle::kPlain,
                                  HeaderStyle::kDraft03, HeaderStyle::kDraft06}) {
    EXPECT_EQ(Lines(style, {Fixed("two", 2, 60, 0, 50, true)}).back().substr(16).find(": 0"),
              std::string::npos);
    Applied at_the_edge = Fixed("two", 2, 60, 0, 0, true);
    EXPECT_EQ(Lines(style, {at_the_edge}).front(), "retry-after: 60");
    EXPECT_EQ(Lines(style, {at_the_edge}).back().find("reset: 0"), std::string::npos);
  }
}

TEST_F(OlderStylesTest, C69_ResetTellsWhenABucketIsFullAndNotWhenToRetry) {
  Applied five = Level("five", MakeQuotaOf(Algorithm::kTokenBucket, 1, 1, 6), 0);
  five.next = Seconds(1);
  five.reset = Seconds(6);
  EXPECT_EQ(Lines(HeaderStyle::kXDelta, {Denied(five, Seconds(1))}),
            (Texts{"retry-after: 1", "x-ratelimit-limit: 6", "x-ratelimit-remaining: 0",
                   "x-ratelimit-reset: 6"}));
  Applied half = Level("half", MakeQuotaOf(Algorithm::kTokenBucket, 30, 60, 16), 15);
  half.reset = Seconds(2);
  EXPECT_EQ(Lines(HeaderStyle::kXDelta, {half}),
            (Texts{"x-ratelimit-limit: 16", "x-ratelimit-remaining: 15", "x-ratelimit-reset: 2"}));
}

TEST_F(OlderStylesTest, Drafts03To07GiveRetryAfterAndResetTheSameInstant) {
  const Applied bucket = Denied(Bucket(0, 3, 27), Seconds(9));
  EXPECT_EQ(Lines(HeaderStyle::kDraft03, {bucket}).back(), "ratelimit-reset: 9");
  EXPECT_EQ(Lines(HeaderStyle::kDraft06, {bucket}).back(), "ratelimit-reset: 9");
  EXPECT_EQ(Lines(HeaderStyle::kDraft07, {bucket})[1], "ratelimit: limit=5, remaining=0, reset=9");
  EXPECT_EQ(Lines(HeaderStyle::kPlain, {bucket}).back(), "ratelimit-reset: 27");
}

TEST_F(OlderStylesTest, Drafts06And07NameOnlyTheLowestOfPoliciesWithEqualNumbers) {
  EXPECT_EQ(Lines(HeaderStyle::kDraft06, {Fixed("a", 10, 1, 9, 1), Fixed("b", 10, 60, 3, 40)})[1],
            "ratelimit-policy: 10;w=60");
  EXPECT_EQ(Lines(HeaderStyle::kDraft07, {Fixed("a", 10, 1, 9, 1), Fixed("b", 20, 60, 3, 40)})[1],
            "ratelimit-policy: 10;w=1, 20;w=60");
}

TEST_F(OlderStylesTest, GithubRoundsTheInstantUp) {
  facts_.now += std::chrono::milliseconds(600);
  EXPECT_EQ(Lines(HeaderStyle::kGithub, {Fixed("default", 100, 60, 99, 49.5)})[3],
            "x-ratelimit-reset: 1714701542");
}

TEST_F(OlderStylesTest, ClampsNumbersAsStructuredFieldsDo) {
  const std::uint64_t huge = std::uint64_t{1} << 53U;
  EXPECT_EQ(Lines(HeaderStyle::kPlain, {Fixed("big", huge, 60, huge, 60)}).front(),
            "ratelimit-limit: 999999999999999");
}

}  // namespace
}  // namespace weir
