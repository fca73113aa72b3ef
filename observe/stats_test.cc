#include "observe/stats.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "observe/metrics_rig.h"

namespace weir::observe {
namespace {

std::uint64_t ValueOf(const std::vector<Stat>& stats, std::string_view name) {
  const auto it =
      std::find_if(stats.begin(), stats.end(), [&](const Stat& s) { return s.name == name; });
  return it == stats.end() ? ~std::uint64_t{0} : it->value;
}

TEST(StatsTest, NamesRulesAsTheReferenceServiceDoes) {
  MetricsRig rig({DomainOf("d", {NodeOf("k", "v", 1)})});
  rig.Ask("d", {{"k", "v"}});
  rig.Ask("d", {{"k", "v"}});
  const std::vector<Stat> stats = ReadStats(rig.engines(), &rig.store(), {});
  EXPECT_EQ(ValueOf(stats, "ratelimit.service.rate_limit.d.k_v.total_hits"), 2U);
  EXPECT_EQ(ValueOf(stats, "ratelimit.service.rate_limit.d.k_v.over_limit"), 1U);
  EXPECT_EQ(ValueOf(stats, "ratelimit.service.config_load_error"), 0U);
  EXPECT_EQ(ValueOf(stats, "weir.checks"), 2U);
}

TEST(StatsTest, HasNoLineForOverridesThatNobodySent) {
  MetricsRig rig({DomainOf("d", {NodeOf("k", "v", 1)})});
  constexpr std::string_view kName = "ratelimit.service.rate_limit.d.total_hits";
  EXPECT_EQ(ValueOf(ReadStats(rig.engines(), nullptr, {}), kName), ~std::uint64_t{0});
  rig.AskWithLimit("d", {{"x", "y"}}, {.requests_per_unit = 1, .unit = Unit::kDay});
  EXPECT_EQ(ValueOf(ReadStats(rig.engines(), nullptr, {}), kName), 1U);
}

TEST(StatsTest, SortsByNameAndKeepsEachNameOnOneLine) {
  MetricsRig rig({DomainOf("d", {NodeOf("k", "a\nb", 1), NodeOf("b", "", 1)})});
  const std::vector<Stat> stats = ReadStats(rig.engines(), nullptr, {});
  EXPECT_TRUE(std::is_sorted(stats.begin(), stats.end(),
                             [](const Stat& a, const Stat& b) { return a.name < b.name; }));
  EXPECT_EQ(ValueOf(stats, "ratelimit.service.rate_limit.d.k_a_b.total_hits"), 0U);
}

}  // namespace
}  // namespace weir::observe
