#include "weir/limiter/match.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "test/rule_tree.h"
#include "weir/limiter/test_request.h"

namespace weir {
namespace {

using namespace std::chrono_literals;
using Kind = DescriptorMatch::Kind;

constexpr Now kNow{.steady = Instant(60s), .wall = WallTime(1'699'999'200s)};

std::shared_ptr<const Policy> PolicyOf(std::vector<RuleNode> children,
                                       Profile profile = Profile::kNative) {
  return Policy::Build({DomainOf("shop", std::move(children))}, {.profile = profile, .seed = 42});
}

RuleNode Named(RuleNode node, std::string name, std::vector<std::string> replaces = {}) {
  node.rule->name = std::move(name);
  node.rule->replaces = std::move(replaces);
  return node;
}
RuleNode Unlimited(std::string key, std::string value) {
  RuleNode node = BranchOf(std::move(key), std::move(value), {});
  node.rule.emplace();
  node.rule->unlimited = true;
  return node;
}

class MatchTest : public testing::Test {
 protected:
  const Check& Match(const Policy& policy, const TestRequest& request,
                     const MatchOptions& options = {}) {
    weir::Match(policy, request.request(), kNow, options, check_);
    return check_;
  }
  // The id of the rule that counts the only descriptor, or why none does.
  std::string Rule(const Policy& policy, std::vector<Entry> entries) {
    Match(policy, TestRequest("shop", {std::move(entries)}));
    switch (check_.matches[0].kind) {
      case Kind::kNoDomain:
        return "no domain";
      case Kind::kNoRule:
        return "no rule";
      case Kind::kUnlimited:
        return "unlimited";
      case Kind::kReplaced:
        return "replaced";
      case Kind::kCounted:
        break;
    }
    return check_.hits.at(0).rule->id;
  }
  std::vector<Kind> Kinds() const {
    std::vector<Kind> kinds;
    for (const DescriptorMatch& match : check_.matches) kinds.push_back(match.kind);
    return kinds;
  }

  Check check_;
};

// What holds under both profiles.
class MatchInBothTest : public MatchTest, public testing::WithParamInterface<Profile> {
 protected:
  std::shared_ptr<const Policy> PolicyOf(std::vector<RuleNode> children) const {
    return weir::PolicyOf(std::move(children), GetParam());
  }
};
INSTANTIATE_TEST_SUITE_P(Profiles, MatchInBothTest,
                         testing::Values(Profile::kNative, Profile::kReference));

TEST_P(MatchInBothTest, ARuleAppliesAtItsOwnDepthOnly) {
  const auto policy = PolicyOf({NodeOf("a", "", 1, {NodeOf("b", "", 2)}),
                                BranchOf("c", "", {BranchOf("d", "", {NodeOf("e", "", 3)})})});
  EXPECT_EQ(Rule(*policy, {{"a", "1"}}), "shop/a");
  EXPECT_EQ(Rule(*policy, {{"a", "1"}, {"b", "2"}}), "shop/a/b");
  EXPECT_EQ(Rule(*policy, {{"a", "1"}, {"b", "2"}, {"c", "3"}}), "no rule");
  EXPECT_EQ(Rule(*policy, {{"b", "2"}}), "no rule");
  EXPECT_EQ(Rule(*policy, {{"b", "2"}, {"a", "1"}}), "no rule");
  EXPECT_EQ(Rule(*policy, {{"c", "1"}}), "no rule");
  EXPECT_EQ(Rule(*policy, {{"c", "1"}, {"d", "1"}}), "no rule");
  EXPECT_EQ(Rule(*policy, {{"c", "1"}, {"d", "1"}, {"e", "1"}}), "shop/c/d/e");
}

TEST_P(MatchInBothTest, TheExactValueWinsThenPatternsInFileOrderThenTheKey) {
  const auto policy = PolicyOf(
      {NodeOf("p", "", 1), NodeOf("p", "/a*", 2), NodeOf("p", "/ab*", 3), NodeOf("p", "/abc", 4)});
  EXPECT_EQ(Rule(*policy, {{"p", "/abc"}}), "shop/p=/abc");
  EXPECT_EQ(Rule(*policy, {{"p", "/abd"}}), "shop/p=/a*");
  EXPECT_EQ(Rule(*policy, {{"p", "/x"}}), "shop/p");
  EXPECT_EQ(Rule(*policy, {{"p", ""}}), "shop/p");
}

TEST_P(MatchInBothTest, TheMoreSpecificBranchIsNotLeftAgain) {
  const auto policy =
      PolicyOf({BranchOf("u", "", {NodeOf("x", "", 1)}), BranchOf("u", "vip", {NodeOf("y", "", 2)}),
                NodeOf("k", "", 3), BranchOf("k", "free", {})});
  EXPECT_EQ(Rule(*policy, {{"u", "any"}, {"x", "1"}}), "shop/u/x");
  EXPECT_EQ(Rule(*policy, {{"u", "vip"}, {"y", "1"}}), "shop/u=vip/y");
  EXPECT_EQ(Rule(*policy, {{"u", "vip"}, {"x", "1"}}), "no rule");
  EXPECT_EQ(Rule(*policy, {{"k", "free"}}), "no rule");  // How callers are let through.
}

TEST_P(MatchInBothTest, C63_NamesAreCaseSensitiveOrderedAndOfOneDomain) {
  const auto policy = PolicyOf({NodeOf("path", "", 1, {NodeOf("method", "", 2)})});
  EXPECT_EQ(Rule(*policy, {{"PATH", "/x"}}), "no rule");
  EXPECT_EQ(Rule(*policy, {{"method", "GET"}, {"path", "/x"}}), "no rule");
  const Check& check = Match(*policy, TestRequest("shop2", {{{"path", "/x"}}, {{"path", "/y"}}}));
  EXPECT_EQ(Kinds(), (std::vector{Kind::kNoDomain, Kind::kNoDomain}));
  EXPECT_TRUE(check.hits.empty());
}

TEST_P(MatchInBothTest, C78_EmptyAndOversizedDescriptorsMatchNothingOrTheirRule) {
  const auto policy = PolicyOf({NodeOf("k", "", 1)});
  EXPECT_EQ(Rule(*policy, {}), "no rule");
  EXPECT_EQ(Rule(*policy, {{"", ""}}), "no rule");
  const std::string huge(1 << 20, 'x');
  EXPECT_EQ(Rule(*policy, {{"k", huge}}), "shop/k");
  EXPECT_EQ(Rule(*policy, {{huge, "k"}}), "no rule");
  EXPECT_EQ(Rule(*policy, std::vector<Entry>(10'000, Entry{"k", "v"})), "no rule");
  Match(*policy, TestRequest("shop", {}));
  EXPECT_TRUE(Kinds().empty());
}

TEST_P(MatchInBothTest, UnlimitedRulesAreNotCounted) {
  const auto policy = PolicyOf({NodeOf("k", "", 1), Unlimited("k", "free")});
  EXPECT_EQ(Rule(*policy, {{"k", "free"}}), "unlimited");
  EXPECT_EQ(Rule(*policy, {{"k", "other"}}), "shop/k");
}

// -- replaces ---------------------------------------------------------------------------------

TEST_P(MatchInBothTest, AReplacedRuleIsNotCounted) {
  const auto policy =
      PolicyOf({Named(NodeOf("a", "", 1), "base"), Named(NodeOf("b", "", 2), "vip", {"base"}),
                Named(NodeOf("c", "", 3), "other", {"nobody"})});
  const Check& check =
      Match(*policy, TestRequest("shop", {{{"a", "1"}}, {{"b", "1"}}, {{"c", "1"}}}));
  EXPECT_EQ(Kinds(), (std::vector{Kind::kReplaced, Kind::kCounted, Kind::kCounted}));
  ASSERT_EQ(check.hits.size(), 2U);
  EXPECT_EQ(check.hits[0].rule->name, "vip");
  EXPECT_EQ(check.hits[0].descriptor, 1U);
  EXPECT_EQ(check.matches[1].hit, 0U);
  EXPECT_EQ(check.matches[0].hit, DescriptorMatch::kNoHit);
  EXPECT_EQ(Rule(*policy, {{"a", "1"}}), "shop/a");  // Nothing in this request replaces it.
}

TEST_P(MatchInBothTest, InAChainEveryNamedRuleStepsAside) {
  const auto policy =
      PolicyOf({Named(NodeOf("a", "", 1), "a", {"b"}), Named(NodeOf("b", "", 2), "b", {"c"}),
                Named(NodeOf("c", "", 3), "c")});
  Match(*policy, TestRequest("shop", {{{"c", "1"}}, {{"b", "1"}}, {{"a", "1"}}}));
  EXPECT_EQ(Kinds(), (std::vector{Kind::kReplaced, Kind::kReplaced, Kind::kCounted}));
}

TEST_P(MatchInBothTest, RulesThatReplaceEachOtherBothStepAside) {
  const auto policy =
      PolicyOf({Named(NodeOf("a", "", 1), "a", {"b"}), Named(NodeOf("b", "", 2), "b", {"a"})});
  Match(*policy, TestRequest("shop", {{{"a", "1"}}, {{"b", "1"}}}));
  EXPECT_EQ(Kinds(), (std::vector{Kind::kReplaced, Kind::kReplaced}));
  EXPECT_TRUE(check_.hits.empty());
}

TEST_P(MatchInBothTest, UnlimitedRulesReplaceButAreNotReplaced) {
  RuleNode free = Named(Unlimited("f", ""), "free", {"base"});
  RuleNode base = Named(NodeOf("a", "", 1), "base", {"free"});
  const auto policy = PolicyOf({free, base});
  Match(*policy, TestRequest("shop", {{{"a", "1"}}, {{"f", "1"}}}));
  EXPECT_EQ(Kinds(), (std::vector{Kind::kReplaced, Kind::kUnlimited}));
}

TEST_P(MatchInBothTest, SeveralDescriptorsOfAReplacedRuleAllStepAside) {
  const auto policy =
      PolicyOf({Named(NodeOf("a", "", 1), "base"), Named(NodeOf("b", "", 2), "vip", {"base"})});
  Match(*policy, TestRequest("shop", {{{"a", "1"}}, {{"b", "1"}}, {{"a", "2"}}}));
  EXPECT_EQ(Kinds(), (std::vector{Kind::kReplaced, Kind::kCounted, Kind::kReplaced}));
}

// -- what a hit carries -----------------------------------------------------------------------

TEST_P(MatchInBothTest, ADescriptorsCostGoesBeforeTheRequestsAlsoWhenItIsZero) {
  const auto policy = PolicyOf({NodeOf("k", "", 10)});
  TestRequest request("shop", {{{"k", "1"}}, {{"k", "2"}}, {{"k", "3"}}, {{"k", "4"}}}, 7);
  const WallTime charged(1'699'999'100s);
  request.WithCost(1, 40).WithCost(2, 0).AsRefund(3, 5, charged);
  const Check& check = Match(*policy, request);
  ASSERT_EQ(check.hits.size(), 4U);
  EXPECT_EQ(check.hits[0].cost, 7U);
  EXPECT_EQ(check.hits[1].cost, 40U);
  EXPECT_EQ(check.hits[2].cost, 0U);
  EXPECT_EQ(check.hits[3].cost, 5U);
  EXPECT_TRUE(check.hits[3].refund);
  EXPECT_EQ(check.hits[3].charged, charged);
  EXPECT_FALSE(check.hits[0].refund);
}

TEST_P(MatchInBothTest, ACheckUsedAgainKeepsNothingOfTheRequestBefore) {
  const auto policy = PolicyOf({NodeOf("k", "", 10)});
  TestRequest busy("shop", {{{"k", "1"}}, {{"k", "2"}}});
  busy.WithLimit(0, 5, Unit::kHour).AsRefund(1, 3);
  Match(*policy, busy);
  const Check& check = Match(*policy, TestRequest("shop", {{{"k", "1"}}}));
  ASSERT_EQ(check.hits.size(), 1U);
  EXPECT_EQ(check.matches.size(), 1U);
  EXPECT_TRUE(check.overrides.empty());
  EXPECT_TRUE(check.outcomes.empty());
  EXPECT_FALSE(check.hits[0].refund);
  EXPECT_FALSE(check.matches[0].overridden);
  EXPECT_EQ(check.hits[0].quota, &policy->FindRule("shop/k")->quota);
}

TEST_F(MatchTest, TheProfileChoosesHowHitsAreCharged) {
  const std::vector<RuleNode> rules = {NodeOf("k", "", 1)};
  EXPECT_EQ(Match(*PolicyOf(rules), TestRequest("shop", {{{"k", "1"}}})).charging,
            Charging::kAllOrNothing);
  EXPECT_EQ(
      Match(*PolicyOf(rules, Profile::kReference), TestRequest("shop", {{{"k", "1"}}})).charging,
      Charging::kEach);
}

TEST_F(MatchTest, NativeHitsThatCanDenyComeFirstAndReferenceHitsInOrder) {
  RuleNode shadow = NodeOf("s", "", 1);
  shadow.rule->shadow_mode = true;
  RuleNode soft = NodeOf("q", "", 1);
  soft.rule->quota_mode = true;
  const std::vector<RuleNode> rules = {shadow, soft, NodeOf("k", "", 1)};
  const auto order = [&](Profile profile) {
    std::string keys;
    const auto policy = PolicyOf(rules, profile);
    const Check& check =
        Match(*policy, TestRequest("shop", {{{"s", "1"}}, {{"q", "1"}}, {{"k", "1"}}}));
    for (const Hit& hit : check.hits) keys += hit.rule->id.back();
    for (std::uint32_t d = 0; d < 3; ++d) {
      EXPECT_EQ(check.hits[check.matches[d].hit].descriptor, d);
    }
    return keys;
  };
  EXPECT_EQ(order(Profile::kNative), "ksq");
  Match(*PolicyOf(rules), TestRequest("shop", {{{"s", "1"}}, {{"q", "1"}}, {{"k", "1"}}}));
  EXPECT_EQ(check_.hits[0].not_enforced, NotEnforced::kNo);
  EXPECT_EQ(check_.hits[1].not_enforced, NotEnforced::kShadow);
  EXPECT_EQ(check_.hits[2].not_enforced, NotEnforced::kSoft);
  EXPECT_EQ(order(Profile::kReference), "sqk");
}

}  // namespace
}  // namespace weir
