#include "weir/failure/mode.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

using namespace std::chrono_literals;

FailurePolicy PolicyOf(FailureMode mode) {
  return {.mode = mode};
}

TEST(ModeTest, TheRulesModeActsUnlessSomethingElseIsSaid) {
  for (const FailureMode mode : {FailureMode::kOpen, FailureMode::kClosed, FailureMode::kLocalShare,
                                 FailureMode::kStatic, FailureMode::kError}) {
    EXPECT_EQ(ModeOf(PolicyOf(mode), Cause::kTimeout, false, 1h), mode);
  }
}

TEST(ModeTest, ACauseMayHaveAModeOfItsOwnAlsoWhileTheBreakerIsOpen) {
  FailurePolicy policy = PolicyOf(FailureMode::kOpen);
  policy.causes[static_cast<std::size_t>(Cause::kOom)] = FailureMode::kClosed;
  EXPECT_EQ(ModeOf(policy, Cause::kOom, false, 0s), FailureMode::kClosed);
  EXPECT_EQ(ModeOf(policy, Cause::kOom, true, 0s), FailureMode::kClosed);
  EXPECT_EQ(ModeOf(policy, Cause::kTimeout, true, 0s), FailureMode::kOpen);
}

TEST(ModeTest, WhatIsSaidOfAnOpenBreakerHoldsForCausesThatAreNotNamed) {
  FailurePolicy policy = PolicyOf(FailureMode::kOpen);
  policy.causes[static_cast<std::size_t>(Cause::kBreakerOpen)] = FailureMode::kLocalShare;
  policy.causes[static_cast<std::size_t>(Cause::kOom)] = FailureMode::kClosed;
  EXPECT_EQ(ModeOf(policy, Cause::kTimeout, false, 0s), FailureMode::kOpen);
  EXPECT_EQ(ModeOf(policy, Cause::kTimeout, true, 0s), FailureMode::kLocalShare);
  EXPECT_EQ(ModeOf(policy, Cause::kOom, true, 0s), FailureMode::kClosed);
}

TEST(ModeTest, TheLadderBeatsModeAndCausesAndItsLastRungStays) {
  FailurePolicy policy = PolicyOf(FailureMode::kStatic);
  policy.causes[static_cast<std::size_t>(Cause::kTimeout)] = FailureMode::kOpen;
  policy.then = {{10min, FailureMode::kLocalShare}, {1h, FailureMode::kClosed}};
  EXPECT_EQ(ModeOf(policy, Cause::kTimeout, true, 10min - 1ns), FailureMode::kOpen);
  EXPECT_EQ(ModeOf(policy, Cause::kTimeout, true, 10min), FailureMode::kLocalShare);
  EXPECT_EQ(ModeOf(policy, Cause::kReset, true, 59min), FailureMode::kLocalShare);
  EXPECT_EQ(ModeOf(policy, Cause::kReset, true, 1h), FailureMode::kClosed);
  EXPECT_EQ(ModeOf(policy, Cause::kReset, true, 1000h), FailureMode::kClosed);
}

TEST(ModeTest, AColdInstanceSharesUnlessToldOtherwise) {
  FailurePolicy policy = PolicyOf(FailureMode::kStatic);
  EXPECT_EQ(ModeOf(policy, Cause::kTimeout, true, 0s, true), FailureMode::kLocalShare);
  EXPECT_EQ(ModeOf(policy, Cause::kTimeout, true, 0s, false), FailureMode::kStatic);
  policy.cold = FailureMode::kClosed;
  EXPECT_EQ(ModeOf(policy, Cause::kTimeout, true, 0s, true), FailureMode::kClosed);
  EXPECT_EQ(ModeOf(PolicyOf(FailureMode::kOpen), Cause::kTimeout, true, 0s, true),
            FailureMode::kOpen);
}

TEST(ModeTest, LooksBackTenSecondsToAnHour) {
  EXPECT_EQ(LookBack(1s), 10s);
  EXPECT_EQ(LookBack(1min), 1min);
  EXPECT_EQ(LookBack(24h), 1h);
}

TEST(ModeTest, FaultsOfOursDoNotCountAgainstTheNode) {
  for (const Cause cause : {Cause::kScript, Cause::kAuth, Cause::kProtocol, Cause::kQueueFull}) {
    EXPECT_FALSE(CountsAgainstNode(cause)) << NameOf(cause);
  }
  for (const Cause cause : {Cause::kOom, Cause::kReadonly, Cause::kLoading, Cause::kTimeout}) {
    EXPECT_TRUE(CountsAgainstNode(cause)) << NameOf(cause);
  }
}

TEST(ModeTest, ClosedSaysToReturnAfterTheNextProbeWithinOneToThirtySeconds) {
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  EXPECT_EQ(RetryAfterClosed(0s, 0s, 0), 1s);
  EXPECT_EQ(RetryAfterClosed(700ms, 0s, 0), 1s);
  EXPECT_GT(RetryAfterClosed(700ms, 0s, kMost), 1600ms);
  EXPECT_GT(RetryAfterClosed(1s, 10min, kMost), 29s);
  EXPECT_EQ(RetryAfterClosed(10s, 10min, kMost), 30s);
}

TEST(ModeTest, ErrorRestsOnNoCountAsClosedDoes) {
  EXPECT_EQ(BasisOf(FailureMode::kError), Basis::kClosed);
  EXPECT_EQ(BasisOf(FailureMode::kStatic), Basis::kStatic);
}

}  // namespace
}  // namespace weir
