#include "weir/core/decision.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "weir/core/check.h"

namespace weir {
namespace {

TEST(DecisionTest, OnlyTheVerdictSaysWhetherTheRequestPasses) {
  EXPECT_TRUE((Decision{.verdict = Verdict::kAllow, .would_deny = true}).allowed());
  EXPECT_FALSE((Decision{.verdict = Verdict::kDeny}).allowed());
  EXPECT_FALSE((Decision{.verdict = Verdict::kUnavailable}).allowed());
}

TEST(DecisionTest, EveryBasisAndReasonHasAWordOfItsOwn) {
  std::set<std::string_view> words;
  for (std::uint8_t i = 0; i <= static_cast<std::uint8_t>(Basis::kBypass); ++i) {
    EXPECT_TRUE(words.insert(NameOf(static_cast<Basis>(i))).second);
  }
  EXPECT_TRUE(words.contains("local_share"));
  EXPECT_EQ(NameOf(Basis::kNoRule), "no_rule");
  EXPECT_EQ(NameOf(Basis::kBypass), "bypass");
  EXPECT_EQ(NameOf(NotEnforced::kNo), "no");
  EXPECT_EQ(NameOf(NotEnforced::kShadow), "shadow");
  EXPECT_EQ(NameOf(NotEnforced::kPercent), "percent");
  EXPECT_EQ(NameOf(NotEnforced::kKill), "kill");
}

TEST(CheckTest, ClearingEmptiesEverythingAndKeepsTheMemory) {
  Check check;
  check.charging = Charging::kEach;
  check.deadline = Instant{};
  check.pending = true;
  check.pin = Policy::Build({}, {});
  check.hits.resize(8);
  check.outcomes.resize(8);
  check.matches.resize(8);
  check.overrides.resize(8);
  check.held.resize(8);
  check.standstill = Standstill::kNow;
  const auto capacity = check.hits.capacity();
  check.Clear();
  EXPECT_EQ(check.charging, Charging::kAllOrNothing);
  EXPECT_EQ(check.deadline, kNever);
  EXPECT_FALSE(check.pending);
  EXPECT_EQ(check.pin, nullptr);
  EXPECT_TRUE(check.hits.empty() && check.outcomes.empty());
  EXPECT_TRUE(check.matches.empty() && check.overrides.empty() && check.held.empty());
  EXPECT_EQ(check.standstill, Standstill::kNo);
  EXPECT_EQ(check.hits.capacity(), capacity);
}

}  // namespace
}  // namespace weir
