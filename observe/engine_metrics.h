#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "observe/exposition.h"
#include "observe/service_counts.h"
#include "weir/core/decision.h"
#include "weir/limiter/engine.h"
#include "weir/store/memory_store.h"

namespace weir::observe {

// The word by which metrics and logs call what a decision rested on: "normal" for the store's count
// or no rule at all, else "held", "open", "closed", "local_share", "static", "shed", "bypass".
std::string_view ModeOf(Basis basis);

// Every rule in force with its name in the label `rule` and its counts.
struct RuleReading {
  const Rule* rule = nullptr;
  std::string name;  // Its label where no other rule of the domain has the same, else its id.
  RuleTotals totals;
  bool for_overrides = false;  // Not written by anyone: for limits that requests bring along.
};

// A reading of the rules that the first engine has in force, counts summed over all engines that
// have a rule of the same id.  Keeps the policy alive that `rule` points into.
// REQUIRES: at least one engine.
struct RulesReading {
  std::shared_ptr<const Policy> policy;
  std::vector<RuleReading> rules;  // In the order of the files.
};
RulesReading ReadRules(Engines engines);

// Adds Weir's own families, described one by one in docs/metrics.md.
//
// Their number is bounded by the policy: no label holds a value that a request chose.  Every family
// of a rule exists from the start, at 0, so that alerts on a rise see the first one.  `store` may
// be null (another kind of store).
void WriteEngineMetrics(Engines engines, const MemoryStore* store, const ServiceCounts& service,
                        const Now& now, Exposition& page);

}  // namespace weir::observe
