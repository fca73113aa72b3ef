#include <gtest/gtest.h>

#include "weir/answer/field_list.h"
#include "weir/answer/header_rig.h"
#include "weir/answer/selection.h"

namespace weir {
namespace {

// The numbers in the names are those of the worked examples that the style's authors agreed on.
class DraftStylesTest : public HeaderRig {
 protected:
  // The lines of draft-11 and, in the place of `r` and `t`, those of draft-12.
  void Expect(const std::vector<Applied>& applied, const Texts& draft11, const Texts& draft12) {
    EXPECT_EQ(Lines(HeaderStyle::kDraft11, applied), draft11);
    EXPECT_EQ(Lines(HeaderStyle::kDraft12, applied), draft12);
  }
};

TEST_F(DraftStylesTest, E1_FixedWindowAllowed) {
  Expect({Fixed("default", 100, 60, 99, 50)},
         {R"(ratelimit-policy: "default";q=100;w=60)", R"(ratelimit: "default";r=99;t=50)"},
         {R"(ratelimit-policy: "default";q=100;w=60)", R"(ratelimit: "default";a=99;w=50)"});
}

TEST_F(DraftStylesTest, E2_FixedWindowDenied) {
  Expect({Fixed("default", 100, 60, 0, 19.3, true)},
         {"retry-after: 20", R"(ratelimit-policy: "default";q=100;w=60)",
          R"(ratelimit: "default";r=0;t=20)"},
         {"retry-after: 20", R"(ratelimit-policy: "default";q=100;w=60)",
          R"(ratelimit: "default";a=0;w=20)"});
}

TEST_F(DraftStylesTest, E3_TwoFixedPoliciesAllListed) {
  Expect({Fixed("burst", 100, 60, 60, 18), Fixed("daily", 1000, 86400, 960, 50000)},
         {R"(ratelimit-policy: "burst";q=100;w=60, "daily";q=1000;w=86400)",
          R"(ratelimit: "burst";r=60;t=18, "daily";r=960;t=50000)"},
         {R"(ratelimit-policy: "burst";q=100;w=60, "daily";q=1000;w=86400)",
          R"(ratelimit: "burst";a=60;w=18, "daily";a=960;w=50000)"});
}

TEST_F(DraftStylesTest, E4_OnlyTheTightestListed) {
  options_.when_allowed = Listing::kTightest;
  Expect({Fixed("hour", 1000, 3600, 1000, 0), Fixed("day", 5000, 86400, 100, 36000)},
         {R"(ratelimit-policy: "hour";q=1000;w=3600, "day";q=5000;w=86400)",
          R"(ratelimit: "day";r=100;t=36000)"},
         {R"(ratelimit-policy: "hour";q=1000;w=3600, "day";q=5000;w=86400)",
          R"(ratelimit: "day";a=100;w=36000)"});
}

TEST_F(DraftStylesTest, E5_TokenBucketAllowed) {
  Expect({Bucket(4, 6, 6)},
         {R"(ratelimit-policy: "g";q=10;w=60;weir-burst=5)", R"(ratelimit: "g";r=4;t=24)"},
         {R"(ratelimit-policy: "g";q=10;w=60;weir-burst=5)", R"(ratelimit: "g";a=4;w=24)"});
}

TEST_F(DraftStylesTest, E6_TokenBucketDenied) {
  Expect({Denied(Bucket(0, 6, 30), Seconds(6))},
         {"retry-after: 6", R"(ratelimit-policy: "g";q=10;w=60;weir-burst=5)",
          R"(ratelimit: "g";r=0;t=6)"},
         {"retry-after: 6", R"(ratelimit-policy: "g";q=10;w=60;weir-burst=5)",
          R"(ratelimit: "g";a=0;w=6)"});
}

TEST_F(DraftStylesTest, E7_TokenBucketDeniedACostOfTwo) {
  options_.show_cost = true;
  facts_.cost = 2;
  Expect({Denied(Bucket(0, 3, 27), Seconds(9))},
         {"retry-after: 9", R"(ratelimit-policy: "g";q=10;w=60;weir-burst=5)",
          R"(ratelimit: "g";r=0;t=3)"},
         {"retry-after: 9", R"(ratelimit-policy: "g";q=10;w=60;weir-burst=5)",
          R"(ratelimit: "g";a=0;w=3;c=2)"});
}

TEST_F(DraftStylesTest, E8_TokenBucketDeniedThoughSomethingIsLeft) {
  options_.show_cost = true;
  facts_.cost = 3;
  Expect({Denied(Bucket(1, 2, 20), Seconds(8))},
         {"retry-after: 8", R"(ratelimit-policy: "g";q=10;w=60;weir-burst=5)",
          R"(ratelimit: "g";r=1;t=2)"},
         {"retry-after: 8", R"(ratelimit-policy: "g";q=10;w=60;weir-burst=5)",
          R"(ratelimit: "g";a=1;w=2;c=3)"});
}

TEST_F(DraftStylesTest, E9_C70_ACostThatNeverFitsHasNoRetryAfter) {
  options_.show_cost = true;
  facts_.cost = 6;
  Expect({Denied(Bucket(5, 0, 0), kNeverFits)},
         {R"(ratelimit-policy: "g";q=10;w=60;weir-burst=5)", R"(ratelimit: "g";r=5;t=30)"},
         {R"(ratelimit-policy: "g";q=10;w=60;weir-burst=5)", R"(ratelimit: "g";a=5;w=30;c=6)"});
}

TEST_F(DraftStylesTest, E10_SlidingWindowAllowed) {
  Applied sliding = Level("sw", MakeQuotaOf(Algorithm::kSlidingWindow, 100, 60), 4);
  sliding.next = Seconds(0.6);
  sliding.reset = Seconds(102);
  Expect({sliding}, {R"(ratelimit-policy: "sw";q=100;w=60)", R"(ratelimit: "sw";r=4;t=3)"},
         {R"(ratelimit-policy: "sw";q=100;w=60)", R"(ratelimit: "sw";a=4;w=3)"});
}

TEST_F(DraftStylesTest, E11_SlidingWindowDenied) {
  Applied soon = Level("sw", MakeQuotaOf(Algorithm::kSlidingWindow, 100, 60), 0);
  soon.next = Seconds(0.6);
  Expect({Denied(soon, Seconds(0.6))},
         {"retry-after: 1", R"(ratelimit-policy: "sw";q=100;w=60)", R"(ratelimit: "sw";r=0;t=1)"},
         {"retry-after: 1", R"(ratelimit-policy: "sw";q=100;w=60)", R"(ratelimit: "sw";a=0;w=1)"});
  Applied later = soon;
  later.next = Seconds(45.6);
  Expect(
      {Denied(later, Seconds(45.6))},
      {"retry-after: 46", R"(ratelimit-policy: "sw";q=100;w=60)", R"(ratelimit: "sw";r=0;t=46)"},
      {"retry-after: 46", R"(ratelimit-policy: "sw";q=100;w=60)", R"(ratelimit: "sw";a=0;w=46)"});
}

TEST_F(DraftStylesTest, E12_ByteQuota) {
  options_.show_cost = true;
  facts_.cost = 1'048'576;
  Applied egress = Fixed("egress", 65'536'000, 60, 64'487'424, 45);
  egress.quota_unit = "content-bytes";
  Expect({egress},
         {R"(ratelimit-policy: "egress";q=65536000;qu="content-bytes";w=60)",
          R"(ratelimit: "egress";r=64487424;t=45)"},
         {R"(ratelimit-policy: "egress";q=65536000;qu="content-bytes";w=60)",
          R"(ratelimit: "egress";a=64487424;w=45;c=1048576)"});
}

TEST_F(DraftStylesTest, E13_ConcurrencyHasNoWindow) {
  Applied conc = Level("conc", MakeQuotaOf(Algorithm::kFixedWindow, 20, 0), 3);
  conc.quota_unit = "concurrent-requests";
  Expect({conc},
         {R"(ratelimit-policy: "conc";q=20;qu="concurrent-requests")", R"(ratelimit: "conc";r=3)"},
         {R"(ratelimit-policy: "conc";q=20;qu="concurrent-requests")", R"(ratelimit: "conc";a=3)"});
}

TEST_F(DraftStylesTest, E14_OpaquePartitionKey) {
  Applied applied = Fixed("peruser", 100, 60, 99, 60);
  applied.partition_key = "\xea\x3f\xd4\x3b\xe1\xe5\x7d\x62\xe1\x63\xda\xe1";
  Expect({applied},
         {R"(ratelimit-policy: "peruser";q=100;w=60;pk=:6j/UO+HlfWLhY9rh:)",
          R"(ratelimit: "peruser";r=99;t=60;pk=:6j/UO+HlfWLhY9rh:)"},
         {R"(ratelimit-policy: "peruser";q=100;w=60;pk=:6j/UO+HlfWLhY9rh:)",
          R"(ratelimit: "peruser";a=99;w=60;pk=:6j/UO+HlfWLhY9rh:)"});
}

TEST_F(DraftStylesTest, E16_NamesAreTokensWhereTheyCanBe) {
  options_.token_names = true;
  options_.ratio_cap = 0;
  const auto lines =
      Lines(HeaderStyle::kDraft12, {Fixed("burst", 100, 60, 60, 18), Fixed("1min", 5, 60, 4, 18)});
  EXPECT_EQ(lines, (Texts{R"(ratelimit-policy: burst;q=100;w=60, "1min";q=5;w=60)",
                          R"(ratelimit: burst;a=60;w=18, "1min";a=4;w=18)"}));
  EXPECT_EQ(Lines(HeaderStyle::kDraft11, {Fixed("burst", 100, 60, 60, 18)}).back(),
            R"(ratelimit: "burst";r=60;t=18)");
}

TEST_F(DraftStylesTest, E17_EscapesNames) {
  const std::string policy = R"(ratelimit-policy: "a\"b\\c";q=5;w=1)";
  Expect({Fixed("a\"b\\c", 5, 1, 5, 1)}, {policy, R"(ratelimit: "a\"b\\c";r=5;t=1)"},
         {policy, R"(ratelimit: "a\"b\\c";a=5;w=1)"});
}

TEST_F(DraftStylesTest, E18_ReducedCapacity) {
  facts_.verdict = Verdict::kUnavailable;
  EXPECT_EQ(Lines(HeaderStyle::kDraft11, {Fixed("hourly", 500, 3600, 0, 120, true)}),
            (Texts{"retry-after: 120", R"(ratelimit-policy: "hourly";q=500;w=3600)",
                   R"(ratelimit: "hourly";r=0;t=120)"}));
}

TEST_F(DraftStylesTest, E20_CapsTheAdvertisedRateNearTheEndOfAWindow) {
  Expect({Fixed("somepolicy", 10'000, 1000, 10'000, 10)},
         {R"(ratelimit-policy: "somepolicy";q=10000;w=1000)",
          R"(ratelimit: "somepolicy";r=1000;t=10)"},
         {R"(ratelimit-policy: "somepolicy";q=10000;w=1000)",
          R"(ratelimit: "somepolicy";a=1000;w=10)"});
  options_.ratio_cap = 0;
  EXPECT_EQ(Lines({Fixed("somepolicy", 10'000, 1000, 10'000, 10)}).back(),
            R"(ratelimit: "somepolicy";a=10000;w=10)");
}

TEST_F(DraftStylesTest, E21_ClampsNumbersAboveTheIntegerRange) {
  const std::uint64_t huge = std::uint64_t{1} << 53U;
  EXPECT_EQ(Lines({Fixed("big", huge, 60, huge - 1, 60)}),
            (Texts{R"(ratelimit-policy: "big";q=999999999999999;w=60)",
                   R"(ratelimit: "big";r=999999999999999;t=60)"}));
}

TEST_F(DraftStylesTest, E23_SaysNothingOfRulesThatAreNotEnforced) {
  Applied shadow = Fixed("shadow", 1, 60, 0, 60, true);
  rules_.back().shadow_mode = true;
  Applied unlimited = Fixed("unlimited", 1, 60, 0, 60);
  rules_.back().unlimited = true;
  Applied killed = Fixed("killed", 1, 60, 0, 60, true);
  killed.not_enforced = NotEnforced::kKill;
  facts_.verdict = Verdict::kAllow;
  options_.retry_after = false;
  EXPECT_EQ(Lines({shadow, unlimited, killed, Applied{}}), Texts{});
  EXPECT_EQ(Lines({}), Texts{});
}

TEST_F(DraftStylesTest, E24_SpeaksBothDialectsAtOnce) {
  EXPECT_EQ(Lines(HeaderStyle::kDual, {Fixed("default", 100, 60, 99, 50)}),
            (Texts{R"(ratelimit-policy: "default";q=100;w=60)",
                   R"(ratelimit: "default";r=99;t=50;a=99;w=50)"}));
}

TEST_F(DraftStylesTest, E25_ADenialListsOnlyTheViolatedPolicy) {
  Expect({Fixed("burst", 100, 60, 0, 7, true), Fixed("daily", 1000, 86400, 100, 40000)},
         {"retry-after: 7", R"(ratelimit-policy: "burst";q=100;w=60, "daily";q=1000;w=86400)",
          R"(ratelimit: "burst";r=0;t=7)"},
         {"retry-after: 7", R"(ratelimit-policy: "burst";q=100;w=60, "daily";q=1000;w=86400)",
          R"(ratelimit: "burst";a=0;w=7)"});
}

TEST_F(DraftStylesTest, C65_ADenialDescribesTheLimitThatDenied) {
  options_.when_denied = Listing::kTightest;
  EXPECT_EQ(
      Lines({Fixed("user", 60, 60, 56, 12), Fixed("spend", 100, 3600, 0, 3000, true)}),
      (Texts{"retry-after: 3000", R"(ratelimit-policy: "user";q=60;w=60, "spend";q=100;w=3600)",
             R"(ratelimit: "spend";r=0;t=3000)"}));
}

TEST_F(DraftStylesTest, C71_TheClosestOfSeveralPoliciesByItsShare) {
  options_.when_allowed = Listing::kTightest;
  EXPECT_EQ(Lines({Fixed("permin", 50, 60, 9, 30), Fixed("perhr", 1000, 3600, 4, 3570)}),
            (Texts{R"(ratelimit-policy: "permin";q=50;w=60, "perhr";q=1000;w=3600)",
                   R"(ratelimit: "perhr";r=4;t=3570)"}));
}

TEST_F(DraftStylesTest, C72_AddsNothingWhenSwitchedOff) {
  options_.style = HeaderStyle::kOff;
  EXPECT_EQ(Lines({Fixed("default", 100, 60, 99, 50)}), Texts{});
  EXPECT_EQ(Lines({Fixed("default", 100, 60, 0, 50, true)}), Texts{"retry-after: 50"});
  options_.retry_after = false;
  EXPECT_EQ(Lines({Fixed("default", 100, 60, 0, 50, true)}), Texts{});
}

TEST_F(DraftStylesTest, RetryAfterIsTheLongestWaitOfAllViolatedPolicies) {
  const auto lines = Lines({Fixed("a", 1, 60, 0, 7, true), Fixed("b", 1, 600, 0, 90.1, true)});
  EXPECT_EQ(lines.front(), "retry-after: 91");
  EXPECT_EQ(lines.back(), R"(ratelimit: "a";r=0;t=7, "b";r=0;t=91)");
}

TEST_F(DraftStylesTest, EveryFieldParsesAsAStructuredList) {
  for (const auto style : {HeaderStyle::kDraft11, HeaderStyle::kDraft12, HeaderStyle::kDual}) {
    options_.style = style;
    options_.token_names = true;
    Lines({Fixed("a\"b\\c", 5, 1, 5, 1), Bucket(4, 6, 6), Fixed("\xc3\xbc", 7, 2, 1, 1)});
    ASSERT_EQ(out_.lines().size(), 2U);
    for (const HeaderLine& line : out_.lines()) {
      const auto list = ParseFieldList(line.value);
      ASSERT_TRUE(list.has_value()) << line.value;
      EXPECT_EQ(list->size(), 3U);
      EXPECT_EQ(CanonicalField(*list), line.value);
    }
  }
}

TEST_F(DraftStylesTest, HoldsAsManyPoliciesAsAreSelectedWithTheLongestNames) {
  std::vector<Applied> many;
  for (std::size_t i = 0; i < Selection::kMost; ++i) {
    many.push_back(Level(std::string(kLongestIdentifier - 2, '"') + std::to_string(10 + i),
                         MakeQuotaOf(Algorithm::kTokenBucket, kLargestLimit, 31'622'400, 1),
                         kLargestLimit));
  }
  options_.style = HeaderStyle::kDual;
  Lines(many);
  ASSERT_EQ(out_.lines().size(), 2U);
  for (const HeaderLine& line : out_.lines()) {
    const auto list = ParseFieldList(line.value);
    ASSERT_TRUE(list.has_value());
    EXPECT_EQ(list->size(), Selection::kMost);
  }
}

TEST_F(DraftStylesTest, LeavesOutWholePoliciesWhenThereIsNoRoom) {
  const std::string key(5000, 'k');
  std::vector<Applied> many;
  for (const char* name : {"a", "b", "c"}) {
    many.push_back(Fixed(name, 100, 60, 99, 50));
    many.back().partition_key = key;
  }
  many.push_back(Fixed("d", 100, 60, 99, 50));
  const std::vector<std::string> lines = Lines(many);
  ASSERT_EQ(lines.size(), 2U);
  const auto policies = ParseFieldList(out_.lines().front().value);
  ASSERT_TRUE(policies.has_value());
  EXPECT_EQ(policies->size(), 2U);
  const auto limits = ParseFieldList(out_.lines().back().value);
  ASSERT_TRUE(limits.has_value());
  EXPECT_EQ(CanonicalField(*limits), R"("d";r=99;t=50)");
}

}  // namespace
}  // namespace weir
