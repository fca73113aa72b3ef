#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "test/rule_tree.h"
#include "weir/base/manual_clock.h"
#include "weir/limiter/limiter.h"
#include "weir/limiter/test_request.h"
#include "weir/store/memory_store.h"

namespace weir {

// 2023-11-14 22:00:00 UTC: the start of a second, a minute and an hour; two hours before midnight.
inline constexpr Now kWorldStart{.steady = Instant(std::chrono::seconds(60)),
                                 .wall = WallTime(std::chrono::seconds(1'699'999'200))};

// An instance in small, for tests: one engine with the domain `shop`, a clock that moves when told,
// a memory store unless another is given, and one limiter.
class LimiterWorld {
 public:
  explicit LimiterWorld(std::vector<RuleNode> rules, Profile profile = Profile::kNative,
                        EngineOptions options = {}, Store* store = nullptr)
      : profile_(profile), engine_(store != nullptr ? *store : memory_, std::move(options)) {
    Load(std::move(rules));
  }

  // A first load, or a reload.
  void Load(std::vector<RuleNode> rules) {
    engine_.SetPolicy(Policy::Build({DomainOf("shop", std::move(rules))},
                                    {.profile = profile_, .seed = 42}, engine_.policy().get(),
                                    clock_.Read().steady));
  }

  Decision Ask(const TestRequest& request) {
    return limiter_.Check(request.request(), clock_.Read());
  }
  // One descriptor.
  Decision Ask(std::vector<Entry> entries, std::uint64_t cost = 1) {
    return Ask(TestRequest("shop", {std::move(entries)}, cost));
  }
  int Admitted(const TestRequest& request, int times) {
    int admitted = 0;
    for (int i = 0; i < times; ++i) admitted += Ask(request).allowed() ? 1 : 0;
    return admitted;
  }
  int Admitted(std::vector<Entry> entries, int times) {
    return Admitted(TestRequest("shop", {std::move(entries)}), times);
  }

  RuleTotals TotalsOf(std::string_view id) const {
    const auto rules = engine_.in_force().Get();
    const Rule* const rule = rules->policy->FindRule(id);
    return rule == nullptr ? RuleTotals{} : rules->counters.at(rule->index)->Totals();
  }

  ManualClock& clock() { return clock_; }
  Engine& engine() { return engine_; }
  Limiter& limiter() { return limiter_; }
  MemoryStore& memory() { return memory_; }

 private:
  Profile profile_;
  ManualClock clock_{kWorldStart};
  MemoryStore memory_{{.max_keys = 10'000, .max_bytes = 0, .now = kWorldStart}};
  Engine engine_;
  Limiter limiter_{engine_, 0};
};

// -- rules by algorithm ---

inline RuleNode Fixed(std::string key, std::string value, std::uint64_t limit,
                      Unit unit = Unit::kMinute) {
  RuleNode node = BranchOf(std::move(key), std::move(value), {});
  node.rule = RuleOf(limit, unit, Algorithm::kFixedWindow);
  return node;
}
inline RuleNode Bucket(std::string key, std::string value, const QuotaSpec& spec) {
  RuleNode node = BranchOf(std::move(key), std::move(value), {});
  node.rule.emplace();
  node.rule->quota = MakeQuota(spec).value();
  return node;
}
inline RuleNode InShadow(RuleNode node) {
  node.rule->shadow_mode = true;
  return node;
}

}  // namespace weir
