#pragma once

// Included by store_contract.h: probes and hand-backs, which a failing store sends.

#include "weir/store/store_contract_fixture.h"

namespace weir {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): tests only.

// -- what failing stores ask for --------------------------------------------------------------

TEST_P(StoreContract, AProbeCountsNothingAndIsAnswered) {
  const Rule& rule = NewRule(Algorithm::kFixedWindow, 3);
  EXPECT_TRUE(Passes(rule, "acme"));
  Hit probe;
  probe.id = HitOn(rule, "acme").id;
  probe.key = HitOn(rule, "acme").key;
  probe.cost = 0;
  probe.purpose = Purpose::kProbe;
  EXPECT_TRUE(Charge({probe}).outcomes[0].allowed);
  EXPECT_EQ(UnitsOf(rule, "acme"), 1U);
}

TEST_P(StoreContract, AHandBackIsAddedAndNeverDenied) {
  for (const Algorithm algorithm : {Algorithm::kFixedWindow, Algorithm::kSlidingWindow}) {
    SCOPED_TRACE(NameOf(algorithm));
    const Rule& rule = NewRule(algorithm, 5);
    EXPECT_TRUE(Passes(rule, "acme"));
    EXPECT_TRUE(Charge({HandBack(rule, "acme", 3)}).allowed());
    EXPECT_EQ(UnitsOf(rule, "acme"), 4U);
    EXPECT_TRUE(Charge({HandBack(rule, "acme", 3)}).allowed());
    EXPECT_EQ(UnitsOf(rule, "acme"), 7U);
    EXPECT_FALSE(Passes(rule, "acme"));
  }
}

TEST_P(StoreContract, ACappedHandBackStopsAtTheLimit) {
  const Rule& rule = NewRule(Algorithm::kFixedWindow, 5);
  Hit hit = HandBack(rule, "acme", 300);
  hit.capped = true;
  Charge({hit});
  EXPECT_EQ(UnitsOf(rule, "acme"), 5U);
}

TEST_P(StoreContract, AHandBackOfAClosedWindowIsDropped) {
  const Rule& rule = NewRule(Algorithm::kFixedWindow, 5, 10s);
  const WallTime admitted = now().wall;
  Advance(10s);
  Hit hit = HandBack(rule, "acme", 3);
  hit.charged = admitted;
  Charge({hit});
  EXPECT_EQ(UnitsOf(rule, "acme"), 0U);
}

TEST_P(StoreContract, ABucketTakesItsHandBackInTicksAndStopsAtEmpty) {
  const Rule& rule = NewRule(Algorithm::kTokenBucket, 10);
  const auto unit = static_cast<std::uint64_t>(rule.quota.interval);
  EXPECT_TRUE(Charge({HandBack(rule, "acme", 4 * unit)}).allowed());
  EXPECT_EQ(UnitsOf(rule, "acme"), 4U);
  EXPECT_TRUE(Charge({HandBack(rule, "acme", 400 * unit)}).allowed());
  EXPECT_EQ(UnitsOf(rule, "acme"), 10U);
}

TEST_P(StoreContract, AHandBackAheadInTheBatchIsSeenByTheCheckBehindIt) {
  const Rule& rule = NewRule(Algorithm::kFixedWindow, 5);
  ContractCheck& first = NewCheck({HandBack(rule, "acme", 5)});
  ContractCheck& live = NewCheck({HitOn(rule, "acme")});
  Commit({&first, &live});
  EXPECT_FALSE(live.allowed());
}

}  // namespace weir
