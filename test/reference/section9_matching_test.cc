// Which rule applies, and under which metric key it counts (9.2).

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/reference/section9_world.h"

namespace weir::reference {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The limit that applies to one descriptor, and the metric key that rose with it.
struct Found {
  bool limited = false;
  std::uint32_t limit = 0;
  Unit unit = Unit::kUnknown;
  std::string key;

  bool operator==(const Found&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Found& f) {
  return out << (f.limited ? "limit " : "none ") << f.limit << " " << NameOf(f.unit) << " "
             << f.key;
}

class Lookups {
 public:
  explicit Lookups(std::string_view policy) : policy_(policy) {}

  // By a world of its own, so that the one key that counted is the lookup's.
  Found Find(const TestRequest& request) const {
    Section9World world(policy_);
    const RateLimitResponse& answer = world.Ask(request);
    const ResponseStatus& status = answer.statuses[0];
    const auto counted = world.CountedKeys();
    EXPECT_EQ(counted.size(), status.has_limit ? 1U : 0U);
    return {status.has_limit, status.requests_per_unit, status.unit,
            counted.empty() ? std::string() : *counted.begin()};
  }
  Found Find(std::vector<Entry> entries) const {
    return Find(TestRequest("test-domain", {std::move(entries)}));
  }

 private:
  const std::string policy_;
};

const Found kNone;

TEST(Section9Test, R9_2_1_AnUnknownDomainHasNoLimitAndIsCounted) {
  Section9World world(kBasicConfig);
  const RateLimitResponse& answer = world.Ask("foo_domain", {{"key1", "value1"}});
  EXPECT_FALSE(answer.over);
  EXPECT_FALSE(answer.statuses[0].has_limit);
  EXPECT_EQ(world.engine().DomainsNotFound().at("foo_domain"), 1U);
}

TEST(Section9Test, R9_2_1_AnEmptyDescriptorOfAKnownDomainHasNoLimitAndCountsNothing) {
  Section9World world(kBasicConfig);
  EXPECT_FALSE(world.Ask("test-domain", {}).statuses[0].has_limit);
  EXPECT_TRUE(world.engine().DomainsNotFound().empty());
  EXPECT_THAT(world.CountedKeys(), IsEmpty());
}

TEST(Section9Test, R9_2_2_NoLimitWhereNoRuleStandsAtThatDepth) {
  const Lookups lookups(kBasicConfig);
  EXPECT_EQ(lookups.Find({{"key1", "something"}}), kNone);
  EXPECT_EQ(lookups.Find({{"key1", "value1"}}), kNone);
  EXPECT_EQ(lookups.Find({{"key2", "value2"}, {"subkey", "subvalue"}}), kNone);
  EXPECT_EQ(lookups.Find({{"key5", "value5"}, {"subkey5", "something"}}), kNone);
}

TEST(Section9Test, R9_2_3_NestedLevelsHaveDefaultsAndExactValues) {
  const Lookups lookups(kBasicConfig);
  EXPECT_EQ(lookups.Find({{"key1", "value1"}, {"subkey1", "something"}}),
            (Found{true, 5, Unit::kSecond, "test-domain.key1_value1.subkey1"}));
  EXPECT_EQ(lookups.Find({{"key1", "value1"}, {"subkey1", "subvalue1"}}),
            (Found{true, 10, Unit::kSecond, "test-domain.key1_value1.subkey1_subvalue1"}));
}

TEST(Section9Test, R9_2_4_DefaultExactValueAndAllowList) {
  const Lookups lookups(kBasicConfig);
  EXPECT_EQ(lookups.Find({{"key2", "something"}}),
            (Found{true, 20, Unit::kMinute, "test-domain.key2"}));
  EXPECT_EQ(lookups.Find({{"key2", "value2"}}),
            (Found{true, 30, Unit::kMinute, "test-domain.key2_value2"}));
  EXPECT_EQ(lookups.Find({{"key2", "value3"}}), kNone);
}

TEST(Section9Test, R9_2_5_NamesAreReturnedAndUnlimitedRulesHaveNoLimit) {
  Section9World world(kBasicConfig);
  EXPECT_EQ(world.Ask("test-domain", {{"key4", "x"}}).statuses[0].name, "key4_rate_limit");
  const ResponseStatus unnamed = world.Ask("test-domain", {{"key3", "x"}}).statuses[0];
  EXPECT_TRUE(unnamed.has_limit);
  EXPECT_EQ(unnamed.name, "");
  EXPECT_FALSE(world.Ask("test-domain", {{"key6", "x"}}).statuses[0].has_limit);
  EXPECT_TRUE(world.check().matches[0].rule->unlimited);
}

TEST(Section9Test, R9_2_6_ADetailedMetricHasAKeyForEachValue) {
  Section9World world(kBasicConfig);
  world.Ask("test-domain", {{"key7", "unspecified_value"}});
  world.Ask("test-domain", {{"key7", "another"}});
  EXPECT_THAT(world.CountedKeys(),
              ElementsAre("test-domain.key7_another", "test-domain.key7_unspecified_value"));
}

TEST(Section9Test, R9_2_7_AnOverrideAppliesInAKnownDomainOnly) {
  TestRequest unknown("foo_domain", {{{"key1", "value1"}}});
  EXPECT_EQ(Lookups(kBasicConfig).Find(unknown.WithLimit(0, 10, Unit::kDay)), kNone);
  TestRequest known("test-domain", {{{"key1", "value1"}, {"subkey1", "something"}}});
  EXPECT_EQ(Lookups(kBasicConfig).Find(known.WithLimit(0, 10, Unit::kDay)),
            (Found{true, 10, Unit::kDay, "test-domain.key1_value1.subkey1_something"}));
}

TEST(Section9Test, R9_2_7_OverridesCountByValueWhateverTheirNumbers) {
  Section9World world(kBasicConfig);
  const auto ask = [&](std::string_view value, std::uint32_t limit, Unit unit) {
    TestRequest request("test-domain", {{{"key1", "value1"}, {"subkey1", value}}});
    world.Ask(request.WithLimit(0, limit, unit));
  };
  ask("something", 10, Unit::kDay);
  ask("something", 42, Unit::kHour);
  ask("something_else", 42, Unit::kHour);
  EXPECT_EQ(world.Counted("test-domain.key1_value1.subkey1_something").total_hits, 2U);
  EXPECT_EQ(world.Counted("test-domain.key1_value1.subkey1_something_else").total_hits, 1U);
}

constexpr std::string_view kWildcards = R"(domain: test-domain
descriptors:
  - {key: noWild, value: foo, rate_limit: {unit: minute, requests_per_unit: 20}}
  - {key: wild, value: foo*, rate_limit: {unit: minute, requests_per_unit: 20}}
  - {key: tail, value: bar*b, rate_limit: {unit: minute, requests_per_unit: 20}}
  - {key: multi, value: foo*bar*baz, rate_limit: {unit: minute, requests_per_unit: 20}}
  - key: nest
    descriptors:
      - {key: wild, value: goo*, rate_limit: {unit: minute, requests_per_unit: 20}}
)";

TEST(Section9Test, R9_2_8_ValuesOfAWildcardShareItsMetricKeyAndCountApart) {
  Section9World world(kWildcards);
  world.Ask("test-domain", {{"wild", "foo1"}});
  world.Ask("test-domain", {{"wild", "foo1"}});
  EXPECT_EQ(world.Ask("test-domain", {{"wild", "foo2"}}).statuses[0].remaining, 19U);
  EXPECT_THAT(world.CountedKeys(), ElementsAre("test-domain.wild_foo*"));
  EXPECT_EQ(world.Counted("test-domain.wild_foo*").total_hits, 3U);
}

TEST(Section9Test, R9_2_8_WildcardsMatchWholeValuesAndExactRulesOnlyThemselves) {
  const Lookups lookups(kWildcards);
  EXPECT_FALSE(lookups.Find({{"wild", "bar"}}).limited);
  EXPECT_TRUE(lookups.Find({{"noWild", "foo"}}).limited);
  EXPECT_FALSE(lookups.Find({{"noWild", "foo1"}}).limited);
  EXPECT_EQ(lookups.Find({{"nest", "x"}, {"wild", "goober"}}).key, "test-domain.nest.wild_goo*");
}

TEST(Section9Test, R9_2_8_AWildcardInTheMiddleIsAnchoredOnBothSides) {
  const Lookups lookups(kWildcards);
  for (const std::string_view value : {"barab", "bar123b", "barb"}) {
    EXPECT_EQ(lookups.Find({{"tail", value}}).key, "test-domain.tail_bar*b") << value;
  }
  for (const std::string_view value : {"bara", "xbarb"}) {
    EXPECT_FALSE(lookups.Find({{"tail", value}}).limited) << value;
  }
}

TEST(Section9Test, R9_2_8_SeveralWildcardsMatchInOrder) {
  const Lookups lookups(kWildcards);
  for (const std::string_view value : {"foo123bar456baz", "foobarbaz"}) {
    EXPECT_TRUE(lookups.Find({{"multi", value}}).limited) << value;
  }
  for (const std::string_view value : {"foo123baz", "bar456baz"}) {
    EXPECT_FALSE(lookups.Find({{"multi", value}}).limited) << value;
  }
}

constexpr std::string_view kShared = R"(domain: test-domain
descriptors:
  - {key: files, value: files/*, share_threshold: true, rate_limit: {unit: hour, requests_per_unit: 5}}
  - {key: files, value: files/own, rate_limit: {unit: hour, requests_per_unit: 5}}
  - key: a
    value: x*
    share_threshold: true
    descriptors:
      - {key: b, value: y*, share_threshold: true, rate_limit: {unit: hour, requests_per_unit: 5}}
      - {key: c, value: z*, rate_limit: {unit: hour, requests_per_unit: 5}}
  - {key: v, value: w*, share_threshold: true, value_to_metric: true, rate_limit: {unit: hour, requests_per_unit: 5}}
  - {key: d, value: w*, share_threshold: true, detailed_metric: true, rate_limit: {unit: hour, requests_per_unit: 5}}
)";

TEST(Section9Test, R9_2_9_ASharedThresholdIsOneCounterUnderThePattern) {
  Section9World world(kShared, {}, {}, 3600);
  world.Ask("test-domain", {{"files", "files/a"}});
  EXPECT_THAT(world.keys(), ElementsAre("test-domain_files_files/*_3600"));
  EXPECT_EQ(world.Ask("test-domain", {{"files", "files/b"}}).statuses[0].remaining, 3U);
  EXPECT_THAT(world.CountedKeys(), ElementsAre("test-domain.files_files/*"));
}

TEST(Section9Test, R9_2_9_SharedThresholdsOnSeveralLevelsAndMixedOnes) {
  Section9World world(kShared, {}, {}, 3600);
  world.Ask("test-domain", {{"a", "x1"}, {"b", "y1"}});
  EXPECT_THAT(world.keys(), ElementsAre("test-domain_a_x*_b_y*_3600"));
  EXPECT_EQ(world.Ask("test-domain", {{"a", "x2"}, {"b", "y2"}}).statuses[0].remaining, 3U);
  world.Ask("test-domain", {{"a", "x1"}, {"c", "z1"}});
  EXPECT_THAT(world.keys(), ElementsAre("test-domain_a_x*_c_z1_3600"));
  EXPECT_EQ(world.Ask("test-domain", {{"a", "x1"}, {"c", "z2"}}).statuses[0].remaining, 4U);
  EXPECT_EQ(world.Ask("test-domain", {{"a", "x2"}, {"c", "z1"}}).statuses[0].remaining, 3U);
  EXPECT_THAT(world.CountedKeys(), ElementsAre("test-domain.a_x*.b_y*", "test-domain.a_x*.c_z*"));
}

TEST(Section9Test, R9_2_9_AnExplicitValueBeatsTheSharedPatternAndCountsApart) {
  Section9World world(kShared, {}, {}, 3600);
  world.Ask("test-domain", {{"files", "files/a"}});
  EXPECT_EQ(world.Ask("test-domain", {{"files", "files/own"}}).statuses[0].remaining, 4U);
  EXPECT_THAT(world.keys(), ElementsAre("test-domain_files_files/own_3600"));
  EXPECT_EQ(world.Counted("test-domain.files_files/own").total_hits, 1U);
}

TEST(Section9Test, R9_2_9_ASharedPatternWinsOverBothMetricFlagsForItsEntry) {
  const Lookups lookups(kShared);
  EXPECT_EQ(lookups.Find({{"v", "w1"}}).key, "test-domain.v_w*");
  EXPECT_EQ(lookups.Find({{"d", "w1"}}).key, "test-domain.d_w*");
}

constexpr std::string_view kValueToMetric = R"(domain: test-domain
descriptors:
  - key: route
    value_to_metric: true
    descriptors:
      - key: http_method
        descriptors:
          - {key: subject_id, rate_limit: {unit: minute, requests_per_unit: 60}}
  - key: fixed
    value: draw
    value_to_metric: true
    descriptors:
      - {key: sub, rate_limit: {unit: minute, requests_per_unit: 60}}
  - key: wild
    value: foo*
    value_to_metric: true
    descriptors:
      - {key: sub, value: bar*, rate_limit: {unit: minute, requests_per_unit: 60}}
  - key: detail
    value_to_metric: true
    descriptors:
      - {key: sub, detailed_metric: true, rate_limit: {unit: minute, requests_per_unit: 60}}
)";

TEST(Section9Test, R9_2_10_OnlyTheLevelWithTheFlagShowsItsValue) {
  EXPECT_EQ(Lookups(kValueToMetric)
                .Find({{"route", "draw"}, {"http_method", "GET"}, {"subject_id", "123"}})
                .key,
            "test-domain.route_draw.http_method.subject_id");
}

TEST(Section9Test, R9_2_10_AConfiguredValueStaysAsItIs) {
  EXPECT_EQ(Lookups(kValueToMetric).Find({{"fixed", "draw"}, {"sub", "1"}}).key,
            "test-domain.fixed_draw.sub");
}

TEST(Section9Test, R9_2_10_AWildcardShowsTheValueAndOtherLevelsKeepTheirPattern) {
  EXPECT_EQ(Lookups(kValueToMetric).Find({{"wild", "foo42"}, {"sub", "bar7"}}).key,
            "test-domain.wild_foo42.sub_bar*");
}

TEST(Section9Test, R9_2_10_AnEmptyValueLeavesNoUnderscore) {
  EXPECT_EQ(Lookups(kValueToMetric)
                .Find({{"route", ""}, {"http_method", "GET"}, {"subject_id", "123"}})
                .key,
            "test-domain.route.http_method.subject_id");
}

TEST(Section9Test, R9_2_10_ADetailedLeafShowsEveryValueWhateverTheFlagsAboveIt) {
  EXPECT_EQ(Lookups(kValueToMetric).Find({{"detail", "a"}, {"sub", "b"}}).key,
            "test-domain.detail_a.sub_b");
}

// The key that a decision reports (the decision log, `/rlconfig`) is that of its metrics.
TEST(Section9Test, R9_2_11_TheReportedKeyIsTheKeyThatCounts) {
  Section9World world(kBasicConfig);
  for (const std::vector<Entry>& entries :
       std::vector<std::vector<Entry>>{{{"key1", "value1"}, {"subkey1", "x"}},
                                       {{"key2", "value2"}},
                                       {{"key3", "x"}},
                                       {{"key7", "value"}}}) {
    const auto before = world.CountedKeys();
    world.Ask(TestRequest("test-domain", {entries}));
    const DescriptorMatch& match = world.check().matches[0];
    const std::string reported(match.stat_key.empty() ? match.rule->stat_key : match.stat_key);
    EXPECT_FALSE(before.contains(reported));
    EXPECT_TRUE(world.CountedKeys().contains(reported)) << reported;
  }
}

}  // namespace
}  // namespace weir::reference
