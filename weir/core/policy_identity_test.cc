#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "test/rule_tree.h"
#include "weir/core/policy.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

constexpr Instant kNow{1000s};

std::shared_ptr<const Policy> PolicyOf(std::vector<RuleNode> children,
                                       const Policy* previous = nullptr, Instant now = kNow,
                                       const PolicyOptions& options = OptionsOf()) {
  return Policy::Build({DomainOf("d", std::move(children))}, options, previous, now);
}

std::vector<RuleNode> OneRule(std::uint64_t limit, Unit unit = Unit::kMinute,
                              Algorithm algorithm = Algorithm::kTokenBucket) {
  RuleNode node = NodeOf("k", "", limit);
  node.rule = RuleOf(limit, unit, algorithm);
  return {node};
}
const Rule& TheRule(const Policy& policy) {
  return *policy.FindRule("d/k");
}

TEST(PolicyIdentityTest, IdsReadLikePathsAndAreFound) {
  const auto policy = PolicyOf({BranchOf("tenant", "acme", {NodeOf("path", "", 1)})});
  const Rule* const rule = policy->FindRule("d/tenant=acme/path");
  ASSERT_NE(rule, nullptr);
  EXPECT_EQ(rule->stat_key, "d.tenant_acme.path");
  EXPECT_EQ(rule->domain, "d");
  EXPECT_EQ(rule->label(), "d/tenant=acme/path");
  EXPECT_EQ(policy->FindRule("d/tenant=acme"), nullptr);
}

TEST(PolicyIdentityTest, IdsAreUniqueEvenWhereValuesContainSlashesEqualsAndTildes) {
  const auto policy = PolicyOf({
      NodeOf("a", "b/c", 1),
      BranchOf("a", "b", {NodeOf("c", "", 2)}),
      NodeOf("a", "x=y", 3),
      NodeOf("a=x", "y", 4),
      NodeOf("a", "b/c~2", 5),
      NodeOf("~override", "", 6),
  });
  std::set<std::string> ids;
  std::set<std::uint64_t> hashes;
  for (const Rule* rule : policy->rules()) {
    EXPECT_TRUE(ids.insert(rule->id).second) << rule->id;
    EXPECT_TRUE(hashes.insert(rule->id_hash).second) << rule->id;
    EXPECT_EQ(policy->FindRule(rule->id), rule);
  }
  EXPECT_EQ(ids.size(), 7U);  // The domain's own rule for overrides among them.
}

TEST(PolicyIdentityTest, RulesAreNumberedInFileOrder) {
  const auto policy = PolicyOf({NodeOf("a", "", 1, {NodeOf("b", "", 2)}), NodeOf("c", "", 3)});
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < policy->rules().size(); ++i) {
    EXPECT_EQ(policy->rules()[i]->index, i);
    ids.push_back(policy->rules()[i]->id);
  }
  EXPECT_EQ(ids, (std::vector<std::string>{"d/~override", "d/a", "d/a/b", "d/c"}));
}

TEST(PolicyIdentityTest, EveryDomainHasARuleForRequestsThatBringTheirOwnLimit) {
  const auto policy = Policy::Build({DomainOf("one", {}), DomainOf("two", {})}, OptionsOf());
  const Rule& one = policy->OverrideRule(policy->FindDomain("one"));
  const Rule& two = policy->OverrideRule(policy->FindDomain("two"));
  EXPECT_EQ(one.domain, "one");
  EXPECT_EQ(two.domain, "two");
  EXPECT_NE(one.id_hash, two.id_hash);
}

TEST(PolicyIdentityTest, C47_PathsThatJoinAlikeHaveDifferentIdentities) {
  for (const Profile profile : {Profile::kNative, Profile::kReference}) {
    const auto policy = PolicyOf(
        {NodeOf("a", "b_c", 1), NodeOf("a_b", "c", 2), NodeOf("a", "", 3),
         BranchOf("a", "b", {NodeOf("c", "", 4)}), BranchOf("a", "", {NodeOf("b", "c", 5)})},
        nullptr, kNow, OptionsOf(profile));
    std::set<std::uint64_t> hashes;
    for (const Rule* rule : policy->rules()) hashes.insert(rule->id_hash);
    EXPECT_EQ(hashes.size(), policy->rules().size());
  }
  const auto domains = Policy::Build(
      {DomainOf("x_y", {NodeOf("z", "", 1)}), DomainOf("x", {NodeOf("y_z", "", 1)})}, OptionsOf());
  EXPECT_NE(domains->FindRule("x_y/z")->id_hash, domains->FindRule("x/y_z")->id_hash);
}

TEST(PolicyIdentityTest, IdentitiesDependOnTheSeed) {
  const auto one = PolicyOf(OneRule(1), nullptr, kNow, OptionsOf(Profile::kNative, 1));
  const auto other = PolicyOf(OneRule(1), nullptr, kNow, OptionsOf(Profile::kNative, 2));
  EXPECT_NE(TheRule(*one).id_hash, TheRule(*other).id_hash);
}

TEST(PolicyIdentityTest, StatKeysThatDependOnTheRequestAreMarked) {
  RuleNode with_value = NodeOf("v", "", 1, {NodeOf("below", "", 2)});
  with_value.value_to_metric = true;
  RuleNode detailed = NodeOf("m", "", 3, {NodeOf("below", "", 4)});
  detailed.rule->detailed_metric = true;
  const auto policy = PolicyOf({with_value, detailed, NodeOf("plain", "", 5)});
  const auto dynamic = [&](std::vector<Entry> entries) {
    Policy::NodeIndex node = policy->FindDomain("d");
    for (const Entry& entry : entries) node = policy->Child(node, entry).node;
    return policy->node(node).dynamic_stat;
  };
  EXPECT_TRUE(dynamic({{"v", "1"}}));
  EXPECT_TRUE(dynamic({{"v", "1"}, {"below", "2"}}));
  EXPECT_TRUE(dynamic({{"m", "1"}}));
  EXPECT_FALSE(dynamic({{"m", "1"}, {"below", "2"}}));
  EXPECT_FALSE(dynamic({{"plain", "1"}}));
}

TEST(PolicyReloadTest, C103_AnUnchangedRuleKeepsItsIdentityThroughAnyNumberOfReloads) {
  auto policy = PolicyOf(OneRule(5));
  const std::uint64_t identity = TheRule(*policy).id_hash;
  for (int i = 0; i < 10; ++i) {
    policy = PolicyOf(OneRule(5), policy.get());
    EXPECT_EQ(TheRule(*policy).id_hash, identity);
    EXPECT_EQ(TheRule(*policy).revision, 0U);
    EXPECT_EQ(TheRule(*policy).carried, std::nullopt);
  }
}

TEST(PolicyReloadTest, C104_AChangedRuleGetsANewIdentityAndRemembersTheOldOne) {
  const auto before = PolicyOf(OneRule(5));
  const auto after = PolicyOf(OneRule(4), before.get());
  const Rule& rule = TheRule(*after);
  EXPECT_EQ(rule.revision, 1U);
  EXPECT_NE(rule.id_hash, TheRule(*before).id_hash);
  ASSERT_TRUE(rule.carried.has_value());
  EXPECT_EQ(rule.carried->id_hash, TheRule(*before).id_hash);
  EXPECT_EQ(rule.carried->quota, TheRule(*before).quota);
  // A minute until the fullest bucket is full again, plus what rounding may add.
  EXPECT_GE(rule.carried->until, kNow + 60s);
  EXPECT_LE(rule.carried->until, kNow + 61s);
}

TEST(PolicyReloadTest, AChangedWindowIsCarriedUntilItHasFaded) {
  for (const Algorithm algorithm : {Algorithm::kFixedWindow, Algorithm::kSlidingWindow}) {
    const auto before = PolicyOf(OneRule(5, Unit::kMinute, algorithm));
    const auto after = PolicyOf(OneRule(6, Unit::kMinute, algorithm), before.get());
    ASSERT_TRUE(TheRule(*after).carried.has_value());
    EXPECT_EQ(TheRule(*after).carried->until, kNow + 120s);
  }
}

TEST(PolicyReloadTest, EveryPartOfTheQuotaCountsAsAChange) {
  const auto before = PolicyOf(OneRule(60, Unit::kMinute));
  for (auto& changed :
       {OneRule(60, Unit::kHour), OneRule(60, Unit::kMinute, Algorithm::kFixedWindow)}) {
    EXPECT_TRUE(TheRule(*PolicyOf(changed, before.get())).carried.has_value());
  }
  auto burst = OneRule(60);
  burst.at(0).rule->quota = MakeQuota({.limit = 60, .burst = 90, .unit = Unit::kMinute}).value();
  EXPECT_TRUE(TheRule(*PolicyOf(burst, before.get())).carried.has_value());
}

TEST(PolicyReloadTest, WhatDoesNotCountDoesNotChangeTheIdentity) {
  const auto before = PolicyOf(OneRule(5));
  auto changed = OneRule(5);
  changed.at(0).rule->shadow_mode = true;
  changed.at(0).rule->name = "named";
  changed.at(0).rule->annotations.owner = "someone";
  changed.push_back(NodeOf("another", "", 1));
  changed.insert(changed.begin(), NodeOf("first", "", 1));
  const auto after = PolicyOf(changed, before.get());
  EXPECT_EQ(TheRule(*after).id_hash, TheRule(*before).id_hash);
  EXPECT_EQ(TheRule(*after).label(), "named");
}

TEST(PolicyReloadTest, TheCarriedQuotaStaysOverFurtherReloadsUntilItExpires) {
  const auto first = PolicyOf(OneRule(5));
  const auto second = PolicyOf(OneRule(4), first.get());
  const auto third = PolicyOf(OneRule(4), second.get(), kNow + 30s);
  EXPECT_EQ(TheRule(*third).id_hash, TheRule(*second).id_hash);
  EXPECT_EQ(TheRule(*third).carried->id_hash, TheRule(*first).id_hash);
  EXPECT_EQ(TheRule(*third).carried->until, TheRule(*second).carried->until);
  const auto late = PolicyOf(OneRule(4), third.get(), kNow + 62s);
  EXPECT_EQ(TheRule(*late).id_hash, TheRule(*second).id_hash);
  EXPECT_EQ(TheRule(*late).carried, std::nullopt);
}

TEST(PolicyReloadTest, GoingBackAndForthNeverMeetsAnOldIdentity) {
  auto policy = PolicyOf(OneRule(1));
  std::set<std::uint64_t> seen = {TheRule(*policy).id_hash};
  for (std::uint64_t i = 0; i < 20; ++i) {
    const std::uint64_t last = TheRule(*policy).id_hash;
    policy = PolicyOf(OneRule(2 - i % 2), policy.get());
    EXPECT_TRUE(seen.insert(TheRule(*policy).id_hash).second);
    EXPECT_EQ(TheRule(*policy).carried->id_hash, last);
  }
}

TEST(PolicyReloadTest, ARuleThatWasUnlimitedHasNothingToCarry) {
  auto unlimited = OneRule(5);
  unlimited.at(0).rule->unlimited = true;
  unlimited.at(0).rule->quota = Quota{};
  const auto before = PolicyOf(unlimited);
  const auto after = PolicyOf(OneRule(5), before.get());
  EXPECT_EQ(TheRule(*after).carried, std::nullopt);
}

TEST(PolicyReloadTest, ARemovedRuleIsGoneAndANewOneStartsFresh) {
  const auto before = PolicyOf(OneRule(5));
  const auto after = PolicyOf({NodeOf("new", "", 5)}, before.get());
  EXPECT_EQ(after->FindRule("d/k"), nullptr);
  EXPECT_EQ(after->FindRule("d/new")->carried, std::nullopt);
}

TEST(PolicyReloadTest, TheReferenceProfileKeepsCountersUnderTheirKeyAndCarriesNothing) {
  const PolicyOptions reference = OptionsOf(Profile::kReference);
  const auto before = PolicyOf(OneRule(10), nullptr, kNow, reference);
  const auto after = PolicyOf(OneRule(20), before.get(), kNow, reference);
  EXPECT_EQ(TheRule(*after).id_hash, TheRule(*before).id_hash);
  EXPECT_EQ(TheRule(*after).carried, std::nullopt);
  EXPECT_EQ(TheRule(*after).quota.limit, 20U);
}

TEST(PolicyReloadTest, ANewPolicyOutlivesTheOneItCameFrom) {
  auto before = PolicyOf(OneRule(5));
  const auto after = PolicyOf(OneRule(4), before.get());
  const std::uint64_t old = TheRule(*before).id_hash;
  before.reset();
  EXPECT_EQ(TheRule(*after).carried->id_hash, old);
  EXPECT_EQ(TheRule(*after).carried->quota.limit, 5U);
}

}  // namespace
}  // namespace weir
