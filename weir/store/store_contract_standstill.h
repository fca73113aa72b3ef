#pragma once

// What a store promises that counts for the reference profile and stands still when over
// (Check::standstill); stores that do include this beside the contract.

#include "weir/store/store_contract.h"

namespace weir {

TEST_P(StoreContract, StandingStillWhenOverOnlyTheHitsThatGoOverAreAdded) {
  const Rule& wide = NewRule(Algorithm::kFixedWindow, 15);
  const Rule& tight = NewRule(Algorithm::kFixedWindow, 14);
  Charge({HitOn(wide, "acme", 13), HitOn(tight, "acme", 13)}, Charging::kEach);
  ContractCheck& check =
      NewCheck({HitOn(wide, "acme", 2), HitOn(tight, "acme", 2)}, Charging::kEach);
  check.standstill = Standstill::kWhenOver;
  Commit({&check});
  EXPECT_TRUE(check.allowed(0));
  EXPECT_FALSE(check.outcomes[0].added);
  EXPECT_EQ(check.units(0), 13U);
  EXPECT_FALSE(check.allowed(1));
  EXPECT_TRUE(check.outcomes[1].added);
  EXPECT_EQ(check.units(1), 15U);
  EXPECT_EQ(UnitsOf(wide, "acme"), 13U);
}

TEST_P(StoreContract, StandingStillWhenOverAddsEverythingWhereNothingGoesOver) {
  const Rule& rule = NewRule(Algorithm::kFixedWindow, 3);
  // Each of the two fits by itself: whether both do is not known before they are added.
  ContractCheck& check =
      NewCheck({HitOn(rule, "acme", 2), HitOn(rule, "acme", 2)}, Charging::kEach);
  check.standstill = Standstill::kWhenOver;
  Commit({&check});
  EXPECT_TRUE(check.allowed(0) && check.outcomes[0].added);
  EXPECT_TRUE(!check.allowed(1) && check.outcomes[1].added);
  EXPECT_EQ(UnitsOf(rule, "acme"), 4U);
}

TEST_P(StoreContract, StandingStillWhenOverAPeekThatIsOverStopsTheOthers) {
  const Rule& over = NewRule(Algorithm::kFixedWindow, 1);
  const Rule& free = NewRule(Algorithm::kFixedWindow, 10);
  Charge({HitOn(over, "acme", 2)}, Charging::kEach);
  ContractCheck& check = NewCheck({HitOn(over, "acme", 0), HitOn(free, "acme")}, Charging::kEach);
  check.standstill = Standstill::kWhenOver;
  Commit({&check});
  EXPECT_FALSE(check.allowed(0));
  EXPECT_TRUE(check.allowed(1));
  EXPECT_EQ(UnitsOf(free, "acme"), 0U);
}

TEST_P(StoreContract, StandingStillNowEveryHitLooksAndRefundsAreGiven) {
  const Rule& rule = NewRule(Algorithm::kFixedWindow, 3);
  Charge({HitOn(rule, "acme", 2), HitOn(rule, "other", 4)}, Charging::kEach);
  ContractCheck& check = NewCheck(
      {HitOn(rule, "acme", 2), HitOn(rule, "other"), Refund(rule, "acme", 1)}, Charging::kEach);
  check.standstill = Standstill::kNow;
  Commit({&check});
  EXPECT_TRUE(check.allowed(0));  // At 2 of 3, which is what it says.
  EXPECT_FALSE(check.allowed(1));
  EXPECT_FALSE(check.outcomes[0].added || check.outcomes[1].added);
  EXPECT_EQ(UnitsOf(rule, "acme"), 1U);
  EXPECT_EQ(UnitsOf(rule, "other"), 4U);
}

}  // namespace weir
