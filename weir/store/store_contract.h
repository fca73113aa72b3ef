#pragma once

// What every Store promises (store.h), as tests.  A store's own test file includes this once and
// says how to make one:
//
//   INSTANTIATE_TEST_SUITE_P(Memory, StoreContract, testing::Values(StoreFactory(...)));
//
// Windows are an hour long unless time is what a test is about, so that a store that takes its time
// from elsewhere may let some of it pass between two calls.

#include <limits>

#include "weir/store/store_contract_fixture.h"

namespace weir {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): tests only.

// -- one rule ---------------------------------------------------------------------------------

TEST_P(StoreContract, AdmitsTheLimitAndNotOneMore) {
  for (const Algorithm algorithm : kAllAlgorithms) {
    SCOPED_TRACE(NameOf(algorithm));
    const Rule& rule = NewRule(algorithm, 5);
    for (std::uint64_t n = 1; n <= 5; ++n) {
      const ContractCheck& check = Charge({HitOn(rule, "acme")});
      EXPECT_TRUE(check.allowed());
      EXPECT_EQ(check.units(), n);
      EXPECT_EQ(check.outcomes[0].basis, Basis::kStore);
      EXPECT_EQ(check.outcomes[0].retry, Duration{});
    }
    const ContractCheck& denied = Charge({HitOn(rule, "acme")});
    EXPECT_FALSE(denied.allowed());
    EXPECT_EQ(denied.units(), 5U);
    EXPECT_GT(denied.outcomes[0].retry, Duration{});
    EXPECT_GE(denied.outcomes[0].reset, denied.outcomes[0].retry);
  }
}

TEST_P(StoreContract, C67_WhoWaitsAsLongAsToldIsAdmitted) {
  for (const Algorithm algorithm : kAllAlgorithms) {
    SCOPED_TRACE(NameOf(algorithm));
    const Rule& rule = NewRule(algorithm, 5, 10s);
    Advance(1700ms);
    EXPECT_EQ(Admitted(rule, "acme", 6), 5);
    const Duration retry = Charge({HitOn(rule, "acme")}).outcomes[0].retry;
    ASSERT_GT(retry, Duration{});
    Advance(retry);
    EXPECT_TRUE(Passes(rule, "acme"));
  }
}

TEST_P(StoreContract, C12_EveryWindowServesTheWholeLimit) {
  const Rule& fixed = NewRule(Algorithm::kFixedWindow, 5, 10s);
  const Rule& bucket = NewRule(Algorithm::kTokenBucket, 5, 10s);
  for (int window = 0; window < 4; ++window) {
    EXPECT_EQ(Admitted(fixed, "acme", 6), 5);
    EXPECT_EQ(Admitted(bucket, "acme", 6), 5);
    Advance(10s);
  }
}

TEST_P(StoreContract, C32_ASlidingWindowRemembersTheOneBeforeAndAFixedOneDoesNot) {
  const Rule& fixed = NewRule(Algorithm::kFixedWindow, 10, 60s);
  const Rule& sliding = NewRule(Algorithm::kSlidingWindow, 10, 60s);
  Advance(59s);
  EXPECT_EQ(Admitted(fixed, "acme", 10), 10);
  EXPECT_EQ(Admitted(sliding, "acme", 10), 10);
  Advance(2s);
  EXPECT_EQ(Admitted(fixed, "acme", 12), 10);
  EXPECT_EQ(Admitted(sliding, "acme", 3), 0);
  Advance(5s);
  EXPECT_EQ(Admitted(sliding, "acme", 3), 1);
  Advance(6s);
  EXPECT_EQ(Admitted(sliding, "acme", 3), 1);
}

TEST_P(StoreContract, C16_ABucketDoesNotJumpBackToFull) {
  const Rule& rule = NewRule(Algorithm::kTokenBucket, 3, 1s);
  int admitted = 0;
  for (int i = 0; i < 100; ++i) {
    const ContractCheck& check = Charge({HitOn(rule, "acme")});
    admitted += check.allowed() ? 1 : 0;
    EXPECT_LE(check.units(), 3U);
    if (i == 19) {
      EXPECT_EQ(admitted, 8);
    }
    Advance(100ms);
  }
  EXPECT_EQ(admitted, 32);
}

TEST_P(StoreContract, C24_HitsDoNotPushTheEndOfTheirWindowBack) {
  for (const Algorithm algorithm : kAllAlgorithms) {
    SCOPED_TRACE(NameOf(algorithm));
    Renew();
    const Rule& rule = NewRule(algorithm, 60, 60s);
    for (int i = 0; i < 90; ++i) {
      const ContractCheck& check = Charge({HitOn(rule, "acme")});
      ASSERT_TRUE(check.allowed());
      ASSERT_LE(check.units(), 4U);
      Advance(20s);
    }
  }
}

// -- costs, peeks, refunds --------------------------------------------------------------------

TEST_P(StoreContract, C62_ACostSpendsThatManyUnitsOrNone) {
  for (const Algorithm algorithm : kAllAlgorithms) {
    SCOPED_TRACE(NameOf(algorithm));
    const Rule& rule = NewRule(algorithm, 100);
    EXPECT_EQ(Charge({HitOn(rule, "acme", 40)}).units(), 40U);
    EXPECT_EQ(Charge({HitOn(rule, "acme", 40)}).units(), 80U);
    EXPECT_FALSE(Passes(rule, "acme", 40));
    EXPECT_EQ(UnitsOf(rule, "acme"), 80U);
    EXPECT_TRUE(Passes(rule, "acme", 20));
    EXPECT_FALSE(Passes(rule, "acme", 1));
  }
}

TEST_P(StoreContract, C70_ACostAboveTheLimitNeverFitsAndOneAtTheLimitDoes) {
  for (const Algorithm algorithm : kAllAlgorithms) {
    SCOPED_TRACE(NameOf(algorithm));
    const Rule& rule = NewRule(algorithm, 5);
    const ContractCheck& never = Charge({HitOn(rule, "acme", 10)});
    EXPECT_FALSE(never.allowed());
    EXPECT_EQ(never.outcomes[0].retry, kNeverFits);
    EXPECT_EQ(never.units(), 0U);
    EXPECT_TRUE(Passes(rule, "acme", 5));
    const ContractCheck& later = Charge({HitOn(rule, "acme", 5)});
    EXPECT_FALSE(later.allowed());
    EXPECT_LT(later.outcomes[0].retry, kNeverFits);
  }
}

TEST_P(StoreContract, C79_HugeCostsAreDeniedWithoutWrappingAround) {
  for (const Algorithm algorithm : kAllAlgorithms) {
    SCOPED_TRACE(NameOf(algorithm));
    const Rule& rule = NewRule(algorithm, 10);
    for (const std::uint64_t cost :
         {std::uint64_t{1} << 32U, std::uint64_t{1} << 63U, ~std::uint64_t{0}}) {
      EXPECT_FALSE(Passes(rule, "acme", cost));
    }
    EXPECT_EQ(Admitted(rule, "acme", 11), 10);
  }
}

TEST_P(StoreContract, C79_HugeAddendsSaturateAndTheNextWindowIsFresh) {
  const Rule& rule = NewRule(Algorithm::kFixedWindow, 10, 60s);
  for (const std::uint64_t cost :
       {std::uint64_t{1} << 32U, std::uint64_t{1} << 63U, ~std::uint64_t{0}, std::uint64_t{1}}) {
    EXPECT_FALSE(Charge({HitOn(rule, "acme", cost)}, Charging::kEach).allowed());
  }
  Advance(60s);
  const ContractCheck& next = Charge({HitOn(rule, "acme")}, Charging::kEach);
  EXPECT_TRUE(next.allowed());
  EXPECT_EQ(next.units(), 1U);
}

TEST_P(StoreContract, C09_PeeksSpendNothingAndNeverDeny) {
  for (const Algorithm algorithm : kAllAlgorithms) {
    SCOPED_TRACE(NameOf(algorithm));
    const Rule& rule = NewRule(algorithm, 3);
    EXPECT_EQ(UnitsOf(rule, "acme"), 0U);
    EXPECT_TRUE(Passes(rule, "acme", 2));
    for (int i = 0; i < 100; ++i) EXPECT_EQ(UnitsOf(rule, "acme"), 2U);
    EXPECT_TRUE(Passes(rule, "acme", 1));
    EXPECT_TRUE(Charge({HitOn(rule, "acme", 0)}).allowed());
    EXPECT_FALSE(Passes(rule, "acme", 1));
  }
}

TEST_P(StoreContract, ARefundOpensRoomNeverDeniesAndStopsAtZero) {
  for (const Algorithm algorithm : kAllAlgorithms) {
    SCOPED_TRACE(NameOf(algorithm));
    const Rule& rule = NewRule(algorithm, 10);
    EXPECT_TRUE(Charge({Refund(rule, "acme", 4)}).allowed());
    EXPECT_EQ(Admitted(rule, "acme", 11), 10);
    const ContractCheck& refund = Charge({Refund(rule, "acme", 3)});
    EXPECT_TRUE(refund.allowed());
    EXPECT_EQ(refund.units(), 7U);
    EXPECT_EQ(Admitted(rule, "acme", 5), 3);
    EXPECT_EQ(Charge({Refund(rule, "acme", ~std::uint64_t{0})}).units(), 0U);
    EXPECT_EQ(Admitted(rule, "acme", 11), 10);
  }
}

TEST_P(StoreContract, C10_ARefundReachesTheWindowItWasChargedInOrNone) {
  for (const Algorithm algorithm : {Algorithm::kFixedWindow, Algorithm::kSlidingWindow}) {
    SCOPED_TRACE(NameOf(algorithm));
    Renew();
    const Rule& rule = NewRule(algorithm, 5, 10s);
    Advance(9900ms);
    const WallTime charged = now().wall;
    EXPECT_TRUE(Passes(rule, "acme"));
    Advance(200ms);
    const std::uint64_t before = UnitsOf(rule, "acme");
    EXPECT_TRUE(Charge({Refund(rule, "acme", 1, charged)}).allowed());
    EXPECT_EQ(UnitsOf(rule, "acme"), before);
    EXPECT_EQ(Admitted(rule, "acme", 6), 5 - static_cast<int>(before));
  }
}

TEST_P(StoreContract, C11_UnderEachARefundIsFineEvenAboveTheLimit) {
  const Rule& rule = NewRule(Algorithm::kFixedWindow, 10);
  EXPECT_EQ(Charge({HitOn(rule, "acme", 3)}, Charging::kEach).units(), 3U);
  EXPECT_EQ(Charge({Refund(rule, "acme", 5)}, Charging::kEach).units(), 0U);
  for (int i = 0; i < 15; ++i) Charge({HitOn(rule, "acme")}, Charging::kEach);
  const ContractCheck& refund = Charge({Refund(rule, "acme", 2)}, Charging::kEach);
  EXPECT_TRUE(refund.allowed());
  EXPECT_EQ(refund.units(), 13U);
  EXPECT_FALSE(Charge({HitOn(rule, "acme")}, Charging::kEach).allowed());
}

// -- order ------------------------------------------------------------------------------------

TEST_P(StoreContract, CountsEqualKeysOfABatchInArrivalOrder) {
  for (const Algorithm algorithm : kAllAlgorithms) {
    SCOPED_TRACE(NameOf(algorithm));
    const Rule& rule = NewRule(algorithm, 3);
    std::vector<Check*> batch;
    for (int i = 0; i < 5; ++i) batch.push_back(&NewCheck({HitOn(rule, "acme")}));
    Commit(batch);
    for (std::size_t i = 0; i < 5; ++i) {
      const auto& check = static_cast<const ContractCheck&>(*batch[i]);
      EXPECT_EQ(check.allowed(), i < 3);
      EXPECT_EQ(check.units(), std::min<std::uint64_t>(i + 1, 3));
    }
  }
}

TEST_P(StoreContract, ALargeCostThatFailsDoesNotStopASmallerOneBehindIt) {
  for (const Algorithm algorithm : kAllAlgorithms) {
    SCOPED_TRACE(NameOf(algorithm));
    const Rule& rule = NewRule(algorithm, 5);
    ContractCheck& first = NewCheck({HitOn(rule, "acme", 3)});
    ContractCheck& large = NewCheck({HitOn(rule, "acme", 3)});
    ContractCheck& small = NewCheck({HitOn(rule, "acme", 2)});
    Commit({&first, &large, &small});
    EXPECT_TRUE(first.allowed());
    EXPECT_FALSE(large.allowed());
    EXPECT_TRUE(small.allowed());
    EXPECT_EQ(small.units(), 5U);
  }
}

TEST_P(StoreContract, CountsEqualKeysOfOneCheckInOrderAndGivesBackWhatDidNotFit) {
  for (const Algorithm algorithm : kAllAlgorithms) {
    SCOPED_TRACE(NameOf(algorithm));
    const Rule& rule = NewRule(algorithm, 3);
    const ContractCheck& both = Charge({HitOn(rule, "acme"), HitOn(rule, "acme")});
    EXPECT_TRUE(both.allowed(0) && both.allowed(1));
    EXPECT_EQ(both.units(0), 1U);
    EXPECT_EQ(both.units(1), 2U);
    const ContractCheck& half = Charge({HitOn(rule, "acme"), HitOn(rule, "acme")});
    EXPECT_TRUE(half.allowed(0));
    EXPECT_FALSE(half.allowed(1));
    EXPECT_EQ(UnitsOf(rule, "acme"), 2U);
  }
}

TEST_P(StoreContract, UnderEachEveryHitIsAddedInOrder) {
  const Rule& rule = NewRule(Algorithm::kFixedWindow, 3);
  const ContractCheck& check = Charge({HitOn(rule, "acme", 2), HitOn(rule, "acme", 2),
                                       HitOn(rule, "acme", 0), HitOn(rule, "other")},
                                      Charging::kEach);
  EXPECT_TRUE(check.allowed(0));
  EXPECT_FALSE(check.allowed(1));
  EXPECT_FALSE(check.allowed(2));  // Already above.
  EXPECT_TRUE(check.allowed(3));
  EXPECT_EQ(check.units(0), 2U);
  EXPECT_EQ(check.units(1), 4U);
  EXPECT_EQ(check.units(2), 4U);
  EXPECT_EQ(check.units(3), 1U);
}

TEST_P(StoreContract, C09_UnderEachAPeekAtTheLimitPassesAndAboveItDoesNot) {
  const Rule& rule = NewRule(Algorithm::kFixedWindow, 3);
  EXPECT_TRUE(Charge({HitOn(rule, "acme", 0)}, Charging::kEach).allowed());
  Charge({HitOn(rule, "acme", 3)}, Charging::kEach);
  EXPECT_TRUE(Charge({HitOn(rule, "acme", 0)}, Charging::kEach).allowed());
  Charge({HitOn(rule, "acme", 1)}, Charging::kEach);
  EXPECT_FALSE(Charge({HitOn(rule, "acme", 0)}, Charging::kEach).allowed());
}

// -- standing still when over -------------------------------------------------------------------

TEST_P(StoreContract, AnEmptyBatchAndAnEmptyCheckAreFine) {
  Commit({});
  Charge({});
  Charge({}, Charging::kEach);
}

}  // namespace weir

#include "weir/store/store_contract_failure.h"  // IWYU pragma: export
#include "weir/store/store_contract_groups.h"   // IWYU pragma: export
