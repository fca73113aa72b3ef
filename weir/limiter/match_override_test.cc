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
using Kind = DescriptorMatch::Kind;

constexpr Now kNow{.steady = Instant(60s), .wall = WallTime(1'699'999'200s)};

// Rules: k, free (unlimited), s (sliding window), v/ (without a limit of its own).
std::shared_ptr<const Policy> ThePolicy(Profile profile) {
  RuleNode free = BranchOf("free", "", {});
  free.rule.emplace();
  free.rule->unlimited = true;
  RuleNode sliding = NodeOf("s", "", 10);
  sliding.rule->quota =
      MakeQuota({.algorithm = Algorithm::kSlidingWindow, .limit = 10, .unit = Unit::kMinute})
          .value();
  return Policy::Build(
      {DomainOf("shop", {NodeOf("k", "", 10), free, sliding, BranchOf("v", "", {})})},
      {.profile = profile, .seed = 42});
}

class MatchOverrideTest : public testing::TestWithParam<Profile> {
 protected:
  bool native() const { return GetParam() == Profile::kNative; }
  const Check& Match(const TestRequest& request) {
    weir::Match(*policy_, request.request(), kNow, {.keys = true}, check_);
    return check_;
  }
  std::uint64_t IdOf(std::vector<Entry> entries, std::uint32_t limit, Unit unit) {
    TestRequest request("shop", {std::move(entries)});
    return Match(request.WithLimit(0, limit, unit)).hits.at(0).id;
  }

  std::string KeyOf(std::vector<Entry> entries, std::uint32_t limit, Unit unit) {
    TestRequest request("shop", {std::move(entries)});
    return std::string(Match(request.WithLimit(0, limit, unit)).hits.at(0).key);
  }

  std::shared_ptr<const Policy> policy_ = ThePolicy(GetParam());
  Check check_;
};
INSTANTIATE_TEST_SUITE_P(Profiles, MatchOverrideTest,
                         testing::Values(Profile::kNative, Profile::kReference));

TEST_P(MatchOverrideTest, EveryUnitMakesAQuotaOfItsLength) {
  for (const Unit unit : {Unit::kSecond, Unit::kMinute, Unit::kHour, Unit::kDay, Unit::kWeek,
                          Unit::kMonth, Unit::kYear}) {
    SCOPED_TRACE(NameOf(unit));
    TestRequest request("shop", {{{"k", "1"}}});
    const Check& check = Match(request.WithLimit(0, 5, unit));
    ASSERT_EQ(check.hits.size(), 1U);
    EXPECT_EQ(check.hits[0].quota, &check.overrides[0]);
    EXPECT_EQ(check.hits[0].quota->limit, 5U);
    EXPECT_EQ(check.hits[0].quota->unit, unit);
    EXPECT_EQ(check.hits[0].quota->window, LengthOf(unit));
    EXPECT_TRUE(check.matches[0].overridden);
  }
}

TEST_P(MatchOverrideTest, WithoutARuleEqualValuesUnderOtherKeysHaveTextsOfTheirOwn) {
  const std::set<std::string> keys = {KeyOf({{"user", "7"}}, 5, Unit::kMinute),
                                      KeyOf({{"order", "7"}}, 5, Unit::kMinute),
                                      KeyOf({{"user", "7"}, {"order", "7"}}, 5, Unit::kMinute),
                                      KeyOf({{"order", "7"}, {"user", "7"}}, 5, Unit::kMinute)};
  EXPECT_EQ(keys.size(), 4U);
}

TEST_P(MatchOverrideTest, ALimitOfTheRulesOwnSizeHasATextOfItsOwn) {
  if (!native()) return;
  Match(TestRequest("shop", {{{"k", "7"}}}));
  const std::string own(check_.hits.at(0).key);
  EXPECT_NE(KeyOf({{"k", "7"}}, 10, Unit::kMinute), own);
}

TEST(MatchOverrideCalendarTest, AMonthIsTheCalendarsWhereThePolicySaysSo) {
  const auto quota = [](bool calendar_months, Unit unit) {
    const auto policy =
        Policy::Build({DomainOf("shop", {NodeOf("k", "", 9)})},
                      {.profile = Profile::kReference, .calendar_months = calendar_months});
    Check check;
    TestRequest request("shop", {{{"k", "1"}}});
    weir::Match(*policy, request.WithLimit(0, 5, unit).request(), kNow, {}, check);
    return *check.hits.at(0).quota;
  };
  EXPECT_TRUE(quota(true, Unit::kMonth).calendar);
  EXPECT_FALSE(quota(true, Unit::kDay).calendar);
  EXPECT_FALSE(quota(false, Unit::kMonth).calendar);
}

TEST_P(MatchOverrideTest, C77_AnUnknownUnitIsVoidAndTheRuleApplies) {
  for (const Unit unit : {Unit::kUnknown, UnitFromWire(0), UnitFromWire(8), UnitFromWire(99)}) {
    TestRequest request("shop", {{{"k", "1"}}, {{"nothing", "1"}}});
    request.WithLimit(0, 5, unit).WithLimit(1, 5, unit);
    const Check& check = Match(request);
    ASSERT_EQ(check.hits.size(), 1U);
    EXPECT_EQ(check.hits[0].rule->id, "shop/k");
    EXPECT_EQ(check.hits[0].quota->limit, 10U);
    EXPECT_FALSE(check.matches[0].overridden);
    EXPECT_EQ(check.matches[1].kind, Kind::kNoRule);
  }
}

TEST_P(MatchOverrideTest, CountsAlsoWhereNoRuleMatches) {
  TestRequest request("shop", {{{"x", "1"}}, {{"v", "1"}}, {}, {{"free", "1"}}});
  for (std::size_t i = 0; i < 4; ++i) request.WithLimit(i, 5, Unit::kHour);
  const Check& check = Match(request);
  ASSERT_EQ(check.hits.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(check.hits[i].rule->id, "shop/~override");
    EXPECT_EQ(check.hits[i].quota->limit, 5U);
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(check.hits[i].id, check.hits[j].id);
  }
}

TEST_P(MatchOverrideTest, DoesNothingForADomainThatNobodyKnows) {
  TestRequest request("nowhere", {{{"k", "1"}}});
  Match(request.WithLimit(0, 5, Unit::kHour));
  EXPECT_EQ(check_.matches[0].kind, Kind::kNoDomain);
  EXPECT_TRUE(check_.hits.empty());
}

TEST_P(MatchOverrideTest, ALimitOfZeroIsALimit) {
  TestRequest request("shop", {{{"k", "1"}}});
  EXPECT_EQ(Match(request.WithLimit(0, 0, Unit::kSecond)).hits.at(0).quota->limit, 0U);
}

TEST_P(MatchOverrideTest, TheLargestLimitOfTheWireFitsEveryUnit) {
  for (const Unit unit : {Unit::kSecond, Unit::kMinute, Unit::kHour, Unit::kDay, Unit::kWeek,
                          Unit::kMonth, Unit::kYear}) {
    for (const std::string_view key : {"k", "s"}) {
      TestRequest request("shop", {{{key, "1"}}});
      EXPECT_EQ(Match(request.WithLimit(0, 4'294'967'295, unit)).hits.at(0).quota->limit,
                4'294'967'295U);
    }
  }
}

TEST_P(MatchOverrideTest, ValuesTellCountersApart) {
  EXPECT_NE(IdOf({{"x", "1"}}, 5, Unit::kHour), IdOf({{"x", "2"}}, 5, Unit::kHour));
  EXPECT_NE(IdOf({{"k", "1"}}, 5, Unit::kHour), IdOf({{"k", "2"}}, 5, Unit::kHour));
  EXPECT_EQ(IdOf({{"k", "1"}}, 5, Unit::kHour), IdOf({{"k", "1"}}, 5, Unit::kHour));
}

TEST_P(MatchOverrideTest, ManyLimitsInOneRequestStayApart) {
  const Entry entry{"k", "1"};
  std::vector<Descriptor> descriptors;
  for (std::uint32_t i = 0; i < 500; ++i) {
    descriptors.push_back({.entries = {&entry, 1},
                           .limit = LimitOverride{.requests_per_unit = i, .unit = Unit::kDay}});
  }
  weir::Match(*policy_, {"shop", descriptors}, kNow, {}, check_);
  ASSERT_EQ(check_.hits.size(), 500U);
  for (std::uint32_t i = 0; i < 500; ++i) EXPECT_EQ(check_.hits[i].quota->limit, i);
}

TEST(MatchNativeOverrideTest, KeepsTheRuleItStandsInForAndItsAlgorithm) {
  const auto policy = ThePolicy(Profile::kNative);
  TestRequest request("shop", {{{"k", "1"}}, {{"s", "1"}}, {{"free", "1"}}});
  for (std::size_t i = 0; i < 3; ++i) request.WithLimit(i, 5, Unit::kHour);
  Check check;
  Match(*policy, request.request(), kNow, {}, check);
  EXPECT_EQ(check.hits[0].rule->id, "shop/k");
  EXPECT_EQ(check.hits[0].quota->algorithm, Algorithm::kTokenBucket);
  EXPECT_EQ(check.hits[1].rule->id, "shop/s");
  EXPECT_EQ(check.hits[1].quota->algorithm, Algorithm::kSlidingWindow);
  EXPECT_EQ(check.hits[2].rule->id, "shop/~override");
  EXPECT_EQ(check.hits[2].quota->algorithm, Algorithm::kTokenBucket);
}

TEST(MatchNativeOverrideTest, CountersOfDifferentSizeAreDifferentCounters) {
  const auto policy = ThePolicy(Profile::kNative);
  Check check;
  const auto id = [&](std::uint32_t limit, Unit unit) {
    TestRequest request("shop", {{{"k", "1"}}});
    if (limit != 0) request.WithLimit(0, limit, unit);
    Match(*policy, request.request(), kNow, {}, check);
    return check.hits.at(0).id;
  };
  EXPECT_NE(id(5, Unit::kHour), id(6, Unit::kHour));
  EXPECT_NE(id(5, Unit::kHour), id(5, Unit::kDay));
  EXPECT_NE(id(10, Unit::kMinute), id(0, Unit::kUnknown));
}

TEST(MatchReferenceOverrideTest, SkipsTheTreeAndSharesTheCounterOfEqualEntriesAndUnit) {
  RuleNode node = NodeOf("k", "", 10);
  node.rule->shadow_mode = true;
  node.rule->quota =
      MakeQuota({.algorithm = Algorithm::kFixedWindow, .limit = 10, .unit = Unit::kMinute}).value();
  const auto policy =
      Policy::Build({DomainOf("shop", {node})}, {.profile = Profile::kReference, .seed = 42});
  TestRequest request("shop", {{{"k", "1"}}, {{"k", "1"}}, {{"k", "1"}}});
  request.WithLimit(1, 5, Unit::kMinute).WithLimit(2, 6, Unit::kMinute);
  Check check;
  Match(*policy, request.request(), kNow, {}, check);
  ASSERT_EQ(check.hits.size(), 3U);
  EXPECT_EQ(check.hits[1].rule->id, "shop/~override");
  EXPECT_FALSE(check.hits[1].rule->shadow_mode);
  EXPECT_EQ(check.hits[1].quota->algorithm, Algorithm::kFixedWindow);
  EXPECT_EQ(check.hits[0].id, check.hits[1].id);
  EXPECT_EQ(check.hits[1].id, check.hits[2].id);
}

}  // namespace
}  // namespace weir
