// Every fault, mode and algorithm in virtual time: what passed against what the mode promises.

#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "weir/failure/failing_rig.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

using FaultCase = std::tuple<Fault, FailureMode, Algorithm>;

// Two instances, 60 requests a second each for one key that is allowed 50 a second: 12 s of health,
// 12 s of the fault, then health again.
class FaultMatrixTest : public testing::TestWithParam<FaultCase> {
 protected:
  FaultMatrixTest() {
    live_.ReportCount(2, rig_.now().steady);
    a_ = &rig_.NewInstance({.fleet = &live_});
    b_ = &rig_.NewInstance({.fleet = &live_});
  }

  void SetFault(Fault fault) {
    a_->remote.fault = fault;
    b_->remote.fault = fault;
  }
  // Runs the traffic; counts what passed, and looks at every answer.
  struct Seen {
    int asked = 0;
    int passed = 0;
    int from_store = 0;
    int held_to = 0;  // Denied, and not for being closed.
    Duration longest{};
  };
  Seen Run(Duration how_long) {
    constexpr Duration kEvery = std::chrono::microseconds(16'500);
    Seen seen;
    std::deque<AskedCheck*> open;
    for (Duration gone{}; gone < how_long; gone += kEvery) {
      for (RigInstance* at : {a_, b_}) open.push_back(&rig_.Ask(*at, {hit_}));
      for (Duration t{}; t < kEvery; t += 500us) {
        rig_.Pass(500us, 500us);
        while (!open.empty() && !open.front()->pending) {
          Look(*open.front(), seen);
          open.pop_front();
        }
      }
    }
    for (AskedCheck* check : open) EXPECT_FALSE(check->pending);
    return seen;
  }
  void Look(const AskedCheck& check, Seen& seen) {
    EXPECT_EQ(check.done, check.was_pending ? 1 : 0);
    const Outcome& outcome = check.outcomes.at(0);
    ++seen.asked;
    seen.passed += check.passed() ? 1 : 0;
    seen.from_store += outcome.basis == Basis::kStore ? 1 : 0;
    EXPECT_EQ(outcome.basis == Basis::kStore, outcome.cause == Cause::kNone);
    if (check.was_pending) {
      seen.longest = std::max(seen.longest, rig_.now().steady - check.asked);
    }
  }

  FailingRig rig_;
  LiveCount live_{{.source = FleetSource::kDns}};
  RigInstance* a_ = nullptr;
  RigInstance* b_ = nullptr;
  Hit hit_ =
      rig_.HitOn(rig_.NewRule(std::get<2>(GetParam()), 50, 1s, {.mode = std::get<1>(GetParam())}));
};

TEST_P(FaultMatrixTest, WhatPassedIsWhatTheModePromises) {
  const auto [fault, mode, algorithm] = GetParam();
  const Seen health = Run(12s);
  EXPECT_EQ(health.from_store, health.asked);
  EXPECT_NEAR(health.passed, 12 * 50, 12 * 50 * 0.02 + 50);

  SetFault(fault);
  const Seen notice = Run(2s);
  EXPECT_LE(notice.longest, 10ms);
  const Seen outage = Run(10s);
  EXPECT_EQ(outage.from_store, 0);
  EXPECT_LE(outage.longest, 10ms);
  switch (mode) {
    case FailureMode::kOpen:
      EXPECT_EQ(outage.passed, outage.asked);
      break;
    case FailureMode::kClosed:
      EXPECT_EQ(outage.passed, 0);
      break;
    case FailureMode::kLocalShare:
    case FailureMode::kStatic:
      EXPECT_LE(outage.passed, 10 * 50 * 1.02);
      // A sliding window rounds its estimate up, on every instance.
      EXPECT_GE(outage.passed, 10 * 50 * (algorithm == Algorithm::kSlidingWindow ? 0.94 : 0.98));
      break;
    case FailureMode::kError:
      break;
  }

  SetFault(Fault::kNone);
  Run(2s);
  const Seen after = Run(2s);
  EXPECT_EQ(after.from_store, after.asked);
  EXPECT_NEAR(after.passed, 100, 5);
  EXPECT_LE(rig_.Counted(hit_), 50U);
}

std::string CaseName(const testing::TestParamInfo<FaultCase>& info) {
  static constexpr const char* kFaults[] = {
      "None",     "Refuse",  "Blackhole", "Slow",        "Lossy",  "CutBefore", "CutAfter",
      "Readonly", "Loading", "Oom",       "ClusterDown", "Script", "Garbage"};
  const auto& [fault, mode, algorithm] = info.param;
  return std::string(kFaults[static_cast<std::size_t>(fault)]) + "_" + std::string(NameOf(mode)) +
         "_" + std::string(NameOf(algorithm));
}

INSTANTIATE_TEST_SUITE_P(
    All, FaultMatrixTest,
    testing::Combine(testing::Values(Fault::kRefuse, Fault::kBlackhole, Fault::kSlow,
                                     Fault::kCutBefore, Fault::kCutAfter, Fault::kReadonly,
                                     Fault::kLoading, Fault::kOom, Fault::kClusterDown,
                                     Fault::kScript, Fault::kGarbage),
                     testing::Values(FailureMode::kOpen, FailureMode::kClosed,
                                     FailureMode::kLocalShare, FailureMode::kStatic),
                     testing::Values(Algorithm::kTokenBucket, Algorithm::kFixedWindow,
                                     Algorithm::kSlidingWindow)),
    CaseName);

}  // namespace
}  // namespace weir
