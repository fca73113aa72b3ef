// Keys, counts and the two switches that keep hits away from the store (9.4).

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/reference/section9_world.h"

namespace weir::reference {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Section9Test, R9_4_1_KeysNameTheStartOfTheirWindow) {
  const auto key_at = [](std::string_view unit, std::int64_t second, EngineOptions options = {}) {
    Section9World world(OneRule(unit, 10), std::move(options), {}, second);
    world.Ask(KeyValue());
    return world.keys().at(0);
  };
  EXPECT_EQ(key_at("second", 1234), "domain_key_value_1234");
  EXPECT_EQ(key_at("minute", 1234), "domain_key_value_1200");
  EXPECT_EQ(key_at("hour", 1'000'000), "domain_key_value_997200");
  EXPECT_EQ(key_at("day", 1'000'000), "domain_key_value_950400");
  EngineOptions prefixed;
  prefixed.key_prefix = "prefix:";
  EXPECT_EQ(key_at("second", 1234, prefixed), "prefix:domain_key_value_1234");
}

TEST(Section9Test, R9_4_1_KeysHaveEveryEntryAndTheSharedPattern) {
  Section9World world(R"(domain: domain
descriptors:
  - key: key2
    value: value2
    descriptors:
      - {key: subkey2, value: subvalue2, rate_limit: {unit: minute, requests_per_unit: 5}}
  - {key: files, value: files/*, share_threshold: true, rate_limit: {unit: second, requests_per_unit: 5}}
)",
                      {}, {}, 1234);
  world.Ask("domain", {{"key2", "value2"}, {"subkey2", "subvalue2"}});
  EXPECT_THAT(world.keys(), ElementsAre("domain_key2_value2_subkey2_subvalue2_1200"));
  world.Ask("domain", {{"files", "files/a.pdf"}});
  EXPECT_THAT(world.keys(), ElementsAre("domain_files_files/*_1234"));
}

TEST(Section9Test, R9_4_4_DescriptorsBringTheirOwnHits) {
  Section9World world(R"(domain: domain
descriptors:
  - {key: a, rate_limit: {unit: minute, requests_per_unit: 10}}
  - {key: b, rate_limit: {unit: minute, requests_per_unit: 10}}
)");
  TestRequest request("domain", {{{"a", "1"}}, {{"b", "1"}}});
  request.WithCost(0, 0).WithCost(1, 1);
  const RateLimitResponse& answer = world.Ask(request);
  EXPECT_EQ(answer.statuses[0].remaining, 10U);
  EXPECT_EQ(answer.statuses[1].remaining, 9U);
  EXPECT_EQ(world.Counted("domain.a"), RuleTotals{});
  EXPECT_EQ(world.Counted("domain.b").total_hits, 1U);
}

TEST(Section9Test, R9_4_4_NoHitsOnAnExceededKeyAreOverLimitAndCountNothing) {
  Section9World world(OneRule("minute", 2));
  Spend(world, 3);
  const RuleTotals before = world.Counted("domain.key_value");
  TestRequest look("domain", {{{"key", "value"}}});
  EXPECT_TRUE(world.Ask(look.WithCost(0, 0)).over);
  RuleTotals after = world.Counted("domain.key_value");
  after.allowed = before.allowed;  // Decisions are counted; hits are not.
  after.denied = before.denied;
  EXPECT_EQ(after, before);
}

struct Booked {
  std::uint64_t total, within, near, over;
  bool operator==(const Booked&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Booked& b) {
  return out << b.total << " total " << b.within << " within " << b.near << " near " << b.over
             << " over";
}

// What `hits` add that find `before` in a counter of `limit`.
Booked BookedBy(int limit, std::uint64_t before, std::uint64_t hits) {
  Section9World world(OneRule("minute", limit));
  if (before > 0) Spend(world, before);
  const RuleTotals was = world.Counted("domain.key_value");
  Spend(world, hits);
  const RuleTotals is = world.Counted("domain.key_value");
  return {is.total_hits - was.total_hits, is.within_limit - was.within_limit,
          is.near_limit - was.near_limit, is.over_limit - was.over_limit};
}

TEST(Section9Test, R9_4_5_OneHitAtATimeAgainstFifteen) {  // Near from above 12.
  EXPECT_EQ(BookedBy(15, 10, 1), (Booked{1, 1, 0, 0}));
  EXPECT_EQ(BookedBy(15, 11, 1), (Booked{1, 1, 0, 0}));
  EXPECT_EQ(BookedBy(15, 12, 1), (Booked{1, 1, 1, 0}));
  EXPECT_EQ(BookedBy(15, 14, 1), (Booked{1, 1, 1, 0}));
  EXPECT_EQ(BookedBy(15, 15, 1), (Booked{1, 0, 0, 1}));
}

TEST(Section9Test, R9_4_5_SeveralHitsBelowNearAcrossItAndAboveIt) {
  EXPECT_EQ(BookedBy(20, 2, 3), (Booked{3, 3, 0, 0}));   // To 5 of 20; near above 16.
  EXPECT_EQ(BookedBy(8, 5, 2), (Booked{2, 2, 1, 0}));    // To 7 of 8; near above 6.
  EXPECT_EQ(BookedBy(20, 16, 3), (Booked{3, 3, 3, 0}));  // To 19 of 20, all above 16.
}

TEST(Section9Test, R9_4_5_SeveralHitsAcrossTheLimitAreSplit) {
  EXPECT_EQ(BookedBy(20, 19, 3), (Booked{3, 0, 1, 2}));  // To 22: one near, two over.
  EXPECT_EQ(BookedBy(20, 15, 7), (Booked{7, 0, 4, 2}));  // To 22, from below near.
  EXPECT_EQ(BookedBy(10, 0, 12), (Booked{12, 0, 2, 2}));
  EXPECT_EQ(BookedBy(10, 11, 7), (Booked{7, 0, 0, 7}));  // Above the limit before.
}

TEST(Section9Test, R9_4_5_ShadowHitsAreBookedLikeTheDenialsTheyWouldBe) {
  Section9World world(OneRule("minute", 10, "shadow_mode: true, "));
  Spend(world, 8);
  Spend(world, 5);
  EXPECT_EQ(world.Counted("domain.key_value").shadow_mode, 3U);
  Spend(world, 2);
  const RuleTotals totals = world.Counted("domain.key_value");
  EXPECT_EQ(totals.shadow_mode, 5U);
  EXPECT_EQ(totals.over_limit, 5U);
  EXPECT_EQ(totals.near_limit, 2U);
}

EngineOptions WithLocalCache() {
  EngineOptions options;
  options.held_denials = 1000;
  return options;
}

TEST(Section9Test, R9_4_6_TheFirstOverLimitIsRememberedAndTheNextAsksNoStore) {
  Section9World world(OneRule("minute", 10), WithLocalCache());
  Spend(world, 10);
  EXPECT_TRUE(world.Ask(KeyValue()).over);
  EXPECT_EQ(world.check().outcomes[0].basis, Basis::kStore);
  EXPECT_EQ(world.Counted("domain.key_value").over_limit_with_local_cache, 0U);
  const RateLimitResponse& answer = world.Ask("domain", {{"key", "value"}}, 3);
  EXPECT_TRUE(answer.over);
  EXPECT_TRUE(answer.statuses[0].over && answer.statuses[0].has_limit);
  EXPECT_EQ(answer.statuses[0].remaining, 0U);
  EXPECT_EQ(answer.statuses[0].reset, 60s - (1'000'000'020s % 60));
  EXPECT_EQ(world.check().outcomes[0].basis, Basis::kHeld);
  const RuleTotals totals = world.Counted("domain.key_value");
  EXPECT_EQ(totals.total_hits, 14U);
  EXPECT_EQ(totals.over_limit, 4U);
  EXPECT_EQ(totals.over_limit_with_local_cache, 3U);
  EXPECT_EQ(totals.near_limit, 2U);
}

TEST(Section9Test, R9_4_6_ARememberedKeyIsOverAlsoForNoHitsAndUntilItsWindowEnds) {
  Section9World world(OneRule("minute", 1), WithLocalCache(), {}, 6000);
  Spend(world, 2);
  TestRequest look("domain", {{{"key", "value"}}});
  EXPECT_TRUE(world.Ask(look.WithCost(0, 0)).over);
  EXPECT_EQ(world.check().outcomes[0].basis, Basis::kHeld);
  world.clock().Advance(59s);
  EXPECT_TRUE(world.Ask(KeyValue()).over);
  world.clock().Advance(1s);
  EXPECT_FALSE(world.Ask(KeyValue()).over);
}

TEST(Section9Test, R9_4_6_ARaisedLimitDoesNotReachARememberedKey) {
  Section9World world(OneRule("minute", 1), WithLocalCache());
  Spend(world, 2);
  EXPECT_EQ(world.Load(OneRule("minute", 100)), "");
  EXPECT_TRUE(world.Ask(KeyValue()).over);
  Section9World without(OneRule("minute", 1));
  Spend(without, 2);
  EXPECT_EQ(without.Load(OneRule("minute", 100)), "");
  EXPECT_FALSE(without.Ask(KeyValue()).over);
}

TEST(Section9Test, R9_4_6_AShadowRuleIsRememberedTooAndStaysOk) {
  Section9World world(OneRule("minute", 1, "shadow_mode: true, "), WithLocalCache());
  Spend(world, 2);
  const RateLimitResponse& answer = world.Ask("domain", {{"key", "value"}}, 3);
  EXPECT_FALSE(answer.over);
  EXPECT_FALSE(answer.statuses[0].over);
  EXPECT_EQ(answer.statuses[0].remaining, 0U);
  EXPECT_EQ(world.check().outcomes[0].basis, Basis::kHeld);
  const RuleTotals totals = world.Counted("domain.key_value");
  EXPECT_EQ(totals.over_limit, 4U);
  EXPECT_EQ(totals.over_limit_with_local_cache, 3U);
  EXPECT_EQ(totals.shadow_mode, 4U);
}

TEST(Section9Test, R9_4_6_OtherDescriptorsOfTheRequestAreCountedAsEver) {
  Section9World world(R"(domain: domain
descriptors:
  - {key: a, rate_limit: {unit: minute, requests_per_unit: 1}}
  - {key: b, rate_limit: {unit: minute, requests_per_unit: 10}}
)",
                      WithLocalCache());
  world.Ask("domain", {{"a", "1"}}, 2);
  const RateLimitResponse& answer = world.Ask(TestRequest("domain", {{{"a", "1"}}, {{"b", "1"}}}));
  EXPECT_TRUE(answer.over);
  EXPECT_EQ(answer.statuses[1].remaining, 9U);
}

TEST(Section9Test, R9_4_6_DetailedMetricsCountRememberedDenialsUnderTheirOwnKey) {
  Section9World world(
      "domain: domain\ndescriptors: [{key: key, detailed_metric: true, "
      "rate_limit: {unit: minute, requests_per_unit: 1}}]\n",
      WithLocalCache());
  Spend(world, 2);
  Spend(world, 1);
  EXPECT_EQ(world.Counted("domain.key_value").over_limit_with_local_cache, 1U);
  EXPECT_THAT(
      world.MetricsPage(),
      HasSubstr("\nratelimit_service_rate_limit_domain_key_value_over_limit_with_local_cache 1\n"));
}

TEST(Section9Test, R9_4_6_TheCacheHasGauges) {
  Section9World world(OneRule("minute", 1), WithLocalCache());
  for (int i = 0; i < 4; ++i) Spend(world, 1);
  const std::string page = world.MetricsPage();
  EXPECT_THAT(page, HasSubstr("# TYPE ratelimit_localcache_lookupCount gauge\n"
                              "ratelimit_localcache_lookupCount 4\n"));
  EXPECT_THAT(page, HasSubstr("\nratelimit_localcache_hitCount 2\n"));
  EXPECT_THAT(page, HasSubstr("\nratelimit_localcache_missCount 2\n"));
  EXPECT_THAT(page, HasSubstr("\nratelimit_localcache_entryCount 1\n"));
  EXPECT_THAT(Section9World(OneRule("minute", 1)).MetricsPage(), Not(HasSubstr("localcache")));
}

constexpr std::string_view kFifteenAndFourteen = R"(domain: domain
descriptors:
  - {key: a, rate_limit: {unit: minute, requests_per_unit: 15}}
  - {key: b, rate_limit: {unit: minute, requests_per_unit: 14}}
)";

TEST(Section9Test, R9_4_7_OnlyTheCounterThatGoesOverMoves) {
  Section9World world(kFifteenAndFourteen, StandingStill());
  const TestRequest both("domain", {{{"a", "1"}}, {{"b", "1"}}}, 13);
  EXPECT_FALSE(world.Ask(both).over);
  const RateLimitResponse& answer =
      world.Ask(TestRequest("domain", {{{"a", "1"}}, {{"b", "1"}}}, 2));
  EXPECT_TRUE(answer.over);
  EXPECT_FALSE(answer.statuses[0].over);
  EXPECT_EQ(answer.statuses[0].remaining, 2U);
  EXPECT_TRUE(answer.statuses[1].over);
  EXPECT_EQ(answer.statuses[1].remaining, 0U);
  EXPECT_EQ(world.check().outcomes[0].used, 13U);
  EXPECT_EQ(world.check().outcomes[1].used, 15U);
}

// The reference service books these hits against a count that wraps below zero; see
// docs/differences.md.
TEST(Section9Test, R9_4_7_HitsThatWereNotAddedCountWhereTheCounterStands) {
  Section9World world(kFifteenAndFourteen, StandingStill());
  world.Ask("domain", {{"b", "1"}}, 13);
  world.Ask("domain", {{"a", "1"}}, 1);
  world.Ask(TestRequest("domain", {{{"a", "1"}}, {{"b", "1"}}}, 2));
  RuleTotals a = world.Counted("domain.a");
  EXPECT_EQ(a.total_hits, 3U);
  EXPECT_EQ(a.within_limit, 3U);
  EXPECT_EQ(a.near_limit, 0U);
  EXPECT_EQ(world.Counted("domain.b").over_limit, 1U);
}

TEST(Section9Test, R9_4_7_WithARememberedKeyInTheRequestNoCounterMoves) {
  Section9World world(kFifteenAndFourteen, StandingStill(1000));
  world.Ask("domain", {{"b", "1"}}, 15);
  for (int i = 0; i < 3; ++i) {
    const RateLimitResponse& answer =
        world.Ask(TestRequest("domain", {{{"a", "1"}}, {{"b", "1"}}}, 2));
    EXPECT_TRUE(answer.over);
    EXPECT_EQ(answer.statuses[0].remaining, 15U);
  }
}

TEST(Section9Test, R9_4_7_WithoutTheFlagEveryCounterMoves) {
  Section9World world(kFifteenAndFourteen);
  world.Ask(TestRequest("domain", {{{"a", "1"}}, {{"b", "1"}}}, 13));
  world.Ask(TestRequest("domain", {{{"a", "1"}}, {{"b", "1"}}}, 2));
  EXPECT_EQ(world.check().outcomes[0].used, 15U);
}

}  // namespace
}  // namespace weir::reference
