#include "weir/limiter/explain.h"

#include <array>

#include <gtest/gtest.h>

namespace weir {
namespace {

Rule PerSecond(std::uint64_t limit) {
  Rule rule;
  rule.quota = *MakeQuota({.limit = limit, .unit = Unit::kSecond});
  return rule;
}

RuleNode Node(std::string key, std::string value, std::optional<Rule> rule,
              std::vector<RuleNode> children = {}) {
  RuleNode node;
  node.key = std::move(key);
  node.value = std::move(value);
  node.rule = std::move(rule);
  node.children = std::move(children);
  return node;
}

// shop: tenant=acme {path=/v1/search}, tenant=ac*, tenant=a*, tenant, login (no limit).
std::shared_ptr<const Policy> Shop() {
  DomainRules shop;
  shop.name = "shop";
  shop.children.push_back(
      Node("tenant", "acme", PerSecond(50), {Node("path", "/v1/search", PerSecond(5))}));
  shop.children.push_back(Node("tenant", "ac*", PerSecond(20)));
  shop.children.push_back(Node("tenant", "a*", PerSecond(30)));
  shop.children.push_back(Node("tenant", "", PerSecond(10)));
  shop.children.push_back(Node("login", "", std::nullopt));
  return Policy::Build({shop}, {});
}

template <std::size_t N>
Explanation ExplainIn(const Policy& policy, const std::array<Entry, N>& entries) {
  Descriptor descriptor;
  descriptor.entries = entries;
  return Explain(policy, "shop", descriptor);
}

TEST(ExplainTest, NamesTheRuleAndWhatItWasPreferredTo) {
  const auto policy = Shop();
  const Explanation e = ExplainIn(*policy, std::array{Entry{"tenant", "acme"}});
  EXPECT_EQ(e.end, Explanation::End::kRule);
  ASSERT_NE(e.rule, nullptr);
  EXPECT_EQ(e.rule->id, "shop/tenant=acme");
  ASSERT_EQ(e.levels.size(), 1U);
  ASSERT_EQ(e.levels[0].others.size(), 3U);
  EXPECT_EQ(e.levels[0].others[0].why, PassedOver::kLessSpecific);
  EXPECT_EQ(e.levels[0].others[2].why, PassedOver::kLessSpecific);
}

TEST(ExplainTest, SaysThatAnEarlierPatternWonOverALaterOne) {
  const auto policy = Shop();
  const Explanation e = ExplainIn(*policy, std::array{Entry{"tenant", "acorn"}});
  ASSERT_NE(e.rule, nullptr);
  EXPECT_EQ(e.rule->id, "shop/tenant=ac*");
  EXPECT_EQ(e.levels[0].others[0].why, PassedOver::kOtherValue);
  EXPECT_EQ(e.levels[0].others[1].why, PassedOver::kLaterPattern);
}

TEST(ExplainTest, SaysThatAPatternDoesNotFit) {
  const auto policy = Shop();
  const Explanation e = ExplainIn(*policy, std::array{Entry{"tenant", "globex"}});
  ASSERT_NE(e.rule, nullptr);
  EXPECT_EQ(e.rule->id, "shop/tenant");
  EXPECT_EQ(e.levels[0].others[1].why, PassedOver::kNoPatternFit);
}

TEST(ExplainTest, C63_ShowsTheKnownKeysWhereNothingMatches) {
  const auto policy = Shop();
  const Explanation e = ExplainIn(*policy, std::array{Entry{"TENANT", "acme"}});
  EXPECT_EQ(e.end, Explanation::End::kNoEntry);
  EXPECT_EQ(e.levels[0].known_keys, (std::vector<std::string>{"tenant", "login"}));
  EXPECT_EQ(Explain(*policy, "shop2", {}).end, Explanation::End::kNoDomain);
}

TEST(ExplainTest, ADeeperDescriptorMeetsARuleThatDoesNotReachThatFar) {
  const auto policy = Shop();
  const Explanation deep =
      ExplainIn(*policy, std::array{Entry{"tenant", "globex"}, Entry{"path", "/v1/orders"}});
  EXPECT_EQ(deep.end, Explanation::End::kTooDeep);
  ASSERT_EQ(deep.shallower.size(), 1U);
  EXPECT_EQ(deep.shallower[0]->id, "shop/tenant");

  const Explanation missing =
      ExplainIn(*policy, std::array{Entry{"tenant", "acme"}, Entry{"path", "/v1/orders"}});
  EXPECT_EQ(missing.end, Explanation::End::kNoEntry);
  EXPECT_EQ(missing.shallower[0]->id, "shop/tenant=acme");
  ASSERT_EQ(missing.levels[1].others.size(), 1U);
}

TEST(ExplainTest, ANodeWithoutALimitIsTooShallow) {
  const auto policy = Shop();
  EXPECT_EQ(ExplainIn(*policy, std::array{Entry{"login", "x"}}).end, Explanation::End::kTooShallow);
  EXPECT_EQ(Explain(*policy, "shop", {}).end, Explanation::End::kEmpty);
}

}  // namespace
}  // namespace weir
