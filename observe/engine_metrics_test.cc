#include "observe/engine_metrics.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "observe/metrics_rig.h"

namespace weir::observe {
namespace {

std::string PageOf(MetricsRig& rig, const ServiceCounts& service = {}) {
  Exposition page;
  WriteEngineMetrics(rig.engines(), &rig.store(), service, rig.now, page);
  page.Finish();
  return page.text();
}

bool Has(const std::string& page, const std::string& line) {
  return page.find("\n" + line + "\n") != std::string::npos;
}

RuleNode Named(std::string name, RuleNode node) {
  node.rule->name = std::move(name);
  return node;
}

// Never counts: answers as a rule with `open` does whose store is silent.
class SilentStore final : public Store {
 public:
  std::size_t Commit(std::span<Check* const> checks, const Now&) override {
    for (Check* check : checks) {
      check->pending = false;
      check->outcomes.assign(check->hits.size(), {.basis = Basis::kOpen, .cause = Cause::kTimeout});
    }
    return 0;
  }
  Instant Poll(const Now&) override { return kNever; }
  NodeId NodeOf(const Hit&) const override { return 0; }
};

TEST(EngineMetricsTest, CountsDecisionsByTheBindingRule) {
  MetricsRig rig({DomainOf("shop", {Named("per-tenant", NodeOf("tenant", "", 2))})});
  for (int i = 0; i < 3; ++i) rig.Ask("shop", {{"tenant", "acme"}});
  const std::string page = PageOf(rig);
  const std::string rule = R"({domain="shop",rule="per-tenant",)";
  EXPECT_TRUE(Has(page, "weir_decisions_total" + rule + R"(decision="allow",mode="normal"} 2)"));
  EXPECT_TRUE(Has(page, "weir_decisions_total" + rule + R"(decision="deny",mode="normal"} 1)"));
  EXPECT_TRUE(Has(page, "weir_rule_hits_total" + rule + R"(kind="total"} 3)"));
  EXPECT_TRUE(Has(page, "weir_rule_hits_total" + rule + R"(kind="over"} 1)"));
  EXPECT_TRUE(Has(page, "weir_rule_hits_total" + rule + R"(kind="within"} 2)"));
  EXPECT_TRUE(Has(page, R"(weir_rules{domain="shop"} 1)"));
}

TEST(EngineMetricsTest, C102_EveryFamilyOfARuleExistsAtZero) {
  MetricsRig rig({DomainOf("shop", {Named("r", NodeOf("tenant", "", 2))})});
  const std::string page = PageOf(rig);
  const std::string rule = R"({domain="shop",rule="r",)";
  for (const char* decision : {"allow", "deny", "shadow_deny"}) {
    EXPECT_TRUE(Has(
        page, "weir_decisions_total" + rule + "decision=\"" + decision + "\",mode=\"normal\"} 0"));
  }
  EXPECT_TRUE(Has(page, "weir_rule_hits_total" + rule + R"(kind="over"} 0)"));
  EXPECT_TRUE(Has(page, R"(weir_config_loads_total{result="error"} 0)"));
  EXPECT_TRUE(Has(page, R"(weir_unmatched_total{domain="shop"} 0)"));
  EXPECT_TRUE(Has(page, "weir_config_last_reload_successful 1"));
}

TEST(EngineMetricsTest, C100_NoSeriesDependsOnWhatRequestsSay) {
  MetricsRig rig({DomainOf("shop", {NodeOf("tenant", "", 2)})});
  rig.AskWithLimit("shop", {{"user", "0"}}, {.requests_per_unit = 1, .unit = Unit::kDay});
  const std::string first = PageOf(rig);
  for (int i = 0; i < 1000; ++i) {
    const std::string value = std::to_string(i);
    rig.AskWithLimit("shop", {{"tenant", value}}, {.requests_per_unit = 1, .unit = Unit::kDay});
    rig.AskWithLimit("shop", {{"user", value}}, {.requests_per_unit = 1, .unit = Unit::kDay});
    rig.Ask("domain" + value, {{"tenant", value}});
  }
  const std::string page = PageOf(rig);
  EXPECT_EQ(std::count(page.begin(), page.end(), '\n'),
            std::count(first.begin(), first.end(), '\n'));
  EXPECT_TRUE(Has(page, "weir_unknown_domain_total 1000"));
}

TEST(EngineMetricsTest, CountsRequestsByDomainAndTheUnknownOnesTogether) {
  MetricsRig rig({DomainOf("shop", {NodeOf("tenant", "", 2)}), DomainOf("blog", {})});
  rig.Ask("shop", {{"tenant", "acme"}});
  rig.Ask("shop", {{"nothing", "x"}});
  rig.Ask("nowhere", {{"tenant", "acme"}});
  rig.Ask("elsewhere", {{"tenant", "acme"}});
  ServiceCounts service;
  service.transports.push_back({.name = "grpc", .requests = 0, .decisions = {}});
  const std::string page = PageOf(rig, service);
  EXPECT_TRUE(Has(page, R"(weir_requests_total{domain="shop",transport="library"} 2)"));
  EXPECT_TRUE(Has(page, R"(weir_requests_total{domain="shop",transport="grpc"} 0)"));
  EXPECT_TRUE(Has(page, R"(weir_requests_total{domain="blog",transport="library"} 0)"));
  EXPECT_TRUE(Has(page, R"(weir_requests_total{domain="__other__",transport="library"} 2)"));
  EXPECT_EQ(page.find(R"(transport="gateway")"), std::string::npos);
  EXPECT_TRUE(Has(page, R"(weir_unmatched_total{domain="shop"} 1)"));
  EXPECT_TRUE(Has(page, R"(weir_unmatched_total{domain="blog"} 0)"));
  EXPECT_EQ(page.find(R"(weir_unmatched_total{domain="__other__"})"), std::string::npos);
}

TEST(EngineMetricsTest, TheRuleOfOverridesAppearsOnceOneWasCounted) {
  MetricsRig rig({DomainOf("shop", {NodeOf("tenant", "", 2)})});
  EXPECT_EQ(PageOf(rig).find("~override"), std::string::npos);
  rig.AskWithLimit("shop", {{"user", "x"}}, {.requests_per_unit = 1, .unit = Unit::kDay});
  EXPECT_TRUE(Has(PageOf(rig),
                  R"(weir_rule_hits_total{domain="shop",rule="shop/~override",kind="total"} 1)"));
}

TEST(EngineMetricsTest, CountsWhatAShadowRuleWouldHaveDenied) {
  RuleNode node = Named("quiet", NodeOf("tenant", "", 1));
  node.rule->shadow_mode = true;
  MetricsRig rig({DomainOf("shop", {std::move(node)})});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(rig.Ask("shop", {{"tenant", "acme"}}).allowed());
  const std::string page = PageOf(rig);
  EXPECT_TRUE(Has(page,
                  "weir_decisions_total{domain=\"shop\",rule=\"quiet\","
                  "decision=\"shadow_deny\",mode=\"normal\"} 2"));
  EXPECT_TRUE(Has(page, R"(weir_rule_hits_total{domain="shop",rule="quiet",kind="shadow"} 2)"));
}

TEST(EngineMetricsTest, TellsRulesOfOneNameApartByTheirIds) {
  MetricsRig rig(
      {DomainOf("shop", {Named("same", NodeOf("a", "", 1)), Named("same", NodeOf("b", "", 1))})});
  const RulesReading reading = ReadRules(rig.engines());
  std::set<std::string> names;
  for (const RuleReading& r : reading.rules) names.insert(r.name);
  EXPECT_TRUE(names.contains("shop/a"));
  EXPECT_TRUE(names.contains("shop/b"));
}

TEST(EngineMetricsTest, CallsARuleThatFellBackAsAllOtherFamiliesDo) {
  SilentStore store;
  Engine engine(store, {});
  engine.SetPolicy(
      Policy::Build({DomainOf("shop", {Named("front-page", NodeOf("path", "", 1))})}, OptionsOf()));
  Limiter limiter(engine, 0);
  limiter.BeginTurn();
  const std::array<Entry, 1> entries = {{{"path", "/"}}};
  Descriptor descriptor;
  descriptor.entries = entries;
  Check check;
  limiter.Match({.domain = "shop", .descriptors = {&descriptor, 1}}, MetricsRig::kStart, check);
  const std::array<Check*, 1> batch = {&check};
  limiter.Commit(batch, MetricsRig::kStart);
  EXPECT_TRUE(limiter.Settle(check).allowed());
  const std::array<const Engine*, 1> engines = {&engine};
  Exposition page;
  WriteEngineMetrics(engines, nullptr, {}, MetricsRig::kStart, page);
  const std::string rule = R"({domain="shop",rule="front-page",)";
  EXPECT_TRUE(Has(page.text(), "weir_fallback_total" + rule + R"(mode="open",cause="timeout"} 1)"));
  EXPECT_TRUE(
      Has(page.text(), "weir_decisions_total" + rule + R"(decision="allow",mode="open"} 1)"));
}

TEST(EngineMetricsTest, SumsOverTheEnginesOfAProcess) {
  MetricsRig a({DomainOf("shop", {NodeOf("tenant", "", 5)})});
  MetricsRig b({DomainOf("shop", {NodeOf("tenant", "", 5)})});
  a.Ask("shop", {{"tenant", "acme"}});
  b.Ask("shop", {{"tenant", "acme"}});
  const std::array<const Engine*, 2> both = {&a.engine(), &b.engine()};
  Exposition page;
  WriteEngineMetrics(both, nullptr, {}, a.now, page);
  EXPECT_TRUE(
      Has(page.text(), R"(weir_rule_hits_total{domain="shop",rule="shop/tenant",kind="total"} 2)"));
  EXPECT_TRUE(Has(page.text(), "weir_checks_total 2"));
}

TEST(EngineMetricsTest, WarnsOnceTheDayOfReviewHasPassed) {
  RuleNode old = Named("old", NodeOf("a", "", 1));
  old.rule->annotations.review_by = "2026-01-13";
  RuleNode today = Named("today", NodeOf("b", "", 1));
  today.rule->annotations.review_by = "2026-01-14";
  MetricsRig rig({DomainOf("shop", {std::move(old), std::move(today)})});
  const std::string page = PageOf(rig);
  EXPECT_TRUE(Has(page, R"(weir_rule_review_overdue{domain="shop",rule="old"} 1)"));
  EXPECT_TRUE(Has(page, R"(weir_rule_review_overdue{domain="shop",rule="today"} 0)"));
}

TEST(EngineMetricsTest, ShowsWhatTheProcessCounts) {
  MetricsRig rig({DomainOf("shop", {NodeOf("tenant", "", 5)})});
  ServiceCounts service;
  service.version = "1.2.3";
  service.revision = "abc";
  service.config.last_reload_ok = false;
  service.config.loads_failed = 2;
  service.longest_turn = std::chrono::milliseconds(3);
  service.decision_log.dropped = 9;
  service.transports.push_back({.name = "grpc", .requests = 7, .decisions = {}});
  const std::string page = PageOf(rig, service);
  EXPECT_TRUE(Has(page, R"(weir_build_info{version="1.2.3",revision="abc"} 1)"));
  EXPECT_TRUE(Has(page, "weir_config_last_reload_successful 0"));
  EXPECT_TRUE(Has(page, R"(weir_config_loads_total{result="error"} 2)"));
  EXPECT_TRUE(Has(page, "weir_loop_longest_turn_seconds 0.003"));
  EXPECT_TRUE(Has(page, "weir_decision_log_dropped_total 9"));
  EXPECT_TRUE(Has(page, R"(weir_requests_total{domain="shop",transport="grpc"} 0)"));
  EXPECT_TRUE(Has(page, R"(weir_decision_duration_seconds_count{transport="grpc"} 0)"));
}

TEST(EngineMetricsTest, ShowsWhatTheLatestSurveyOfTheStoreFound) {
  MetricsRig rig({});
  ServiceCounts service;
  service.store.nodes.push_back(
      {.name = "redis://10.0.0.1", .findings = {{"evicting", true}, {"slow", false}}});
  const std::string page = PageOf(rig, service);
  EXPECT_TRUE(Has(page, R"(weir_store_findings{store="redis://10.0.0.1",finding="evicting"} 1)"));
  EXPECT_TRUE(Has(page, R"(weir_store_findings{store="redis://10.0.0.1",finding="slow"} 0)"));
}

TEST(EngineMetricsTest, NamesTheModeOfEveryBasis) {
  EXPECT_EQ(ModeOf(Basis::kNoRule), "normal");
  EXPECT_EQ(ModeOf(Basis::kStore), "normal");
  EXPECT_EQ(ModeOf(Basis::kHeld), "held");
  EXPECT_EQ(ModeOf(Basis::kLocalShare), "local_share");
  EXPECT_EQ(ModeOf(Basis::kOpen), "open");
  EXPECT_EQ(ModeOf(Basis::kClosed), "closed");
  EXPECT_EQ(ModeOf(Basis::kStatic), "static");
  EXPECT_EQ(ModeOf(Basis::kShed), "shed");
  EXPECT_EQ(ModeOf(Basis::kBypass), "bypass");
}

}  // namespace
}  // namespace weir::observe
