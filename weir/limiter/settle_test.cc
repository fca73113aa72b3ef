#include "weir/limiter/settle.h"

#include <deque>
#include <vector>

#include <gtest/gtest.h>

#include "test/rule_tree.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

using Kind = DescriptorMatch::Kind;

DescriptorMatch MatchOf(Kind kind, const Rule* rule = nullptr,
                        std::uint32_t hit = DescriptorMatch::kNoHit) {
  DescriptorMatch match;
  match.kind = kind;
  match.rule = rule;
  match.hit = hit;
  return match;
}

// A finished check, put together by hand: rules with windows of a minute unless told otherwise.
class SettleTest : public testing::Test {
 protected:
  struct Made {
    Hit& hit;
    Outcome& outcome;
    Rule& rule;
  };

  // One more hit that left `used` of `limit` units in use.
  Made Add(std::uint64_t limit, std::uint64_t used, bool allowed = true, Duration retry = 60s) {
    Rule& rule = rules_.emplace_back(RuleOf(limit, Unit::kMinute, Algorithm::kFixedWindow));
    const auto i = static_cast<std::uint32_t>(check_.hits.size());
    Hit& hit = check_.hits.emplace_back();
    hit.rule = &rule;
    hit.quota = &rule.quota;
    hit.descriptor = i;
    Outcome& outcome = check_.outcomes.emplace_back();
    outcome.allowed = allowed;
    outcome.used = used;
    outcome.reset = 60s;
    if (!allowed) outcome.retry = retry;
    check_.matches.push_back(MatchOf(Kind::kCounted, &rule, i));
    return {hit, outcome, rule};
  }
  Made AddDenied(std::uint64_t limit, Duration retry = 60s) {
    return Add(limit, limit, false, retry);
  }

  Made WithoutSay(Made made, NotEnforced why) {
    made.hit.not_enforced = why;
    return made;
  }
  Made Soft(Made made) {
    made.rule.quota_mode = true;
    if (check_.charging == Charging::kAllOrNothing) made.hit.not_enforced = NotEnforced::kSoft;
    return made;
  }

  void SetUp() override {
    // References to elements are handed out: they must not move.
    check_.hits.reserve(16);
    check_.outcomes.reserve(16);
  }

  std::deque<Rule> rules_;
  Check check_;
};

TEST_F(SettleTest, NothingCountedIsAllowedOnNoRule) {
  const Decision decision = Settle(check_);
  EXPECT_EQ(decision, Decision{});
  EXPECT_EQ(decision.basis, Basis::kNoRule);
}

TEST_F(SettleTest, TheRuleWithTheLeastRemainingBinds) {
  Add(100, 40);
  const Made tight = Add(10, 7);
  Add(1000, 1);
  const Decision decision = Settle(check_);
  EXPECT_TRUE(decision.allowed());
  EXPECT_EQ(decision.rule, &tight.rule);
  EXPECT_EQ(decision.quota, tight.hit.quota);
  EXPECT_EQ(decision.limit, 10U);
  EXPECT_EQ(decision.remaining, 3U);
  EXPECT_EQ(decision.basis, Basis::kStore);
  EXPECT_EQ(decision.retry_after, Duration{});
  EXPECT_EQ(decision.reset_after, 60s);
}

TEST_F(SettleTest, AmongEqualsTheFirstBinds) {
  const Made first = Add(10, 7);
  Add(5, 2);
  EXPECT_EQ(Settle(check_).rule, &first.rule);
}

TEST_F(SettleTest, C65_ADenialDescribesTheRuleWithTheLongestWait) {
  Add(60, 4);
  AddDenied(5, 12s);
  const Made longest = AddDenied(100, 3000s);
  AddDenied(7, 2999s);
  const Decision decision = Settle(check_);
  EXPECT_EQ(decision.verdict, Verdict::kDeny);
  EXPECT_EQ(decision.rule, &longest.rule);
  EXPECT_EQ(decision.retry_after, 3000s);
  EXPECT_EQ(decision.remaining, 0U);
  EXPECT_EQ(decision.limit, 100U);
}

TEST_F(SettleTest, ACostThatNeverFitsOutlastsEveryWait) {
  AddDenied(5, 3000s);
  const Made never = Add(5, 0, false, kNeverFits);
  const Decision decision = Settle(check_);
  EXPECT_EQ(decision.rule, &never.rule);
  EXPECT_EQ(decision.retry_after, kNeverFits);
}

TEST_F(SettleTest, ARuleThatFailsClosedMakesTheRequestUnavailable) {
  Add(10, 1);
  const Made closed = AddDenied(10, 5s);
  closed.outcome.basis = Basis::kClosed;
  closed.outcome.cause = Cause::kTimeout;
  const Decision decision = Settle(check_);
  EXPECT_EQ(decision.verdict, Verdict::kUnavailable);
  EXPECT_EQ(decision.basis, Basis::kClosed);
  EXPECT_EQ(decision.rule, &closed.rule);
}

TEST_F(SettleTest, ACountedDenialGoesBeforeARuleThatFailsClosedWhateverTheWaits) {
  for (const Duration closed_wait : {1s, 30s}) {
    check_.Clear();
    const Made counted = AddDenied(10, 5s);
    const Made closed = AddDenied(10, closed_wait);
    closed.outcome.basis = Basis::kClosed;
    const Decision decision = Settle(check_);
    EXPECT_EQ(decision.verdict, Verdict::kDeny);
    EXPECT_EQ(decision.rule, &counted.rule);
    EXPECT_EQ(decision.basis, Basis::kStore);
  }
}

TEST_F(SettleTest, LocalAndHeldDenialsAreDenialsAndNotOutages) {
  for (const Basis basis : {Basis::kHeld, Basis::kLocalShare, Basis::kStatic}) {
    check_.Clear();
    AddDenied(10).outcome.basis = basis;
    EXPECT_EQ(Settle(check_).verdict, Verdict::kDeny);
    EXPECT_EQ(Settle(check_).basis, basis);
  }
}

TEST_F(SettleTest, C02_C109_RulesWithoutASayNeitherDenyNorShow) {
  for (const NotEnforced why : {NotEnforced::kShadow, NotEnforced::kPercent, NotEnforced::kKill}) {
    check_.Clear();
    const Made enforced = Add(100, 3);
    WithoutSay(AddDenied(1), why);
    const Decision decision = Settle(check_);
    EXPECT_TRUE(decision.allowed());
    EXPECT_EQ(decision.rule, &enforced.rule);
    EXPECT_EQ(decision.limit, 100U);
    EXPECT_EQ(decision.remaining, 97U);
    EXPECT_TRUE(decision.would_deny);
  }
}

TEST_F(SettleTest, AShadowAloneLeavesTheDecisionWithoutARule) {
  WithoutSay(Add(10, 3), NotEnforced::kShadow);
  const Decision decision = Settle(check_);
  EXPECT_TRUE(decision.allowed());
  EXPECT_EQ(decision.rule, nullptr);
  EXPECT_FALSE(decision.would_deny);
}

TEST_F(SettleTest, C108_UnderEachAShadowRuleIsToldByTheRule) {
  check_.charging = Charging::kEach;
  Add(10, 3);
  AddDenied(1).rule.shadow_mode = true;
  const Decision decision = Settle(check_);
  EXPECT_TRUE(decision.allowed());
  EXPECT_TRUE(decision.would_deny);
  EXPECT_EQ(decision.limit, 10U);
}

TEST_F(SettleTest, RefundsNeitherDenyNorBind) {
  const Made refund = Add(10, 9);
  refund.hit.refund = true;
  EXPECT_EQ(Settle(check_).rule, nullptr);
  const Made counted = Add(10, 1);
  EXPECT_EQ(Settle(check_).rule, &counted.rule);
}

TEST_F(SettleTest, SoftRulesDenyOnlyIfAllOfThemDo) {
  struct Row {
    std::vector<bool> soft_allowed;
    std::vector<bool> hard_allowed;
    bool allowed;
  };
  const std::vector<Row> rows = {
      {{false}, {}, false},     {{false, false}, {}, false},     {{false, true}, {}, true},
      {{true}, {false}, false}, {{false}, {true}, false},        {{false, true}, {true}, true},
      {{true}, {true}, true},   {{false, true}, {false}, false}, {{}, {true}, true},
  };
  for (const Charging charging : {Charging::kAllOrNothing, Charging::kEach}) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      SCOPED_TRACE(r);
      check_.Clear();
      check_.charging = charging;
      for (const bool allowed : rows[r].hard_allowed) Add(10, 1, allowed);
      for (const bool allowed : rows[r].soft_allowed) Soft(Add(10, 1, allowed));
      EXPECT_EQ(Settle(check_).allowed(), rows[r].allowed);
    }
  }
}

TEST_F(SettleTest, ASoftRuleInShadowKeepsTheOthersFromDenying) {
  check_.charging = Charging::kEach;
  Soft(AddDenied(1)).rule.shadow_mode = true;  // Its status is OK.
  Soft(AddDenied(1));
  EXPECT_TRUE(Settle(check_).allowed());
}

TEST_F(SettleTest, AHardDenialBindsBeforeSoftOnes) {
  Soft(AddDenied(10, 500s));
  const Made hard = AddDenied(10, 5s);
  EXPECT_EQ(Settle(check_).rule, &hard.rule);
}

// -- levels -----------------------------------------------------------------------------------

TEST_F(SettleTest, LevelsSpeakInUnitsWhateverTheAlgorithm) {
  const Made fixed = Add(10, 4);
  const auto level = [&]() -> const Outcome& {
    CompleteLevel(fixed.hit, fixed.outcome);
    return fixed.outcome;
  };
  EXPECT_EQ(level().remaining, 6U);
  EXPECT_EQ(level().next, 60s);
  fixed.outcome.used = 0;
  EXPECT_EQ(level().next, Duration{});
  fixed.outcome.used = 15;  // The reference counts beyond the limit.
  EXPECT_EQ(level().remaining, 0U);

  const Quota bucket = MakeQuota({.limit = 10, .window = 10s}).value();
  fixed.hit.quota = &bucket;
  fixed.outcome.used = static_cast<std::uint64_t>(bucket.interval) * 5 / 2;
  EXPECT_EQ(level().remaining, 7U);
  EXPECT_EQ(level().next, 500ms);

  const Quota sliding =
      MakeQuota({.algorithm = Algorithm::kSlidingWindow, .limit = 10, .window = 10s}).value();
  fixed.hit.quota = &sliding;
  fixed.outcome.used = 10;
  fixed.outcome.next = 3s;
  EXPECT_EQ(level().remaining, 0U);
  EXPECT_EQ(level().next, 3s);
}

// -- statuses ---------------------------------------------------------------------------------

TEST_F(SettleTest, EachDescriptorHasItsStatusInOrder) {
  const Made passed = Add(10, 4);
  check_.matches.insert(check_.matches.begin(), MatchOf(Kind::kNoRule));
  check_.matches.push_back(MatchOf(Kind::kUnlimited, &passed.rule));
  check_.matches.push_back(MatchOf(Kind::kReplaced, &passed.rule));
  check_.matches.push_back(MatchOf(Kind::kNoDomain));
  const Made denied = AddDenied(5, 7s);
  std::vector<DescriptorStatus> statuses(20);
  EXPECT_FALSE(Settle(check_).allowed());
  StatusesOf(check_, statuses);
  ASSERT_EQ(statuses.size(), 6U);
  EXPECT_EQ(statuses[0], DescriptorStatus{});
  EXPECT_EQ(statuses[1],
            (DescriptorStatus{
                .rule = &passed.rule, .quota = passed.hit.quota, .remaining = 6, .reset = 60s}));
  EXPECT_EQ(statuses[2], (DescriptorStatus{.unlimited = true}));
  EXPECT_EQ(statuses[3], DescriptorStatus{});
  EXPECT_EQ(statuses[4], DescriptorStatus{});
  EXPECT_EQ(statuses[5], (DescriptorStatus{.over = true,
                                           .rule = &denied.rule,
                                           .quota = denied.hit.quota,
                                           .reset = 60s,
                                           .retry = 7s}));
}

TEST_F(SettleTest, AStatusIsNeverOverForARuleWithoutASay) {
  WithoutSay(AddDenied(1), NotEnforced::kShadow);
  std::vector<DescriptorStatus> statuses;
  EXPECT_TRUE(Settle(check_).allowed());
  StatusesOf(check_, statuses);
  EXPECT_FALSE(statuses.at(0).over);
  EXPECT_EQ(statuses[0].remaining, 0U);
}

TEST_F(SettleTest, ASoftRulesOwnStatusIsOverAlsoWhenTheRequestPasses) {
  Soft(AddDenied(1));
  Soft(Add(10, 1));
  std::vector<DescriptorStatus> statuses;
  EXPECT_TRUE(Settle(check_).allowed());
  StatusesOf(check_, statuses);
  EXPECT_TRUE(statuses.at(0).over);
  EXPECT_FALSE(statuses.at(1).over);
}

}  // namespace
}  // namespace weir
