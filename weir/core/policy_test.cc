#include "weir/core/policy.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "test/rule_tree.h"

namespace weir {
namespace {

using Entries = std::vector<Entry>;

std::shared_ptr<const Policy> PolicyOf(std::vector<RuleNode> children,
                                       Profile profile = Profile::kNative) {
  return Policy::Build({DomainOf("d", std::move(children))}, OptionsOf(profile));
}

// Where a walk down `entries` ends: kNone where a step finds nothing.
Policy::Step Walk(const Policy& policy, const Entries& entries, std::string_view domain = "d") {
  Policy::Step step{.node = policy.FindDomain(domain), .kind = MatchKind::kExact};
  for (const Entry& entry : entries) {
    if (step.node == Policy::kNone) break;
    step = policy.Child(step.node, entry);
  }
  return step;
}

// The limit that a walk ends at; 0 if it ends nowhere or at a node without one.
std::uint64_t LimitAt(const Policy& policy, const Entries& entries, std::string_view domain = "d") {
  const Policy::Step step = Walk(policy, entries, domain);
  if (step.node == Policy::kNone) return 0;
  const Rule* const rule = policy.node(step.node).rule;
  return rule == nullptr ? 0 : rule->quota.limit;
}

class BothProfiles : public testing::TestWithParam<Profile> {};
INSTANTIATE_TEST_SUITE_P(PolicyTest, BothProfiles,
                         testing::Values(Profile::kNative, Profile::kReference), [](const auto& p) {
                           return p.param == Profile::kNative ? "Native" : "Reference";
                         });

TEST_P(BothProfiles, FindsDomainsByTheirWholeName) {
  const auto policy =
      Policy::Build({DomainOf("shop", {NodeOf("a", "", 1)}),
                     DomainOf("shop2", {NodeOf("a", "", 2)}), DomainOf("", {NodeOf("a", "", 3)})},
                    OptionsOf(GetParam()));
  EXPECT_EQ(LimitAt(*policy, {{"a", "x"}}, "shop"), 1U);
  EXPECT_EQ(LimitAt(*policy, {{"a", "x"}}, "shop2"), 2U);
  EXPECT_EQ(LimitAt(*policy, {{"a", "x"}}, ""), 3U);
  EXPECT_EQ(policy->FindDomain("sho"), Policy::kNone);
  EXPECT_EQ(policy->FindDomain("a"), Policy::kNone);
}

TEST_P(BothProfiles, AnEmptyPolicyHasNoDomains) {
  const auto policy = Policy::Build({}, OptionsOf(GetParam()));
  EXPECT_EQ(policy->FindDomain("d"), Policy::kNone);
  EXPECT_TRUE(policy->rules().empty());
}

TEST_P(BothProfiles, PrefersTheExactValueThenPatternsInFileOrderThenTheKeyAlone) {
  const auto policy = PolicyOf({NodeOf("path", "", 1), NodeOf("path", "/a*", 2),
                                NodeOf("path", "/ab*", 3), NodeOf("path", "/abc", 4)},
                               GetParam());
  EXPECT_EQ(LimitAt(*policy, {{"path", "/abc"}}), 4U);
  EXPECT_EQ(LimitAt(*policy, {{"path", "/abd"}}), 2U);
  EXPECT_EQ(LimitAt(*policy, {{"path", "/x"}}), 1U);
  EXPECT_EQ(Walk(*policy, {{"path", "/abc"}}).kind, MatchKind::kExact);
  EXPECT_EQ(Walk(*policy, {{"path", "/abd"}}).kind, MatchKind::kPattern);
  EXPECT_EQ(Walk(*policy, {{"path", "/x"}}).kind, MatchKind::kAnyValue);
  EXPECT_EQ(LimitAt(*policy, {{"other", "/abc"}}), 0U);
}

TEST_P(BothProfiles, DoesNotGoBackToALessSpecificSibling) {
  const auto policy = PolicyOf({BranchOf("user", "bob", {NodeOf("path", "/x", 1)}),
                                BranchOf("user", "b*", {NodeOf("path", "", 2)}),
                                BranchOf("user", "", {NodeOf("path", "", 3)})},
                               GetParam());
  EXPECT_EQ(LimitAt(*policy, {{"user", "bob"}, {"path", "/x"}}), 1U);
  EXPECT_EQ(LimitAt(*policy, {{"user", "bob"}, {"path", "/y"}}), 0U);
  EXPECT_EQ(LimitAt(*policy, {{"user", "ben"}, {"path", "/y"}}), 2U);
  EXPECT_EQ(LimitAt(*policy, {{"user", "ann"}, {"path", "/y"}}), 3U);
}

TEST_P(BothProfiles, AnEmptyValueMeetsTheKeyAloneOrAStar) {
  const auto any = PolicyOf({NodeOf("a", "", 1), NodeOf("a", "x", 2)}, GetParam());
  EXPECT_EQ(LimitAt(*any, {{"a", ""}}), 1U);
  const auto star = PolicyOf({NodeOf("a", "*", 3), NodeOf("a", "", 1)}, GetParam());
  EXPECT_EQ(LimitAt(*star, {{"a", ""}}), 3U);
  const auto exact = PolicyOf({NodeOf("a", "x", 2)}, GetParam());
  EXPECT_EQ(LimitAt(*exact, {{"a", ""}}), 0U);
}

TEST_P(BothProfiles, AnEntryWithoutTextsIsHarmless) {
  const auto policy = PolicyOf({NodeOf("a", "", 1), NodeOf("b", "x*", 2)}, GetParam());
  EXPECT_EQ(LimitAt(*policy, {Entry{}}), 0U);
  EXPECT_EQ(LimitAt(*policy, {{"", "a"}}), 0U);
  EXPECT_EQ(policy->FindDomain({}), Policy::kNone);
}

TEST_P(BothProfiles, ValuesOfAnyLengthMatch) {
  for (const std::size_t size : {1U, 200U, 253U, 254U, 255U, 256U, 257U, 300U, 5000U, 70'000U}) {
    const std::string value(size, 'v');
    const auto policy =
        PolicyOf({NodeOf("k", value, 1), NodeOf("k", "v*", 2), NodeOf("k", "", 3)}, GetParam());
    EXPECT_EQ(LimitAt(*policy, {{"k", value}}), 1U) << size;
    EXPECT_EQ(LimitAt(*policy, {{"k", value + "w"}}), 2U) << size;
    EXPECT_EQ(LimitAt(*policy, {{"k", "w" + value}}), 3U) << size;
    EXPECT_EQ(LimitAt(*policy, {{std::string_view(value), value}}), 0U) << size;
  }
}

TEST_P(BothProfiles, TenThousandSiblingsAreAllFound) {
  std::vector<RuleNode> children;
  for (std::uint64_t i = 1; i <= 10'000; ++i) {
    children.push_back(NodeOf("tenant", "t" + std::to_string(i), i));
  }
  const auto policy = PolicyOf(std::move(children), GetParam());
  for (std::uint64_t i = 1; i <= 10'000; ++i) {
    ASSERT_EQ(LimitAt(*policy, {{"tenant", "t" + std::to_string(i)}}), i);
  }
  EXPECT_EQ(LimitAt(*policy, {{"tenant", "t10001"}}), 0U);
}

TEST_P(BothProfiles, AHundredLevelsDownARuleIsFound) {
  RuleNode node = NodeOf("k", "leaf", 7);
  Entries entries = {{"k", "leaf"}};
  for (int i = 0; i < 99; ++i) {
    std::vector<RuleNode> below;
    below.push_back(std::move(node));
    node = BranchOf("k", "v", std::move(below));
    entries.insert(entries.begin(), {"k", "v"});
  }
  const auto policy = PolicyOf({node}, GetParam());
  EXPECT_EQ(LimitAt(*policy, entries), 7U);
}

TEST_P(BothProfiles, ASameKeyElsewhereInTheTreeIsAnotherNode) {
  const auto policy = PolicyOf({BranchOf("a", "1", {NodeOf("k", "v", 1)}),
                                BranchOf("a", "2", {NodeOf("k", "v", 2)}), NodeOf("k", "v", 3)},
                               GetParam());
  EXPECT_EQ(LimitAt(*policy, {{"a", "1"}, {"k", "v"}}), 1U);
  EXPECT_EQ(LimitAt(*policy, {{"a", "2"}, {"k", "v"}}), 2U);
  EXPECT_EQ(LimitAt(*policy, {{"k", "v"}}), 3U);
}

TEST_P(BothProfiles, C58_OfTwoEqualSiblingsTheFirstIsKept) {
  const auto policy = PolicyOf({NodeOf("foo", "", 3), NodeOf("foo", "", 10), NodeOf("p", "x*", 4),
                                NodeOf("p", "x*", 5), NodeOf("e", "v", 6), NodeOf("e", "v", 7)},
                               GetParam());
  EXPECT_EQ(LimitAt(*policy, {{"foo", "any"}}), 3U);
  EXPECT_EQ(LimitAt(*policy, {{"p", "xy"}}), 4U);
  EXPECT_EQ(LimitAt(*policy, {{"e", "v"}}), 6U);
}

TEST_P(BothProfiles, C56_ExactBeatsWildcardNestedWildcardsWorkAndStatKeysKeepThePattern) {
  RuleNode shared = NodeOf("path", "/foo*", 2);
  shared.share_threshold = true;
  const auto policy = PolicyOf(
      {shared, NodeOf("path", "/foo/exact", 5), BranchOf("user", "", {NodeOf("path", "/bar*", 1)})},
      GetParam());
  const Policy::Step first = Walk(*policy, {{"path", "/foo/1"}});
  const Policy::Step second = Walk(*policy, {{"path", "/foo/2"}});
  EXPECT_EQ(first.node, second.node);
  EXPECT_TRUE(policy->node(first.node).share_threshold);
  EXPECT_EQ(policy->node(first.node).rule->stat_key, "d.path_/foo*");
  EXPECT_EQ(LimitAt(*policy, {{"path", "/foo/exact"}}), 5U);
  EXPECT_EQ(LimitAt(*policy, {{"user", "u1"}, {"path", "/bar/9"}}), 1U);
  EXPECT_EQ(policy->FindRule("d/user/path=/bar*")->stat_key, "d.user.path_/bar*");
}

TEST_P(BothProfiles, C57_WildcardsWorkInFrontAndInTheMiddle) {
  const auto policy =
      PolicyOf({NodeOf("host", "*.example.com", 1), NodeOf("path", "/v1/*/items", 1)}, GetParam());
  for (const char* host : {"a.example.com", "a.b.example.com"}) {
    EXPECT_EQ(LimitAt(*policy, {{"host", host}}), 1U) << host;
  }
  for (const char* host : {"example.com", "evil-example.com"}) {
    EXPECT_EQ(LimitAt(*policy, {{"host", host}}), 0U) << host;
  }
  for (const char* path : {"/v1/7/items", "/v1//items"}) {
    EXPECT_EQ(LimitAt(*policy, {{"path", path}}), 1U) << path;
  }
  for (const char* path : {"/v1/items", "/v1/7/items/x"}) {
    EXPECT_EQ(LimitAt(*policy, {{"path", path}}), 0U) << path;
  }
}

TEST_P(BothProfiles, ListsTheChildrenThatArePatternsInFileOrder) {
  const auto policy = PolicyOf({NodeOf("k", "b*", 1), NodeOf("k", "x", 2),
                                BranchOf("k", "*", {NodeOf("k", "c*", 3)}), NodeOf("k", "a*", 4)},
                               GetParam());
  std::vector<std::string_view> values;
  for (const auto n : policy->Patterns(policy->FindDomain("d"))) {
    values.push_back(policy->node(n).value);
  }
  EXPECT_EQ(values, (std::vector<std::string_view>{"b*", "*", "a*"}));
}

TEST_P(BothProfiles, NodesKnowTheirParentsAndWhatWasWritten) {
  const auto policy = PolicyOf({BranchOf("a", "1", {NodeOf("b", "", 1)})}, GetParam());
  const Policy::NodeIndex domain = policy->FindDomain("d");
  const Policy::NodeIndex leaf = Walk(*policy, {{"a", "1"}, {"b", "2"}}).node;
  const Policy::NodeIndex branch = policy->node(leaf).parent;
  EXPECT_EQ(policy->node(branch).parent, domain);
  EXPECT_EQ(policy->node(branch).written, &policy->domains()[0].children.at(0));
  EXPECT_EQ(policy->node(domain).written, nullptr);
  EXPECT_TRUE(policy->node(branch).has_children);
  EXPECT_FALSE(policy->node(leaf).has_children);
  EXPECT_EQ(policy->Child(leaf, {"b", "2"}).node, Policy::kNone);
}

TEST(PolicyTest, NativeKeysAndValuesAreFramed) {
  const auto policy = PolicyOf({NodeOf("a_b", "", 1), NodeOf("a", "b_c", 2)});
  EXPECT_EQ(LimitAt(*policy, {{"a", "b"}}), 0U);
  EXPECT_EQ(LimitAt(*policy, {{"a_b", "c"}}), 1U);
  EXPECT_EQ(LimitAt(*policy, {{"a", "b_c"}}), 2U);
}

TEST(PolicyTest, TheReferenceJoinsKeyAndValueBeforeItCompares) {
  const auto policy = PolicyOf({NodeOf("a_b", "", 1), NodeOf("c", "d_e", 2), NodeOf("k_", "", 3)},
                               Profile::kReference);
  EXPECT_EQ(LimitAt(*policy, {{"a", "b"}}), 1U);
  EXPECT_EQ(LimitAt(*policy, {{"a_b", "anything"}}), 1U);
  EXPECT_EQ(LimitAt(*policy, {{"c_d", "e"}}), 2U);
  EXPECT_EQ(LimitAt(*policy, {{"k", ""}}), 3U);
}

TEST(PolicyTest, AStarInAKeyIsAStarForTheReferenceOnly) {
  const auto rules = [] { return std::vector<RuleNode>{NodeOf("us*", "", 1), NodeOf("x", "", 2)}; };
  const auto reference = PolicyOf(rules(), Profile::kReference);
  EXPECT_EQ(LimitAt(*reference, {{"user", "bob"}}), 1U);
  const auto native = PolicyOf(rules());
  EXPECT_EQ(LimitAt(*native, {{"user", "bob"}}), 0U);
  EXPECT_EQ(LimitAt(*native, {{"us*", "bob"}}), 1U);
}

TEST(PolicyTest, APatternSpansKeyAndValueForTheReference) {
  const auto policy = PolicyOf({NodeOf("a", "b*d", 1)}, Profile::kReference);
  EXPECT_EQ(LimitAt(*policy, {{"a", "b-d"}}), 1U);
  EXPECT_EQ(LimitAt(*policy, {{"a_b", "d"}}), 1U);
  EXPECT_EQ(LimitAt(*PolicyOf({NodeOf("a", "b*d", 1)}), {{"a_b", "d"}}), 0U);
}

}  // namespace
}  // namespace weir
