#include "cli/scenario_file.h"

#include <gtest/gtest.h>

#include "weir/config/render.h"

namespace weir::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

LoadedScenario Load(const std::string& text) {
  return LoadScenario({"black-friday.yaml", text});
}

TEST(ScenarioFileTest, ReadsEverythingAScenarioHas) {
  const LoadedScenario loaded = Load(
      "name: black friday\n"
      "instances: 6\n"
      "believed_instances: 4\n"
      "limit: 1000/minute\n"
      "algorithm: sliding_window\n"
      "length: 5m\n"
      "timeout: 20ms\n"
      "hand_back: false\n"
      "seed: 11\n"
      "on_store_failure: {mode: local_share, split: learned}\n"
      "tenants: {acme: 40, globex: {rate: 2.5, pin: 3, cost: 2}}\n"
      "faults:\n"
      "  - {kind: blackhole, from: 15s, to: 45s}\n"
      "  - {kind: delay, from: 50s, to: 52s, amount: 200ms, instances: [0, 2]}\n");
  ASSERT_TRUE(loaded.ok()) << OneLine(loaded.diagnostics.front());
  const sim::Scenario& s = loaded.scenario;
  EXPECT_EQ(s.name, "black friday");
  EXPECT_EQ(s.instances, 6U);
  EXPECT_EQ(s.believed_instances, 4U);
  EXPECT_EQ(s.quota.limit, 1000U);
  EXPECT_EQ(s.quota.window, Duration(seconds(60)));
  EXPECT_EQ(s.quota.algorithm, Algorithm::kSlidingWindow);
  EXPECT_EQ(s.length, Duration(seconds(300)));
  EXPECT_EQ(s.timeout, Duration(milliseconds(20)));
  EXPECT_FALSE(s.hand_back);
  EXPECT_EQ(s.seed, 11U);
  EXPECT_EQ(s.policy.mode, FailureMode::kLocalShare);
  EXPECT_EQ(s.policy.split, ShareSplit::kLearned);
  ASSERT_EQ(s.tenants.size(), 2U);
  EXPECT_EQ(s.tenants[0], (sim::Tenant{.name = "acme", .per_second = 40}));
  EXPECT_EQ(s.tenants[1],
            (sim::Tenant{.name = "globex", .per_second = 2.5, .cost = 2, .pinned = 3}));
  ASSERT_EQ(s.faults.size(), 2U);
  EXPECT_EQ(s.faults[1].kind, sim::FaultKind::kDelay);
  EXPECT_EQ(s.faults[1].amount, Duration(milliseconds(200)));
  EXPECT_EQ(s.faults[1].instances, 5U);
  EXPECT_EQ(sim::WhatIsWrongWith(s), "");
}

TEST(ScenarioFileTest, WhatIsNotWrittenStaysAsItWas) {
  sim::Scenario base = sim::PresetNamed("running-example").value();
  const LoadedScenario loaded = LoadScenario({"s.yaml", "seed: 9\n"}, base);
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded.scenario.tenants, base.tenants);
  EXPECT_EQ(loaded.scenario.faults.size(), 1U);
  EXPECT_EQ(loaded.scenario.seed, 9U);
}

TEST(ScenarioFileTest, EverySlipIsFoundWhereItStands) {
  struct Row {
    std::string text;
    std::uint32_t line;
  };
  for (const Row& row : {Row{"seed: 7\ninstnaces: 3\n", 2}, Row{"limit: fifty\n", 1},
                         Row{"tenants: {acme: -1}\n", 1}, Row{"tenants: [acme]\n", 1},
                         Row{"faults:\n  - {kind: gremlins, from: 1s, to: 2s}\n", 2},
                         Row{"faults:\n  - {kind: refuse, from: 3s, to: 2s}\n", 2},
                         Row{"on_store_failure: maybe\n", 1}, Row{"instances: 65\n", 1}}) {
    SCOPED_TRACE(row.text);
    const LoadedScenario loaded = Load(row.text);
    EXPECT_FALSE(loaded.ok());
    ASSERT_FALSE(loaded.diagnostics.empty());
    EXPECT_EQ(loaded.diagnostics.front().span.begin.line, row.line);
  }
}

}  // namespace
}  // namespace weir::cli
