#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "observe/reference_metrics.h"
#include "weir/answer/rate_limit_response.h"
#include "weir/base/manual_clock.h"
#include "weir/config/policy_loader.h"
#include "weir/limiter/limiter.h"
#include "weir/limiter/test_request.h"
#include "weir/store/memory_store.h"

namespace weir::reference {

// For the tests of docs/reference-behaviours.md: a decision service under the reference profile in
// small, fed with policy texts as its operators write them, and answering in Envoy's terms.
//
// Its clock stands at `second`, a Unix time, until told.
class Section9World {
 public:
  explicit Section9World(std::string_view policy, EngineOptions engine = {},
                         ResponseOptions answers = {}, std::int64_t second = 1'000'000'020)
      : clock_(At(second)),
        store_({.max_keys = 10'000, .now = At(second)}),
        engine_(store_, std::move(engine)),
        composer_(std::move(answers)) {
    EXPECT_EQ(Load(policy), "");
  }

  // A first load, or a reload.  Returns what the reference service would say; nothing if it loads.
  std::string Load(std::string_view policy) {
    const std::array<SourceFile, 1> files = {{{"policy.yaml", std::string(policy)}}};
    LoadOptions options;
    options.profile = Profile::kReference;
    LoadedPolicy loaded = LoadPolicy(files, options);
    EXPECT_EQ(loaded.ok(), loaded.reference_refusal.empty());
    if (!loaded.ok()) return loaded.reference_refusal;
    PolicyOptions build;
    build.profile = Profile::kReference;
    build.seed = 9;
    engine_.SetPolicy(Policy::Build(std::move(loaded.domains), build, engine_.policy().get(),
                                    clock_.Read().steady));
    return {};
  }

  // The answer stays until the next call.
  const RateLimitResponse& Ask(const TestRequest& request) {
    limiter_.BeginTurn();
    limiter_.Match(request.request(), clock_.Read(), check_);
    keys_.clear();
    for (const Hit& hit : check_.hits) keys_.emplace_back(hit.key);
    const std::array<Check*, 1> batch = {&check_};
    EXPECT_EQ(limiter_.Commit(batch, clock_.Read()), 0U);
    decision_ = limiter_.Settle(check_);
    return composer_.Compose(request.request(), check_, decision_, clock_.Read());
  }
  const RateLimitResponse& Ask(std::string_view domain, std::vector<Entry> entries,
                               std::uint64_t cost = 1) {
    return Ask(TestRequest(domain, {std::move(entries)}, cost));
  }
  // How many of `times` equal requests are OK.
  int Passed(const TestRequest& request, int times) {
    int passed = 0;
    for (int i = 0; i < times; ++i) passed += Ask(request).over ? 0 : 1;
    return passed;
  }

  // What was counted under a metric key: "domain.key_value.key".
  RuleTotals Counted(std::string_view stat_key) const {
    const std::array<const Engine*, 1> engines = {&engine_};
    const auto totals = observe::TotalsByStatKey(engines);
    const auto found = totals.find(stat_key);
    return found == totals.end() ? RuleTotals{} : found->second;
  }
  // The metric keys under which anything was counted so far.
  std::set<std::string> CountedKeys() const {
    std::set<std::string> keys;
    const std::array<const Engine*, 1> engines = {&engine_};
    for (const auto& [key, totals] : observe::TotalsByStatKey(engines)) {
      if (totals.total_hits > 0) keys.insert(key);
    }
    return keys;
  }
  std::string MetricsPage() const {
    observe::Exposition page;
    const std::array<const Engine*, 1> engines = {&engine_};
    observe::WriteReferenceMetrics(engines, {}, page);
    return page.text();
  }

  // Of the last request.
  const std::vector<std::string>& keys() const { return keys_; }
  const Check& check() const { return check_; }
  const Decision& decision() const { return decision_; }

  Engine& engine() { return engine_; }
  ManualClock& clock() { return clock_; }

  static Now At(std::int64_t second) {
    constexpr std::int64_t kOfSteady = 100'000;
    return {.steady = Instant(std::chrono::seconds(kOfSteady)),
            .wall = WallTime(std::chrono::seconds(second))};
  }

 private:
  ManualClock clock_;
  MemoryStore store_;
  Engine engine_;
  Limiter limiter_{engine_, 0};
  ResponseComposer composer_;
  Check check_;
  Decision decision_;
  std::vector<std::string> keys_;
};

// The service's own example of nearly everything: nested levels, defaults and exact values, an
// allow-list entry, a named limit, an unlimited one, a detailed metric.
inline constexpr std::string_view kBasicConfig = R"(domain: test-domain
descriptors:
  - key: key1
    value: value1
    descriptors:
      - key: subkey1
        rate_limit: {unit: second, requests_per_unit: 5}
      - key: subkey1
        value: subvalue1
        rate_limit: {unit: second, requests_per_unit: 10}
  - key: key2
    rate_limit: {unit: minute, requests_per_unit: 20}
  - key: key2
    value: value2
    rate_limit: {unit: minute, requests_per_unit: 30}
  - key: key2
    value: value3
  - key: key3
    rate_limit: {unit: hour, requests_per_unit: 1}
  - key: key4
    rate_limit: {name: key4_rate_limit, unit: day, requests_per_unit: 1}
  - key: key5
    value: value5
    descriptors:
      - key: subkey5
        value: subvalue5
        rate_limit: {unit: day, requests_per_unit: 15}
  - key: key6
    rate_limit: {unlimited: true}
  - key: key7
    detailed_metric: true
    rate_limit: {unit: day, requests_per_unit: 8}
)";

// -- one rule for key=value in `domain` ---

inline std::string OneRule(std::string_view unit, int limit, std::string_view more = "") {
  return "domain: domain\ndescriptors: [{key: key, value: value, " + std::string(more) +
         "rate_limit: {unit: " + std::string(unit) +
         ", requests_per_unit: " + std::to_string(limit) + "}}]\n";
}
inline const TestRequest& KeyValue() {
  static const TestRequest request("domain", {{{"key", "value"}}});
  return request;
}
inline void Spend(Section9World& world, std::uint64_t hits) {
  world.Ask("domain", {{"key", "value"}}, hits);
}

inline EngineOptions StandingStill(std::size_t held = 0) {
  EngineOptions options;
  options.stand_still_when_over = true;
  options.held_denials = held;
  return options;
}

}  // namespace weir::reference
