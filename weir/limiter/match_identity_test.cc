// Which counter a request is charged to: nothing that tells two callers apart may be lost, and
// nothing else may tell them apart.

#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "test/rule_tree.h"
#include "weir/limiter/match.h"
#include "weir/limiter/test_request.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

constexpr Now kNow{.steady = Instant(60s), .wall = WallTime(1'699'999'200s)};

std::shared_ptr<const Policy> PolicyOf(std::vector<RuleNode> children, std::uint64_t seed = 42,
                                       const Policy* previous = nullptr,
                                       Instant now = kNow.steady) {
  return Policy::Build({DomainOf("shop", std::move(children))}, {.seed = seed}, previous, now);
}

class MatchIdentityTest : public testing::Test {
 protected:
  const Hit& HitOf(const Policy& policy, std::vector<Entry> entries, const Now& now = kNow,
                   std::string_view domain = "shop") {
    weir::Match(policy, TestRequest(domain, {std::move(entries)}).request(), now, {.keys = true},
                check_);
    return check_.hits.at(0);
  }
  std::uint64_t IdOf(const Policy& policy, std::vector<Entry> entries) {
    return HitOf(policy, std::move(entries)).id;
  }
  std::string KeyOf(const Policy& policy, std::vector<Entry> entries) {
    return std::string(HitOf(policy, std::move(entries)).key);
  }

  Check check_;
};

TEST_F(MatchIdentityTest, C47_NoTwoDescriptorsCollideBySpelling) {
  const auto policy = PolicyOf(
      {NodeOf("a", "", 2, {NodeOf("c", "", 2)}), BranchOf("a", "b", {NodeOf("c", "", 2)})});
  std::set<std::uint64_t> ids;
  std::set<std::string> keys;
  const std::vector<std::vector<Entry>> all = {{{"a", "b_c_d"}},
                                               {{"a", "b"}, {"c", "d"}},
                                               {{"a", "x"}, {"c", "y"}},
                                               {{"a", "xc"}},
                                               {{"a", "x|1:y"}},
                                               {{"a", "x"}, {"c", "1:y"}},
                                               {{"a", "x|"}, {"c", ""}},
                                               {{"a", ""}, {"c", "x|"}},
                                               {{"a", ""}},
                                               {{"a", "y"}, {"c", "x"}}};
  for (const auto& entries : all) {
    ids.insert(IdOf(*policy, entries));
    keys.insert(KeyOf(*policy, entries));
  }
  EXPECT_EQ(ids.size(), all.size());
  EXPECT_EQ(keys.size(), all.size());
}

TEST_F(MatchIdentityTest, C47_DomainsDoNotRunIntoKeys) {
  const auto policy = Policy::Build(
      {DomainOf("x_y", {NodeOf("z", "", 2)}), DomainOf("x", {NodeOf("y_z", "", 2)})}, {.seed = 42});
  const std::uint64_t one = HitOf(*policy, {{"z", "1"}}, kNow, "x_y").id;
  EXPECT_NE(HitOf(*policy, {{"y_z", "1"}}, kNow, "x").id, one);
}

TEST_F(MatchIdentityTest, C03_TwoRulesOnOneSubjectHaveTwoCounters) {
  const auto policy = PolicyOf({NodeOf("client", "", 1000, {NodeOf("method", "eth_call", 10)})});
  EXPECT_NE(IdOf(*policy, {{"client", "a"}}),
            IdOf(*policy, {{"client", "a"}, {"method", "eth_call"}}));
}

TEST_F(MatchIdentityTest, AnOpenValueTellsCountersApartAndAPatternSharesOnlyIfAsked) {
  RuleNode shared = NodeOf("p", "/s*", 1);
  shared.share_threshold = true;
  const auto policy = PolicyOf({NodeOf("k", "", 1), NodeOf("p", "/a*", 1), shared});
  EXPECT_NE(IdOf(*policy, {{"k", "1"}}), IdOf(*policy, {{"k", "2"}}));
  EXPECT_NE(IdOf(*policy, {{"p", "/a1"}}), IdOf(*policy, {{"p", "/a2"}}));
  EXPECT_EQ(IdOf(*policy, {{"p", "/s1"}}), IdOf(*policy, {{"p", "/s2"}}));
}

TEST_F(MatchIdentityTest, C56_ANestedSharedPatternLeavesTheOtherLevelsApart) {
  RuleNode shared = NodeOf("path", "/bar*", 1);
  shared.share_threshold = true;
  const auto policy = PolicyOf({BranchOf("user", "", {shared})});
  const auto id = [&](std::string_view user, std::string_view path) {
    return IdOf(*policy, {{"user", user}, {"path", path}});
  };
  EXPECT_EQ(id("u1", "/bar/1"), id("u1", "/bar/2"));
  EXPECT_NE(id("u1", "/bar/1"), id("u2", "/bar/1"));
}

TEST_F(MatchIdentityTest, TheSeedChangesEveryIdAndNoText) {
  const auto one = PolicyOf({NodeOf("k", "", 1)}, 1);
  const auto two = PolicyOf({NodeOf("k", "", 1)}, 2);
  EXPECT_NE(IdOf(*one, {{"k", "1"}}), IdOf(*two, {{"k", "1"}}));
  EXPECT_EQ(KeyOf(*one, {{"k", "1"}}), KeyOf(*two, {{"k", "1"}}));
}

TEST_F(MatchIdentityTest, KeysFrameEachValueBehindItsLength) {
  const auto policy = PolicyOf({BranchOf("tenant", "", {NodeOf("path", "/a*", 1)})});
  EXPECT_EQ(KeyOf(*policy, {{"tenant", "acme"}, {"path", "/a|b"}}),
            "shop/tenant/path=/a*|4:acme|4:/a|b");
  EXPECT_EQ(KeyOf(*policy, {{"tenant", ""}, {"path", "/a"}}), "shop/tenant/path=/a*|0:|2:/a");
}

TEST_F(MatchIdentityTest, NativeKeysAreWrittenOnRequestOnly) {
  const auto policy = PolicyOf({NodeOf("k", "", 1)});
  weir::Match(*policy, TestRequest("shop", {{{"k", "1"}}}).request(), kNow, {}, check_);
  EXPECT_TRUE(check_.hits.at(0).key.empty());
  EXPECT_NE(check_.hits[0].id, 0U);
}

// -- reloads ----------------------------------------------------------------------------------

TEST_F(MatchIdentityTest, C103_AReloadOfTheSameRulesKeepsEveryCounter) {
  const auto before = PolicyOf({NodeOf("k", "", 10), NodeOf("other", "", 1)});
  const auto after = PolicyOf({NodeOf("new", "", 3), NodeOf("k", "", 10)}, 42, before.get());
  EXPECT_EQ(IdOf(*before, {{"k", "1"}}), IdOf(*after, {{"k", "1"}}));
  EXPECT_EQ(HitOf(*after, {{"k", "1"}}).previous_id, 0U);
}

TEST_F(MatchIdentityTest, C104_AChangedRuleKnowsWhereItsCountersWere) {
  const auto before = PolicyOf({NodeOf("k", "", 10)});
  const std::uint64_t old = IdOf(*before, {{"k", "1"}});
  const auto after = PolicyOf({NodeOf("k", "", 20)}, 42, before.get());
  EXPECT_NE(IdOf(*after, {{"k", "1"}}), old);
  EXPECT_EQ(HitOf(*after, {{"k", "1"}}).previous_id, old);
  // Until every level of a minute has died out.
  EXPECT_EQ(HitOf(*after, {{"k", "1"}}, {kNow.steady + 59s, kNow.wall}).previous_id, old);
  EXPECT_EQ(HitOf(*after, {{"k", "1"}}, {kNow.steady + 121s, kNow.wall}).previous_id, 0U);
}

TEST_F(MatchIdentityTest, ALimitOfTheRequestsOwnIsNotCarriedOver) {
  const auto before = PolicyOf({NodeOf("k", "", 10)});
  const auto after = PolicyOf({NodeOf("k", "", 20)}, 42, before.get());
  TestRequest request("shop", {{{"k", "1"}}});
  request.WithLimit(0, 5, Unit::kHour);
  weir::Match(*after, request.request(), kNow, {}, check_);
  EXPECT_EQ(check_.hits.at(0).previous_id, 0U);
}

// -- a rule for some of its keys --------------------------------------------------------------

class PercentTest : public MatchIdentityTest {
 protected:
  static std::shared_ptr<const Policy> Enforced(std::uint32_t percent, std::uint64_t seed) {
    RuleNode node = NodeOf("k", "", 1);
    node.rule->enforce_percent = percent;
    return PolicyOf({node}, seed);
  }
  std::set<int> HeldKeys(const Policy& policy) {
    std::set<int> held;
    for (int key = 0; key < 2000; ++key) {
      const std::string value = std::to_string(key);
      const NotEnforced why = HitOf(policy, {{"k", value}}).not_enforced;
      EXPECT_TRUE(why == NotEnforced::kNo || why == NotEnforced::kPercent);
      if (why == NotEnforced::kNo) held.insert(key);
    }
    return held;
  }
};

TEST_F(PercentTest, HoldsAboutThatPartOfTheKeysAlwaysTheSame) {
  const std::set<int> held = HeldKeys(*Enforced(25, 42));
  EXPECT_GT(held.size(), 400U);
  EXPECT_LT(held.size(), 600U);
  EXPECT_EQ(HeldKeys(*Enforced(25, 42)), held);
}

TEST_F(PercentTest, AllInstancesAgreeWhateverTheirSeed) {
  EXPECT_EQ(HeldKeys(*Enforced(25, 1)), HeldKeys(*Enforced(25, 2)));
}

TEST_F(PercentTest, ARaisedPercentageOnlyAddsKeys) {
  std::set<int> before;
  for (const std::uint32_t percent : {0U, 1U, 10U, 25U, 60U, 99U, 100U}) {
    const std::set<int> held = HeldKeys(*Enforced(percent, 42));
    for (const int key : before) EXPECT_TRUE(held.contains(key)) << percent;
    before = held;
    if (percent == 0) {
      EXPECT_TRUE(held.empty());
    }
  }
  EXPECT_EQ(before.size(), 2000U);
}

TEST_F(PercentTest, AShadowRuleIsShadowForEveryKey) {
  RuleNode node = NodeOf("k", "", 1);
  node.rule->enforce_percent = 50;
  node.rule->shadow_mode = true;
  const auto policy = PolicyOf({node});
  for (int key = 0; key < 20; ++key) {
    EXPECT_EQ(HitOf(*policy, {{"k", std::to_string(key)}}).not_enforced, NotEnforced::kShadow);
  }
}

}  // namespace
}  // namespace weir
