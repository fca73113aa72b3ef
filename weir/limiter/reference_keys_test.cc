#include "weir/limiter/reference_keys.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "test/rule_tree.h"
#include "weir/limiter/match.h"
#include "weir/limiter/test_request.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

RuleNode Counted(std::string key, std::string value, Unit unit = Unit::kMinute) {
  RuleNode node = BranchOf(std::move(key), std::move(value), {});
  node.rule = RuleOf(10, unit, Algorithm::kFixedWindow);
  return node;
}
RuleNode Shared(RuleNode node) {
  node.share_threshold = true;
  return node;
}
RuleNode ToMetric(RuleNode node) {
  node.value_to_metric = true;
  return node;
}
RuleNode Detailed(RuleNode node) {
  node.rule->detailed_metric = true;
  return node;
}
RuleNode Above(RuleNode node, RuleNode child) {
  node.children.push_back(std::move(child));
  return node;
}

std::shared_ptr<const Policy> PolicyOf(std::vector<RuleNode> children) {
  return Policy::Build({DomainOf("domain", std::move(children))},
                       {.profile = Profile::kReference, .seed = 42});
}

class ReferenceKeysTest : public testing::Test {
 protected:
  std::string CacheKey(const Policy& policy, std::vector<Entry> entries, std::int64_t unix_seconds,
                       std::string_view prefix = {}) {
    Match(policy, TestRequest("domain", {std::move(entries)}), unix_seconds, prefix);
    return std::string(check_.hits.at(0).key);
  }
  // What the hit is booked under: the text of the request's own or the rule's.
  std::string StatKey(const Policy& policy, std::vector<Entry> entries) {
    Match(policy, TestRequest("domain", {std::move(entries)}), 1234, {});
    const std::string_view own = check_.matches.at(0).stat_key;
    return own.empty() ? check_.hits.at(0).rule->stat_key : std::string(own);
  }
  void Match(const Policy& policy, const TestRequest& request, std::int64_t unix_seconds,
             std::string_view prefix) {
    const Now now{.steady = Instant(60s), .wall = WallTime(std::chrono::seconds(unix_seconds))};
    weir::Match(policy, request.request(), now, {.keys = false, .key_prefix = prefix}, check_);
  }

  Check check_;
};

TEST_F(ReferenceKeysTest, NameTheStartOfTheWindow) {
  const auto key = [&](Unit unit, std::int64_t at) {
    return CacheKey(*PolicyOf({Counted("key", "value", unit)}), {{"key", "value"}}, at);
  };
  EXPECT_EQ(key(Unit::kSecond, 1234), "domain_key_value_1234");
  EXPECT_EQ(key(Unit::kMinute, 1234), "domain_key_value_1200");
  EXPECT_EQ(key(Unit::kHour, 1'000'000), "domain_key_value_997200");
  EXPECT_EQ(key(Unit::kDay, 1'000'000), "domain_key_value_950400");
  EXPECT_EQ(key(Unit::kWeek, 1'699'999'200), "domain_key_value_1699488000");
  EXPECT_EQ(key(Unit::kMonth, 1'699'999'200), "domain_key_value_1697760000");
  EXPECT_EQ(key(Unit::kYear, 1'699'999'200), "domain_key_value_1671408000");
}

TEST_F(ReferenceKeysTest, CarryThePrefixEveryEntryAndEmptyValues) {
  const auto policy =
      PolicyOf({Above(Counted("key2", "value2"), Counted("subkey2", "")), Counted("empty", "")});
  EXPECT_EQ(CacheKey(*policy, {{"key2", "value2"}, {"subkey2", "subvalue2"}}, 1234),
            "domain_key2_value2_subkey2_subvalue2_1200");
  EXPECT_EQ(CacheKey(*policy, {{"key2", "value2"}}, 1234, "prefix:"),
            "prefix:domain_key2_value2_1200");
  EXPECT_EQ(CacheKey(*policy, {{"empty", ""}}, 1234), "domain_empty__1200");
}

TEST_F(ReferenceKeysTest, ASharedPatternStandsForItsValues) {
  const auto policy = PolicyOf({Shared(Counted("files", "files/*", Unit::kSecond)),
                                Above(BranchOf("user", "", {}), Shared(Counted("dir", "a*b"))),
                                Counted("wild", "foo*")});
  EXPECT_EQ(CacheKey(*policy, {{"files", "files/a.pdf"}}, 1234), "domain_files_files/*_1234");
  EXPECT_EQ(CacheKey(*policy, {{"user", "u1"}, {"dir", "axb"}}, 1234),
            "domain_user_u1_dir_a*b_1200");
  EXPECT_EQ(CacheKey(*policy, {{"wild", "foo1"}}, 1234), "domain_wild_foo1_1200");
}

TEST_F(ReferenceKeysTest, AnOverrideUsesTheTextOfAConfiguredLimit) {
  const auto policy = PolicyOf({Counted("key", "value")});
  TestRequest request("domain", {{{"key", "value"}}, {{"other", ""}}});
  request.WithLimit(0, 5, Unit::kMinute).WithLimit(1, 5, Unit::kSecond);
  Match(*policy, request, 1234, {});
  EXPECT_EQ(check_.hits.at(0).key, "domain_key_value_1200");
  EXPECT_EQ(check_.hits.at(1).key, "domain_other__1234");
  EXPECT_EQ(check_.matches[0].stat_key, "domain.key_value");
  EXPECT_EQ(check_.matches[1].stat_key, "domain.other");
}

TEST_F(ReferenceKeysTest, C47_TextsMayCollideHereAsTheyDoThere) {
  const auto policy = PolicyOf({Counted("a", ""), Above(BranchOf("a", "b", {}), Counted("c", ""))});
  EXPECT_EQ(CacheKey(*policy, {{"a", "b_c_d"}}, 1234),
            CacheKey(*policy, {{"a", "b"}, {"c", "d"}}, 1234));
}

TEST_F(ReferenceKeysTest, StatKeysShowExactValuesAndPatternsButNotOpenValues) {
  const auto policy = PolicyOf({Above(BranchOf("key1", "value1", {}), Counted("subkey1", "")),
                                Counted("wild", "foo*"), Counted("key4", "")});
  EXPECT_EQ(StatKey(*policy, {{"key1", "value1"}, {"subkey1", "anything"}}),
            "domain.key1_value1.subkey1");
  EXPECT_EQ(StatKey(*policy, {{"wild", "foo2"}}), "domain.wild_foo*");
  EXPECT_EQ(StatKey(*policy, {{"key4", "x"}}), "domain.key4");
}

TEST_F(ReferenceKeysTest, DetailedMetricsShowEveryValueButSharedOnes) {
  const auto policy =
      PolicyOf({Detailed(Counted("key7", "")),
                Above(Shared(BranchOf("path", "/a*", {})), Detailed(Counted("user", "")))});
  EXPECT_EQ(StatKey(*policy, {{"key7", "one"}}), "domain.key7_one");
  EXPECT_EQ(StatKey(*policy, {{"key7", "two"}}), "domain.key7_two");
  EXPECT_EQ(StatKey(*policy, {{"key7", ""}}), "domain.key7_");
  EXPECT_EQ(StatKey(*policy, {{"path", "/abc"}, {"user", "u1"}}), "domain.path_/a*.user_u1");
}

TEST_F(ReferenceKeysTest, ValueToMetricShowsTheValueOfItsOwnLevel) {
  const auto policy = PolicyOf({
      Above(ToMetric(BranchOf("route", "", {})), Counted("wild", "foo*")),
      ToMetric(Counted("exact", "value")),
      ToMetric(Counted("star", "v*")),
      ToMetric(Counted("all", "*")),
      Shared(ToMetric(Counted("both", "v*"))),
      Above(ToMetric(BranchOf("mid", "", {})), Detailed(Counted("leaf", ""))),
  });
  EXPECT_EQ(StatKey(*policy, {{"route", "draw"}, {"wild", "foo1"}}), "domain.route_draw.wild_foo*");
  EXPECT_EQ(StatKey(*policy, {{"route", ""}, {"wild", "foo1"}}), "domain.route.wild_foo*");
  EXPECT_EQ(StatKey(*policy, {{"exact", "value"}}), "domain.exact_value");
  EXPECT_EQ(StatKey(*policy, {{"star", "v1"}}), "domain.star_v1");
  EXPECT_EQ(StatKey(*policy, {{"all", ""}}), "domain.all");
  EXPECT_EQ(StatKey(*policy, {{"both", "v1"}}), "domain.both_v*");
  EXPECT_EQ(StatKey(*policy, {{"mid", ""}, {"leaf", "x"}}), "domain.mid_.leaf_x");
}

}  // namespace
}  // namespace weir
