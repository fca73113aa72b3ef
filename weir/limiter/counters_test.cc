#include "weir/limiter/counters.h"

#include <string>

#include <gtest/gtest.h>

#include "test/rule_tree.h"
#include "weir/limiter/engine.h"
#include "weir/store/memory_store.h"

namespace weir {
namespace {

using Totals = std::map<std::string, RuleTotals, std::less<>>;
using NotFound = std::map<std::string, std::uint64_t, std::less<>>;

TEST(RuleCountersTest, TotalsAreTheSumOfAllCells) {
  RuleCounters counters(3);
  for (std::size_t shard = 0; shard < 3; ++shard) {
    RuleCell& cell = counters.cell(shard);
    cell.AddHits({.total = 10, .within = 6, .near = 2, .over = 4, .shadow = 1}, shard == 0);
    cell.AddDecision({.basis = Basis::kStore});
    cell.AddDecision({.verdict = Verdict::kDeny, .basis = Basis::kHeld});
    cell.AddDecision({.verdict = Verdict::kUnavailable, .basis = Basis::kClosed});
    cell.AddShadowDenial();
  }
  RuleTotals want{.total_hits = 30,
                  .over_limit = 12,
                  .near_limit = 6,
                  .within_limit = 18,
                  .shadow_mode = 3,
                  .over_limit_with_local_cache = 4,
                  .shadow_denied = 3};
  want.allowed.at(static_cast<std::size_t>(Basis::kStore)) = 3;
  want.denied.at(static_cast<std::size_t>(Basis::kHeld)) = 3;
  want.denied.at(static_cast<std::size_t>(Basis::kClosed)) = 3;
  EXPECT_EQ(counters.Totals(), want);
}

TEST(RuleCountersTest, TotalsAdd) {
  RuleTotals a{.total_hits = 1, .shadow_denied = 2};
  a.allowed[0] = 5;
  RuleTotals b = a;
  b += a;
  EXPECT_EQ(b.total_hits, 2U);
  EXPECT_EQ(b.shadow_denied, 4U);
  EXPECT_EQ(b.allowed[0], 10U);
}

TEST(NamedCountersTest, CountsByName) {
  NamedCounters counters;
  counters.Add("d.k_one", {.total = 2, .within = 1, .near = 1, .over = 1});
  counters.Add("d.k_one", {.total = 1, .shadow = 1});
  counters.Add("d.k_two", {.total = 5});
  Totals totals;
  counters.AddTo(totals);
  counters.AddTo(totals);  // Adds to what is there: another shard's, in practice.
  ASSERT_EQ(totals.size(), 2U);
  EXPECT_EQ(
      totals["d.k_one"],
      (RuleTotals{
          .total_hits = 6, .over_limit = 2, .near_limit = 2, .within_limit = 2, .shadow_mode = 2}));
  EXPECT_EQ(totals["d.k_two"].total_hits, 10U);
}

TEST(NamedCountersTest, C100_NamesBeyondTheBoundAreFoldedIntoOne) {
  NamedCounters counters;
  const std::size_t flood = 5 * NamedCounters::kMostNames;
  for (std::size_t i = 0; i < flood; ++i) {
    counters.Add("d.user_" + std::to_string(i), {.total = 1});
    counters.AddNotFound("domain" + std::to_string(i));
  }
  counters.Add("d.user_0", {.total = 1});  // Known ones go on under their own name.
  Totals totals;
  counters.AddTo(totals);
  EXPECT_EQ(totals.size(), NamedCounters::kMostNames + 1);
  EXPECT_EQ(totals["d.user_0"].total_hits, 2U);
  EXPECT_EQ(totals[std::string(NamedCounters::kOther)].total_hits,
            flood - NamedCounters::kMostNames);
  NotFound domains;
  counters.AddNotFoundTo(domains);
  EXPECT_EQ(domains.size(), NamedCounters::kMostNames + 1);
  EXPECT_EQ(domains[std::string(NamedCounters::kOther)], flood - NamedCounters::kMostNames);
}

// -- the engine's view ------------------------------------------------------------------------

std::shared_ptr<const Policy> PolicyOf(std::vector<RuleNode> children,
                                       const Policy* previous = nullptr) {
  return Policy::Build({DomainOf("shop", std::move(children))}, {.seed = 42}, previous);
}
RuleTotals TotalsOf(const Engine& engine, std::string_view id) {
  const auto rules = engine.in_force().Get();
  return rules->counters.at(rules->policy->FindRule(id)->index)->Totals();
}
RuleCell& CellOf(const Engine& engine, std::string_view id) {
  const auto rules = engine.in_force().Get();
  return rules->counters.at(rules->policy->FindRule(id)->index)->cell(0);
}

TEST(EngineTest, StartsWithoutAnyDomain) {
  MemoryStore store({.max_keys = 8, .max_bytes = 0, .now = {}});
  const Engine engine(store, {});
  EXPECT_EQ(engine.policy()->FindDomain("shop"), Policy::kNone);
  EXPECT_TRUE(engine.Named().empty());
  EXPECT_TRUE(engine.DomainsNotFound().empty());
}

TEST(EngineTest, C102_EveryRuleHasItsCountersFromTheStart) {
  MemoryStore store({.max_keys = 8, .max_bytes = 0, .now = {}});
  Engine engine(store, {});
  engine.SetPolicy(PolicyOf({NodeOf("a", "", 1), NodeOf("b", "", 1)}));
  EXPECT_EQ(TotalsOf(engine, "shop/a"), RuleTotals{});
  EXPECT_EQ(TotalsOf(engine, "shop/b"), RuleTotals{});
  EXPECT_EQ(engine.in_force().Get()->counters.size(), engine.policy()->rules().size());
}

TEST(EngineTest, C103_AReloadKeepsTheCountersOfRulesThatStayWhereverTheyMove) {
  MemoryStore store({.max_keys = 8, .max_bytes = 0, .now = {}});
  Engine engine(store, {});
  engine.SetPolicy(PolicyOf({NodeOf("a", "", 1), NodeOf("b", "", 1), NodeOf("c", "", 1)}));
  CellOf(engine, "shop/a").AddHits({.total = 1}, false);
  CellOf(engine, "shop/b").AddHits({.total = 2}, false);
  CellOf(engine, "shop/c").AddHits({.total = 3}, false);
  engine.SetPolicy(PolicyOf({NodeOf("new", "", 9), NodeOf("c", "", 7), NodeOf("b", "", 1)},
                            engine.policy().get()));
  EXPECT_EQ(TotalsOf(engine, "shop/new").total_hits, 0U);
  EXPECT_EQ(TotalsOf(engine, "shop/b").total_hits, 2U);
  EXPECT_EQ(TotalsOf(engine, "shop/c").total_hits, 3U);  // Other numbers, the same rule.
  EXPECT_EQ(engine.policy()->FindRule("shop/a"), nullptr);
}

}  // namespace
}  // namespace weir
