// The end-to-end scripts of the reference service (9.6), without their proxies.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/reference/section9_world.h"

namespace weir::reference {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr std::string_view kTwoKeys = R"(domain: domain
descriptors:
  - {key: twenty, rate_limit: {unit: minute, requests_per_unit: 20}}
  - {key: ten, rate_limit: {unit: hour, requests_per_unit: 10}}
)";

TEST(Section9Test, R9_6_TwentyFiveCallsOnTwentyAMinute) {
  Section9World world(kTwoKeys);
  for (std::uint32_t n = 0; n < 25; ++n) {
    const RateLimitResponse& answer = world.Ask("domain", {{"twenty", "1"}});
    EXPECT_EQ(answer.over, n >= 20);
    EXPECT_EQ(answer.statuses[0].remaining, n < 20 ? 19 - n : 0);
  }
}

TEST(Section9Test, R9_6_TwoKeysAreOverAfterTheTighterAndTheOtherCountsOn) {
  Section9World world(kTwoKeys);
  const TestRequest both("domain", {{{"twenty", "1"}}, {{"ten", "1"}}});
  for (std::uint32_t n = 0; n < 15; ++n) {
    const RateLimitResponse& answer = world.Ask(both);
    EXPECT_EQ(answer.over, n >= 10);
    EXPECT_FALSE(answer.statuses[0].over);
    EXPECT_EQ(answer.statuses[0].remaining, 19 - n);
  }
}

TEST(Section9Test, R9_6_TwoKeysWithTheStopFlagTheOtherStaysWhereItWas) {
  for (const std::size_t held : {std::size_t{0}, std::size_t{1000}}) {
    Section9World world(kTwoKeys, StandingStill(held));
    const TestRequest both("domain", {{{"twenty", "1"}}, {{"ten", "1"}}});
    for (std::uint32_t n = 0; n < 15; ++n) {
      const RateLimitResponse& answer = world.Ask(both);
      EXPECT_EQ(answer.over, n >= 10);
      EXPECT_EQ(answer.statuses[0].remaining, n < 10 ? 19 - n : 10);
    }
  }
}

TEST(Section9Test, R9_6_TheTimeToTheResetDecreases) {
  Section9World world(kTwoKeys, {}, {}, 6010);
  EXPECT_EQ(world.Ask("domain", {{"twenty", "1"}}).statuses[0].reset, 50s);
  world.clock().Advance(2s);
  EXPECT_EQ(world.Ask("domain", {{"twenty", "1"}}).statuses[0].reset, 48s);
}

TEST(Section9Test, R9_6_AShadowRuleNeverRefuses) {
  Section9World world(OneRule("hour", 3, "shadow_mode: true, "));
  EXPECT_EQ(world.Passed(KeyValue(), 25), 25);
}

TEST(Section9Test, R9_6_ADetailedMetricIsVisibleAfterOneDenial) {
  Section9World world(
      "domain: domain\ndescriptors: [{key: key, detailed_metric: true, "
      "rate_limit: {unit: minute, requests_per_unit: 1}}]\n");
  EXPECT_EQ(world.Passed(KeyValue(), 2), 1);
  EXPECT_THAT(world.MetricsPage(),
              HasSubstr("\nratelimit_service_rate_limit_over_limit{domain=\"domain\","
                        "key1=\"key_value\"} 1\n"));
}

constexpr std::string_view kReplaces = R"(domain: domain
descriptors:
  - {key: everyone, rate_limit: {name: base, unit: hour, requests_per_unit: 1}}
  - {key: bulk, rate_limit: {name: bulk, unit: hour, requests_per_unit: 1}}
  - key: vip
    rate_limit: {name: vip, unit: hour, requests_per_unit: 5, replaces: [{name: base}, {name: bulk}]}
)";

TEST(Section9Test, R9_6_ARuleThatReplacesOthersRaisesTheirLimit) {
  Section9World world(kReplaces);
  const TestRequest plain("domain", {{{"everyone", "1"}}});
  EXPECT_EQ(world.Passed(plain, 3), 1);
  const TestRequest vip("domain", {{{"everyone", "1"}}, {{"bulk", "1"}}, {{"vip", "1"}}});
  EXPECT_EQ(world.Passed(vip, 8), 5);
  EXPECT_FALSE(world.Ask(vip).statuses[0].has_limit);
}

TEST(Section9Test, R9_6_AReplacedRulesCounterIsNotTouched) {
  Section9World world(kReplaces);
  const TestRequest vip("domain", {{{"everyone", "1"}}, {{"bulk", "1"}}, {{"vip", "1"}}});
  EXPECT_EQ(world.Passed(vip, 3), 3);
  EXPECT_EQ(world.Passed(TestRequest("domain", {{{"everyone", "1"}}}), 3), 1);
  EXPECT_EQ(world.Passed(TestRequest("domain", {{{"bulk", "1"}}}), 3), 1);
}

TEST(Section9Test, R9_6_TwoQuotasOfOneAndTwoAreOverAtTheThirdCall) {
  Section9World world(R"(domain: domain
descriptors:
  - {key: service, value: a, quota_mode: true, rate_limit: {unit: minute, requests_per_unit: 1}}
  - {key: service, value: b, quota_mode: true, rate_limit: {unit: minute, requests_per_unit: 2}}
)");
  const TestRequest both("domain", {{{"service", "a"}}, {{"service", "b"}}});
  EXPECT_EQ(world.Passed(both, 3), 2);
  EXPECT_EQ(world.check().outcomes[0].used, 3U);  // All are charged.
  EXPECT_EQ(world.check().outcomes[1].used, 3U);
}

TEST(Section9Test, R9_6_ATokenQuotaLooksOnTheRequestAndIsChargedOnTheResponse) {
  Section9World world(OneRule("hour", 3));
  TestRequest look("domain", {{{"key", "value"}}});
  look.WithCost(0, 0);
  int served = 0;
  for (int i = 0; i < 6; ++i) {
    if (world.Ask(look).over) continue;
    ++served;
    Spend(world, 1);
  }
  EXPECT_EQ(served, 4);  // At the limit a look still passes.
}

}  // namespace
}  // namespace weir::reference
