// A day of random trouble: fleets, limits, modes and faults drawn from a seed, each run held to
// what must be true of every run.

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "sim/simulation.h"
#include "test/dice.h"
#include "weir/failure/mode.h"

namespace weir::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr FailureMode kModes[] = {FailureMode::kOpen, FailureMode::kClosed,
                                  FailureMode::kLocalShare, FailureMode::kStatic};

Fault RandomFault(Dice& dice, Duration from, std::size_t instances) {
  Fault fault;
  fault.kind = static_cast<FaultKind>(dice.Between(0, kFaultKinds - 1));
  fault.from = from;
  fault.to = from + milliseconds(dice.Between(200, 60'000));
  fault.amount = milliseconds(dice.Between(1, 300));
  fault.one_in = static_cast<std::uint32_t>(dice.Between(2, 20));
  const bool of_the_store = fault.kind == FaultKind::kFailover ||
                            fault.kind == FaultKind::kClockStep ||
                            fault.kind == FaultKind::kEviction;
  if (!of_the_store && dice.Between(0, 2) == 0) {
    fault.instances = dice.Between(1, (std::uint64_t{1} << instances) - 1);
  }
  return fault;
}

Scenario RandomScenario(Dice& dice) {
  Scenario s;
  s.seed = dice.Between(1, 1'000'000);
  s.instances = dice.Between(1, 6);
  s.length = minutes(10);
  const auto algorithm = static_cast<Algorithm>(dice.Between(0, 2));
  s.quota = {
      .algorithm = algorithm, .limit = dice.Between(2, 40), .window = seconds(dice.Between(1, 20))};
  if (algorithm == Algorithm::kTokenBucket) s.quota.burst = dice.Between(1, 60);
  s.policy.mode = kModes[dice.Between(0, 3)];
  s.policy.split = dice.Between(0, 2) == 0 ? ShareSplit::kLearned : ShareSplit::kEven;
  if (dice.Between(0, 3) == 0) s.policy.then.push_back({seconds(20), kModes[dice.Between(0, 3)]});
  s.hand_back = dice.Between(0, 4) != 0;
  const double rate =
      static_cast<double>(s.quota.limit) / std::chrono::duration<double>(s.quota.window).count();
  s.tenants = {{.name = "greedy", .per_second = std::min(12.0, rate * 3)},
               {.name = "modest", .per_second = std::min(2.0, rate * 0.2)}};
  if (dice.Between(0, 3) == 0) s.tenants[1].pinned = dice.Between(0, s.instances - 1);
  for (Duration at = seconds(30); at < s.length - minutes(1);
       at += seconds(dice.Between(20, 200))) {
    s.faults.push_back(RandomFault(dice, at, s.instances));
  }
  return s;
}

bool Uses(const Scenario& s, FailureMode mode) {
  if (s.policy.mode == mode) return true;
  for (const FailureRung& rung : s.policy.then) {
    if (rung.mode == mode) return true;
  }
  return false;
}

std::uint64_t Of(const SimulationResult& result, Basis basis) {
  return result.by_basis[static_cast<std::size_t>(basis)];
}

void ExpectWhatIsTrueOfEveryRun(const Scenario& s, const SimulationResult& result) {
  EXPECT_EQ(result.decisions, result.sent());
  EXPECT_LE(result.longest_wait, s.timeout);
  // Nobody answers by a mode that the rule's owner did not choose.
  for (const FailureMode mode : {FailureMode::kOpen, FailureMode::kClosed, FailureMode::kStatic}) {
    if (Uses(s, mode)) continue;
    EXPECT_EQ(Of(result, BasisOf(mode)), 0U) << NameOf(mode);
  }
  // Of static, a cold instance answers by local share.
  if (!Uses(s, FailureMode::kLocalShare) && !Uses(s, FailureMode::kStatic)) {
    EXPECT_EQ(Of(result, Basis::kLocalShare), 0U);
  }
  EXPECT_EQ(result.unavailable, Of(result, Basis::kClosed));
}

// What local shares admit in all: the limit's own, and for each outage at most the bursts that
// instances begin it and the store ends it with.
double MostThatSharesAdmit(const Scenario& s, const SimulationResult& result) {
  const Quota quota = MakeQuota(s.quota).value();
  const double rate =
      static_cast<double>(quota.limit) / std::chrono::duration<double>(quota.window).count();
  const double length = std::chrono::duration<double>(s.length).count();
  const double whole = static_cast<double>(quota.capacity());
  const double instances = static_cast<double>(s.instances);
  // At least one an instance, and a second window's worth across an edge.
  const double an_outage = 3 * whole + 2 * instances;
  const double windows = quota.algorithm == Algorithm::kTokenBucket ? 1 : 2;
  const double at_least_one =
      quota.algorithm == Algorithm::kTokenBucket
          ? 0
          : instances * length / std::chrono::duration<double>(quota.window).count();
  return windows * whole + rate * length + at_least_one +
         static_cast<double>(s.faults.size()) * an_outage + static_cast<double>(result.ambiguous);
}

// WEIR_SOAK_FIRST=N WEIR_SOAK_RUNS=1 repeats one run; WEIR_SOAK_HOURS changes how long it is.
std::uint64_t Number(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

void Soak(std::uint64_t hours) {
  const std::uint64_t first = Number("WEIR_SOAK_FIRST", 1);
  const std::uint64_t runs = Number("WEIR_SOAK_RUNS", Number("WEIR_SOAK_HOURS", hours) * 6);
  for (std::uint64_t i = 0; i < runs && !testing::Test::HasFailure(); ++i) {
    Dice dice(first + i);
    const Scenario s = RandomScenario(dice);
    SCOPED_TRACE(SeedNote() + " WEIR_SOAK_FIRST=" + std::to_string(first + i) +
                 " WEIR_SOAK_RUNS=1");
    ASSERT_EQ(WhatIsWrongWith(s), "");
    const SimulationResult result = Simulate(s);
    ExpectWhatIsTrueOfEveryRun(s, result);
    if (s.policy.mode != FailureMode::kLocalShare || !s.policy.then.empty()) continue;
    for (const TenantResult& tenant : result.tenants) {
      EXPECT_LE(static_cast<double>(tenant.admitted), MostThatSharesAdmit(s, result));
    }
  }
}

TEST(SoakTest, SharesThatAreTooLargeWouldBeNoticed) {
  Scenario s = PresetNamed("running-example").value();
  s.instances = 6;
  s.believed_instances = 1;
  s.tenants = {{.name = "greedy", .per_second = 300}};
  const SimulationResult result = Simulate(s);
  EXPECT_GT(static_cast<double>(result.tenants[0].admitted), MostThatSharesAdmit(s, result));
  s.believed_instances = 6;
  const SimulationResult right = Simulate(s);
  EXPECT_LE(static_cast<double>(right.tenants[0].admitted), MostThatSharesAdmit(s, right));
}

TEST(SoakTest, ADayOfRandomFaultsBreaksNoPromise) {
  Soak(24);
}

}  // namespace
}  // namespace weir::sim
