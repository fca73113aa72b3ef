#include "observe/reference_metrics.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "observe/metrics_rig.h"

namespace weir::observe {
namespace {

// As files are read under that profile: fixed windows.
RuleNode Windowed(RuleNode node) {
  node.rule->quota = MakeQuota({.algorithm = Algorithm::kFixedWindow,
                                .limit = node.rule->quota.limit,
                                .unit = Unit::kMinute})
                         .value();
  return node;
}

std::string PageOf(MetricsRig& rig) {
  Exposition page;
  WriteReferenceMetrics(rig.engines(), {}, page);
  return page.text();
}

bool Has(const std::string& page, const std::string& line) {
  return page.find("\n" + line + "\n") != std::string::npos;
}

TEST(ReferenceMetricsTest, SanitisesColonsPipesAndAddresses) {
  EXPECT_EQ(SanitizeStatKey("d.path_a:b|c"), "d.path_a_b_c");
  EXPECT_EQ(SanitizeStatKey("d.ip_10.0.0.1"), "d.ip_10_0_0_1");
  EXPECT_EQ(SanitizeStatKey("d.net_0.0.0.0/0_ip_172.18.0.1"), "d.net_0_0_0_0/0_ip_172_18_0_1");
  EXPECT_EQ(SanitizeStatKey("d.ip_10.0.0.1acme"), "d.ip_10_0_0_1acme");
  EXPECT_EQ(SanitizeStatKey("d.ip_1234.1.1.1"), "d.ip_1234_1_1_1");
  EXPECT_EQ(SanitizeStatKey("d.v_1.2.3"), "d.v_1.2.3");
  EXPECT_EQ(SanitizeStatKey("d.v_1.2.3.4567"), "d.v_1_2_3_4567");
  EXPECT_EQ(SanitizeStatKey("d.v_1.2.3."), "d.v_1.2.3.");
  EXPECT_EQ(SanitizeStatKey(""), "");
}

TEST(ReferenceMetricsTest, CutsKeysThatAreTooLongOnACharactersEdge) {
  const std::string key = std::string(kLongestStatKey - 1, 'a') + "\xc3\xbc";
  EXPECT_EQ(SanitizeStatKey(key), std::string(kLongestStatKey - 1, 'a'));
}

TEST(ReferenceMetricsTest, CutsLabelsAtTheDots) {
  EXPECT_EQ(LabelsOfStatKey("d.k_v"), (ReferenceLabels{"d", "k_v", ""}));
  EXPECT_EQ(LabelsOfStatKey("d.k_v.l_w"), (ReferenceLabels{"d", "k_v", "l_w"}));
  EXPECT_EQ(LabelsOfStatKey("d.k_v.l_w.m.n"), (ReferenceLabels{"d", "k_v", "l_w"}));
  EXPECT_EQ(LabelsOfStatKey("a.example.host_x"), (ReferenceLabels{"a", "example", "host_x"}));
  EXPECT_EQ(LabelsOfStatKey("d"), (ReferenceLabels{"d", "", ""}));
}

TEST(ReferenceMetricsTest, CountsUnderTheServicesNames) {
  MetricsRig rig({DomainOf("d", {Windowed(NodeOf("k", "v", 2))})}, Profile::kReference);
  for (int i = 0; i < 3; ++i) rig.Ask("d", {{"k", "v"}});
  const std::string page = PageOf(rig);
  EXPECT_TRUE(Has(page, R"(ratelimit_service_rate_limit_total_hits{domain="d",key1="k_v"} 3)"));
  EXPECT_TRUE(Has(page, R"(ratelimit_service_rate_limit_over_limit{domain="d",key1="k_v"} 1)"));
  EXPECT_TRUE(Has(page, R"(ratelimit_service_rate_limit_within_limit{domain="d",key1="k_v"} 2)"));
}

TEST(ReferenceMetricsTest, C102_EveryCounterExistsAtZero) {
  MetricsRig rig({DomainOf("d", {Windowed(NodeOf("k", "v", 2))})}, Profile::kReference);
  const std::string page = PageOf(rig);
  EXPECT_TRUE(Has(page, R"(ratelimit_service_rate_limit_over_limit{domain="d",key1="k_v"} 0)"));
  EXPECT_TRUE(Has(page, "ratelimit_service_config_load_error 0"));
  EXPECT_TRUE(Has(page, R"(ratelimit_service_should_rate_limit_error{err_type="redis_error"} 0)"));
}

TEST(ReferenceMetricsTest, FoldsDeeperLevelsIntoTheSecond) {
  MetricsRig rig(
      {DomainOf("d", {BranchOf("a", "",
                               {BranchOf("b", "", {NodeOf("c", "x", 9), NodeOf("c", "y", 9)})})})},
      Profile::kReference);
  rig.Ask("d", {{"a", "1"}, {"b", "2"}, {"c", "x"}});
  rig.Ask("d", {{"a", "1"}, {"b", "2"}, {"c", "y"}});
  EXPECT_TRUE(Has(PageOf(rig),
                  R"(ratelimit_service_rate_limit_total_hits{domain="d",key1="a",key2="b"} 2)"));
}

TEST(ReferenceMetricsTest, NamesUnknownDomainsInTheMetric) {
  MetricsRig rig({DomainOf("d", {Windowed(NodeOf("k", "v", 2))})}, Profile::kReference);
  rig.Ask("no.such-domain", {{"k", "v"}});
  EXPECT_TRUE(Has(PageOf(rig), "ratelimit_service_rate_limit_no_such_domain_domain_not_found 1"));
}

TEST(ReferenceMetricsTest, C100_FoldsOverrideValuesBeyondItsBoundIntoOneSeries) {
  MetricsRig rig({DomainOf("d", {Windowed(NodeOf("k", "v", 2))})}, Profile::kReference);
  constexpr std::size_t kMore = 5;
  for (std::size_t i = 0; i < NamedCounters::kMostNames + kMore; ++i) {
    const std::string value = std::to_string(i);
    rig.AskWithLimit("d", {{"user", value}}, {.requests_per_unit = 1, .unit = Unit::kDay});
  }
  const std::string page = PageOf(rig);
  EXPECT_TRUE(Has(
      page, R"(ratelimit_service_rate_limit_total_hits{domain="__other__",key1="__other__"} 5)"));
  EXPECT_LE(std::count(page.begin(), page.end(), '\n'), 5 * (10'000 + 2) + 100);
}

}  // namespace
}  // namespace weir::observe
