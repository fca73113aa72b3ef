#include "weir/failure/caught_keys.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

using namespace std::chrono_literals;

class CaughtKeysTest : public testing::Test {
 protected:
  CaughtKeysTest() { SetRule(50, 1s); }

  void SetRule(std::uint64_t limit, Duration window) {
    rule_.quota = MakeQuota({.limit = limit, .window = window}).value();
    hit_.rule = &rule_;
    hit_.quota = &rule_.quota;
    hit_.id = 9;
  }
  void Admit() { caught_.Note(hit_, {}, now_); }
  void Deny(Duration retry = 20ms) { caught_.Note(hit_, {.allowed = false, .retry = retry}, now_); }
  // So many a second are admitted here, and one a second denied.
  void Traffic(Duration how_long, int per_second) {
    const Instant end = now_ + how_long;
    for (int i = 0; now_ < end; ++i, now_ += Duration(1s) / per_second) {
      Admit();
      if (i % per_second == 0) Deny();
    }
    now_ = end;
  }
  double ShareIn(Instant outage) {
    const Share share = caught_.Of(hit_, outage, now_).share;
    return static_cast<double>(share.part) / static_cast<double>(share.whole);
  }

  CaughtKeys caught_{100, Instant(10s)};
  Rule rule_;
  Hit hit_;
  Instant now_{1000s};
};

TEST_F(CaughtKeysTest, WhoWasNeverDeniedIsNotCaught) {
  EXPECT_FALSE(caught_.Of(hit_, now_, now_).caught);
  Admit();
  EXPECT_FALSE(caught_.Of(hit_, now_ + 1s, now_ + 1s).caught);
}

TEST_F(CaughtKeysTest, WhoWasDeniedLatelyIsCaughtAndWhoWasDeniedLongAgoIsNot) {
  Deny();
  EXPECT_TRUE(caught_.Now(hit_, now_ + 10s).caught);
  EXPECT_FALSE(caught_.Now(hit_, now_ + 10s + 1ns).caught);
}

TEST_F(CaughtKeysTest, LatelyIsTheWindowUpToAnHour) {
  SetRule(50, 60s);
  Deny();
  EXPECT_TRUE(caught_.Now(hit_, now_ + 60s).caught);
  SetRule(50, 24h);
  EXPECT_TRUE(caught_.Now(hit_, now_ + 1h).caught);
  EXPECT_FALSE(caught_.Now(hit_, now_ + 1h + 1s).caught);
}

TEST_F(CaughtKeysTest, TheShareIsWhatWasGrantedHereOverTheLimitsRate) {
  Traffic(30s, 20);
  EXPECT_NEAR(ShareIn(now_), 20.0 / 50, 0.005);
}

TEST_F(CaughtKeysTest, AShareIsAtMostTheWhole) {
  Traffic(30s, 200);
  EXPECT_EQ(ShareIn(now_), 1.0);
}

TEST_F(CaughtKeysTest, TheSecondThatTenSecondsCutCountsByItsPart) {
  now_ += 300ms;
  Traffic(30s, 20);
  EXPECT_NEAR(ShareIn(now_), 20.0 / 50, 0.005);
}

TEST_F(CaughtKeysTest, OnlyTheLastTenSecondsAreGranted) {
  Traffic(30s, 20);
  const Instant outage = now_ + 5s;
  now_ = outage;
  EXPECT_NEAR(ShareIn(outage), 0.5 * 20 / 50, 0.01);
}

TEST_F(CaughtKeysTest, AYoungInstanceGrantedWhatItDidSinceItsStart) {
  CaughtKeys young(100, now_);
  for (int i = 0; i < 40; ++i) young.Note(hit_, {}, now_ + i * 50ms);
  young.Note(hit_, {.allowed = false, .retry = 1ms}, now_ + 2s);
  const Share share = young.Of(hit_, now_ + 2s, now_ + 2s).share;
  EXPECT_NEAR(static_cast<double>(share.part) / static_cast<double>(share.whole), 20.0 / 50, 0.01);
}

TEST_F(CaughtKeysTest, BothAreFixedUntilTheOutageIsOver) {
  Traffic(30s, 20);
  const Instant outage = now_;
  const double before = ShareIn(outage);
  now_ += 30s;
  EXPECT_EQ(ShareIn(outage), before);
  Admit();
  EXPECT_EQ(ShareIn(outage), before);
  EXPECT_TRUE(caught_.Of(hit_, outage, now_ + 1h).caught);
  EXPECT_FALSE(caught_.Of(hit_, now_ + 2h, now_ + 2h).caught);
}

TEST_F(CaughtKeysTest, NobodyNewIsCaught) {
  EXPECT_FALSE(caught_.Of(hit_, now_, now_).caught);
  Deny();
  EXPECT_FALSE(caught_.Of(hit_, now_, now_ + 1s).caught);
  const Instant outage = now_;
  EXPECT_FALSE(caught_.Of(hit_, outage, now_).caught);
}

TEST_F(CaughtKeysTest, ALongWindowKeepsTheDenialsOwnWaitFirst) {
  SetRule(1000, 24h);
  Deny(3h);
  EXPECT_EQ(caught_.Of(hit_, now_ + 1s, now_ + 1s).denied_until, now_ + 3h);
  SetRule(50, 1s);
  EXPECT_LE(caught_.Now(hit_, now_ + 1s).denied_until, now_);
}

TEST_F(CaughtKeysTest, PeeksAndRefundsCatchAndGrantNobody) {
  Deny();
  hit_.cost = 0;
  Admit();
  hit_.cost = 5;
  hit_.refund = true;
  Admit();
  EXPECT_EQ(ShareIn(now_), 0);
}

}  // namespace
}  // namespace weir
