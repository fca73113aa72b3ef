#include "weir/core/failure_policy.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(FailurePolicyTest, ModesReadTheirOwnNames) {
  for (const FailureMode mode : {FailureMode::kOpen, FailureMode::kClosed, FailureMode::kLocalShare,
                                 FailureMode::kStatic, FailureMode::kError}) {
    EXPECT_EQ(ParseFailureMode(NameOf(mode)), mode);
  }
  EXPECT_EQ(NameOf(FailureMode::kLocalShare), "local_share");
}

TEST(FailurePolicyTest, CausesReadTheirOwnNamesAndNoneIsNotACause) {
  for (std::size_t i = 1; i < kCauses; ++i) {
    const auto cause = static_cast<Cause>(i);
    EXPECT_EQ(ParseCause(NameOf(cause)), cause);
  }
  EXPECT_EQ(NameOf(Cause::kBreakerOpen), "breaker_open");
  EXPECT_EQ(NameOf(Cause::kNone), "none");
  EXPECT_EQ(ParseCause("none"), std::nullopt);
}

TEST(FailurePolicyTest, OtherWordsAreRefused) {
  for (const char* text : {"", "Open", "share", "fail_open", "open "}) {
    EXPECT_EQ(ParseFailureMode(text), std::nullopt) << text;
    EXPECT_EQ(ParseCause(text), std::nullopt) << text;
  }
}

TEST(FailurePolicyTest, EqualsByEveryPart) {
  FailurePolicy one;
  FailurePolicy other;
  EXPECT_EQ(one, other);
  other.then.push_back({.after = std::chrono::seconds(30), .mode = FailureMode::kClosed});
  EXPECT_NE(one, other);
  one.then = other.then;
  one.causes.at(static_cast<std::size_t>(Cause::kOom)) = FailureMode::kOpen;
  EXPECT_NE(one, other);
}

}  // namespace
}  // namespace weir
