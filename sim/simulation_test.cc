#include "sim/simulation.h"

#include <gtest/gtest.h>

namespace weir::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Scenario RunningExample(FailureMode mode, ShareSplit split = ShareSplit::kEven) {
  Scenario scenario = PresetNamed("running-example").value();
  scenario.policy.mode = mode;
  scenario.policy.split = split;
  return scenario;
}

// -- the running example ----------------------------------------------------------------------

TEST(RunningExampleTest, OpenAdmitsEverybody) {
  const SimulationResult result = Simulate(RunningExample(FailureMode::kOpen));
  EXPECT_EQ(result.admitted_in_outage(), 4350U);
  EXPECT_NEAR(static_cast<double>(result.tenants[0].wrongly_admitted()), 2100, 3);
  // Until the last breaker has closed.
  EXPECT_GE(result.seconds_unprotected, 30U);
  EXPECT_LE(result.seconds_unprotected, 32U);
}

TEST(RunningExampleTest, ClosedAdmitsNobody) {
  const SimulationResult result = Simulate(RunningExample(FailureMode::kClosed));
  EXPECT_EQ(result.admitted_in_outage(), 0U);
  EXPECT_EQ(result.seconds_unprotected, 0U);
}

TEST(RunningExampleTest, LocalShareAndStaticHoldAcmeAndTouchNobodyElse) {
  for (const FailureMode mode : {FailureMode::kLocalShare, FailureMode::kStatic}) {
    SCOPED_TRACE(NameOf(mode));
    const SimulationResult result = Simulate(RunningExample(mode));
    EXPECT_NEAR(static_cast<double>(result.admitted_in_outage()), 2250, 3);
    EXPECT_NEAR(static_cast<double>(result.tenants[0].outage_admitted), 1500, 3);
    EXPECT_EQ(result.tenants[1].outage_admitted, 600U);
    EXPECT_EQ(result.tenants[2].outage_admitted, 150U);
    EXPECT_LT(result.tenants[0].rate_error, 0.05);
  }
}

TEST(RunningExampleTest, EvenSharesAreStrictOnATenantOfOneInstanceAndLearnedOnesAreNot) {
  for (const ShareSplit split : {ShareSplit::kEven, ShareSplit::kLearned}) {
    Scenario scenario = RunningExample(FailureMode::kLocalShare, split);
    scenario.tenants[1].pinned = 0;
    const auto denied = static_cast<double>(Simulate(scenario).tenants[1].wrongly_denied());
    if (split == ShareSplit::kEven) {
      EXPECT_NEAR(denied, 215, 12);
    } else {
      EXPECT_LE(denied, 3);
    }
  }
}

TEST(RunningExampleTest, AWrongDivisorMovesTheCap) {
  struct Row {
    std::uint32_t believed;
    double acme_per_second;
  };
  for (const Row& row : {Row{1, 120}, Row{2, 100}, Row{4, 50}, Row{8, 25}}) {
    SCOPED_TRACE(row.believed);
    Scenario scenario = RunningExample(FailureMode::kLocalShare);
    scenario.believed_instances = row.believed;
    const SimulationResult result = Simulate(scenario);
    EXPECT_NEAR(static_cast<double>(result.tenants[0].outage_admitted) / 30, row.acme_per_second,
                row.acme_per_second * 0.02);
  }
}

// A new primary is found by all at once; probes are not, and the first to be back spend some of
// what the bucket gathered.
TEST(RunningExampleTest, WithoutHandBackTheFirstSecondAfterIsAFreeForAll) {
  for (const FailureMode mode :
       {FailureMode::kOpen, FailureMode::kClosed, FailureMode::kLocalShare, FailureMode::kStatic}) {
    SCOPED_TRACE(NameOf(mode));
    Scenario scenario = RunningExample(mode);
    scenario.faults[0].kind = FaultKind::kFailover;
    scenario.hand_back = false;
    EXPECT_NEAR(static_cast<double>(Simulate(scenario).first_second_after), 124, 2);
    scenario.hand_back = true;
    const auto after = static_cast<double>(Simulate(scenario).first_second_after);
    if (mode == FailureMode::kClosed) {
      EXPECT_NEAR(after, 124, 2);  // Nothing was admitted, so nothing is owed.
    } else {
      EXPECT_GE(after, 74);
      EXPECT_LE(after, 80);
    }
    scenario.faults[0].kind = FaultKind::kBlackhole;
    if (mode == FailureMode::kClosed) continue;
    EXPECT_LE(Simulate(scenario).first_second_after, 90U);
  }
}

// -- what holds of every run ------------------------------------------------------------------

TEST(SimulationTest, TheSameSeedGivesTheSameRunAndAnotherOneAnother) {
  Scenario scenario = RunningExample(FailureMode::kLocalShare);
  const SimulationResult one = Simulate(scenario);
  const SimulationResult two = Simulate(scenario);
  EXPECT_EQ(one.admitted_by_second, two.admitted_by_second);
  EXPECT_EQ(one.longest_wait, two.longest_wait);
  EXPECT_EQ(one.recovered_after, two.recovered_after);
  scenario.seed = 8;
  EXPECT_NE(Simulate(scenario).recovered_after, one.recovered_after);
}

TEST(SimulationTest, EveryRequestIsDecidedOnceAndNoneLaterThanTheDeadline) {
  for (std::size_t k = 0; k < kFaultKinds; ++k) {
    Scenario scenario = RunningExample(FailureMode::kLocalShare);
    scenario.length = seconds(20);
    scenario.faults[0] = {.kind = static_cast<FaultKind>(k),
                          .from = seconds(5),
                          .to = seconds(12),
                          .amount = milliseconds(100)};
    SCOPED_TRACE(NameOf(scenario.faults[0].kind));
    const SimulationResult result = Simulate(scenario);
    EXPECT_EQ(result.decisions, result.sent());
    EXPECT_LE(result.longest_wait, scenario.timeout);
  }
}

TEST(SimulationTest, AHealthyFleetAdmitsExactlyWhatOneLimitWould) {
  Scenario scenario = RunningExample(FailureMode::kClosed);
  scenario.faults.clear();
  const SimulationResult result = Simulate(scenario);
  // 50 at once and 50 a second; the others are below it.
  EXPECT_NEAR(static_cast<double>(result.tenants[0].admitted), 50 + 50 * 60, 2);
  EXPECT_EQ(result.tenants[1].admitted, result.tenants[1].sent);
  EXPECT_EQ(result.tenants[2].admitted, result.tenants[2].sent);
  EXPECT_EQ(result.by_basis[static_cast<std::size_t>(Basis::kClosed)], 0U);
}

// -- scenarios --------------------------------------------------------------------------------

TEST(ScenarioTest, EveryPresetCanBeRun) {
  for (const std::string_view name : PresetNames()) {
    SCOPED_TRACE(name);
    const Scenario scenario = PresetNamed(name).value();
    EXPECT_EQ(scenario.name, name);
    EXPECT_EQ(WhatIsWrongWith(scenario), "");
  }
  EXPECT_FALSE(PresetNamed("walking-example"));
}

TEST(ScenarioTest, WhatCannotBeRunIsSaidInASentence) {
  Scenario scenario = PresetNamed("running-example").value();
  scenario.instances = 65;
  EXPECT_EQ(WhatIsWrongWith(scenario), "instances: from 1 to 64");
  scenario.instances = 2;
  scenario.tenants[0].pinned = 2;
  EXPECT_EQ(WhatIsWrongWith(scenario), "tenant acme: pinned to an instance that does not exist");
  scenario.tenants[0].pinned.reset();
  scenario.tenants[0].per_second = 0;
  EXPECT_NE(WhatIsWrongWith(scenario), "");
  scenario.tenants.clear();
  EXPECT_EQ(WhatIsWrongWith(scenario), "no tenants: nobody asks anything");
}

TEST(ScenarioTest, FaultsAreNamedBothWays) {
  for (std::size_t k = 0; k < kFaultKinds; ++k) {
    const auto kind = static_cast<FaultKind>(k);
    EXPECT_EQ(ParseFaultKind(NameOf(kind)), kind);
  }
  EXPECT_FALSE(ParseFaultKind("gremlins"));
}

}  // namespace
}  // namespace weir::sim
