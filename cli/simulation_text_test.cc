#include "cli/simulation_text.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace weir::cli {
namespace {

using testing::HasSubstr;

std::vector<SimulatedMode> Runs(sim::Scenario& scenario) {
  std::vector<SimulatedMode> runs;
  for (const FailureMode mode : {FailureMode::kOpen, FailureMode::kLocalShare}) {
    scenario.policy.mode = mode;
    runs.push_back({NameOf(mode), sim::Simulate(scenario)});
  }
  return runs;
}

TEST(SimulationTextTest, TellsTheScenarioTheStripsAndBothTables) {
  sim::Scenario scenario = sim::PresetNamed("sticky-balancing").value();
  const std::string text = SimulationText(scenario, Runs(scenario));
  EXPECT_THAT(text, HasSubstr("4 instances, 50/s per tenant (token_bucket, burst 50); acme 120/s "
                              "globex 20/s (to instance 0) initech 5/s; blackhole 15s to 45s"));
  EXPECT_THAT(text, HasSubstr("in the outage: 4350 sent, 2250 of them within limits"));
  EXPECT_THAT(text, HasSubstr("\n open         ▆"));
  EXPECT_THAT(text, HasSubstr("\n local_share  globex "));
}

TEST(SimulationTextTest, TheSameSeedGivesTheSameBytes) {
  sim::Scenario scenario = sim::PresetNamed("flapping-store").value();
  const std::string once = SimulationJson(scenario, Runs(scenario));
  EXPECT_EQ(SimulationJson(scenario, Runs(scenario)), once);
}

TEST(SimulationTextTest, JsonHasEveryFigure) {
  sim::Scenario scenario = sim::PresetNamed("running-example").value();
  const auto json = nlohmann::json::parse(SimulationJson(scenario, Runs(scenario)));
  EXPECT_EQ(json["schema"], "weir.simulate/1");
  EXPECT_EQ(json["scenario"], "running-example");
  ASSERT_EQ(json["modes"].size(), 2U);
  EXPECT_EQ(json["modes"][0]["mode"], "open");
  EXPECT_EQ(json["modes"][0]["admitted_in_outage"], 4350);
  EXPECT_EQ(json["modes"][1]["tenants"][2]["tenant"], "initech");
  EXPECT_EQ(json["modes"][1]["tenants"][2]["outage_admitted"], 150);
  EXPECT_EQ(json["modes"][1]["offered_by_second"].size(), 60U);
}

}  // namespace
}  // namespace weir::cli
