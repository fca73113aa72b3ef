#pragma once

// The second half of store_contract.h, which includes it: several rules in one check, keys apart
// from each other, levels carried over a reload.

#include "weir/store/store_contract_fixture.h"

namespace weir {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): tests only.

// -- several rules ----------------------------------------------------------------------------

TEST_P(StoreContract, C01_ADeniedCheckSpendsNothingAnywhere) {
  for (const Algorithm algorithm : kAllAlgorithms) {
    SCOPED_TRACE(NameOf(algorithm));
    const Rule& group = NewRule(algorithm, 10);
    const Rule& special = NewRule(algorithm, 3);
    for (int i = 0; i < 5; ++i) {
      const ContractCheck& check = Charge({HitOn(group, "bar"), HitOn(special, "yes")});
      EXPECT_TRUE(check.allowed(0));
      EXPECT_EQ(check.allowed(1), i < 3);
      EXPECT_EQ(check.units(0), std::min<std::uint64_t>(static_cast<std::uint64_t>(i) + 1, 3));
    }
    EXPECT_EQ(Admitted(group, "bar", 9), 7);
    EXPECT_EQ(UnitsOf(special, "yes"), 3U);
  }
}

TEST_P(StoreContract, TheOrderOfRulesDoesNotMatterToAllOrNothing) {
  const Rule& empty = NewRule(Algorithm::kTokenBucket, 0);
  const Rule& bucket = NewRule(Algorithm::kTokenBucket, 5);
  const Rule& fixed = NewRule(Algorithm::kFixedWindow, 5);
  const Rule& sliding = NewRule(Algorithm::kSlidingWindow, 5);
  Charge({HitOn(empty, "a"), HitOn(bucket, "a"), HitOn(fixed, "a"), HitOn(sliding, "a")});
  Charge({HitOn(bucket, "a"), HitOn(fixed, "a"), HitOn(empty, "a"), HitOn(sliding, "a")});
  Charge({HitOn(bucket, "a"), HitOn(fixed, "a"), HitOn(sliding, "a"), HitOn(empty, "a")});
  EXPECT_EQ(UnitsOf(bucket, "a"), 0U);
  EXPECT_EQ(UnitsOf(fixed, "a"), 0U);
  EXPECT_EQ(UnitsOf(sliding, "a"), 0U);
}

TEST_P(StoreContract, C01_UnderEachADeniedRuleDoesNotSpareTheOthers) {
  const Rule& group = NewRule(Algorithm::kFixedWindow, 10);
  const Rule& special = NewRule(Algorithm::kFixedWindow, 3);
  for (int i = 0; i < 5; ++i) {
    const ContractCheck& check =
        Charge({HitOn(group, "bar"), HitOn(special, "yes")}, Charging::kEach);
    EXPECT_TRUE(check.allowed(0));
    EXPECT_EQ(check.allowed(1), i < 3);
  }
  EXPECT_EQ(UnitsOf(group, "bar"), 5U);
  EXPECT_EQ(UnitsOf(special, "yes"), 5U);
}

TEST_P(StoreContract, C02_ARuleWithoutASayCountsByItsOwnVerdictAndStopsNobody) {
  for (const Algorithm algorithm : kAllAlgorithms) {
    SCOPED_TRACE(NameOf(algorithm));
    const Rule& user = NewRule(algorithm, 10);
    const Rule& dry = NewRule(algorithm, 2);
    int passed = 0;
    int would_deny = 0;
    for (int i = 0; i < 12; ++i) {
      const ContractCheck& check = Charge({HitOn(user, "u1"), Shadow(dry, "free")});
      passed += check.allowed(0) ? 1 : 0;
      would_deny += check.allowed(1) ? 0 : 1;
    }
    EXPECT_EQ(passed, 10);
    EXPECT_EQ(would_deny, 10);
    EXPECT_EQ(UnitsOf(user, "u1"), 10U);
    EXPECT_EQ(UnitsOf(dry, "free"), 2U);
  }
}

TEST_P(StoreContract, ARuleWithoutASayIsNotCountedInADeniedCheck) {
  for (const Algorithm algorithm : kAllAlgorithms) {
    SCOPED_TRACE(NameOf(algorithm));
    const Rule& user = NewRule(algorithm, 1);
    const Rule& dry = NewRule(algorithm, 10);
    for (int i = 0; i < 4; ++i) Charge({HitOn(user, "u1"), Shadow(dry, "free")});
    EXPECT_EQ(UnitsOf(dry, "free"), 1U);
  }
}

TEST_P(StoreContract, RulesWithoutASayAreEachChargedByTheirOwnVerdict) {
  const Rule& small = NewRule(Algorithm::kTokenBucket, 1);
  const Rule& large = NewRule(Algorithm::kFixedWindow, 10);
  for (int i = 0; i < 4; ++i) Charge({Shadow(small, "a"), Shadow(large, "a")});
  EXPECT_EQ(UnitsOf(small, "a"), 1U);
  EXPECT_EQ(UnitsOf(large, "a"), 4U);
}

TEST_P(StoreContract, WhenAllSoftRulesDenyNothingIsSpentAnywhere) {
  for (const Algorithm algorithm : kAllAlgorithms) {
    SCOPED_TRACE(NameOf(algorithm));
    const Rule& hard = NewRule(algorithm, 10);
    const Rule& one = NewRule(algorithm, 1);
    const Rule& two = NewRule(algorithm, 2);
    const auto ask = [&]() -> const ContractCheck& {
      return Charge(
          {HitOn(hard, "acme"), Soft(one, "acme"), Soft(two, "acme"), Shadow(hard, "beside")});
    };
    for (int i = 0; i < 2; ++i) ask();  // One of the soft rules still has room: it passes.
    EXPECT_EQ(UnitsOf(hard, "acme"), 2U);
    const ContractCheck& denied = ask();
    EXPECT_TRUE(denied.allowed(0));
    EXPECT_FALSE(denied.allowed(1));
    EXPECT_FALSE(denied.allowed(2));
    EXPECT_EQ(denied.units(0), 2U);
    EXPECT_EQ(UnitsOf(hard, "acme"), 2U);
    EXPECT_EQ(UnitsOf(one, "acme"), 1U);
    EXPECT_EQ(UnitsOf(two, "acme"), 2U);
    EXPECT_EQ(UnitsOf(hard, "beside"), 2U);
  }
}

TEST_P(StoreContract, ARefundMakesRoomForAHitBehindItAndIsGivenEvenWhereTheCheckIsDenied) {
  for (const Algorithm algorithm : kAllAlgorithms) {
    SCOPED_TRACE(NameOf(algorithm));
    const Rule& rule = NewRule(algorithm, 3);
    const Rule& spent = NewRule(algorithm, 1);
    EXPECT_TRUE(Passes(rule, "acme", 3));
    EXPECT_TRUE(Passes(spent, "acme"));
    const ContractCheck& exchange = Charge({Refund(rule, "acme", 2), HitOn(rule, "acme", 1)});
    EXPECT_TRUE(exchange.allowed(1));
    EXPECT_EQ(UnitsOf(rule, "acme"), 2U);
    for (const bool refund_first : {true, false}) {
      const Hit refund = Refund(rule, "acme", 1);
      const Hit denied = HitOn(spent, "acme");
      const ContractCheck& check = refund_first ? Charge({refund, HitOn(rule, "other"), denied})
                                                : Charge({HitOn(rule, "other"), denied, refund});
      EXPECT_FALSE(check.allowed(refund_first ? 2 : 1));
      EXPECT_EQ(UnitsOf(rule, "other"), 0U);
    }
    EXPECT_EQ(UnitsOf(rule, "acme"), 0U);
  }
}

TEST_P(StoreContract, ARefundOfARuleWithoutASayIsGivenEvenWhereTheCheckIsDenied) {
  for (const Algorithm algorithm : kAllAlgorithms) {
    SCOPED_TRACE(NameOf(algorithm));
    const Rule& dry = NewRule(algorithm, 5);
    const Rule& soft = NewRule(algorithm, 5);
    const Rule& spent = NewRule(algorithm, 1);
    EXPECT_TRUE(
        Charge({HitOn(spent, "acme"), Soft(soft, "acme", 3), Shadow(dry, "acme", 3)}).allowed());
    Hit shadow_refund = Shadow(dry, "acme", 2);
    shadow_refund.refund = true;
    Hit soft_refund = Soft(soft, "acme", 2);
    soft_refund.refund = true;
    const ContractCheck& denied = Charge({HitOn(spent, "acme"), soft_refund, shadow_refund});
    EXPECT_FALSE(denied.allowed(0));
    EXPECT_EQ(UnitsOf(dry, "acme"), 1U);
    EXPECT_EQ(UnitsOf(soft, "acme"), 1U);
  }
}

TEST_P(StoreContract, ChecksOfABatchDecideOneAfterTheOther) {
  const Rule& shared = NewRule(Algorithm::kTokenBucket, 2);
  const Rule& own = NewRule(Algorithm::kFixedWindow, 10);
  ContractCheck& first = NewCheck({HitOn(shared, "g"), HitOn(own, "a")});
  ContractCheck& second = NewCheck({HitOn(shared, "g"), HitOn(own, "b")});
  ContractCheck& third = NewCheck({HitOn(shared, "g"), HitOn(own, "c")});
  Commit({&first, &second, &third});
  EXPECT_TRUE(first.allowed(0) && second.allowed(0));
  EXPECT_FALSE(third.allowed(0));
  EXPECT_EQ(UnitsOf(own, "b"), 1U);
  EXPECT_EQ(UnitsOf(own, "c"), 0U);
}

TEST_P(StoreContract, C04_StackedWindowsCountEachCallOnce) {
  const Rule& minute = NewRule(Algorithm::kFixedWindow, 20, 60s);
  const Rule& ten = NewRule(Algorithm::kFixedWindow, 200, 600s);
  const Rule& hour = NewRule(Algorithm::kFixedWindow, 1200, 3600s);
  const Rule& day = NewRule(Algorithm::kFixedWindow, 5000, 86'400s);
  for (int i = 1; i <= 21; ++i) {
    const ContractCheck& check =
        Charge({HitOn(minute, "c"), HitOn(ten, "c"), HitOn(hour, "c"), HitOn(day, "c")});
    EXPECT_EQ(check.allowed(0), i <= 20);
    EXPECT_TRUE(check.allowed(1) && check.allowed(2) && check.allowed(3));
  }
  EXPECT_EQ(UnitsOf(ten, "c"), 20U);
  EXPECT_EQ(UnitsOf(hour, "c"), 20U);
  EXPECT_EQ(UnitsOf(day, "c"), 20U);
}

// -- keys -------------------------------------------------------------------------------------

TEST_P(StoreContract, KeysAndRulesDoNotShareCounters) {
  for (const Algorithm algorithm : kAllAlgorithms) {
    SCOPED_TRACE(NameOf(algorithm));
    const Rule& one = NewRule(algorithm, 2);
    const Rule& two = NewRule(algorithm, 2);
    for (int key = 0; key < 200; ++key) {
      EXPECT_EQ(Admitted(one, std::to_string(key), 3), 2);
      EXPECT_EQ(Admitted(two, std::to_string(key), 3), 2);
    }
    for (int key = 0; key < 200; ++key) EXPECT_EQ(UnitsOf(one, std::to_string(key)), 2U);
  }
}

TEST_P(StoreContract, AnyBytesMakeAKey) {
  const Rule& rule = NewRule(Algorithm::kTokenBucket, 1);
  const std::string_view zero("a\0b", 3);
  for (const std::string_view key : {std::string_view(), zero, zero.substr(0, 2),
                                     std::string_view("a b\r\n*"), std::string_view("\xff\xfe")}) {
    EXPECT_EQ(Admitted(rule, key, 2), 1);
  }
}

// -- reloads ----------------------------------------------------------------------------------

TEST_P(StoreContract, C104_ARaisedRuleStartsWithTheUnitsThatWereSpent) {
  for (const Algorithm algorithm : kAllAlgorithms) {
    SCOPED_TRACE(NameOf(algorithm));
    const Rule& old = NewRule(algorithm, 10);
    EXPECT_TRUE(Passes(old, "acme", 5));
    const Rule& now = Changed(old, {.algorithm = algorithm, .limit = 100, .window = 1h});
    EXPECT_EQ(UnitsOf(now, "acme"), 5U);
    EXPECT_EQ(Charge({HitOn(now, "acme")}).units(), 6U);
    EXPECT_EQ(Charge({HitOn(now, "acme")}).units(), 7U);
    EXPECT_EQ(UnitsOf(now, "other"), 0U);
  }
}

TEST_P(StoreContract, C104_ALoweredRuleStartsAtTheShareThatWasSpent) {
  for (const Algorithm algorithm : kAllAlgorithms) {
    SCOPED_TRACE(NameOf(algorithm));
    const Rule& old = NewRule(algorithm, 10);
    EXPECT_TRUE(Passes(old, "acme", 5));
    const Rule& now = Changed(old, {.algorithm = algorithm, .limit = 4, .window = 1h});
    EXPECT_EQ(UnitsOf(now, "acme"), 2U);
    EXPECT_EQ(Admitted(now, "acme", 4), 2);
  }
}

TEST_P(StoreContract, C103_ADrainedKeyStaysDrainedWhateverTheNewAlgorithm) {
  for (const Algorithm from : kAllAlgorithms) {
    for (const Algorithm to : kAllAlgorithms) {
      SCOPED_TRACE(std::string(NameOf(from)) + " to " + std::string(NameOf(to)));
      const Rule& old = NewRule(from, 10);
      EXPECT_EQ(Admitted(old, "acme", 11), 10);
      const Rule& now = Changed(old, {.algorithm = to, .limit = 8, .window = 1h});
      EXPECT_FALSE(Passes(now, "acme"));
      EXPECT_TRUE(Passes(now, "other"));
    }
  }
}

TEST_P(StoreContract, C107_ARaiseNeverTurnsRoomIntoNone) {
  const Rule& old =
      NewRule({.algorithm = Algorithm::kTokenBucket, .limit = 10, .window = 20s, .burst = 15});
  EXPECT_TRUE(Passes(old, "acme", 4));
  const Rule& now = Changed(
      old, {.algorithm = Algorithm::kTokenBucket, .limit = 1000, .window = 20s, .burst = 15});
  const ContractCheck& check = Charge({HitOn(now, "acme")});
  EXPECT_TRUE(check.allowed());
  EXPECT_LE(check.units(), 15U - 10U);
}

}  // namespace weir
